#include "dem/soft/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace scree::soft {

Ledger::Step& Ledger::Step::operator+=(const Step& other) {
  damping += other.damping;
  friction += other.friction;
  rolling += other.rolling;
  law += other.law;
  walls += other.walls;
  slid += other.slid;
  rolled += other.rolled;
  erased += other.erased;
  return *this;
}

void Ledger::book(const Step& now, double dt) {
  damping += 0.5 * dt * (last.damping + now.damping);
  friction += 0.5 * dt * (last.friction + now.friction) + now.slid;
  rolling += 0.5 * dt * (last.rolling + now.rolling) + now.rolled;
  law += 0.5 * dt * (last.law + now.law) + now.erased;
  walls += 0.5 * dt * (last.walls + now.walls);
  last = now;
}

double Ledger::turned_over_by_now(double kinetic) const {
  return std::max({turned_over, kinetic + kinetic_out + damping + friction + rolling, std::abs(walls)});
}

}  // namespace scree::soft
