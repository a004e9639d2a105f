#include "dem/soft/forces/contact_forces.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "dem/scene.hpp"
#include "dem/shapes.hpp"
#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/forces/dashpot_shares.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "dem/soft/lanes/views.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

constexpr std::uint32_t kBlock = 256;  // contacts

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// All but the relative motion.
[[gnu::always_inline]] inline ContactKinematics kinematics_at_rest(const Bodies& bodies, const BodyPair& pair,
                                                                   const Overlap& overlap, const Vec2& branch_vector) {
  const bool wall = bodies.is_wall(pair.b);
  const double inverse_radius_a = 1.0 / bodies.radius_of_law(pair.a);
  const double inverse_radius_b = wall ? 0.0 : 1.0 / bodies.radius_of_law(pair.b);
  const auto lever_arm = [&](std::uint32_t body, const Vec2& from_centre) {
    return bodies.has_clump_radius(body) ? bodies.clump_radius[body] : from_centre.norm();
  };
  return {
      .reduced_mass = 1.0 / (bodies.inverse_mass[pair.a] + bodies.inverse_mass[pair.b]),
      .lever_arm_a = lever_arm(pair.a, overlap.centroid),
      .lever_arm_b = wall ? kInfinity : lever_arm(pair.b, overlap.centroid - branch_vector),
      .inverse_effective_radius = inverse_radius_a + inverse_radius_b,
      .curvature = (bodies.outline_size[pair.a] == 0 ? inverse_radius_a : 0.0) +
                   (bodies.outline_size[pair.b] == 0 ? inverse_radius_b : 0.0),
  };
}

template <class PolygonLaw, class DiskLaw>
ElasticEnergy elastic_energy_of(const Bodies& bodies, const ContactLaws& laws, const Proxies& proxies,
                                const ContactRecord& contact) {
  const BodyPair& pair = contact.bodies;
  const PairLaw& law = laws.of(bodies, pair);
  ElasticEnergy energy{.tangential = tangential_energy(law, contact)};
  const ShapeView a = bodies.shape(pair.a);
  const ShapeView b = bodies.shape(pair.b);
  const Pose b_in_a = relative_pose(bodies.pose(pair.a).rotation, bodies.pose(pair.b).rotation,
                                    proxies.branch_vector(bodies, pair.a, pair.b, contact.image));
  PairHint hint = contact.hint;
  const Overlap found = overlap(a, b, b_in_a, hint);
  if (!found.touching()) return energy;  // the correction has moved the bodies apart since the overlap was measured
  const ContactKinematics sizes = kinematics_at_rest(bodies, pair, found, b_in_a.position);
  const auto add = [&](bool conservative, double normal) {
    (conservative ? energy.potential : energy.without_potential) += normal;
  };
  if (has_disk(bodies, pair)) {
    add(DiskLaw::kConservative, DiskLaw::energy(law, found, sizes));
  } else {
    const auto region = overlap_polygon(a.outline, b.outline, b_in_a, hint.features);
    add(PolygonLaw::kConservative, PolygonLaw::energy(law, found, region, sizes));
  }
  energy.potential -= law.cohesion * found.area;
  return energy;
}

/// Stiffness of the normal force of a contact [N/m].
template <class PolygonLaw, class DiskLaw>
double stiffness_of(const Bodies& bodies, const ContactLaws& laws, const BodyPair& pair,
                    const ContactGeometry& geometry) {
  const Overlap& overlap = geometry.overlap;
  const PairLaw& law = laws.of(bodies, pair);
  const ContactKinematics at_rest = kinematics_at_rest(bodies, pair, overlap, geometry.branch_vector);
  OverlapSize<double> size{.area = overlap.area, .depth = overlap.depth};
  if (has_disk(bodies, pair)) return DiskLaw::force(law, size, at_rest).stiffness;
  size.chord = overlap.chord();
  return PolygonLaw::force(law, size, at_rest).stiffness;
}

/// Where the law of this name stands on its list.
template <class Laws>
std::size_t place_of(const std::string& name) {
  const auto names = law_names<Laws>();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

ContactForces::ContactForces(const Scene& scene)
    : polygon_law_(place_of<PolygonLaws>(scene.contact_law)), disk_law_(place_of<DiskLaws>(scene.disk_law)) {
  with_law<PolygonLaws>(scene.contact_law, "contact.law", [&](auto polygon_law) {
    with_law<DiskLaws>(scene.disk_law, "contact.disks", [&](auto disk_law) {
      elastic_energy_ = elastic_energy_of<decltype(polygon_law), decltype(disk_law)>;
      stiffness_ = stiffness_of<decltype(polygon_law), decltype(disk_law)>;
    });
  });
}

bool ContactForces::compute(const ForceView& view, Contacts& contacts) const {
  const Bodies& bodies = view.bodies;
  prepare(view.laws, contacts);
  if (bodies.parts > 0) {
    parallel_for_ranges(contacts.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const BodyPair& pair = contacts.bodies(k);
        if (!bodies.is_part(pair.a) && !bodies.is_part(pair.b)) continue;
        contacts.parts[k].stiffness = stiffness_(bodies, view.laws, pair, contacts.geometry(k));
      }
    });
  }
  share_dashpots(bodies, contacts);
  return compute_on_threads(view, nullptr, contacts.size(), contacts);
}

