#include "dem/soft/forces/contact_elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <Eigen/Eigenvalues>

#include "dem/soft/forces/narrowphase.hpp"

namespace scree::soft {

namespace {

double times_in_bound(const ContactElement& element) {
  return element.square_of_b == 0.0 ? 1.0 : 2.0;
}

double greatest_eigenvalue_of(const Eigen::Matrix3d& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[2];
}

std::vector<ContactElement> all_of(const ContactElements& elements) {
  std::vector<ContactElement> all;
  elements([&](std::span<const ContactElement> some) { all.insert(all.end(), some.begin(), some.end()); });
  return all;
}

/// Whether no eigenvalue of a symmetric matrix is beyond a bound; perhaps not seen if one is near it. They are below it
/// if bound I - matrix has only positive pivots.
bool are_surely_within(const Eigen::Matrix3d& matrix, double bound) {
  constexpr double kNearly = 1.0 - 1e-9;  // far more than what the pivots are rounded by
  const double less = kNearly * bound;
  const double first = less - matrix(0, 0);
  if (!(first > 0.0)) return false;
  const double second = less - matrix(1, 1) - matrix(1, 0) * matrix(1, 0) / first;
  if (!(second > 0.0)) return false;
  const double across = matrix(2, 1) + matrix(2, 0) * matrix(1, 0) / first;
  return less - matrix(2, 2) - matrix(2, 0) * matrix(2, 0) / first - across * across / second > 0.0;
}

constexpr std::size_t kMostOfContact = 4;  // elements

}  // namespace

ElementBatch::ElementBatch(const TakeElements& take) : take_(&take), most_(128) {  // 14 kB
  elements_.reserve(most_ + kMostOfContact);
}

ElementBatch::ElementBatch(std::size_t contacts) {
  elements_.reserve(kMostOfContact * contacts);
}

void ElementBatch::add(const Bodies& bodies, const PairLaw& law, const ContactSprings& contact) {
  const std::uint32_t a = contact.bodies.a;
  const std::uint32_t b = contact.bodies.b;
  const double reduced_mass = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b]);
  struct Side {
    double root_of_mass;     ///< inverse
    double root_of_inertia;  ///< likewise
    Vec2 arm;                ///< of a part of a clump
  };
  const auto side_of = [&](std::uint32_t body) {
    return Side{std::sqrt(bodies.inverse_mass[body]), std::sqrt(bodies.inverse_inertia[body]), bodies.arm_of(body)};
  };
  const Side of_a = side_of(a);
  const Side of_b = side_of(b);
  const auto along = [](const Side& side, const Vec2& arm, const Vec2& direction) {
    const Vec2 moves = direction * side.root_of_mass;
    return Eigen::Vector3d(moves.x(), moves.y(), cross(arm + side.arm, direction) * side.root_of_inertia);
  };
  const auto about = [](const Side& side, double radius) {
    return Eigen::Vector3d(0.0, 0.0, radius * side.root_of_inertia);
  };
  const auto add = [&](double stiffness, double damping_ratio, const Eigen::Vector3d& moves_a,
                       const Eigen::Vector3d& moves_b) {
    elements_.push_back({.a = bodies.particle(a),
                         .b = bodies.particle(b),
                         .spring = stiffness,
                         .dashpot = contact.dashpot_share * 2.0 * damping_ratio * std::sqrt(reduced_mass * stiffness),
                         .of_a = moves_a,
                         .of_b = -moves_b,
                         .square_of_a = moves_a.squaredNorm(),
                         .square_of_b = moves_b.squaredNorm()});
  };
  add(contact.stiffness, law.damping_ratio, along(of_a, contact.middle, contact.normal),
      along(of_b, contact.middle - contact.branch_vector, contact.normal));
  if (contact.chord) {  // a bed of springs and dashpots along it
    const double radius = *contact.chord / std::sqrt(12.0);
    add(contact.stiffness, law.damping_ratio, about(of_a, radius), about(of_b, radius));
  }
  if (law.friction > 0.0) {
    const Vec2 tangent = perp(contact.normal);
    add(law.tangential_stiffness, law.tangential_damping_ratio, along(of_a, contact.point, tangent),
        along(of_b, contact.point - contact.branch_vector, tangent));
  }
  if (law.rolling_friction > 0.0) {
    const double radius =
        1.0 / (1.0 / bodies.radius_of_law(a) + (bodies.is_wall(b) ? 0.0 : 1.0 / bodies.radius_of_law(b)));
    add(law.tangential_stiffness, law.tangential_damping_ratio, about(of_a, radius), about(of_b, radius));
  }
  if (elements_.size() >= most_) end();
}

