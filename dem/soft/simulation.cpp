#include "dem/soft/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>

#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/soft/laws/laws.hpp"
#include "geometry/closest_features.hpp"
#include "geometry/deterministic_math.hpp"
#include "parallel/ordered_sum.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of a chord, as a share of the bodies' sizes: a few dozen roundings of a coordinate.
constexpr double kRoundingOfEnds = 1e-14;

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Velocity of the point `arm` away from the centre of a body.
Vec2 velocity_at(const Motion& velocity, const Vec2& arm) {
  return linear(velocity) + velocity.z() * perp(arm);
}

/// How much of the step has passed since the first touch, going by depth and speed of approach [s].
double time_since_touch(double depth, double speed, double dt) {
  return depth < speed * dt ? depth / speed : dt;
}

/// Of friction's and rolling resistance's springs [J].
double tangential_energy(const PairLaw& law, const PairMemory& memory) {
  return 0.5 * law.tangential_stiffness *
         (memory.spring * memory.spring + memory.rolling_spring * memory.rolling_spring);
}

}  // namespace

ElasticEnergy& ElasticEnergy::operator+=(const ElasticEnergy& other) {
  potential += other.potential;
  without_potential += other.without_potential;
  tangential += other.tangential;
  return *this;
}

// ---------------------------------------------------------------------------------------------- histogram of depths

void DepthHistogram::add(double depth_ratio) {
  const auto bin = static_cast<std::size_t>(std::min(depth_ratio / kBin, static_cast<double>(counts.size() - 1)));
  std::atomic_ref(counts[bin]).fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t DepthHistogram::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

double DepthHistogram::percentile(double percent) const {
  const double wanted = 0.01 * percent * static_cast<double>(total());
  std::uint64_t below = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    below += counts[bin];
    if (below > 0 && static_cast<double>(below) >= wanted) return static_cast<double>(bin + 1) * kBin;
  }
  return 0.0;
}

// ------------------------------------------------------------------------------------------------------- beginning

namespace {

/// @param chosen becomes a new one of the kind; its alternatives are in the order of the kinds
template <class... Members>
void choose(BroadphaseKind kind, std::variant<Members...>& chosen) {
  static_assert(sizeof...(Members) == kBroadphaseNames.size());
  int member = 0;
  ((member++ == static_cast<int>(kind) ? static_cast<void>(chosen.template emplace<Members>()) : void()), ...);
}

}  // namespace

Simulation::Simulation(const Scene& scene, Options options)
    : scene_(scene),
      step_(time_step(scene)),
      gear_(gear_values(scene.integrator), step_.dt),
      proxies_(scene.domain),
      threads_(options.threads) {
  choose(options.broadphase.value_or(scene_.broadphase), broadphase_);
  with_law<PolygonLaws>(scene_.contact_law, "contact.law", [&](auto polygon_law) {
    with_law<DiskLaws>(scene_.disk_law, "contact.disks",
                       [&](auto disk_law) { set_laws<decltype(polygon_law), decltype(disk_law)>(); });
  });
  if (scene_.measure) transfers_ = Transfers(*scene_.measure, scene_.domain, scene_.walls.size());
  pours_.resize(scene_.particles.size());
  add_walls();
  add_initial_grains();
}

template <class PolygonLaw, class DiskLaw>
void Simulation::set_laws() {
  const int materials = static_cast<int>(scene_.materials.size());
  for (int a = 0; a < materials; ++a) {
    for (int b = 0; b < materials; ++b) {
      const Material mixed = mix(scene_, a, b);
      const auto stiffness = [&](int k) { return scene_.materials[static_cast<std::size_t>(k)].stiffness; };
      const bool passable = mixed.stiffness < kPassable * std::min(stiffness(a), stiffness(b));
      for (auto [laws, damping] :
           {std::pair(&polygon_laws_, PolygonLaw::kDampingRatio), std::pair(&disk_laws_, DiskLaw::kDampingRatio)}) {
        laws->push_back(pair_law(mixed, damping));
        laws->back().passable = passable;
      }
    }
  }
  double strongest = 0.0;  // damping ratio
  for (const auto* laws : {&polygon_laws_, &disk_laws_}) {
    for (const PairLaw& law : *laws) {
      strongest = std::max({strongest, law.damping_ratio, law.tangential_damping_ratio});
    }
  }
  longest_phase_ = longest_phase(strongest, gear_.values());
  interact_ = &Simulation::interact<PolygonLaw, DiskLaw>;
  elastic_energy_ = &Simulation::elastic_energy<PolygonLaw, DiskLaw>;
}

void Simulation::add_walls() {
  const Domain& domain = scene_.domain;
  std::vector<std::array<bool, 2>> spans;
  for (std::size_t k = 0; k < scene_.walls.size(); ++k) {
    const Wall& wall = scene_.walls[k];
    if (wall.polygon.size() < 3) throw InvalidScene("walls." + wall.name, "must be a polygon in soft mode");
    const Polygon polygon(wall.polygon);
    wall_start_.push_back(polygon.centroid());
    bodies_.add(next_id_++, static_cast<int>(k), wall.material, kInfinity, kInfinity, kInfinity,
                polygon.bounding_radius(), polygon.vertices());
    ++bodies_.walls;
    gear_.add(Motion::Zero());

    const Aabb2 box = bounds(polygon.vertices(), {polygon.centroid(), {}});
    spans.push_back({false, false});
    for (int axis = 0; axis < 2; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      if (!domain.periodic[at] || box.hi[axis] - box.lo[axis] < domain.hi[axis] - domain.lo[axis]) continue;
      spans.back()[at] = true;
      if (wall.angular_velocity != 0.0) {
        throw InvalidScene("walls[" + std::to_string(k) + "].rotation",
                           "a wall as wide as the periodic domain cannot turn");
      }
    }
  }
  proxies_.set_spans(std::move(spans));
  force_.assign(bodies_.size(), Motion::Zero());
  fastest_wall_ = fastest_wall();
  move_walls(0.0);
}

