#include "dem/soft/drives/cell.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/cell_checks.hpp"
#include "dem/errors.hpp"
#include "dem/scene.hpp"
#include "dem/soft/motion/gear.hpp"
#include "parallel/ordered_sum.hpp"

namespace scree::soft {

namespace {

constexpr std::array<const char*, 3> kNames = {"xx", "yy", "xy"};

}  // namespace

CellTally& CellTally::operator+=(const CellTally& other) {
  contacts += other.contacts;
  stiffness += other.stiffness;
  kinetic += other.kinetic;
  return *this;
}

Cell::Cell(const Scene& scene) : deforms_(scene.domain.cell.has_value()) {
  if (!deforms_) {
    for (std::size_t k = 0; k < scene.soft.stages.size(); ++k) {
      if (!scene.soft.stages[k].cell) continue;
      throw InvalidScene(fmt::format("stages[{}].cell", k), "must be left out unless the scene has domain.cell");
    }
    return;
  }
  require_alone_in_cell(scene);
  centre_ = 0.5 * (scene.domain.lo + scene.domain.hi);
  now_.length = scene.domain.hi - scene.domain.lo;
  drive(*scene.domain.cell);
}

CellShape Cell::shape() const {
  return {.centre = centre_, .length = now_.length, .tilt = now_.tilt, .flips = now_.flips, .rate = now_.rate};
}

const CellComponent& Cell::component(std::size_t k) const {
  return k == 0 ? drive_.xx : k == 1 ? drive_.yy : drive_.xy;
}

double Cell::limited(std::size_t k, double rate) const {
  const CellComponent& given = component(k);
  return given.stress ? std::clamp(rate, -given.rate, given.rate) : given.rate;
}

Components Cell::drive(const CellDrive& drive) {
  drive_ = drive;
  const Components before = now_.rate;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    now_.rate[at] = limited(k, now_.rate[at]);
    now_.acceleration[at] = 0.0;
  }
  now_.rate_before = now_.rate;
  return now_.rate - before;
}

bool Cell::follows_stress() const {
  return drive_.xx.stress || drive_.yy.stress || drive_.xy.stress;
}

void Cell::advance(double dt) {
  if (!deforms_) return;
  now_.rate_before = now_.rate;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    now_.rate[at] = limited(k, now_.rate[at] + dt * now_.acceleration[at]);
  }
  const Components way = 0.5 * dt * (now_.rate_before + now_.rate);
  now_.strain += way;
  // The exponential of a small strain, to third order.
  const auto stretch = [](double strain) { return (1.0 + 0.5 * strain) / (1.0 - 0.5 * strain); };
  const Vec2 before = now_.length;
  const Vec2 stretched(stretch(way[0]), stretch(way[1]));
  now_.length = stretched.cwiseProduct(before);
  now_.tilt = stretched.x() * now_.tilt + way[2] * 0.5 * (stretched.x() * before.y() + now_.length.y());
  // Turns by whole quanta, so that images stay where they are to the last bit.
  const double period = Periodic::in_quanta(now_.length.x(), now_.length.x());
  const double turns = std::nearbyint(now_.tilt / period);  // few: find_problem has seen to that
  if (!(std::abs(turns) < 1e6)) return;
  now_.tilt -= turns * period;
  now_.flips += static_cast<std::int32_t>(turns);
}

double Cell::inertia(std::size_t k) const {
  const double reach = k == 0 ? now_.length.x() : now_.length.y();
  return drive_.mass * scales_.mass * reach * reach;
}

/// Damping of a component, as for a mass on the springs of all contacts [N m s].
double Cell::damping(std::size_t k) const {
  return 2.0 * drive_.damping * std::sqrt(inertia(k) * now_.damped[static_cast<Eigen::Index>(k)]);
}

/// Damping does not follow each change of the stiffness: else it would be stronger while the cell is squeezed than
/// while it widens, and the mean stress of a steady flow would not be the one that is asked for.
void Cell::take_stiffness(const CellTally& all, double dt) {
  constexpr double kLately = 300.0;  // times a component's own time, a period over 2 pi
  for (std::size_t k = 0; k < 3; ++k) {
    double& stiffness = now_.stiffness[static_cast<Eigen::Index>(k)];
    double& damped = now_.damped[static_cast<Eigen::Index>(k)];
    stiffness = scales_.contacts.value(all.stiffness[k]);
    const double forgotten = std::min(1.0, dt / kLately * std::sqrt(damped / inertia(k)));
    damped = std::max(stiffness, damped - forgotten * damped);
  }
}

void Cell::take_stress(const CellTally& all) {
  for (std::size_t k = 0; k < 4; ++k) {
    now_.contacts[static_cast<Eigen::Index>(k)] = scales_.contacts.value(all.contacts[k]);
    now_.kinetic[static_cast<Eigen::Index>(k)] = scales_.grains.value(all.kinetic[std::min<std::size_t>(k, 2)]);
  }
  const auto momentum = [&](std::size_t k) { return scales_.grains.value(all.kinetic[4 + k]) / scales_.fastest; };
  const double x = momentum(0);
  const double y = momentum(1);
  if (scales_.mass > 0.0) drift_ = Sums(x * x, y * y, x * y, x * y) / scales_.mass;
  now_.kinetic -= drift_;
}

