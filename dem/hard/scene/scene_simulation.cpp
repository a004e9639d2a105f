#include "dem/hard/scene/scene_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <istream>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "broadphase/all_pairs.hpp"
#include "broadphase/distance_sort.hpp"
#include "broadphase/hierarchical_grid.hpp"
#include "broadphase/sort_and_update.hpp"
#include "broadphase/sorted_strips.hpp"
#include "dem/archive.hpp"
#include "dem/errors.hpp"
#include "dem/hard/exact/simulation.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/hard/scene/scene_setup.hpp"
#include "dem/hard/simulation.hpp"
#include "dem/hard/threads/windows.hpp"
#include "dem/scene.hpp"
#include "dem/thermostat.hpp"

namespace scree::hard {

namespace {

bool has_wide_sizes(const Scene& scene) {
  if (scene.particles.empty()) return false;
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0.0;
  for (const ParticleGroup& group : scene.particles) {
    least = std::min(least, group.size.least);
    greatest = std::max(greatest, group.size.greatest);
  }
  return greatest > SceneSimulation::kWideSizes * least;
}

BroadphaseKind chosen(BroadphaseKind wanted, const Scene& scene) {
  if (wanted != BroadphaseKind::automatic) return wanted;
  if (scene.domain.cell) return BroadphaseKind::hierarchical_grid;
  return has_wide_sizes(scene) ? BroadphaseKind::hierarchical_grid : BroadphaseKind::linked_cells;
}

using WithAnyBroadphase =
    std::variant<BasicSimulation<SortAndUpdate<2>, BucketQueue>, BasicSimulation<SortedStrips<2>, BucketQueue>,
                 BasicSimulation<DiskCells, BucketQueue>, BasicSimulation<HierarchicalGrid<2>, BucketQueue>,
                 BasicSimulation<DistanceSort<2>, BucketQueue>, BasicSimulation<AllPairs<2>, ImplicitHeap>,
                 BasicSimulation<SortAndUpdate<2>, BucketQueue, OfPolygons>,
                 BasicSimulation<SortedStrips<2>, BucketQueue, OfPolygons>,
                 BasicSimulation<DiskCells, BucketQueue, OfPolygons>,
                 BasicSimulation<HierarchicalGrid<2>, BucketQueue, OfPolygons>,
                 BasicSimulation<DistanceSort<2>, BucketQueue, OfPolygons>,
                 BasicSimulation<AllPairs<2>, ImplicitHeap, OfPolygons>, exact::Simulation>;

template <class K>
WithAnyBroadphase make(const Setup& setup, BroadphaseKind kind) {
  switch (kind) {
    case BroadphaseKind::sort_and_update:
      return BasicSimulation<SortAndUpdate<2>, BucketQueue, K>(setup);
    case BroadphaseKind::sorted_strips:
      return BasicSimulation<SortedStrips<2>, BucketQueue, K>(setup);
    case BroadphaseKind::hierarchical_grid:
      return BasicSimulation<HierarchicalGrid<2>, BucketQueue, K>(setup);
    case BroadphaseKind::distance_sort:
      return BasicSimulation<DistanceSort<2>, BucketQueue, K>(setup);
    case BroadphaseKind::all_pairs:
      return BasicSimulation<AllPairs<2>, ImplicitHeap, K>(setup);
    case BroadphaseKind::automatic:
    case BroadphaseKind::linked_cells:
      break;
  }
  return BasicSimulation<DiskCells, BucketQueue, K>(setup);
}

WithAnyBroadphase start(const Scene& scene, BroadphaseKind kind, MadeFor made_for) {
  if (scene.hard.arithmetic == Arithmetic::exact) exact::require_exact(scene);
  const Setup setup = setup_from(scene, made_for);
  try {
    if (scene.hard.arithmetic == Arithmetic::exact) return exact::Simulation(scene, setup, kind);
    return setup.has_forms ? make<OfPolygons>(setup, kind) : make<OfDisks>(setup, kind);
  } catch (const DiskInTheWay& error) {
    throw InvalidScene(key_of_disk(scene, setup, error.disk),
                       error.what_is_wrong + (error.other ? ' ' + key_of_disk(scene, setup, *error.other) : ""));
  }
}

/// What only BasicSimulation can do. @pre not in whole numbers
template <class Do>
decltype(auto) with_floats(WithAnyBroadphase& any, const Do& act) {
  using Result = decltype(act(std::get<0>(any)));
  return std::visit(
      [&act](auto& simulation) -> Result {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(simulation)>, exact::Simulation>) {
          throw std::logic_error("whole numbers cannot do this");
        } else {
          return act(simulation);
        }
      },
      any);
}

}  // namespace