void Simulation::add_initial_grains() {
  std::uint32_t with_boxes = 0;  // bodies that have a box already
  const auto give_boxes = [&] {
    rotation_.resize(bodies_.size());
    body_box_.resize(bodies_.size());
    extremes_.resize(bodies_.size());
    std::vector<Proxy> missing;
    for (; with_boxes < bodies_.size(); ++with_boxes) {
      place(with_boxes);
      missing.push_back({with_boxes, {0, 0}});
    }
    insert_boxes(missing);
    if (proxies_.periodic()) {
      proxies_.find_image_changes(bodies_, body_box_, image_changes_);
      insert_boxes(image_changes_.missing);
    }
  };
  give_boxes();
  for (std::size_t g = 0; g < scene_.particles.size(); ++g) {
    const int group = static_cast<int>(g);
    const auto births = initial_grains(scene_, group, [&](const ShapeView& s, const Pose& p) { return is_free(s, p); });
    for (const Birth& birth : births) add_grain(birth, group);
    give_boxes();
  }
  follow();
  const ElasticEnergy elastic = elastic_energy();
  ledger_.in += elastic.sum();
  ledger_.law += elastic.without_potential;
}

void Simulation::add_grain(const Birth& birth, int group) {
  const int material = scene_.particles[static_cast<std::size_t>(group)].material;
  const double density = scene_.materials[static_cast<std::size_t>(material)].density;
  const Grain& grain = birth.grain;
  bodies_.add(next_id_++, group, material, grain.mass(density), grain.inertia(density),
              0.5 * equivalent_diameter(grain.area), grain.bounding_radius, grain.outline);
  bodies_.position.back() = {birth.position.x(), birth.position.y(), birth.angle};
  bodies_.velocity.back() = {birth.velocity.x(), birth.velocity.y(), birth.angular_velocity};
  gear_.add({scene_.gravity.x(), scene_.gravity.y(), 0.0});
  force_.emplace_back(Motion::Zero());
  ++particles_in_;
  const std::uint32_t body = bodies_.size() - 1;
  ledger_.in += kinetic_energy(body) + potential_energy(body);
}

/// Proxies for these bodies and images, and their boxes into the broadphase.
void Simulation::insert_boxes(std::span<const Proxy> proxies) {
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (const Proxy& proxy : proxies) {
    ids.push_back(proxies_.add(proxy));
    boxes.push_back(body_box_[proxy.body].shifted(proxies_.shift(proxy, bodies_)));
  }
  boxes_.resize(proxies_.all().size());
  std::visit([&](auto& broadphase) { broadphase.insert(ids, boxes, changes_); }, broadphase_);
  contacts_.note(changes_, proxies_, bodies_);
}

void Simulation::erase_box(ProxyId id) {
  std::visit([&](auto& broadphase) { broadphase.erase(id, changes_); }, broadphase_);
  contacts_.note(changes_, proxies_, bodies_);
  proxies_.release(id);
}

// ---------------------------------------------------------------------------------------------------------- the step

void Simulation::advance_to(double t, std::uint64_t at_most) {
  const double wanted = std::ceil(t / step_.dt - 1e-9);
  threads_.run([&] {
    while (at_most-- > 0 && static_cast<double>(steps_) < wanted) do_step();
  });
}

void Simulation::do_step() {
  const auto timed = [&](Stage stage, auto&& work) {
    const Stopwatch stopwatch(stage_times_[stage].seconds);
    work();
  };
  timed(kBirths, [&] { remove_the_gone(), pour(); });
  timed(kPredict, [&] { predict(), move_walls(static_cast<double>(steps_ + 1) * step_.dt); });
  timed(kPlace, [&] { place(); });
  timed(kBroadphase, [&] { find_pairs(); });
  timed(kFollow, [&] {
    for (const Parted& parted : follow()) ledger_.law += tangential_energy(law_of(parted.key), parted.memory);
  });
  timed(kInteract, [&] { (this->*interact_)(); });
  if (scene_.measure) add_transfers();
  timed(kCorrect, [&] { gather_and_correct(), book(), wrap(); });
  particle_steps_ += bodies_.particles();
  check();
}