void ElementBatch::end() {
  (*take_)(elements_);
  elements_.clear();
}

ContactSprings springs_of(const Bodies& bodies, const Contacts& contacts, std::size_t contact) {
  const BodyPair& pair = contacts.bodies(contact);
  const ContactGeometry geometry = contacts.geometry(contact);
  const Overlap& overlap = geometry.overlap;
  const bool disk = has_disk(bodies, pair);
  return {.bodies = pair,
          .normal = overlap.normal,
          .middle = disk ? overlap.centroid : Vec2(0.5 * (overlap.chord_begin + overlap.chord_end)),
          .point = contacts.parts[contact].point,
          .branch_vector = geometry.branch_vector,
          .stiffness = contacts.parts[contact].stiffness,
          .chord = disk ? std::optional<double>() : overlap.chord(),
          .dashpot_share = contacts.share_of_dashpot(contact)};
}

ContactElements contact_elements(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws) {
  const auto find = [&](ElementBatch& batch) {
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      batch.add(bodies, laws.of(bodies, contacts.bodies(k)), springs_of(bodies, contacts, k));
    }
  };
  return contact_elements(find, contacts.size());
}

ContactElements contact_elements(const FindElements& find, std::size_t contacts) {
  constexpr std::size_t kFew = 4096;
  if (contacts > kFew) {
    return [find](const TakeElements& take) {
      ElementBatch batch(take);
      find(batch);
      batch.end();
    };
  }
  ElementBatch batch(contacts);
  find(batch);
  return [all = std::move(batch).kept()](const TakeElements& take) { take(all); };
}

namespace {

/// Bounds of the eigenvalues of each body's own part of the matrix, by bound and body; usually enough.
std::vector<std::vector<double>> traces(const ContactElements& elements, std::span<const Bound> bounds,
                                        std::uint32_t bodies) {
  std::vector<std::vector<double>> all(bounds.size(), std::vector<double>(bodies, 0.0));
  elements([&](std::span<const ContactElement> some) {
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      std::vector<double>& trace = all[k];
      for (const ContactElement& element : some) {
        const double twice = bounds[k].strength(element) * times_in_bound(element);
        trace[element.a] += twice * element.square_of_a;
        trace[element.b] += twice * element.square_of_b;
      }
    }
  });
  return all;
}

std::uint32_t place_of_most(const std::vector<double>& trace) {
  return static_cast<std::uint32_t>(std::ranges::max_element(trace) - trace.begin());
}

/// The parts of the matrix that belong to the bodies whose traces are beyond the limit: few.
class Suspects {
 public:
  /// @param trace of each body
  Suspects(const std::vector<double>& trace, const Bound& bound) : trace_(trace), bound_(bound), place_(trace.size()) {
    for (std::uint32_t body = 0; body < trace.size(); ++body) {
      place_[body] = static_cast<std::uint32_t>(bodies_.size());
      if (trace[body] > bound.limit) bodies_.push_back(body);
    }
    matrix_.assign(bodies_.size(), Eigen::Matrix3d::Zero());
  }
  void add(std::span<const ContactElement> some) {
    for (const ContactElement& element : some) {
      if (!(trace_[element.a] > bound_.limit) && !(trace_[element.b] > bound_.limit)) continue;
      const double twice = bound_.strength(element) * times_in_bound(element);
      add(element.a, element.of_a, twice);
      add(element.b, element.of_b, twice);
    }
  }
  /// Whether one of them is beyond the limit. @param likely is looked at first
  bool is_beyond(std::uint32_t likely) const {
    return greatest_of(likely) > bound_.limit || greatest().value > bound_.limit;
  }
  /// The greatest eigenvalue of the bodies, each by itself, or any that is not beyond the limit.
  Eigenvalue greatest() const {
    Eigenvalue greatest;
    for (const std::uint32_t body : bodies_) {
      const double known = std::max(bound_.limit, greatest.value);
      if (trace_[body] <= known || are_surely_within(matrix_[place_[body]], known)) continue;
      const double value = greatest_of(body);
      if (value > greatest.value) greatest = {value, body};
    }
    return greatest;
  }

