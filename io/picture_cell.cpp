#include "io/picture_cell.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace scree {

std::array<Vec2, 4> corners_of(const CellState& cell, const Vec2& centre, double tilt) {
  const Vec2 a(0.5 * cell.length.x(), 0.0);
  const Vec2 b(0.5 * tilt, 0.5 * cell.length.y());
  return {centre - a - b, centre + a - b, centre + a + b, centre - a + b};
}

std::optional<State> in_parallelogram(const State& state, const Vec2& centre) {
  if (!state.cell) return {};
  const CellState& cell = *state.cell;
  const auto way_of = [&](const Vec2& position) -> Vec2 {
    const Vec2 from = position - centre;
    const double along_x = from.x() - cell.tilt * from.y() / cell.length.y();
    return {-cell.length.x() * std::floor(along_x / cell.length.x() + 0.5), 0.0};
  };
  State moved = state;
  ParticleState& p = moved.particles;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 way = way_of(p.position[i]);
    p.position[i] += way;
    for (std::uint32_t v = p.outlines.first[i]; v < p.outlines.first[i + 1]; ++v) p.outlines.vertices[v] += way;
  }
  moved.contacts.clear();
  for (ContactState contact : state.contacts) {
    const Vec2 way = way_of(contact.centre1);
    ContactState other = contact;
    const bool has_other = contact.centre2 != contact.point && contact.image_shift.isZero(0.0);
    const Vec2 other_way = has_other ? way_of(contact.centre2) : way;
    contact.centre1 += way;
    contact.point += way;
    contact.centre2 += way;
    if (other_way != way) {  // as across a side: two, each with the body on its side
      contact.centre2 = contact.point;
      std::swap(other.id1, other.id2);
      other.centre1 = other.centre2 + other_way;
      other.point += other_way;
      other.centre2 = other.point;
      other.force = -other.force;
      moved.contacts.push_back(other);
    }
    moved.contacts.push_back(contact);
  }
  return moved;
}

}  // namespace scree