/// Bodies that left through an open side in the last step, and walls whose time is over.
void Simulation::remove_the_gone() {
  const Domain& domain = scene_.domain;
  const auto is_gone = [&](std::uint32_t body) {
    if (bodies_.is_wall(body)) {
      const Wall& wall = scene_.walls[static_cast<std::size_t>(bodies_.type[body])];
      return wall.until && time() >= *wall.until;
    }
    for (int axis = 0; axis < 2; ++axis) {
      if (domain.periodic[static_cast<std::size_t>(axis)]) continue;
      if (body_box_[body].hi[axis] < domain.lo[axis] || body_box_[body].lo[axis] > domain.hi[axis]) return true;
    }
    return false;
  };
  std::vector<char> gone;
  for (std::uint32_t body = 0; body < bodies_.size(); ++body) {
    if (!is_gone(body)) continue;
    gone.resize(bodies_.size(), 0);
    gone[body] = 1;
    if (bodies_.is_wall(body)) continue;
    ++particles_out_;
    ledger_.out += kinetic_energy(body) + potential_energy(body);
    ledger_.kinetic_out += kinetic_energy(body);
    departures_.push_back({time(), bodies_.id[body], bodies_.type[body], bodies_.mass[body],
                           linear(bodies_.position[body]), linear(bodies_.velocity[body]), bodies_.velocity[body].z()});
  }
  if (gone.empty()) return;

  for (ProxyId id = 0; id < proxies_.all().size(); ++id) {
    const std::uint32_t body = proxies_.all()[id].body;
    if (body != Proxies::kUnused && gone[body]) erase_box(id);
  }
  for (const Parted& parted : follow()) {
    const ElasticEnergy elastic = (this->*elastic_energy_)(parted.key, parted.memory);
    ledger_.out += elastic.sum();
    ledger_.law -= elastic.without_potential;
  }
  const auto new_index = bodies_.remove(gone);
  gear_.remove(new_index);
  keep_remaining(rotation_, new_index);
  keep_remaining(body_box_, new_index);
  keep_remaining(extremes_, new_index);
  keep_remaining(force_, new_index);
  proxies_.renumber(new_index, bodies_);
  contacts_.renumber(new_index, bodies_.size(), bodies_.walls);
  fastest_wall_ = fastest_wall();
}

void Simulation::pour() {
  for (std::size_t g = 0; g < scene_.particles.size(); ++g) {
    if (!std::holds_alternative<Pour>(scene_.particles[g].how)) continue;
    const int group = static_cast<int>(g);
    while (const auto birth = try_pour(scene_, group, time(), pours_[g],
                                       [&](const ShapeView& s, const Pose& p) { return is_free(s, p); })) {
      add_grain(*birth, group);
      const std::uint32_t body = bodies_.size() - 1;
      rotation_.emplace_back();
      body_box_.emplace_back();
      extremes_.emplace_back();
      place(body);
      insert_boxes(std::array{Proxy{body, {0, 0}}});
    }
  }
}

bool Simulation::is_free(const ShapeView& shape, const Pose& pose) const {
  // The boxes are those of the prediction; the bodies have moved on by the correction, which is far below this margin.
  Extremes extremes{};
  const Aabb2 box = bounds(shape, pose, extremes).expanded(0.05 * shape.radius);
  std::vector<ProxyId> found;
  std::visit([&](const auto& broadphase) { broadphase.query(box, found); }, broadphase_);
  return std::none_of(found.begin(), found.end(), [&](ProxyId id) {
    const Proxy& proxy = proxies_.all()[id];
    const Pose other = bodies_.pose(proxy.body);
    const Vec2 away = other.position + proxies_.shift(proxy, bodies_) - pose.position;
    PairHint no_hint;
    const Pose b_in_a = relative_pose(pose.rotation, other.rotation, away);
    return overlap(shape, bodies_.shape(proxy.body), b_in_a, no_hint).touching();
  });
}

void Simulation::predict() {
  parallel_for(bodies_.particles(),
               [&](std::size_t i) { gear_.predict(bodies_, bodies_.walls + static_cast<std::uint32_t>(i)); });
}

void Simulation::move_walls(double t) {
  for (std::uint32_t body = 0; body < bodies_.walls; ++body) {
    const auto k = static_cast<std::size_t>(bodies_.type[body]);
    const Wall& wall = scene_.walls[k];
    const Vec2 arm = Rotation::by(wall.angular_velocity * t) * Vec2(wall_start_[k] - wall.pivot);
    const Oscillation& swing = wall.oscillation;
    const double pulsation = 2.0 * std::numbers::pi * swing.frequency;
    const auto [sin, cos] = deterministic::sincos(pulsation * t + swing.phase);
    Vec2 moved = t * wall.velocity + sin * swing.amplitude;
    for (int axis = 0; axis < 2; ++axis) {
      if (proxies_.spans(body, axis)) moved[axis] = 0.0;  // the same wherever it slides: a belt
    }
    Vec2 position = wall.angular_velocity == 0.0 ? wall_start_[k] + moved : Vec2(wall.pivot + moved + arm);
    for (int axis = 0; axis < 2; ++axis) {  // inside the domain, as every body
      const auto at = static_cast<std::size_t>(axis);
      if (!scene_.domain.periodic[at] || proxies_.spans(body, axis)) continue;
      const double periods = std::floor((position[axis] - scene_.domain.lo[axis]) / proxies_.period()[axis]);
      position[axis] -= periods * proxies_.period()[axis];
      bodies_.image[body][at] = static_cast<std::int32_t>(periods);
    }
    const Vec2 velocity = wall.velocity + pulsation * cos * swing.amplitude + wall.angular_velocity * perp(arm);
    bodies_.position[body] = {position.x(), position.y(), wall.angular_velocity * t};
    bodies_.velocity[body] = {velocity.x(), velocity.y(), wall.angular_velocity};
  }
}

void Simulation::place(std::uint32_t body) {
  const ShapeView shape = bodies_.shape(body);
  rotation_[body] = shape.is_disk() ? Rotation{} : Rotation::by(bodies_.position[body].z());
  body_box_[body] = bounds(shape, {linear(bodies_.position[body]), rotation_[body]}, extremes_[body]);
}

void Simulation::place() {
  parallel_for(bodies_.size(), [&](std::size_t body) { place(static_cast<std::uint32_t>(body)); });
  const std::vector<Proxy>& proxies = proxies_.all();
  parallel_for(proxies.size(), [&](std::size_t id) {
    if (proxies[id].body == Proxies::kUnused) return;
    boxes_[id] = body_box_[proxies[id].body].shifted(proxies_.shift(proxies[id], bodies_));
  });
}