bool ContactForces::compute(const ForceView& view, std::span<const std::uint32_t> places, Contacts& contacts) const {
  prepare(view.laws, contacts);
  return compute_on_threads(view, places.data(), places.size(), contacts);
}

bool ContactForces::compute(const ForceView& view, const RegionWindow& window, Contacts& contacts) const {
  return compute(view, window, nullptr, window.first, window.last, contacts);
}

void ContactForces::prepare(const ContactLaws& laws, Contacts& contacts) {
  if (laws.any_rolling() && contacts.rolling.empty()) contacts.resist_rolling();
}

/// @param list contacts; null: the first `count` ones
bool ContactForces::compute_on_threads(const ForceView& view, const std::uint32_t* list, std::size_t count,
                                       Contacts& contacts) const {
  std::atomic<bool> alarm = false;
  const RegionWindow all = contacts.all_regions();
  parallel_for_ranges(count, [&](std::size_t begin, std::size_t end) {
    if (compute(view, all, list, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), contacts))
      alarm.store(true, std::memory_order_relaxed);
  });
  return alarm;
}

/// @param list contacts, of which those from `begin` to `end` are computed; null: all have the number of their place
bool ContactForces::compute(const ForceView& view, const RegionWindow& regions, const std::uint32_t* list,
                            std::uint32_t begin, std::uint32_t end, Contacts& contacts) const {
  if (begin == end) return false;
  const Bodies& bodies = view.bodies;
  const double max_square = view.laws.max_omega_dt() * view.laws.max_omega_dt();
  const lanes::Kernels& kernels = lanes::kernels();
  const lanes::BodiesIn bodies_in = bodies_for_lanes(bodies);
  const lanes::Limits limits = {view.dt, max_square, kMaxDepthRatio, bodies.min_inradius};
  const lanes::CandidatesIn candidates = candidates_for_lanes(contacts);
  const lanes::ContactsInOut in_out = contacts_for_lanes(contacts, regions);
  const bool in_flow = !contacts.image_velocity.empty();
  const auto compute_polygon_law = (in_flow ? kernels.polygon_law_in_flow : kernels.polygon_law)[polygon_law_];
  const auto compute_disk_law = (in_flow ? kernels.disk_law_in_flow : kernels.disk_law)[disk_law_];
  const auto laws_of_polygons = view.laws.polygons_for_lanes(bodies);
  const auto laws_of_disks = view.laws.disks_for_lanes(bodies);
  bool alarm = false;
  while (begin < end) {
    const std::uint32_t end_of_block = begin + std::min(kBlock, end - begin);
    std::uint32_t suspects_at[kBlock];
    lanes::Found suspects{suspects_at, 0};
    const auto compute_polygons = [&](const lanes::Range& range) {
      compute_polygon_law(bodies_in, candidates, laws_of_polygons, limits, in_out, range, suspects);
    };
    const auto compute_disks = [&](const lanes::Range& range) {
      compute_disk_law(bodies_in, candidates, laws_of_disks, limits, in_out, range, suspects);
    };
    if (bodies.disks == 0) {
      compute_polygons({list, begin, end_of_block});
    } else if (bodies.disks == bodies.beyond_walls()) {
      compute_disks({list, begin, end_of_block});
    } else {
      std::uint32_t of_polygons[kBlock];
      std::uint32_t of_disks[kBlock];
      std::uint32_t polygons = 0;
      std::uint32_t disks = 0;
      for (std::uint32_t place = begin; place < end_of_block; ++place) {
        const std::uint32_t contact = list == nullptr ? place : list[place];
        if (has_disk(bodies, contacts.bodies(contact))) {
          of_disks[disks++] = contact;
        } else {
          of_polygons[polygons++] = contact;
        }
      }
      compute_polygons({of_polygons, 0, polygons});
      compute_disks({of_disks, 0, disks});
    }
    for (std::uint32_t k = 0; k < suspects.count; ++k) {
      const std::uint32_t contact = suspects.at[k];
      const BodyPair pair = contacts.bodies(contact);
      const ContactGeometry geometry = geometry_of(regions[contact], contacts.axes[contact]);
      const PairLaw& law = view.laws.of(bodies, pair);
      const double reduced_mass = 1.0 / (bodies.inverse_mass[pair.a] + bodies.inverse_mass[pair.b]);
      alarm |= contacts.parts[contact].stiffness * view.dt * view.dt / reduced_mass > max_square ||
               is_too_deep(geometry, law) || passes_through(bodies, view.placement, pair, geometry, law);
    }
    begin = end_of_block;
  }
  return alarm;
}

}  // namespace scree::soft
