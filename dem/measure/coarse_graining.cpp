#include "dem/measure/coarse_graining.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "dem/measure/area_inside.hpp"

namespace scree {

FieldGrid FieldGrid::covering(const Region& region, double spacing) {
  const Vec2 cells = ((region.hi - region.lo) / spacing).array().ceil().max(1.0);
  return {region, static_cast<std::size_t>(cells.x()), static_cast<std::size_t>(cells.y())};
}

Vec2 FieldGrid::cell() const {
  return (region.hi - region.lo).cwiseQuotient(Vec2(static_cast<double>(columns), static_cast<double>(rows)));
}

Vec2 FieldGrid::point(std::size_t column, std::size_t row) const {
  return region.lo + cell().cwiseProduct(Vec2(static_cast<double>(column) + 0.5, static_cast<double>(row) + 0.5));
}

FieldSums& FieldSums::operator+=(const FieldSums& other) {
  density += other.density;
  momentum += other.momentum;
  flow += other.flow;
  contact += other.contact;
  boundary_force += other.boundary_force;
  area += other.area;
  return *this;
}

FieldSums FieldSums::scaled(double factor) const {
  return {factor * density, factor * momentum, factor * flow, factor * contact, factor * boundary_force, factor * area};
}

Vec2 FieldSums::velocity() const {
  return density > 0.0 ? Vec2(momentum / density) : Vec2::Zero();
}

Eigen::Matrix2d FieldSums::kinetic() const {
  return flow - momentum * velocity().transpose();
}

double FieldSums::pressure() const {
  return 0.5 * (kinetic() + contact).trace();
}

CoarseFields::CoarseFields(const FieldGrid& grid, const SmoothingKernel& kernel, const Domain& domain)
    : grid_(grid), kernel_(kernel), domain_(domain), sums_(grid.size()) {}

void CoarseFields::add(const State& state) {
  add_particles(state.particles);
  add_areas(state.particles);
  add_contacts(state);
  ++states_;
}

std::vector<FieldSums> CoarseFields::mean() const {
  std::vector<FieldSums> mean;
  mean.reserve(sums_.size());
  const double share = states_ > 0 ? 1.0 / static_cast<double>(states_) : 0.0;
  for (const FieldSums& sum : sums_) mean.push_back(sum.scaled(share));
  return mean;
}

void CoarseFields::clear() {
  states_ = 0;
  sums_.assign(sums_.size(), {});
}

void CoarseFields::add(const CoarseFields& other) {
  states_ += other.states_;
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
}

/// Calls act(shift) for each shift by whole periods that takes a box to where it meets the region.
template <class Do>
void CoarseFields::for_each_image(const Vec2& lo, const Vec2& hi, const Do& act) const {
  std::array<int, 2> first = {0, 0};
  std::array<int, 2> last = {0, 0};
  const Vec2 period = domain_.hi - domain_.lo;
  for (int axis = 0; axis < 2; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (!domain_.periodic[k]) continue;
    first[k] = static_cast<int>(std::ceil((grid_.region.lo[axis] - hi[axis]) / period[axis]));
    last[k] = static_cast<int>(std::floor((grid_.region.hi[axis] - lo[axis]) / period[axis]));
  }
  for (int y = first[1]; y <= last[1]; ++y) {
    for (int x = first[0]; x <= last[0]; ++x) act(Vec2(x * period.x(), y * period.y()));
  }
}

/// Calls act(point, sums) for each point of the grid in a box.
template <class Do>
void CoarseFields::for_each_point(const Vec2& lo, const Vec2& hi, const Do& act) {
  const Vec2 cell = grid_.cell();
  const auto range = [&](int axis, std::size_t count) {
    const double most = static_cast<double>(count);
    const double begin = std::ceil((lo[axis] - grid_.region.lo[axis]) / cell[axis] - 0.5);
    const double end = std::floor((hi[axis] - grid_.region.lo[axis]) / cell[axis] - 0.5) + 1.0;
    return std::pair(static_cast<std::size_t>(std::clamp(begin, 0.0, most)),
                     static_cast<std::size_t>(std::clamp(end, 0.0, most)));
  };
  const auto [first_column, end_column] = range(0, grid_.columns);
  const auto [first_row, end_row] = range(1, grid_.rows);
  for (std::size_t row = first_row; row < end_row; ++row) {
    for (std::size_t column = first_column; column < end_column; ++column) {
      act(grid_.point(column, row), sums_[row * grid_.columns + column]);
    }
  }
}

void CoarseFields::add_particles(const ParticleState& particles) {
  const Vec2 reach(kernel_.reach(), kernel_.reach());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double mass = particles.mass[i];
    const Vec2& velocity = particles.velocity[i];
    const Eigen::Matrix2d flow = mass * velocity * velocity.transpose();
    const Vec2& position = particles.position[i];
    for_each_image(position - reach, position + reach, [&](const Vec2& shift) {
      const Vec2 centre = position + shift;
      for_each_point(centre - reach, centre + reach, [&](const Vec2& point, FieldSums& sums) {
        const double w = kernel_.at(point - centre);
        sums.density += w * mass;
        sums.momentum += w * mass * velocity;
        sums.flow += w * flow;
      });
    });
  }
}

