#include "dem/measure/contact_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include <Eigen/LU>

#include "dem/measure/layers.hpp"
#include "dem/scene/measure.hpp"
#include "dem/transfers.hpp"

namespace scree {

namespace {

constexpr int kLeastContacts = 2;  // of a particle that can bear a load, with friction

/// Where the bodies of a state are in its arrays.
class Rows {
 public:
  explicit Rows(const State& state) : state_(state) {}

  std::optional<std::size_t> particle(std::uint64_t id) const { return row(state_.particles.id, id); }
  std::optional<std::size_t> wall(std::uint64_t id) const { return row(state_.walls.id, id); }

 private:
  static std::optional<std::size_t> row(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
    if (ids.empty() || id < ids.front()) return {};
    const std::uint64_t guess = id - ids.front();  // right if none has left
    if (guess < ids.size() && ids[guess] == id) return guess;
    const auto found = std::ranges::lower_bound(ids, id);  // ascending
    if (found == ids.end() || *found != id) return {};
    return static_cast<std::size_t>(found - ids.begin());
  }
  const State& state_;
};

Vec2 wrapped(Vec2 point, const Domain& domain) {
  for (int axis = 0; axis < 2; ++axis) {
    if (!domain.periodic[static_cast<std::size_t>(axis)]) continue;
    const double period = domain.hi[axis] - domain.lo[axis];
    point[axis] -= std::floor((point[axis] - domain.lo[axis]) / period) * period;
  }
  return point;
}

bool is_in(const Region& region, const Domain& domain, const Vec2& point) {
  return layer_at(region, 1, wrapped(point, domain)).has_value();
}

/// T1 - T2 along a direction: negative if the tensor is greater across it.
double difference_along(double direction, const Eigen::Matrix2d& tensor) {
  return (tensor(0, 0) - tensor(1, 1)) * std::cos(2.0 * direction) +
         (tensor(0, 1) + tensor(1, 0)) * std::sin(2.0 * direction);
}

/// Contacts of two particles in the region that have a force.
struct Bearing {
  const ContactState* contact;
  Vec2 normal;
};

std::vector<Bearing> bearing_contacts(const State& state, const Region& region, const Domain& domain) {
  const Rows rows(state);
  std::vector<Bearing> found;
  for (const ContactState& contact : state.contacts) {
    if (rows.wall(contact.id2) || !is_in(region, domain, contact.point)) continue;
    if (const auto normal = normal_of(contact)) found.push_back({&contact, *normal});
  }
  return found;
}

void look_at_forces(const std::vector<Bearing>& bearing, double area, ContactStatistics& all) {
  all.contacts = bearing.size();
  if (bearing.empty()) return;
  const double share = 1.0 / static_cast<double>(bearing.size());
  for (const Bearing& b : bearing) {
    all.mean_force += share * b.contact->force_normal;
    all.sliding_share += b.contact->sliding ? share : 0.0;
  }
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Matrix2d whole = Eigen::Matrix2d::Zero();
  for (const Bearing& b : bearing) {
    const ContactState& contact = *b.contact;
    all.fabric += share * b.normal * b.normal.transpose();
    normal += share * contact.force_normal * b.normal * b.normal.transpose();
    whole += share * contact.force * b.normal.transpose();
    const Eigen::Matrix2d stress = contact.force * (contact.centre2 - contact.centre1).transpose() / area;
    all.stress += stress;
    if (contact.force_normal >= all.mean_force) continue;
    all.weak_share += share;
    all.weak_stress += stress;
  }
  const double direction = principal(all.stress).direction;
  all.anisotropy_contacts = 2.0 * difference_along(direction, all.fabric);
  if (normal.trace() == 0.0) return;
  const double with_normal = 2.0 * difference_along(direction, normal) / normal.trace();
  all.anisotropy_normal = with_normal - all.anisotropy_contacts;
  all.anisotropy_tangential = 2.0 * difference_along(direction, whole) / whole.trace() - with_normal;
}

void look_at_particles(const State& state, const std::vector<std::size_t>& inside, ContactStatistics& all) {
  if (inside.empty()) return;
  const ParticleState& p = state.particles;
  const double share = 1.0 / static_cast<double>(inside.size());
  double mass = 0.0;
  double grain_area = 0.0;
  double diameter = 0.0;
  double net_force = 0.0;
  Vec2 centre = Vec2::Zero();
  Vec2 velocity = Vec2::Zero();
  for (const std::size_t i : inside) {
    mass += p.mass[i];
    grain_area += std::numbers::pi * p.radius[i] * p.radius[i];
    diameter += share * 2.0 * p.radius[i];
    net_force += share * p.force[i].norm();
    all.mean_spin += share * p.angular_velocity[i];
    centre += p.mass[i] * p.position[i];
    velocity += p.mass[i] * p.velocity[i];
  }
  centre /= mass;
  velocity /= mass;
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  Eigen::Matrix2d moment = Eigen::Matrix2d::Zero();
  for (const std::size_t i : inside) {
    const Vec2 arm = p.position[i] - centre;
    spread += p.mass[i] * arm * arm.transpose();
    moment += p.mass[i] * (p.velocity[i] - velocity) * arm.transpose();
  }
  if (spread.determinant() > 1e-12 * spread.squaredNorm()) {
    const Eigen::Matrix2d gradient = moment * spread.inverse();
    all.shear_rate = std::hypot(gradient(0, 0) - gradient(1, 1), gradient(0, 1) + gradient(1, 0));
  }
  const double pressure = 0.5 * all.stress.trace();
  if (pressure > 0.0) all.inertial_number = all.shear_rate * diameter * std::sqrt(mass / grain_area / pressure);

  double contact_force = 0.0;
  for (const ContactState& contact : state.contacts) contact_force += contact.force.norm();
  if (contact_force > 0.0) {
    all.unbalanced_force = net_force / (contact_force / static_cast<double>(state.contacts.size()));
  }
}

/// Outline of a body at its place in the contact, body 2 in the image that touches; without corners for a disk.
struct PlacedOutline {
  std::span<const Vec2> corners = {};
  Vec2 shift = Vec2::Zero();