void Simulation::find_pairs() {
  std::visit([&](auto& broadphase) { broadphase.update(boxes_, changes_); }, broadphase_);
  contacts_.note(changes_, proxies_, bodies_);
  if (!proxies_.periodic()) return;
  proxies_.find_image_changes(bodies_, body_box_, image_changes_);
  if (!image_changes_.missing.empty()) insert_boxes(image_changes_.missing);
  for (const ProxyId id : image_changes_.obsolete) erase_box(id);
}

/// @return the pairs that went while touching
std::span<const Parted> Simulation::follow() {
  const auto parted = contacts_.follow(bodies_.size(), bodies_.walls);
  for (const Parted& pair : parted) impact_depths_.add(pair.memory.max_depth_ratio);
  return parted;
}

/// From the centre of a to the centre of the image of b that the pair is about.
Vec2 Simulation::offset(const PairKey& key) const {
  Vec2 between = linear(bodies_.position[key.b]) - linear(bodies_.position[key.a]);
  if (!proxies_.periodic()) return between;
  for (int axis = 0; axis < 2; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (proxies_.spans(key.b, axis)) continue;
    between[axis] += (key.image[at] + bodies_.image[key.b][at] - bodies_.image[key.a][at]) * proxies_.period()[axis];
  }
  return between;
}

/// Touch and push, a few hundred pairs at a time: each loop by itself keeps the processor's pipelines fuller than one
/// loop over both, and what the first finds is still in the cache for the second.
template <class PolygonLaw, class DiskLaw>
void Simulation::interact() {
  parallel_for_ranges(contacts_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t pair = begin; pair < end; ++pair) touch(pair);
    for (std::size_t pair = begin; pair < end; ++pair) {
      if (!contacts_.contact[pair].overlap.touching()) continue;
      const PairKey& key = contacts_.keys[pair];
      if (with_disk(key)) {
        push<DiskLaw>(pair, disk_laws_[materials(key)]);
      } else {
        push<PolygonLaw>(pair, polygon_laws_[materials(key)]);
      }
    }
  });
}

/// The common region of two bodies, found from where their features were last time.
void Simulation::touch(std::size_t pair) {
  const PairKey& key = contacts_.keys[pair];
  PairMemory& memory = contacts_.memory[pair];
  PairContact& contact = contacts_.contact[pair];
  contact.to_b = offset(key);
  const ShapeView a = bodies_.shape(key.a);
  const ShapeView b = bodies_.shape(key.b);
  const Rotation& to_world = rotation_[key.a];
  const Pose b_in_a = relative_pose(to_world, rotation_[key.b], contact.to_b);
  Overlap& found = contact.overlap;
  const PairHint before = memory.hint;
  found = overlap(a, b, b_in_a, memory.hint);
  if (!found.touching()) {
    if (memory.touching) {
      impact_depths_.add(memory.max_depth_ratio);
      contacts_.work[pair].erased = tangential_energy(law_of(key), memory);
      memory = {.hint = memory.hint, .boxes = memory.boxes, .parted = true};
    } else {
      memory.parted = false;
    }
    return;
  }
  if (!a.is_disk() && !b.is_disk()) {
    const Vec2 chord = found.chord_end - found.chord_begin;
    const Vec2 chord_before = std::exchange(memory.chord, chord.cast<float>()).cast<double>();
    if (memory.touching && chord_changed(chord_before, chord)) {
      watch_chord(pair, b_in_a, {chord_before, before}, {chord, memory.hint});
    }
  }
  found.centroid = to_world * found.centroid;
  found.normal = to_world * found.normal;
  found.chord_begin = to_world * found.chord_begin;
  found.chord_end = to_world * found.chord_end;
  contact.depth_ratio = found.depth / (2.0 * std::min(bodies_.radius[key.a], bodies_.radius[key.b]));
  memory.max_depth_ratio = std::max(memory.max_depth_ratio, contact.depth_ratio);
  if (is_too_deep(pair) || passes_through(pair)) trouble_.store(true, std::memory_order_relaxed);
}

/// Counts a jump of the chord since the last step. The overlap is still in the frame of a.
void Simulation::watch_chord(std::size_t pair, const Pose& b_in_a, const Chord& before, const Chord& now) {
  const PairKey& key = contacts_.keys[pair];
  const Overlap& found = contacts_.contact[pair].overlap;
  const ShapeView a = bodies_.shape(key.a);
  const ShapeView b = bodies_.shape(key.b);
  const Vec2 at = rotation_[key.a] * found.centroid;
  const Vec2& to_b = contacts_.contact[pair].to_b;
  const auto relative = [&](const Motion& of_a, const Motion& of_b) {
    return (velocity_at(of_b, at - to_b) - velocity_at(of_a, at)).norm() +
           std::abs(of_b.z() - of_a.z()) * (now.vector.norm() + found.depth);
  };
  const double dt = step_.dt;
  const double displacement = dt * relative(bodies_.velocity[key.a], bodies_.velocity[key.b]) +
                              dt * dt * relative(gear_.acceleration(key.a), gear_.acceleration(key.b)) +
                              kRoundingOfEnds * (a.radius + b.radius);
  const double turn = dt * std::abs(bodies_.velocity[key.b].z() - bodies_.velocity[key.a].z());
  const double extent = 2.0 * std::min(a.radius, b.radius);
  if (chord_jumped(a.outline, b.outline, b_in_a, before, now, found.area / (extent * extent), displacement, turn)) {
    std::atomic_ref(chord_jumps_).fetch_add(1, std::memory_order_relaxed);
  }
}

