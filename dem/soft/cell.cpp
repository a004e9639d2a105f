#include "dem/soft/cell.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dem/archive.hpp"
#include "dem/cell_checks.hpp"
#include "dem/errors.hpp"
#include "dem/soft/gear.hpp"
#include "parallel/ordered_sum.hpp"

namespace scree::soft {

namespace {

constexpr std::array<const char*, 3> kNames = {"xx", "yy", "xy"};

}  // namespace

Cell::ContactSums& Cell::ContactSums::operator+=(const ContactSums& other) {
  stress += other.stress;
  stiffness += other.stiffness;
  return *this;
}

Cell::Cell(const Scene& scene) : deforms_(scene.domain.cell.has_value()) {
  if (!deforms_) {
    for (std::size_t k = 0; k < scene.stages.size(); ++k) {
      if (!scene.stages[k].cell) continue;
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

void Cell::advance(double dt) {
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
  // By whole quanta, so that images stay where they are to the last bit.
  const double period = Periodic::in_quanta(now_.length.x(), now_.length.x());
  const double turns = std::nearbyint(now_.tilt / period);  // few: find_problem has seen to that
  if (!(std::abs(turns) < 1e6)) return;
  now_.tilt -= turns * period;
  now_.flips += static_cast<std::int32_t>(turns);
}

double Cell::inertia(std::size_t k) const {
  const double reach = k == 0 ? now_.length.x() : now_.length.y();
  return drive_.mass * mass_ * reach * reach;
}

/// Of a component, as of a mass on the springs of all contacts [N m s].
double Cell::damping(std::size_t k) const {
  return 2.0 * drive_.damping * std::sqrt(inertia(k) * now_.damped[static_cast<Eigen::Index>(k)]);
}

/// Damping does not follow each change of the stiffness: else it would be stronger while the cell is squeezed than
/// while it widens, and the mean stress of a steady flow would not be the one that is asked for.
void Cell::note_stiffness(double dt) {
  constexpr double kLately = 300.0;  // times a component's own time, a period over 2 pi
  for (std::size_t k = 0; k < 3; ++k) {
    double& damped = now_.damped[static_cast<Eigen::Index>(k)];
    const double forgotten = std::min(1.0, dt / kLately * std::sqrt(damped / inertia(k)));
    damped = std::max(now_.stiffness[static_cast<Eigen::Index>(k)], damped - forgotten * damped);
  }
}

Components Cell::flow_acceleration() const {
  const Components& rate = now_.rate;
  return now_.acceleration + Components(rate[0] * rate[0], rate[1] * rate[1], rate[2] * (rate[0] + rate[1]));
}

void Cell::sum_contacts(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws) {
  const ContactSums sums = ordered_sum(contacts.size(), contact_parts_, [&](std::size_t begin, std::size_t end) {
    ContactSums sum;
    for (std::size_t k = begin; k < end; ++k) {
      const BodyPair& pair = contacts.bodies(k);
      const ContactGeometry& geometry = contacts.geometry[k];
      const Vec2 branch = bodies.arm_of(pair.a) + geometry.branch_vector - bodies.arm_of(pair.b);
      const Vec2 force = contacts.force[k].on_b;
      sum.stress +=
          Sums(force.x() * branch.x(), force.y() * branch.y(), force.x() * branch.y(), force.y() * branch.x());
      const auto add_spring = [&](double stiffness, const Vec2& direction) {
        const Components stretched(direction.x() * branch.x(), direction.y() * branch.y(), direction.x() * branch.y());
        sum.stiffness += stiffness * stretched.square();
      };
      add_spring(contacts.parts[k].stiffness, geometry.overlap.normal);
      const PairLaw& law = laws.of(bodies, pair);
      if (law.friction > 0.0) add_spring(law.tangential_stiffness, perp(geometry.overlap.normal));
    }
    return sum;
  });
  now_.contacts = sums.stress;
  now_.stiffness = sums.stiffness;
}

void Cell::sum_kinetic(const Bodies& bodies) {
  now_.kinetic =
      ordered_sum(bodies.beyond_walls(), kinetic_parts_, [&](std::size_t begin, std::size_t end) {
        KineticSums sum;
        for (std::size_t k = begin; k < end; ++k) {
          const auto body = bodies.walls + static_cast<std::uint32_t>(k);
          if (bodies.is_part(body)) continue;
          const double mass = bodies.mass[body];
          const Vec2 own = linear(bodies.velocity[body]) - times(now_.rate, linear(bodies.position[body]) - centre_);
          sum.stress += mass * Sums(own.x() * own.x(), own.y() * own.y(), own.x() * own.y(), own.x() * own.y());
        }
        return sum;
      }).stress;
}

double Cell::power() const {
  const Sums sum = now_.contacts + now_.kinetic;
  return -(sum[0] * now_.rate[0] + sum[1] * now_.rate[1] + sum[2] * now_.rate[2]);
}

void Cell::know(const Bodies& bodies) {
  mass_ = 0.0;
  widest_ = 0.0;
  for (std::uint32_t body = bodies.walls; body < bodies.size(); ++body) {
    if (bodies.is_part(body)) continue;
    mass_ += bodies.mass[body];
    widest_ = std::max(widest_, 2.0 * bodies.bounding_radius[body]);
  }
}

void Cell::look(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws) {
  sum_contacts(bodies, contacts, laws);
  note_stiffness(0.0);
  sum_kinetic(bodies);
  now_.power = power();
}

void Cell::feel(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws, double dt) {
  sum_contacts(bodies, contacts, laws);
  note_stiffness(dt);
  sum_kinetic(bodies);
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

void Cell::account(const Bodies& bodies, double dt, EnergyBalance& energy) {
  sum_kinetic(bodies);
  const double now = power();
  const double work = 0.5 * dt * (now_.power + now);
  now_.power = now;
  now_.work += work;
  energy.wall_work += work;
}

std::optional<std::string> Cell::find_problem(double dt) const {
  constexpr double kMostStrain = 0.01;  // of a step
  const double fastest = now_.rate.abs().maxCoeff();
  if (!(fastest * dt < kMostStrain)) {
    return fmt::format("the cell deforms at {:.3g} 1/s, more than {} in a step of {:.3g} s; try a smaller rate",
                       fastest, kMostStrain, dt);
  }
  if (now_.length.minCoeff() <= widest_) {
    return fmt::format("the cell has become {:.4g} m by {:.4g} m, too small for grains {:.4g} m wide", now_.length.x(),
                       now_.length.y(), widest_);
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
  return mass_ / 24.0 * (along_x.squaredNorm() + along_y * along_y);
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
