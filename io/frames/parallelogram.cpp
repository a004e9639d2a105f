#include "io/frames/parallelogram.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace scree {
namespace {

/// How many periods along x a position is from the centre.
double periods_into(const CellState& cell, const Vec2& centre, const Vec2& position) {
  const Vec2 from = position - centre;
  const double along_x = from.x() - cell.tilt * from.y() / cell.length.y();
  return -std::floor(along_x / cell.length.x() + 0.5);
}

bool is_half(const ContactState& contact) {
  return contact.centre2 == contact.point;
}

}  // namespace

std::array<Vec2, 4> corners_of(const CellState& cell, const Vec2& centre, double tilt) {
  const Vec2 a(0.5 * cell.length.x(), 0.0);
  const Vec2 b(0.5 * tilt, 0.5 * cell.length.y());
  return {centre - a - b, centre + a - b, centre + a + b, centre - a + b};
}

void move_into_parallelogram(State& state, const Vec2& centre) {
  if (!state.cell) return;
  const CellState& cell = *state.cell;
  ParticleState& p = state.particles;
  std::unordered_map<std::uint64_t, double> ways;  // along x, of those that move [m]
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double periods = periods_into(cell, centre, p.position[i]);
    if (periods == 0.0) continue;
    const Vec2 way(cell.length.x() * periods, 0.0);
    ways.emplace(p.id[i], way.x());
    p.position[i] += way;
    if (!p.image.empty()) p.image[i][0] -= static_cast<std::int32_t>(periods);
    for (std::uint32_t v = p.outlines.first[i]; v < p.outlines.first[i + 1]; ++v) p.outlines.vertices[v] += way;
  }
  // Asked of the grains, not of the contact's centres: these are rounded, and might lie on the other side of a side.
  const auto way_of = [&](std::uint64_t id) {
    const auto found = ways.find(id);
    return Vec2(found != ways.end() ? found->second : 0.0, 0.0);
  };
  const double none = 0.5 * cell.length.minCoeff();  // images are farther apart
  for (ContactState& contact : state.contacts) {
    const bool half = is_half(contact);
    const Vec2 way = way_of(contact.id1);
    if (!half) {
      contact.image_shift += way - way_of(contact.id2);
      if (contact.image_shift.norm() < none) contact.image_shift.setZero();
    }
    contact.centre1 += way;
    contact.point += way;
    contact.centre2 = half ? contact.point : Vec2(contact.centre2 + way);
  }
}

void move_into_rectangle(State& state, const Vec2& centre) {
  if (!state.cell) return;
  const double tilt = std::exchange(state.cell->tilt, 0.0);
  move_into_parallelogram(state, centre);
  state.cell->tilt = tilt;
}

std::optional<State> in_parallelogram(const State& state, const Vec2& centre) {
  if (!state.cell) return {};
  State moved = state;
  move_into_parallelogram(moved, centre);
  std::vector<ContactState> halves;
  halves.reserve(moved.contacts.size());
  for (ContactState contact : moved.contacts) {
    if (!is_half(contact) && !contact.image_shift.isZero(0.0)) {
      ContactState other = contact;
      std::swap(other.id1, other.id2);
      other.centre1 = contact.centre2 - contact.image_shift;
      other.point = other.centre2 = contact.point - contact.image_shift;
      other.force = -contact.force;
      contact.image_shift = other.image_shift = Vec2::Zero();
      contact.centre2 = contact.point;
      halves.push_back(other);
    }
    halves.push_back(contact);
  }
  moved.contacts = std::move(halves);
  return moved;
}

}  // namespace scree