/// All but the relative motion.
Approach Simulation::approach(const PairKey& key, const Overlap& found, const Vec2& to_b) const {
  const bool wall = bodies_.is_wall(key.b);
  const double per_size_a = 1.0 / bodies_.radius[key.a];
  const double per_size_b = wall ? 0.0 : 1.0 / bodies_.radius[key.b];
  return {
      .reduced_mass = 1.0 / (bodies_.inverse_mass[key.a] + bodies_.inverse_mass[key.b]),
      .lever_a = found.centroid.norm(),
      .lever_b = wall ? kInfinity : (found.centroid - to_b).norm(),
      .per_size = per_size_a + per_size_b,
      .curvature =
          (bodies_.outline_size[key.a] == 0 ? per_size_a : 0.0) + (bodies_.outline_size[key.b] == 0 ? per_size_b : 0.0),
  };
}

template <class Law>
void Simulation::push(std::size_t pair, const PairLaw& pair_law) {
  constexpr bool kPolygons = IsOneOf<Law, PolygonLaws>::value;
  const PairKey& key = contacts_.keys[pair];
  PairMemory& memory = contacts_.memory[pair];
  PairContact& contact = contacts_.contact[pair];
  const Overlap& found = contact.overlap;
  const Vec2& to_b = contact.to_b;
  const Vec2 tangent = perp(found.normal);
  const Vec2 middle = kPolygons ? Vec2(0.5 * (found.chord_begin + found.chord_end)) : found.centroid;
  const Motion& velocity_a = bodies_.velocity[key.a];
  const Motion& velocity_b = bodies_.velocity[key.b];
  const auto velocity_of_b_at = [&](const Vec2& p) -> Vec2 {
    return velocity_at(velocity_b, p - to_b) - velocity_at(velocity_a, p);
  };
  Approach approach = this->approach(key, found, to_b);
  approach.speed = -velocity_of_b_at(middle).dot(found.normal);
  approach.spin = velocity_b.z() - velocity_a.z();

  NormalForce normal;
  if constexpr (kPolygons) {
    normal = Law::force(pair_law, found, tangent, approach);
  } else {
    normal = Law::force(pair_law, found, approach);
  }
  contact.point = middle + normal.offset * tangent;
  const double slip = velocity_of_b_at(contact.point).dot(tangent);
  memory.begun = !std::exchange(memory.touching, true);
  const double touched = memory.begun ? time_since_touch(found.depth, approach.speed, step_.dt) : step_.dt;
  const auto travel = [&](double before, double now) { return touched * (memory.begun ? now : 0.5 * (before + now)); };
  const Friction tangential =
      friction(pair_law, approach.reduced_mass, normal.force, {.spring = memory.spring, .sliding = memory.sliding},
               slip, travel(memory.slip, slip));
  PairWork& work = contacts_.work[pair];
  const bool cut = normal.force == 0.0;
  work.normal = normal.force;
  work.spring = cut ? 0.0 : normal.spring;
  work.spring_arm = normal.spring_offset - normal.offset;
  work.law = Law::kConservative ? normal.spring - work.spring : -work.spring;
  work.stiffness = normal.stiffness;
  const double phase_squared = normal.stiffness * step_.dt * step_.dt / approach.reduced_mass;
  if (phase_squared > longest_phase_ * longest_phase_) trouble_.store(true, std::memory_order_relaxed);
  work.friction_dashpot = tangential.force + pair_law.tangential_stiffness * tangential.spring;
  work.slid = 0.5 * pair_law.tangential_stiffness * (memory.spring + tangential.spring) * tangential.slid;
  memory.spring = tangential.spring;
  memory.sliding = tangential.sliding;
  contact.force_normal = normal.force;
  contact.force_tangential = tangential.force;
  const Vec2 on_b = normal.force * found.normal + tangential.force * tangent;
  PairForce& force = contacts_.force[pair];
  force = {on_b, -cross(contact.point, on_b), cross(contact.point - to_b, on_b)};
  work.rolling_dashpot = 0.0;
  work.rolled = 0.0;
  if (pair_law.rolling_friction > 0.0) {
    const Friction rolled =
        rolling(pair_law, approach, normal.force, {.spring = memory.rolling_spring, .sliding = memory.rolling},
                travel(memory.spin, approach.spin));
    work.rolling_dashpot = (rolled.force + pair_law.tangential_stiffness * rolled.spring) / approach.per_size;
    work.rolled = 0.5 * pair_law.tangential_stiffness * (memory.rolling_spring + rolled.spring) * rolled.slid;
    memory.rolling_spring = rolled.spring;
    memory.rolling = rolled.sliding;
    force.torque_a -= rolled.force / approach.per_size;
    force.torque_b += rolled.force / approach.per_size;
  }
  if (pair_law.cohesion > 0.0) {
    const double pull = pair_law.cohesion * found.chord();
    contact.force_normal -= pull;
    force.on_b -= pull * found.normal;
    force.torque_a += pull * cross(middle, found.normal);
    force.torque_b -= pull * cross(middle - to_b, found.normal);
  }
}

