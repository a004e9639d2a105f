#include "dem/soft/forces/contact_elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <Eigen/Eigenvalues>

#include "dem/soft/forces/narrowphase.hpp"
#include "parallel/huge_pages.hpp"

namespace scree::soft {

namespace {

double times_in_bound(const ContactElement& element) {
  return element.square_of_b == 0.0 ? 1.0 : 2.0;
}

double greatest_of(const Eigen::Matrix3d& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[2];
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

}  // namespace

void add_elements(const Bodies& bodies, const PairLaw& law, const ContactSprings& contact,
                  std::vector<ContactElement>& elements) {
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
    elements.push_back({.a = bodies.particle(a),
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
}

ContactSprings springs_of(const Bodies& bodies, const Contacts& contacts, std::size_t contact) {
  const BodyPair& pair = contacts.bodies(contact);
  const ContactGeometry& geometry = contacts.geometry[contact];
  const Overlap& overlap = geometry.overlap;
  const bool disk = has_disk(bodies, pair);
  return {.bodies = pair,
          .normal = overlap.normal,
          .middle = disk ? overlap.centroid : Vec2(0.5 * (overlap.chord_begin + overlap.chord_end)),
          .point = contacts.force[contact].point,
          .branch_vector = geometry.branch_vector,
          .stiffness = contacts.parts[contact].stiffness,
          .chord = disk ? std::optional<double>() : overlap.chord(),
          .dashpot_share = contacts.share_of_dashpot(contact)};
}

std::vector<ContactElement> contact_elements(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws) {
  std::vector<ContactElement> elements;
  reserve_in_huge_pages(elements, 3 * contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    add_elements(bodies, laws.of(bodies, contacts.bodies(k)), springs_of(bodies, contacts, k), elements);
  }
  return elements;
}

namespace {

/// One for each element.
template <class Strength>
std::vector<double> strengths(std::span<const ContactElement> elements, const Strength& of_one) {
  std::vector<double> all;
  reserve_in_huge_pages(all, elements.size());
  for (const ContactElement& element : elements) all.push_back(of_one(element));
  return all;
}

}  // namespace

std::vector<double> springs(std::span<const ContactElement> elements) {
  return strengths(elements, [](const ContactElement& element) { return element.spring; });
}

std::vector<double> shares(std::span<const ContactElement> elements, double dt, const StabilityLimit& limit) {
  return strengths(elements, [&](const ContactElement& element) {
    return element.spring * dt * dt / limit.stiffness + element.dashpot * dt / limit.damping;
  });
}

namespace {

/// Calls add(body, its part of the element, strength) for both bodies of each element.
template <class Add>
void for_each_side(std::span<const ContactElement> elements, std::span<const double> strength, const Add& add) {
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const double twice = strength[e] * times_in_bound(elements[e]);
    add(elements[e].a, elements[e].of_a, twice);
    add(elements[e].b, elements[e].of_b, twice);
  }
}

/// Bounds of the eigenvalues of each body's own part of the matrix; usually enough.
std::vector<double> traces(std::span<const ContactElement> elements, std::span<const double> strength,
                           std::uint32_t bodies) {
  std::vector<double> trace(bodies, 0.0);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const ContactElement& element = elements[e];
    const double twice = strength[e] * times_in_bound(element);
    trace[element.a] += twice * element.square_of_a;
    trace[element.b] += twice * element.square_of_b;
  }
  return trace;
}

std::uint32_t place_of_most(const std::vector<double>& trace) {
  return static_cast<std::uint32_t>(std::ranges::max_element(trace) - trace.begin());
}

/// The greatest eigenvalue of the bodies, each by itself. @param trace of each
Eigenvalue greatest_of_bodies(std::span<const ContactElement> elements, std::span<const double> strength,
                              const std::vector<double>& trace, double limit) {
  std::vector<std::uint32_t> some;  // whose traces are beyond the limit: few
  std::vector<std::uint32_t> place(trace.size());
  for (std::uint32_t body = 0; body < trace.size(); ++body) {
    place[body] = static_cast<std::uint32_t>(some.size());
    if (trace[body] > limit) some.push_back(body);
  }
  std::vector<Eigen::Matrix3d> matrix(some.size(), Eigen::Matrix3d::Zero());
  for_each_side(elements, strength, [&](std::uint32_t body, const Eigen::Vector3d& of, double twice) {
    if (trace[body] > limit) matrix[place[body]] += twice * of * of.transpose();
  });
  Eigenvalue greatest;
  for (const std::uint32_t body : some) {
    const double known = std::max(limit, greatest.value);
    if (trace[body] <= known || are_surely_within(matrix[place[body]], known)) continue;
    const double value = greatest_of(matrix[place[body]]);
    if (value > greatest.value) greatest = {value, body};
  }
  return greatest;
}

}  // namespace

Eigenvalue upper_bound(std::span<const ContactElement> elements, std::span<const double> strength, std::uint32_t bodies,
                       double limit) {
  if (bodies == 0) return {};
  const std::vector<double> trace = traces(elements, strength, bodies);
  const std::uint32_t most = place_of_most(trace);
  if (trace[most] <= limit) return {trace[most], most};
  return greatest_of_bodies(elements, strength, trace, limit);
}

bool is_beyond(std::span<const ContactElement> elements, std::span<const double> strength, std::uint32_t bodies,
               double limit) {
  if (bodies == 0) return 0.0 > limit;
  const std::vector<double> trace = traces(elements, strength, bodies);
  const std::uint32_t most = place_of_most(trace);
  if (trace[most] <= limit) return false;
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Zero();  // of one that is probably beyond
  for_each_side(elements, strength, [&](std::uint32_t body, const Eigen::Vector3d& of, double twice) {
    if (body == most) matrix += twice * of * of.transpose();
  });
  if (greatest_of(matrix) > limit) return true;
  return greatest_of_bodies(elements, strength, trace, limit).value > limit;
}

Eigenvalue greatest_eigenvalue(std::span<const ContactElement> elements, std::span<const double> strength,
                               std::uint32_t bodies, std::uint32_t first) {
  constexpr int kIterations = 50;
  using Coordinates = std::vector<Eigen::Vector3d>;
  Coordinates before(bodies, Eigen::Vector3d::Zero());
  before[first] = {1.0, 0.7, 1.3};  // some of each direction
  Eigenvalue greatest{.body = first};
  for (int k = 0; k < kIterations; ++k) {
    Coordinates after(bodies, Eigen::Vector3d::Zero());
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const ContactElement& element = elements[e];
      const double stretched =
          strength[e] * (element.of_a.dot(before[element.a]) + element.of_b.dot(before[element.b]));
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