  Vec2 corner(std::size_t k) const { return corners[k == corners.size() ? 0 : k] + shift; }
};

PlacedOutline outline_of(const State& state, const Rows& rows, const ContactState& contact, bool second) {
  const auto of = [](const Outlines& outlines, std::size_t k) {
    return std::span(outlines.vertices).subspan(outlines.first[k], outlines.first[k + 1] - outlines.first[k]);
  };
  if (const auto wall = second ? rows.wall(contact.id2) : std::nullopt) return {of(state.walls.outlines, *wall)};
  const auto row = rows.particle(second ? contact.id2 : contact.id1);
  if (!row) return {};
  return {of(state.particles.outlines, *row),
          (second ? contact.centre2 : contact.centre1) - state.particles.position[*row]};
}

struct Edge {
  Vec2 from;
  Vec2 to;
};

bool is_convex(const PlacedOutline& outline) {
  for (std::size_t k = 0; k < outline.corners.size(); ++k) {
    const Vec2 corner = outline.corner(k);
    const Vec2 next = outline.corner(k + 1);
    const Vec2 after = outline.corner(k + 2 <= outline.corners.size() ? k + 2 : 1);
    if (cross(next - corner, after - next) < 0.0) return false;
  }
  return true;
}

double distance(const Vec2& point, const Edge& edge) {
  const Vec2 way = edge.to - edge.from;
  const double length = way.squaredNorm();
  const double share = length > 0.0 ? std::clamp(way.dot(point - edge.from) / length, 0.0, 1.0) : 0.0;
  return (point - (edge.from + share * way)).norm();
}

/// The edge whose outward normal is nearest to a direction; of an outline that is not convex, among those at the
/// contact's point.
Edge edge_towards(const PlacedOutline& outline, const ContactState& contact, const Vec2& direction) {
  std::size_t best = 0;
  double reach = std::numeric_limits<double>::infinity();
  if (!is_convex(outline)) {
    double nearest = reach;
    for (std::size_t k = 0; k < outline.corners.size(); ++k) {
      nearest = std::min(nearest, distance(contact.point, {outline.corner(k), outline.corner(k + 1)}));
    }
    reach = nearest + contact.depth;
  }
  double nearest = -2.0;
  for (std::size_t k = 0; k < outline.corners.size(); ++k) {
    const double cosine = -perp(outline.corner(k + 1) - outline.corner(k)).normalized().dot(direction);
    if (cosine <= nearest || distance(contact.point, {outline.corner(k), outline.corner(k + 1)}) > reach) continue;
    nearest = cosine;
    best = k;
  }
  return {outline.corner(best), outline.corner(best + 1)};
}

using Ends = std::vector<std::array<std::optional<std::size_t>, 2>>;

/// Removes particles with fewer than kLeastContacts, until there is none.
std::vector<char> without_rattlers(std::size_t particles, const Ends& ends) {
  std::vector<std::size_t> first(particles + 1, 0);  // particle i has contacts of[first[i]] ... of[first[i + 1] - 1]
  for (const auto& pair : ends) {
    for (const auto& end : pair) {
      if (end) ++first[*end + 1];
    }
  }
  std::vector<int> left(first.begin() + 1, first.end());
  std::vector<char> stays(particles, 1);
  std::vector<char> lasts(ends.size(), 1);
  std::vector<std::size_t> rattlers;
  for (std::size_t i = 0; i < particles; ++i) {
    if (left[i] < kLeastContacts) rattlers.push_back(i);
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::size_t> of(first.back());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t c = 0; c < ends.size(); ++c) {
    for (const auto& end : ends[c]) {
      if (end) of[next[*end]++] = c;
    }
  }
  while (!rattlers.empty()) {
    const std::size_t i = rattlers.back();
    rattlers.pop_back();
    if (stays[i] == 0) continue;
    stays[i] = 0;
    for (const std::size_t c : std::span(of).subspan(first[i], first[i + 1] - first[i])) {
      if (lasts[c] == 0) continue;
      lasts[c] = 0;
      for (const auto& end : ends[c]) {
        if (end && stays[*end] != 0 && --left[*end] < kLeastContacts) rattlers.push_back(*end);
      }
    }
  }
  return stays;
}

}  // namespace

Principal principal(const Eigen::Matrix2d& tensor) {
  const double half = 0.5 * (tensor(0, 0) - tensor(1, 1));
  const double off = 0.5 * (tensor(0, 1) + tensor(1, 0));
  return {0.5 * tensor.trace(), std::hypot(half, off), 0.5 * std::atan2(off, half)};
}

std::optional<Vec2> normal_of(const ContactState& contact) {
  const double n = contact.force_normal;
  const double t = contact.force_tangential;
  const double squared = n * n + t * t;
  if (!(squared > 0.0)) return {};
  // force = n normal + t perp(normal)
  return Vec2((n * contact.force - t * perp(contact.force)) / squared).normalized();
}

ContactStatistics contact_statistics(const State& state, const Region& region, const Domain& domain) {
  ContactStatistics all;
  const double area = (region.hi - region.lo).prod();
  look_at_forces(bearing_contacts(state, region, domain), area, all);
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < state.particles.size(); ++i) {
    if (layer_at(region, 1, state.particles.position[i])) inside.push_back(i);
  }
  look_at_particles(state, inside, all);
  all.coordination = coordination(state);
  const Rows rows(state);
  for (const ContactState& contact : state.contacts) {
    const Vec2& end = rows.wall(contact.id2) ? contact.point : contact.centre2;
    all.domain_stress += contact.force * (end - contact.centre1).transpose() / (domain.hi - domain.lo).prod();
  }
  Measure whole;
  whole.region = region;
  const double grains = layers(state.particles, whole, domain).front().area;
  if (grains > 0.0) all.void_ratio = area / grains - 1.0;
  return all;
}