/// What contacts pass on in this step, for the measurements; in the order of the pairs, so that sums are the same for
/// any number of threads.
void Simulation::add_transfers() {
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    const PairMemory& memory = contacts_.memory[pair];
    if (!memory.touching) continue;
    const PairKey& key = contacts_.keys[pair];
    const PairContact& contact = contacts_.contact[pair];
    const PairForce& force = contacts_.force[pair];
    const bool wall = bodies_.is_wall(key.b);
    const Transfers::Contact transfer{.centre = linear(bodies_.position[key.a]),
                                      .branch = wall ? contact.point : contact.to_b,
                                      .impulse = step_.dt * force.on_b,
                                      .begun = memory.begun};
    if (wall) {
      transfers_.add_on_wall(transfer, static_cast<std::size_t>(bodies_.type[key.b]), step_.dt * force.torque_b);
    } else {
      transfers_.add(transfer);
    }
  }
}

void Simulation::gather_and_correct() {
  const Motion gravity = {scene_.gravity.x(), scene_.gravity.y(), 0.0};
  parallel_for(bodies_.particles(), [&](std::size_t i) {
    const std::uint32_t body = bodies_.walls + static_cast<std::uint32_t>(i);
    Motion sum = Motion::Zero();
    for (const Contacts::Incidence incidence : contacts_.of(body)) {
      if (!contacts_.memory[incidence.pair].touching) continue;
      const PairForce& force = contacts_.force[incidence.pair];
      sum += incidence.as_b ? Motion(force.on_b.x(), force.on_b.y(), force.torque_b)
                            : Motion(-force.on_b.x(), -force.on_b.y(), force.torque_a);
    }
    force_[body] = sum;
    const double per_mass = bodies_.inverse_mass[body];
    gear_.correct(bodies_, body, gravity + sum * Motion(per_mass, per_mass, bodies_.inverse_inertia[body]));
    if (!motion_is_sound(body)) trouble_.store(true, std::memory_order_relaxed);
  });
  ++steps_;
}

/// What the contacts' forces did to energies, with the velocities as corrected.
void Simulation::book() {
  ledger_.book(ordered_sum(contacts_.size(), work_by_range_,
                           [&](std::size_t begin, std::size_t end) { return work(begin, end); }),
               step_.dt);
  if (steps_ % kBetweenLooks == 0) ledger_.turned_over = ledger_.turned_over_by_now(kinetic_energy());
}

/// ... and the slips that friction's springs go on from.
Ledger::Step Simulation::work(std::size_t first_pair, std::size_t end) {
  Ledger::Step sum;
  for (std::size_t pair = first_pair; pair < end; ++pair) {
    PairMemory& memory = contacts_.memory[pair];
    const PairWork& work = contacts_.work[pair];
    if (!memory.touching) {
      if (memory.parted) sum.erased += work.erased;
      continue;
    }
    const PairKey& key = contacts_.keys[pair];
    const PairContact& contact = contacts_.contact[pair];
    const Vec2& normal = contact.overlap.normal;
    const Motion& velocity_a = bodies_.velocity[key.a];
    const Motion& velocity_b = bodies_.velocity[key.b];
    const Vec2 apart = velocity_at(velocity_b, contact.point - contact.to_b) - velocity_at(velocity_a, contact.point);
    memory.slip = apart.dot(perp(normal));
    memory.spin = velocity_b.z() - velocity_a.z();
    const double speed = apart.dot(normal);
    const double speed_at_spring = speed - memory.spin * work.spring_arm;
    sum.damping += work.spring * speed_at_spring - work.normal * speed;
    sum.law += work.law * speed_at_spring;
    sum.friction -= work.friction_dashpot * memory.slip;
    sum.rolling -= work.rolling_dashpot * memory.spin;
    sum.slid += work.slid;
    sum.rolled += work.rolled;
    if (bodies_.is_wall(key.b)) {
      const PairForce& force = contacts_.force[pair];
      sum.walls -= force.on_b.dot(linear(velocity_b)) + force.torque_b * velocity_b.z();
    }
  }
  return sum;
}

/// Particles that crossed a periodic side come in again at the other.
void Simulation::wrap() {
  for (int axis = 0; axis < 2; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (!scene_.domain.periodic[at]) continue;
    const double lo = scene_.domain.lo[axis];
    const double hi = scene_.domain.hi[axis];
    for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
      double& x = bodies_.position[body][axis];
      if (x < lo) {
        x += hi - lo;
        --bodies_.image[body][at];
      } else if (x >= hi) {
        x -= hi - lo;
        ++bodies_.image[body][at];
      }
    }
  }
}

// -------------------------------------------------------------------------------------------------- looking from
// outside