void CoarseFields::add_areas(const ParticleState& particles) {
  const Vec2 half = 0.5 * grid_.cell();
  std::vector<Vec2> corners;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec2& position = particles.position[i];
    const std::span outline =
        std::span(particles.outlines.vertices)
            .subspan(particles.outlines.first[i], particles.outlines.first[i + 1] - particles.outlines.first[i]);
    Vec2 lo = position.array() - particles.radius[i];
    Vec2 hi = position.array() + particles.radius[i];
    if (!outline.empty()) {
      lo = hi = outline.front();
      for (const Vec2& corner : outline) {
        lo = lo.cwiseMin(corner);
        hi = hi.cwiseMax(corner);
      }
    }
    for_each_image(lo, hi, [&](const Vec2& shift) {
      corners.assign(outline.begin(), outline.end());
      for (Vec2& corner : corners) corner += shift;
      for_each_point(lo + shift - half, hi + shift + half, [&](const Vec2& point, FieldSums& sums) {
        const Aabb2 cell{point - half, point + half};
        sums.area += corners.empty() ? disk_area_inside(position + shift, particles.radius[i], cell)
                                     : polygon_area_inside(corners, cell);
      });
    });
  }
}

void CoarseFields::add_contacts(const State& state) {
  const Vec2 reach(kernel_.reach(), kernel_.reach());
  const auto is_wall = [&](std::uint64_t id) { return std::ranges::find(state.walls.id, id) != state.walls.id.end(); };
  for (const ContactState& contact : state.contacts) {
    add_branch(contact.centre1, contact.point, -contact.force);
    if (!is_wall(contact.id2)) {
      add_branch(contact.centre2, contact.point, contact.force);
      continue;
    }
    for_each_image(contact.point - reach, contact.point + reach, [&](const Vec2& shift) {
      const Vec2 at = contact.point + shift;
      for_each_point(at - reach, at + reach, [&](const Vec2& point, FieldSums& sums) {
        sums.boundary_force -= kernel_.at(point - at) * contact.force;
      });
    });
  }
}

/// Half of a contact. @param force  on the particle whose centre it is
void CoarseFields::add_branch(const Vec2& centre, const Vec2& point, const Vec2& force) {
  const Vec2 branch = centre - point;
  const Eigen::Matrix2d stress = force * branch.transpose();
  const Vec2 lo = centre.cwiseMin(point).array() - kernel_.reach();
  const Vec2 hi = centre.cwiseMax(point).array() + kernel_.reach();
  for_each_image(lo, hi, [&](const Vec2& shift) {
    for_each_point(lo + shift, hi + shift, [&](const Vec2& at, FieldSums& sums) {
      sums.contact += kernel_.along(at - centre - shift, branch) * stress;
    });
  });
}

std::vector<FieldSums> averages_along_x(const std::vector<FieldSums>& fields, const FieldGrid& grid) {
  std::vector<FieldSums> averages(grid.rows);
  const double share = 1.0 / static_cast<double>(grid.columns);
  for (std::size_t k = 0; k < fields.size(); ++k) averages[k / grid.columns] += fields[k].scaled(share);
  return averages;
}

std::vector<FieldSums> averages_along_y(const std::vector<FieldSums>& fields, const FieldGrid& grid) {
  std::vector<FieldSums> averages(grid.columns);
  const double share = 1.0 / static_cast<double>(grid.rows);
  for (std::size_t k = 0; k < fields.size(); ++k) averages[k % grid.columns] += fields[k].scaled(share);
  return averages;
}

FieldAverages::FieldAverages(const Measure::Fields& spec, const Region& region, const Domain& domain, double from,
                             double every)
    : from_(from),
      every_(every),
      recent_(FieldGrid::covering(region, spec.spacing.value_or(0.5 * spec.width)), {spec.kernel, spec.width}, domain),
      before_(recent_) {}

std::optional<FieldImage> FieldAverages::add(const State& state) {
  recent_.add(state);
  last_ = state.time;
  constexpr double kEarly = 1e-6;  // a share of an interval that rounding may take
  const double intervals = (state.time - from_) / every_ + kEarly;
  if (intervals < static_cast<double>(images_)) return std::nullopt;
  images_ = static_cast<std::uint64_t>(intervals) + 1;
  FieldImage image{state.time, recent_.states(), recent_.grid(), recent_.mean()};
  before_.add(recent_);
  recent_.clear();
  return image;
}

FieldImage FieldAverages::whole() const {
  CoarseFields all = before_;
  all.add(recent_);
  return {last_, all.states(), all.grid(), all.mean()};
}

void FieldAverages::require_sound() const {
  require_state(std::isfinite(last_), "times of fields");
}

}  // namespace scree