Coordination coordination(const State& state) {
  const Rows rows(state);
  const std::size_t particles = state.particles.size();
  Ends ends;
  ends.reserve(state.contacts.size());
  for (const ContactState& contact : state.contacts) {
    ends.push_back({rows.particle(contact.id1), rows.particle(contact.id2)});
  }
  Coordination found;
  if (particles == 0) return found;
  const std::vector<char> stays = without_rattlers(particles, ends);
  const auto remaining = static_cast<std::uint64_t>(std::ranges::count(stays, 1));
  found.rattlers = particles - remaining;
  double all = 0.0;
  double of_remaining = 0.0;
  double constraints = 0.0;
  for (std::size_t c = 0; c < ends.size(); ++c) {
    const auto count = std::ranges::count_if(ends[c], [](const auto& end) { return end.has_value(); });
    const bool lasts = std::ranges::all_of(ends[c], [&](const auto& end) { return !end || stays[*end] != 0; });
    const bool is_edge = is_edge_contact(state, state.contacts[c]);
    found.edge_contacts += is_edge ? 1 : 0;
    all += static_cast<double>(count);
    if (!lasts) continue;
    of_remaining += static_cast<double>(count);
    constraints += static_cast<double>(is_edge ? 2 * count : count);
  }
  found.all = all / static_cast<double>(particles);
  if (remaining == 0) return found;
  found.without_rattlers = of_remaining / static_cast<double>(remaining);
  found.constraints = constraints / static_cast<double>(remaining);
  return found;
}