 private:
  double greatest_of(std::uint32_t body) const { return greatest_eigenvalue_of(matrix_[place_[body]]); }
  void add(std::uint32_t body, const Eigen::Vector3d& of, double twice) {
    if (trace_[body] > bound_.limit) matrix_[place_[body]] += twice * of * of.transpose();
  }

  const std::vector<double>& trace_;
  const Bound& bound_;
  std::vector<std::uint32_t> bodies_;
  std::vector<std::uint32_t> place_;  // by body
  std::vector<Eigen::Matrix3d> matrix_;
};

}  // namespace

Eigenvalue upper_bound(const ContactElements& elements, const Strength& strength, std::uint32_t bodies, double limit) {
  if (bodies == 0) return {};
  const Bound bound{strength, limit};
  const std::vector<double> trace = traces(elements, {&bound, 1}, bodies).front();
  const std::uint32_t most = place_of_most(trace);
  if (trace[most] <= limit) return {trace[most], most};
  Suspects suspects(trace, bound);
  elements([&](std::span<const ContactElement> some) { suspects.add(some); });
  return suspects.greatest();
}

bool is_beyond(const ContactElements& elements, std::span<const Bound> bounds, std::uint32_t bodies) {
  if (bodies == 0) return std::ranges::any_of(bounds, [](const Bound& bound) { return 0.0 > bound.limit; });
  const std::vector<std::vector<double>> trace = traces(elements, bounds, bodies);
  std::vector<Suspects> suspects;
  std::vector<std::uint32_t> most;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const std::uint32_t body = place_of_most(trace[k]);
    if (trace[k][body] <= bounds[k].limit) continue;
    if (trace[k][body] > 3.001 * bounds[k].limit) return true;  // a third of it is an eigenvalue's
    suspects.emplace_back(trace[k], bounds[k]);
    most.push_back(body);
  }
  if (suspects.empty()) return false;
  elements([&](std::span<const ContactElement> some) {
    for (Suspects& each : suspects) each.add(some);
  });
  for (std::size_t k = 0; k < suspects.size(); ++k) {
    if (suspects[k].is_beyond(most[k])) return true;
  }
  return false;
}

Eigenvalue greatest_eigenvalue(const ContactElements& elements, const Strength& strength, std::uint32_t bodies,
                               std::uint32_t first) {
  constexpr int kIterations = 50;
  const std::vector<ContactElement> all = all_of(elements);
  using Coordinates = std::vector<Eigen::Vector3d>;
  Coordinates before(bodies, Eigen::Vector3d::Zero());
  before[first] = {1.0, 0.7, 1.3};  // some of each direction
  Eigenvalue greatest{.body = first};
  for (int k = 0; k < kIterations; ++k) {
    Coordinates after(bodies, Eigen::Vector3d::Zero());
    for (const ContactElement& element : all) {
      const double stretched =
          strength(element) * (element.of_a.dot(before[element.a]) + element.of_b.dot(before[element.b]));
      after[element.a] += stretched * element.of_a;
      after[element.b] += stretched * element.of_b;
    }
    double squared_before = 0.0;
    double squared_after = 0.0;
    for (std::uint32_t body = 0; body < bodies; ++body) {
      squared_before += before[body].squaredNorm();
      squared_after += after[body].squaredNorm();
      if (after[body].squaredNorm() > after[greatest.body].squaredNorm()) greatest.body = body;
    }
    if (squared_after == 0.0) break;
    greatest.value = std::sqrt(squared_after / squared_before);  // never beyond the greatest eigenvalue
    for (Eigen::Vector3d& coordinates : after) coordinates /= std::sqrt(squared_after);
    before.swap(after);
  }
  return greatest;
}

}  // namespace scree::soft