struct SceneSimulation::Parts {
  Scene scene;
  WithAnyBroadphase simulation;
  Windows windows;
};

SceneSimulation::SceneSimulation(const Scene& scene, std::optional<BroadphaseKind> broadphase, int threads,
                                 MadeFor made_for)
    : parts_(new Parts{scene, start(scene, chosen(broadphase.value_or(scene.broadphase), scene), made_for),
                       Windows(WindowOptions{.threads = threads})}) {
  const BroadphaseKind wanted = broadphase.value_or(scene.broadphase);
  broadphase_reason_ = name(chosen(wanted, scene));
  if (wanted == BroadphaseKind::automatic) {
    broadphase_reason_ += scene.domain.cell       ? ", since the cell deforms"
                          : has_wide_sizes(scene) ? ", since sizes differ widely"
                                                  : ", since sizes are similar";
  }
  for (std::size_t g = 0; g < scene.particles.size(); ++g) {
    if (std::holds_alternative<Pour>(scene.particles[g].how)) pourings_.push_back({g});
  }
}

SceneSimulation::~SceneSimulation() = default;

int SceneSimulation::threads() const {
  return parts_->windows.threads();
}

const WindowCounts& SceneSimulation::windows() const {
  return parts_->windows.counts();
}

const exact::Simulation* SceneSimulation::in_whole_numbers() const {
  return std::get_if<exact::Simulation>(&parts_->simulation);
}

bool SceneSimulation::has_polygons() const {
  return hard::has_polygons(parts_->scene);
}

/// What the simulation's clock shows [s].
double SceneSimulation::clock() const {
  return std::visit([](const auto& simulation) { return simulation.time(); }, parts_->simulation);
}

double SceneSimulation::time() const {
  return turned_ ? 2.0 * *turned_ - clock() : clock();
}

bool SceneSimulation::has_reached(double time) const {
  if (turned_) return this->time() >= time;
  return std::visit([&](const auto& simulation) { return simulation.has_reached(time); }, parts_->simulation);
}

std::uint64_t SceneSimulation::particles() const {
  return std::visit([](const auto& simulation) { return simulation.particles(); }, parts_->simulation);
}

void SceneSimulation::advance_to(double time, std::uint64_t at_most) {
  const auto total = [](const Counters& c) {
    return c.collisions + c.wall_hits + c.crossings + c.box_exits + c.advancements;
  };
  const std::uint64_t last = total(counters()) + std::min(at_most, std::numeric_limits<std::uint64_t>::max() / 2);
  for (;;) {
    const double reversal = next_reversal();
    const double thermostat = next_thermostat();
    double next = std::min({time, reversal, thermostat});
    for (const Pouring& pouring : pourings_) next = std::min(next, next_time(pouring));
    const std::uint64_t left = last - std::min(last, total(counters()));
    advance_between(next, left);
    if (!has_reached(next)) return;
    if (next == reversal) reverse_velocities();
    pour();
    if (next == thermostat) thermalise();
    if (has_reached(time)) return;
  }
}