bool is_edge_contact(const State& state, const ContactState& contact) {
  const auto normal = normal_of(contact);
  if (!normal) return false;
  const Rows rows(state);
  const PlacedOutline first = outline_of(state, rows, contact, false);
  const PlacedOutline second = outline_of(state, rows, contact, true);
  if (first.corners.size() < 2 || second.corners.size() < 2) return false;
  const Edge a = edge_towards(first, contact, *normal);
  const Edge b = edge_towards(second, contact, -*normal);
  const Vec2 along = (a.to - a.from).normalized();
  if (std::abs(cross(along, (b.to - b.from).normalized())) > std::sin(kFlushAngle)) return false;
  const double begin = std::max(along.dot(a.from), along.dot(b.to));
  const double end = std::min(along.dot(a.to), along.dot(b.from));
  return end > begin;
}

std::vector<Eigen::Matrix2d> grain_stress(const State& state) {
  const Rows rows(state);
  std::vector<Eigen::Matrix2d> stress(state.particles.size(), Eigen::Matrix2d::Zero());
  const auto add = [&](std::uint64_t id, const Vec2& force, const Vec2& branch) {
    const auto row = rows.particle(id);
    if (!row) return;
    const double radius = state.particles.radius[*row];
    stress[*row] += force * branch.transpose() / (std::numbers::pi * radius * radius);
  };
  for (const ContactState& contact : state.contacts) {
    add(contact.id1, -contact.force, contact.centre1 - contact.point);
    add(contact.id2, contact.force, contact.centre2 - contact.point);
  }
  return stress;
}

std::vector<double> ForceDistribution::density() const {
  const auto all = static_cast<double>(std::accumulate(count.begin(), count.end(), std::uint64_t{0}));
  std::vector<double> density;
  for (const std::uint64_t each : count) density.push_back(all > 0.0 ? static_cast<double>(each) / (all * bin) : 0.0);
  return density;
}

ForceDistribution& ForceDistribution::operator+=(const ForceDistribution& other) {
  for (std::size_t k = 0; k < count.size(); ++k) count[k] += other.count[k];
  return *this;
}

ForceDistribution force_distribution(const State& state, const Region& region, const Domain& domain, double bin,
                                     std::size_t bins) {
  ForceDistribution found{bin, std::vector<std::uint64_t>(bins, 0)};
  const std::vector<Bearing> bearing = bearing_contacts(state, region, domain);
  double mean = 0.0;  // below 0 if cohesion pulls more than all else pushes
  for (const Bearing& b : bearing) mean += b.contact->force_normal / static_cast<double>(bearing.size());
  if (!(mean > 0.0)) return found;
  for (const Bearing& b : bearing) {
    const double place = std::clamp(b.contact->force_normal / (mean * bin), 0.0, static_cast<double>(bins - 1));
    ++found.count[static_cast<std::size_t>(place)];
  }
  return found;
}

}  // namespace scree
