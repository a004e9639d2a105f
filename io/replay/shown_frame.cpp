#include "io/replay/shown_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "io/frames/parallelogram.hpp"

namespace scree {

namespace {

constexpr double kFaintest = 1.0 / 64.0;  // of the greatest force: weaker contacts are left out
constexpr double kStrongShare = 0.99;     // of a hundred contacts one is stronger than "the greatest"
constexpr double kFading = 0.97;          // of the greatest force from frame to frame: an impact is soon forgotten

}  // namespace

void ShownFrame::take(const State& as_it_is) {
  const Vec2 centre = centre_of(domain_);
  arrays_[cell].clear();
  if (as_it_is.cell) {
    for (const Vec2& corner : corners_of(*as_it_is.cell, centre, as_it_is.cell->tilt)) {
      arrays_[cell].push_back(static_cast<float>(corner.x() - domain_.lo.x()));
      arrays_[cell].push_back(static_cast<float>(corner.y() - domain_.lo.y()));
    }
  }
  const std::optional<State> moved = in_parallelogram(as_it_is, centre);
  const State& state = moved ? *moved : as_it_is;
  fill_grains(state.particles);
  fill_chains(state.contacts);
  fill_walls(state.walls);
}

void ShownFrame::add_birth(const ParticleState& p, std::size_t i) {
  number_of_.emplace(p.id[i], static_cast<std::uint32_t>(number_of_.size()));
  first_radius_.push_back(p.radius[i]);
  const auto corners =
      std::span(p.outlines.vertices).subspan(p.outlines.first[i], p.outlines.first[i + 1] - p.outlines.first[i]);
  const double colour = p.colour.empty() ? -1.0 : p.colour[i][0] * 65536.0 + p.colour[i][1] * 256.0 + p.colour[i][2];
  for (const double value :
       {static_cast<double>(p.type[i]), static_cast<double>(p.material[i]), static_cast<double>(corners.size()),
        p.radius[i], p.mass[i], colour, static_cast<double>(p.id[i])}) {
    arrays_[births].push_back(static_cast<float>(value));
  }
  const double c = std::cos(p.angle[i]);
  const double s = std::sin(p.angle[i]);
  for (const Vec2& corner : corners) {
    const Vec2 d = corner - p.position[i];
    arrays_[birth_corners].push_back(static_cast<float>(c * d.x() + s * d.y()));
    arrays_[birth_corners].push_back(static_cast<float>(c * d.y() - s * d.x()));
  }
}

void ShownFrame::fill_grains(const ParticleState& p) {
  arrays_[births].clear();
  arrays_[birth_corners].clear();
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!number_of_.contains(p.id[i])) add_birth(p, i);
  }
  const std::size_t n = number_of_.size();
  arrays_[poses].assign(4 * n, 0.0F);
  for (const Array array : {speed, angular_velocity, force, coordinations}) arrays_[array].assign(n, 0.0F);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint32_t k = number_of_.at(p.id[i]);
    const Vec2 at = p.position[i] - domain_.lo;
    const double values[] = {at.x(), at.y(), std::remainder(p.angle[i], 2.0 * std::numbers::pi),
                             p.radius[i] / first_radius_[k]};
    for (std::size_t c = 0; c < 4; ++c) arrays_[poses][4 * k + c] = static_cast<float>(values[c]);
    arrays_[speed][k] = static_cast<float>(p.velocity[i].norm());
    arrays_[angular_velocity][k] = static_cast<float>(p.angular_velocity[i]);
    arrays_[force][k] = static_cast<float>(p.force[i].norm());
    arrays_[coordinations][k] = static_cast<float>(p.coordination[i]);
  }
}

void ShownFrame::fill_chains(const std::vector<ContactState>& contacts) {
  std::vector<float>& out = arrays_[chains];
  out.clear();
  std::vector<double> forces;
  for (const ContactState& c : contacts) {
    if (c.force_normal > 0.0) forces.push_back(c.force_normal);
  }
  chain_force_ *= kFading;
  if (!forces.empty()) {
    const auto strong = forces.begin() + static_cast<std::ptrdiff_t>(kStrongShare * static_cast<double>(forces.size()));
    std::nth_element(forces.begin(), strong, forces.end());
    chain_force_ = std::max(chain_force_, *strong);
  }
  const auto add = [&](std::uint32_t a, double b, const Vec2& way, double normal) {
    for (const double value : {static_cast<double>(a), b, way.x(), way.y(), normal}) {
      out.push_back(static_cast<float>(value));
    }
  };
  for (const ContactState& c : contacts) {
    const auto a = number_of_.find(c.id1);
    const auto b = number_of_.find(c.id2);
    if (a == number_of_.end() || !(c.force_normal > kFaintest * chain_force_)) continue;
    const bool goes_on = b != number_of_.end() && c.centre2 != c.point;
    const bool is_near = goes_on && c.image_shift == Vec2::Zero();
    add(a->second, is_near ? b->second : -1.0, c.point - c.centre1, c.force_normal);
    if (goes_on && !is_near) add(b->second, -1.0, c.point - c.centre2, c.force_normal);
  }
}

void ShownFrame::fill_walls(const WallState& w) {
  arrays_[walls].clear();
  for (const Vec2& corner : w.outlines.vertices) {
    arrays_[walls].push_back(static_cast<float>(corner.x() - domain_.lo.x()));
    arrays_[walls].push_back(static_cast<float>(corner.y() - domain_.lo.y()));
  }
  arrays_[wall_starts].assign(w.outlines.first.begin(), w.outlines.first.end());
}

}  // namespace scree