void SceneSimulation::reverse_velocities() {
  std::visit([](auto& simulation) { simulation.reverse(); }, parts_->simulation);
}

bool SceneSimulation::runs_backward() const {
  const exact::Simulation* exact = in_whole_numbers();
  return exact != nullptr ? exact->runs_backward() : turned_.has_value();
}

void SceneSimulation::turn_back() {
  if (auto* exact = std::get_if<exact::Simulation>(&parts_->simulation)) return exact->turn_back();
  if (turned_) throw std::logic_error("floats that went back cannot go forward again");
  turned_ = time();
  reverse_velocities();
}

bool SceneSimulation::is_back_at(double time) const {
  const exact::Simulation* exact = in_whole_numbers();
  return exact != nullptr ? exact->is_back_at(time) : this->time() <= time;
}

std::optional<std::uint64_t> SceneSimulation::set_velocities(std::span<const std::uint64_t> ids,
                                                             std::span<const Motion> velocities) {
  if (in_whole_numbers() != nullptr) {
    throw InvalidScene("arithmetic",
                       "is exact: velocities are what whole numbers made of those at the start, and cannot "
                       "be given on the way; allowed: float");
  }
  if (runs_backward()) throw InvalidScene("velocity", "cannot be given while the run goes back");
  return with_floats(parts_->simulation, [&](auto& simulation) { return simulation.set_velocities(ids, velocities); });
}

/// Where velocities were reversed at HardOptions::reverse, they are on the way back, too, unless it ends there.
void SceneSimulation::go_back_to(double time, std::uint64_t at_most) {
  if (turned_) return advance_between(2.0 * *turned_ - time, at_most);
  auto& exact = std::get<exact::Simulation>(parts_->simulation);
  if (exact.is_reversed()) {
    exact.go_back_to(std::max(time, *parts_->scene.hard.reverse), at_most);
    if (!exact.is_back_at(*parts_->scene.hard.reverse) || exact.is_back_at(time)) return;
    exact.reverse();
  }
  exact.go_back_to(time, at_most);
}

/// Nothing is poured or reversed until then.
void SceneSimulation::advance_between(double time, std::uint64_t at_most) {
  if (auto* simulation = std::get_if<Simulation>(&parts_->simulation); simulation && pourings_.empty()) {
    return parts_->windows.advance_to(simulation->world(), time, at_most);
  }
  std::visit([&](auto& simulation) { simulation.advance_to(time, at_most); }, parts_->simulation);
}

std::string SceneSimulation::why_serial() const {
  if (in_whole_numbers() != nullptr) return "whole numbers are reckoned in one order (arithmetic: exact)";
  if (has_polygons()) return "grains are polygons";
  const auto* simulation = std::get_if<Simulation>(&parts_->simulation);
  if (simulation == nullptr) return "the search for neighbours is not linked_cells, but " + broadphase_reason_;
  if (!pourings_.empty()) return "disks are poured (pour)";
  return parts_->windows.why_serial(simulation->world());
}

/// kNever if there is none any more: at that time all velocities have been reversed already [s].
double SceneSimulation::next_reversal() const {
  const exact::Simulation* exact = in_whole_numbers();
  const bool is_due =
      exact != nullptr ? !exact->is_reversed() : parts_->scene.hard.reverse && time() < *parts_->scene.hard.reverse;
  return parts_->scene.hard.reverse && is_due ? *parts_->scene.hard.reverse : kNever;
}

/// kNever if there is none any more [s].
double SceneSimulation::next_thermostat() const {
  const std::optional<Thermostat>& thermostat = parts_->scene.thermostat;
  return thermostat ? time_of(*thermostat, thermostat_turns_ + 1) : kNever;
}

void SceneSimulation::thermalise() {
  ++thermostat_turns_;
  const Scene& scene = parts_->scene;
  const ParticleState grains = state().particles;
  set_velocities(grains.id,
                 thermalised(*scene.thermostat, grains, scene.domain.periodic, scene.seed, thermostat_turns_));
}