Components Cell::flow_acceleration() const {
  const Components& rate = now_.rate;
  return now_.acceleration + Components(rate[0] * rate[0], rate[1] * rate[1], rate[2] * (rate[0] + rate[1]));
}

CellTally Cell::sum_contacts(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws,
                             std::span<const char> own) {
  const bool of_stiffness = follows_stress();
  return ordered_sum(contacts.size(), parts_of_contacts_, [&](std::size_t begin, std::size_t end) {
    const Quanta quanta = scales_.contacts;
    CellTally sum;
    for (std::size_t k = begin; k < end; ++k) {
      const BodyPair& pair = contacts.bodies(k);
      if (!own.empty() && own[pair.a] == 0) continue;
      const ContactAxes& axes = contacts.axes[k];
      const Vec2 branch = bodies.arm_of(pair.a) + axes.branch_vector - bodies.arm_of(pair.b);
      const Vec2 force = contacts.force[k].on_b;
      quanta.add(
          std::array{force.x() * branch.x(), force.y() * branch.y(), force.x() * branch.y(), force.y() * branch.x()},
          sum.contacts);
      if (!of_stiffness) continue;
      std::array<double, 4> stiffness{};
      const auto add_spring = [&](double of_spring, const Vec2& direction) {
        const std::array stretched = {direction.x() * branch.x(), direction.y() * branch.y(),
                                      direction.x() * branch.y()};
        for (std::size_t at = 0; at < 3; ++at) stiffness[at] += of_spring * (stretched[at] * stretched[at]);
      };
      add_spring(contacts.parts[k].stiffness, axes.normal);
      const PairLaw& law = laws.of(bodies, pair);
      if (law.friction > 0.0) add_spring(law.tangential_stiffness, perp(axes.normal));
      quanta.add(stiffness, sum.stiffness);
    }
    return sum;
  });
}

void Cell::tally_grains(const Bodies& bodies, std::span<const char> own, CellTally& tally) {
  tally.kinetic = ordered_sum(bodies.beyond_walls(), parts_of_grains_, [&](std::size_t begin, std::size_t end) {
    // In registers: this loop runs over all grains twice a step.
    const Quanta quanta = scales_.grains;
    const Components rate = now_.rate;
    const Vec2 centre = centre_;
    const double* const mass = bodies.mass.data();
    const Motion* const velocity = bodies.velocity.data();
    const Motion* const position = bodies.position.data();
    const std::uint32_t* const part = bodies.part.empty() ? nullptr : bodies.part.data();
    const char* const counts = own.empty() ? nullptr : own.data();
    const double fastest = scales_.fastest;
    WholeSums<6> sum;
    for (std::size_t body = bodies.walls + begin; body < bodies.walls + end; ++body) {
      if ((part != nullptr && part[body] > 0) || (counts != nullptr && counts[body] == 0)) continue;
      const Vec2 c = linear(velocity[body]) - times(rate, linear(position[body]) - centre);
      quanta.add(std::array{mass[body] * (c.x() * c.x()), mass[body] * (c.y() * c.y()), mass[body] * (c.x() * c.y()),
                            0.0, mass[body] * (c.x() * fastest), mass[body] * (c.y() * fastest)},
                 sum);
    }
    return sum;
  });
}

CellTally Cell::tally(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws,
                      std::span<const char> own) {
  CellTally sums = sum_contacts(bodies, contacts, laws, own);
  if (follows_stress()) tally_grains(bodies, own, sums);
  return sums;
}

double Cell::power() const {
  const Sums sum = now_.contacts + now_.kinetic + drift_;
  return -(sum[0] * now_.rate[0] + sum[1] * now_.rate[1] + sum[2] * now_.rate[2]);
}

void Cell::find_scales(const Bodies& bodies, const ContactLaws& laws, const StepClock& clock) {
  if (!deforms_) return;
  scales_ = {};
  double heaviest = 0.0;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body)) continue;
    scales_.mass += bodies.mass[body];
    scales_.widest = std::max(scales_.widest, 2.0 * bodies.bounding_radius[body]);
    heaviest = std::max(heaviest, bodies.mass[body]);
  }
  // Depths of a fifth of a diameter end a run, and so does a grain that goes farther in a step than its radius; in the
  // flow it is as fast again at most.
  constexpr double kRoom = 1024.0;  // for dashpots, cohesion, and laws that stiffen
  scales_.contacts = Quanta::up_to(kRoom * laws.greatest_stiffness() * scales_.widest * scales_.widest);
  if (scales_.widest > 0.0) scales_.fastest = std::ldexp(scales_.widest / clock.longest(), clock.most_halvings());
  scales_.grains = Quanta::up_to(heaviest * scales_.fastest * scales_.fastest);
}

void Cell::look(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws) {
  if (!deforms_) return;
  CellTally all = tally(bodies, contacts, laws);
  tally_grains(bodies, {}, all);
  if (follows_stress()) {
    take_stiffness(all, 0.0);
  } else {
    now_.stiffness = now_.damped = Components::Zero();
  }
  take_stress(all);
  now_.power = power();
}