State Simulation::state() const {
  State seen;
  seen.time = time();
  seen.step = steps_;
  const auto append_outline = [&](Outlines& outlines, std::uint32_t body) {
    const Pose pose = bodies_.pose(body);
    for (const Vec2& vertex : bodies_.shape(body).outline) outlines.vertices.push_back(pose * vertex);
    outlines.first.push_back(static_cast<std::uint32_t>(outlines.vertices.size()));
  };
  std::vector<Motion> on_wall(bodies_.walls, Motion::Zero());
  std::vector<int> coordination(bodies_.size(), 0);
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching) continue;
    const PairKey& key = contacts_.keys[pair];
    const PairContact& contact = contacts_.contact[pair];
    const PairForce& force = contacts_.force[pair];
    ++coordination[key.a];
    ++coordination[key.b];
    const bool wall = bodies_.is_wall(key.b);
    if (wall) on_wall[key.b] += Motion(force.on_b.x(), force.on_b.y(), force.torque_b);
    const Vec2 centre = linear(bodies_.position[key.a]);
    const Vec2 centre_of_b = centre + offset(key);
    const Vec2 shift = centre_of_b - linear(bodies_.position[key.b]);
    const bool across = proxies_.periodic() && shift.norm() > 0.5 * proxies_.period().minCoeff();
    seen.contacts.push_back({.id1 = bodies_.id[key.a],
                             .id2 = bodies_.id[key.b],
                             .centre1 = centre,
                             .point = centre + contact.point,
                             .centre2 = wall ? Vec2(centre + contact.point) : centre_of_b,
                             .image_shift = across && !wall ? shift : Vec2::Zero(),
                             .force = force.on_b,
                             .force_normal = contact.force_normal,
                             .force_tangential = contact.force_tangential,
                             .overlap = contact.overlap.area,
                             .depth = contact.overlap.depth,
                             .sliding = contacts_.memory[pair].sliding});
  }
  ParticleState& p = seen.particles;
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    p.id.push_back(bodies_.id[body]);
    p.type.push_back(bodies_.type[body]);
    p.material.push_back(bodies_.material[body]);
    p.radius.push_back(bodies_.radius[body]);
    p.mass.push_back(bodies_.mass[body]);
    p.inertia.push_back(bodies_.inertia(body));
    p.image.push_back(bodies_.image[body]);
    p.position.push_back(linear(bodies_.position[body]));
    p.angle.push_back(bodies_.position[body].z());
    p.velocity.push_back(linear(bodies_.velocity[body]));
    p.angular_velocity.push_back(bodies_.velocity[body].z());
    p.force.push_back(linear(force_[body]) + bodies_.mass[body] * scene_.gravity);
    p.torque.push_back(force_[body].z());
    p.coordination.push_back(coordination[body]);
    append_outline(p.outlines, body);
  }
  WallState& w = seen.walls;
  for (std::uint32_t body = 0; body < bodies_.walls; ++body) {
    w.id.push_back(bodies_.id[body]);
    w.name.push_back(scene_.walls[static_cast<std::size_t>(bodies_.type[body])].name);
    w.material.push_back(bodies_.material[body]);
    w.velocity.push_back(linear(bodies_.velocity[body]));
    w.angular_velocity.push_back(bodies_.velocity[body].z());
    w.force.push_back(linear(on_wall[body]));
    w.torque.push_back(on_wall[body].z());
    append_outline(w.outlines, body);
  }
  return seen;
}

double Simulation::kinetic_energy(std::uint32_t body) const {
  const Motion& v = bodies_.velocity[body];
  return 0.5 * (bodies_.mass[body] * linear(v).squaredNorm() + bodies_.inertia(body) * v.z() * v.z());
}

/// Whoever goes around a periodic domain along gravity goes on falling.
double Simulation::potential_energy(std::uint32_t body) const {
  Vec2 position = linear(bodies_.position[body]);
  for (int axis = 0; axis < 2; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (scene_.domain.periodic[at]) position[axis] += bodies_.image[body][at] * proxies_.period()[axis];
  }
  return -bodies_.mass[body] * scene_.gravity.dot(position);
}

double Simulation::kinetic_energy() const {
  double sum = 0.0;
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) sum += kinetic_energy(body);
  return sum;
}

ElasticEnergy Simulation::elastic_energy() const {
  ElasticEnergy sum;
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    const PairMemory& memory = contacts_.memory[pair];
    // At the start nobody has looked yet who touches.
    if (memory.touching || steps_ == 0) sum += (this->*elastic_energy_)(contacts_.keys[pair], memory);
  }
  return sum;
}

/// Of the springs as they stand, and of cohesion.
template <class PolygonLaw, class DiskLaw>
ElasticEnergy Simulation::elastic_energy(const PairKey& key, const PairMemory& memory) const {
  const PairLaw& law = law_of(key);
  ElasticEnergy energy{.tangential = tangential_energy(law, memory)};
  const ShapeView a = bodies_.shape(key.a);
  const ShapeView b = bodies_.shape(key.b);
  const Pose b_in_a = relative_pose(bodies_.pose(key.a).rotation, bodies_.pose(key.b).rotation, offset(key));
  PairHint hint = memory.hint;
  const Overlap found = overlap(a, b, b_in_a, hint);
  if (!found.touching()) return energy;  // parted by the correction, since touch()
  const Approach sizes = approach(key, found, b_in_a.position);
  const auto add = [&](bool conservative, double normal) {
    (conservative ? energy.potential : energy.without_potential) += normal;
  };
  if (with_disk(key)) {
    add(DiskLaw::kConservative, DiskLaw::energy(law, found, sizes));
  } else {
    const auto region = overlap_polygon(a.outline, b.outline, b_in_a, hint.features);
    add(PolygonLaw::kConservative, PolygonLaw::energy(law, found, region, sizes));
  }
  energy.potential -= law.cohesion * found.area;
  return energy;
}

std::string Simulation::broadphase_reason() const {
  const auto kind = static_cast<BroadphaseKind>(broadphase_.index());
  const auto* fastest = std::get_if<Fastest<2>>(&broadphase_);
  if (fastest == nullptr || fastest->trial().empty()) return name(kind);
  std::ostringstream text;
  text << name(fastest->trial().front().member) << ", by trial:";
  text << std::fixed << std::setprecision(1);
  const char* separator = " ";
  for (const auto& [member, nanoseconds] : fastest->trial()) {
    text << std::exchange(separator, ", ") << name(member) << ' ' << nanoseconds;
  }
  text << " ns a box and step";
  return text.str();
}