/// Time of a pour's next try [s].
double SceneSimulation::next_time(const Pouring& pouring) const {
  const Pour& pour = std::get<Pour>(parts_->scene.particles[pouring.group].how);
  if (pouring.progress.born == pour.count) return kNever;
  return pour.from + pouring.next / pour.rate;
}

/// Runs the pours that are due.
void SceneSimulation::pour() {
  for (Pouring& pouring : pourings_) {
    while (has_reached(next_time(pouring))) pour(pouring);
  }
}

void SceneSimulation::pour(Pouring& pouring) {
  const ParticleGroup& group = parts_->scene.particles[pouring.group];
  const Pour& pour = std::get<Pour>(group.how);
  const double density = parts_->scene.materials[static_cast<std::size_t>(group.material)].density;
  const auto is_free = [&](const ShapeView& shape, const Pose& pose) {
    return with_floats(parts_->simulation, [&](const auto& s) { return s.has_room_for(shape, pose); });
  };
  // Not by the time: that of many tries may be the same one, rounded.
  const std::uint64_t due_now =
      pouring.next < static_cast<double>(pour.count) ? static_cast<std::uint64_t>(pouring.next) + 1 : pour.count;
  while (const auto birth =
             try_pour(parts_->scene, static_cast<int>(pouring.group), due_now, pouring.progress, is_free)) {
    NewDisk newcomer{.position = birth->position,
                     .velocity = birth->velocity,
                     .angle = birth->angle,
                     .angular_velocity = birth->angular_velocity,
                     .radius = birth->grain.bounding_radius,
                     .mass = birth->grain.mass(density),
                     .type = static_cast<std::int32_t>(pouring.group),
                     .material = group.material};
    if (has_polygons()) {
      newcomer.form = form_of(birth->grain, density);
      newcomer.radius = newcomer.form.shape.bounding_radius();
    }
    with_floats(parts_->simulation, [&](auto& simulation) { simulation.add(newcomer); });
  }
  if (pouring.progress.born >= due_now) pouring.had_room = pouring.next;
  pouring.next += std::max(1.0, std::floor((pouring.next - pouring.had_room) / 64.0));
}

State SceneSimulation::state() const {
  State state = std::visit([](const auto& simulation) { return simulation.state(); }, parts_->simulation);
  if (!turned_) return state;
  state.time = time();
  for (Vec2& velocity : state.particles.velocity) velocity = -velocity;
  for (double& angular_velocity : state.particles.angular_velocity) angular_velocity = -angular_velocity;
  return state;
}

Summary SceneSimulation::summary() const {
  Summary summary = std::visit([](const auto& simulation) { return simulation.summary(); }, parts_->simulation);
  summary.time = time();
  for (const Pouring& pouring : pourings_) {
    const Pour& pour = std::get<Pour>(parts_->scene.particles[pouring.group].how);
    const std::uint64_t due_now = due(pour, time());
    summary.particles_owed += due_now - std::min(due_now, pouring.progress.born);
  }
  return summary;
}

std::vector<Departure> SceneSimulation::take_departures() {
  return std::visit([](auto& simulation) { return simulation.take_departures(); }, parts_->simulation);
}

std::vector<Collision> SceneSimulation::take_collisions() {
  return std::visit([](auto& simulation) { return simulation.take_collisions(); }, parts_->simulation);
}

const Transfers& SceneSimulation::transfers() const {
  return std::visit([](const auto& simulation) -> const Transfers& { return simulation.transfers(); },
                    parts_->simulation);
}

void SceneSimulation::save(std::ostream& out) const {
  OutArchive archive(out);
  archive(pourings_, turned_.has_value(), turned_.value_or(0.0));
  if (parts_->scene.thermostat) archive(thermostat_turns_);
  std::visit([&](const auto& simulation) { simulation.save(out); }, parts_->simulation);
}