void Cell::respond(const CellTally& all, double dt) {
  if (!follows_stress()) return;
  take_stiffness(all, dt);
  take_stress(all);
  const double area = now_.length.x() * now_.length.y();
  for (std::size_t k = 0; k < 3; ++k) {
    const CellComponent& given = component(k);
    if (!given.stress) continue;
    const auto at = static_cast<Eigen::Index>(k);
    const double excess = now_.contacts[at] + now_.kinetic[at] - area * *given.stress;
    const double before = now_.acceleration[at];
    double acceleration = (excess - damping(k) * now_.rate[at]) / inertia(k);
    const double rate = now_.rate_before[at] + 0.5 * dt * (before + acceleration);
    now_.rate[at] = limited(k, rate);
    if (now_.rate[at] != rate && acceleration * rate > 0.0) acceleration = 0.0;  // it is as fast as it may be
    now_.acceleration[at] = acceleration;
  }
}

double Cell::close(const CellTally& all, double dt) {
  take_stress(all);
  const double now = power();
  const double work = 0.5 * dt * (now_.power + now);
  now_.power = now;
  now_.work += work;
  return work;
}

double Cell::strain_in(double dt) const {
  const Components most = dt * (now_.rate.abs() + dt * now_.acceleration.abs());
  return std::max(most[0] + most[2], most[1]);
}

std::optional<std::string> Cell::find_problem(double dt) const {
  if (!deforms_) return std::nullopt;
  constexpr double kMostStrain = 0.01;  // of a step
  const double fastest = now_.rate.abs().maxCoeff();
  if (!(fastest * dt < kMostStrain)) {
    return fmt::format("the cell deforms at {:.3g} 1/s, more than {} in a step of {:.3g} s; try a smaller rate",
                       fastest, kMostStrain, dt);
  }
  if (now_.length.minCoeff() <= scales_.widest) {
    return fmt::format("the cell has become {:.4g} m by {:.4g} m, too small for grains {:.4g} m wide", now_.length.x(),
                       now_.length.y(), scales_.widest);
  }
  const StabilityLimit limit = stability_limit(3);  // velocity Verlet
  for (std::size_t k = 0; k < 3; ++k) {
    if (!component(k).stress) continue;
    const double stiffness = now_.stiffness[static_cast<Eigen::Index>(k)];
    const double share = (stiffness * dt * dt / limit.stiffness + damping(k) * dt / limit.damping) / inertia(k);
    if (share <= 1.0) continue;
    return fmt::format(
        "the cell is too light for its contacts: its component {} oscillates faster than a step of {:.3g} s can "
        "follow; try domain.cell.mass: {:.2g} or a smaller time.step",
        kNames[k], dt, 2.0 * share * share * drive_.mass);
  }
  return std::nullopt;
}

bool Cell::has_its_stress() const {
  constexpr double kTolerance = 0.01;
  double greatest = 0.0;
  double missing = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!component(k).stress) continue;
    const auto at = static_cast<Eigen::Index>(k);
    const double stress = (now_.contacts[at] + now_.kinetic[at]) / (now_.length.x() * now_.length.y());
    greatest = std::max(greatest, std::abs(*component(k).stress));
    missing = std::max(missing, std::abs(stress - *component(k).stress));
  }
  return missing <= kTolerance * greatest;
}

double Cell::flow_energy() const {
  const Vec2 along_x(now_.rate[0] * now_.length.x(), now_.rate[2] * now_.length.y());
  const double along_y = now_.rate[1] * now_.length.y();
  return scales_.mass / 24.0 * (along_x.squaredNorm() + along_y * along_y);
}

CellState Cell::state() const {
  CellState state{.length = now_.length, .tilt = now_.tilt, .strain = {}, .rate = {}, .stress = {}, .work = now_.work};
  const double area = now_.length.x() * now_.length.y();
  for (int k = 0; k < 3; ++k) {
    state.strain[k] = now_.strain[k];
    state.rate[k] = now_.rate[k];
  }
  for (int k = 0; k < 4; ++k) state.stress[k] = (now_.contacts[k] + now_.kinetic[k]) / area;
  return state;
}

void Cell::require_sound() const {
  const bool is_finite = now_.rate.isFinite().all() && now_.rate_before.isFinite().all() &&
                         now_.acceleration.isFinite().all() && now_.strain.isFinite().all() &&
                         now_.stiffness.isFinite().all() && now_.contacts.isFinite().all() &&
                         now_.kinetic.isFinite().all() && std::isfinite(now_.power + now_.work);
  constexpr std::int32_t kMostFlips = 1 << 20;
  constexpr double kMostLength = 1e100;  // [m]
  require_state(is_finite && now_.length.allFinite() && now_.length.minCoeff() > 0.0 &&
                    now_.length.maxCoeff() < kMostLength && std::abs(now_.tilt) <= now_.length.x() &&
                    (now_.stiffness >= 0.0).all() && std::abs(now_.flips) < kMostFlips,
                "the periodic cell");
}

}  // namespace scree::soft