Summary Simulation::summary() const {
  Summary s;
  s.time = time();
  s.particles = bodies_.particles();
  s.particles_in = particles_in_;
  s.particles_out = particles_out_;
  for (std::size_t g = 0; g < scene_.particles.size(); ++g) {
    if (const auto* pour = std::get_if<Pour>(&scene_.particles[g].how)) {
      s.particles_owed += due(*pour, time()) - std::min(due(*pour, time()), pours_[g].born);
    }
  }
  std::uint64_t ends_on_particles = 0;
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching) continue;
    ++s.contacts;
    ends_on_particles += bodies_.is_wall(contacts_.keys[pair].b) ? 1 : 2;
    s.max_depth = std::max(s.max_depth, contacts_.contact[pair].overlap.depth);
    s.max_depth_ratio = std::max(s.max_depth_ratio, contacts_.contact[pair].depth_ratio);
  }
  if (s.particles > 0) s.coordination = static_cast<double>(ends_on_particles) / static_cast<double>(s.particles);
  balance(s);
  s.chord_jumps = chord_jumps_;
  return s;
}

/// The energies of a summary.
void Simulation::balance(Summary& s) const {
  const ElasticEnergy elastic = elastic_energy();
  double potentials = std::abs(elastic.sum());  // sizes of all of them: what is far below has no digits
  for (std::uint32_t body = bodies_.walls; body < bodies_.size(); ++body) {
    const double potential = potential_energy(body);
    s.potential_energy += potential;
    potentials += std::abs(potential);
  }
  s.kinetic_energy = kinetic_energy();
  s.elastic_energy = elastic.sum();
  s.elastic_energy_tangential = elastic.tangential;
  s.energy_in = ledger_.in;
  s.energy_out = ledger_.out;
  s.wall_work = ledger_.walls;
  s.dissipated_damping = ledger_.damping;
  s.dissipated_friction = ledger_.friction;
  s.dissipated_rolling = ledger_.rolling;
  s.dissipated_law = ledger_.law - elastic.without_potential;
  constexpr double kDigits = 1e-9;
  s.energy_turned_over = std::max(ledger_.turned_over_by_now(s.kinetic_energy), kDigits * potentials);
  const double residual = s.kinetic_energy + s.potential_energy + s.elastic_energy - s.energy_in + s.energy_out -
                          s.wall_work + s.dissipated_damping + s.dissipated_friction + s.dissipated_rolling +
                          s.dissipated_law;
  if (s.energy_turned_over > 0.0) s.energy_residual = residual / s.energy_turned_over;
}

std::vector<Departure> Simulation::take_departures() {
  return std::exchange(departures_, {});
}

DepthHistogram Simulation::present_depths() const {
  DepthHistogram histogram;
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (contacts_.memory[pair].touching) histogram.add(contacts_.contact[pair].depth_ratio);
  }
  return histogram;
}

// ------------------------------------------------------------------------------------------------------- save and load

template <class Archive, class Self>
void Simulation::visit_dynamics(Archive& archive, Self& self) {
  archive(self.steps_, self.next_id_, self.particles_in_, self.particles_out_, self.pours_);
  Bodies::visit(archive, self.bodies_);
  Gear::visit(archive, self.gear_);
}

template <class Archive, class Self>
void Simulation::visit_caches(Archive& archive, Self& self) {
  Proxies::visit(archive, self.proxies_);
  Transfers::visit(archive, self.transfers_);
  archive(self.boxes_, self.rotation_, self.body_box_, self.force_, self.contacts_.keys, self.contacts_.memory,
          self.contacts_.contact, self.contacts_.force, self.departures_, self.impact_depths_, self.chord_jumps_,
          self.particle_steps_, self.ledger_);
}

void Simulation::save(std::ostream& out) const {
  OutArchive archive(out);
  archive(step_.dt, gear_.values());
  visit_dynamics(archive, *this);
  visit_caches(archive, *this);
}

void Simulation::save_for_hash(std::ostream& out) const {
  OutArchive archive(out);
  archive(step_.dt, gear_.values());
  visit_dynamics(archive, *this);
  for (std::size_t pair = 0; pair < contacts_.size(); ++pair) {
    if (!contacts_.memory[pair].touching) continue;
    const PairKey& key = contacts_.keys[pair];
    const PairMemory& memory = contacts_.memory[pair];
    archive(bodies_.id[key.a], bodies_.id[key.b], key.image, memory.spring, memory.slip, memory.sliding,
            memory.rolling_spring, memory.spin, memory.rolling);
  }
}

void Simulation::load(std::istream& in) {
  InArchive archive(in);
  double dt = 0.0;
  int gear_values = 0;
  archive(dt, gear_values);
  gear_ = Gear(gear_values, dt);
  step_.dt = dt;
  visit_dynamics(archive, *this);
  visit_caches(archive, *this);

  bodies_.sum_up();
  fastest_wall_ = fastest_wall();
  extremes_.assign(bodies_.size(), {});

  // The broadphase is a function of the boxes; what it reports is known already.
  std::visit([](auto& broadphase) { broadphase = {}; }, broadphase_);
  std::vector<ProxyId> ids;
  std::vector<Aabb2> boxes;
  for (ProxyId id = 0; id < proxies_.all().size(); ++id) {
    if (proxies_.all()[id].body == Proxies::kUnused) continue;
    ids.push_back(id);
    boxes.push_back(boxes_[id]);
  }
  std::visit([&](auto& broadphase) { broadphase.insert(ids, boxes, changes_); }, broadphase_);
  contacts_.index(bodies_.size(), bodies_.walls);
}

}  // namespace scree::soft