void SceneSimulation::load(std::istream& in) {
  InArchive archive(in);
  const std::vector<Pouring> of_scene = pourings_;
  bool is_turned = false;
  double turned = 0.0;
  archive(fixed(pourings_), is_turned, turned);
  if (parts_->scene.thermostat) archive(thermostat_turns_);
  require_state(std::isfinite(turned) && turned >= 0.0, "when it was turned back");
  require_state(!is_turned || in_whole_numbers() == nullptr, "a time at which whole numbers were turned back");
  turned_ = is_turned ? std::optional(turned) : std::nullopt;
  for (std::size_t k = 0; k < pourings_.size(); ++k) {
    const Pouring& pouring = pourings_[k];
    require_state(pouring.group == of_scene[k].group, "a pour of another group");
    const std::uint64_t count = std::get<Pour>(parts_->scene.particles[pouring.group].how).count;
    // So each try comes later than the one before, and the last one soon.
    require_state(pouring.next >= 0.0 && std::isfinite(pouring.next) && pouring.next == std::floor(pouring.next) &&
                      pouring.had_room >= -1.0 && pouring.progress.born <= count &&
                      (pouring.progress.born == count || pouring.had_room < static_cast<double>(count)),
                  "the progress of a pour");
  }
  std::visit([&](auto& simulation) { simulation.load(in); }, parts_->simulation);
  require_sound_direction();
  require_state(!parts_->scene.thermostat ||
                    (thermostat_turns_ < (std::uint64_t{1} << 32U) && next_thermostat() >= time() &&
                     (thermostat_turns_ == 0 || time_of(*parts_->scene.thermostat, thermostat_turns_) <= time())),
                "the turns of the thermostat");
}

/// After loading: whether it can run the way it does, at the time it does.
void SceneSimulation::require_sound_direction() const {
  if (const exact::Simulation* exact = in_whole_numbers()) {
    const bool may_be_reversed = parts_->scene.hard.reverse && exact->has_reached(*parts_->scene.hard.reverse);
    const bool may_not_be = !parts_->scene.hard.reverse || exact->is_back_at(*parts_->scene.hard.reverse);
    require_state(exact->is_reversed() ? may_be_reversed : may_not_be, "when velocities were reversed");
    return;
  }
  if (!turned_) return;
  try {
    require_way_back(parts_->scene);
  } catch (const InvalidScene&) {
    throw InvalidState("the saved state makes no sense: it goes back in time, which the scene cannot");
  }
  require_state(*turned_ <= clock() && time() >= 0.0, "when it was turned back");
}

void SceneSimulation::list_values(StateValues& values) const {
  for (const Pouring& pouring : pourings_) {
    values.add(Quantity::pour, {.body = pouring.group}, pouring.next, pouring.had_room, pouring.progress.born,
               pouring.progress.attempts);
  }
  if (parts_->scene.thermostat) values.add(Quantity::run, {}, thermostat_turns_);
  std::visit([&](const auto& simulation) { simulation.list_values(values); }, parts_->simulation);
}

Counters SceneSimulation::counters() const {
  if (const exact::Simulation* exact = in_whole_numbers()) {
    const exact::Tally tally = exact->tally();
    return {.collisions = static_cast<std::uint64_t>(tally.collisions),
            .wall_hits = static_cast<std::uint64_t>(tally.side_hits),
            .box_exits = exact->box_exits()};
  }
  return with_floats(parts_->simulation, [](const auto& simulation) { return simulation.counters(); });
}

std::optional<Packing> SceneSimulation::packing() const {
  if (in_whole_numbers() != nullptr) return {};
  return with_floats(parts_->simulation, [](const auto& simulation) { return simulation.packing(); });
}

void SceneSimulation::audit() const {
  std::visit([](const auto& simulation) { simulation.audit(); }, parts_->simulation);
}

}  // namespace scree::hard
