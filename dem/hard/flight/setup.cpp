#include "dem/hard/flight/setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "dem/errors.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/scene/material.hpp"
#include "dem/wall_motion.hpp"

namespace scree::hard {

namespace {

void require(bool holds, const std::string& key, const std::string& what_is_wrong) {
  if (!holds) throw InvalidScene(key, what_is_wrong);
}

void validate(const CollisionRule& rule, const std::string& key) {
  require(rule.restitution >= 0.0 && rule.restitution <= 1.0, key + ".restitution", "must lie in [0, 1]");
  require(rule.friction >= 0.0, key + ".friction", "must be 0 or positive");
  require(std::abs(rule.tangential_restitution) <= 1.0, key + ".tangential_restitution", "must lie in [-1, 1]");
  require(rule.reference_speed > 0.0 && std::isfinite(rule.reference_speed), key + ".reference_speed",
          "must be positive and finite");
}

void validate_growth(const Setup& setup) {
  const GrowthSpec& growth = setup.growth;
  require(growth.rate >= 0.0 && std::isfinite(growth.rate), "growth.rate", "must be finite, 0 or positive");
  if (growth.rate == 0.0) return;
  require(growth.from > 0.0 && growth.from <= 1.0, "growth.from", "must lie in (0, 1]");
  require(growth.packing_fraction > 0.0 && growth.packing_fraction <= 1.0, "growth.packing_fraction",
          "must lie in (0, 1]");
  require(growth.pressure > 1.0 && growth.pressure <= 1e9, "growth.pressure", "must lie in (1, 1e9]");
  require(growth.rescaling >= 1.0 && growth.rescaling <= 64.0, "growth.rescaling", "must lie in [1, 64]");
  require(!growth.slow_beyond || (*growth.slow_beyond >= 1.0 && std::isfinite(*growth.slow_beyond)),
          "growth.slow_beyond", "must be 1 or more");
  require(!growth.least_rate || (*growth.least_rate > 0.0 && *growth.least_rate <= growth.rate), "growth.least_rate",
          "must be positive and no more than growth.rate");
  require(!growth.least_rate || growth.slow_beyond, "growth.least_rate", "needs growth.slow_beyond");
  const auto& periodic = setup.domain.periodic;
  require(!setup.open || (periodic[0] && periodic[1]), "growth",
          "growing disks need sides that are periodic or reflecting");
  require(setup.greatest_radius == 0.0, "growth", "no disks can be added while others grow");
  require(setup.gravity.isZero(), "growth", "growing disks fly straight: there can be no gravity");
  const auto moving = std::ranges::find_if(setup.walls, ever_moves);
  require(moving == setup.walls.end(), "growth",
          moving == setup.walls.end()
              ? ""
              : fmt::format("the wall '{}' moves: grains grow between walls that stand", moving->name));
  const auto& shares = setup.growth_share;
  const auto types = setup.type.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(setup.type)) + 1;
  require(shares.empty() || shares.size() >= types, "growth_share", "must be one a type");
  require(std::ranges::all_of(shares, [](double share) { return share >= 0.0 && share <= 1.0; }), "growth_share",
          "must lie in [0, 1]");
  require(
      shares.empty() || setup.position.empty() ||
          std::ranges::any_of(setup.type, [&](std::int32_t t) { return shares[static_cast<std::size_t>(t)] > 0.0; }),
      "growth.rate", "no group of grains grows");
  const auto is_smooth = [](const CollisionRule& rule) { return rule.friction == 0.0; };
  require(
      is_smooth(setup.rules.disks) && is_smooth(setup.rules.walls) && std::ranges::all_of(setup.rules.pairs, is_smooth),
      "growth", "growing disks must be smooth");
  const auto moves = [](const Vec2& velocity) { return !velocity.isZero(); };
  require(std::ranges::any_of(setup.velocity, moves) || setup.velocity.empty(), "growth",
          "growing disks must move: velocities are rescaled to the energy of the start");
}

void validate_well(const Setup& setup) {
  const Well& well = setup.well;
  require(well.range >= 1.0 && std::isfinite(well.range), "well.range", "must be finite, 1 or more");
  require(std::isfinite(well.energy), "well.energy", "must be finite");
  if (well.range == 1.0) return;
  const auto& periodic = setup.domain.periodic;
  require(!setup.open || (periodic[0] && periodic[1]), "well", "needs sides that are periodic or reflecting");
  require(setup.greatest_radius == 0.0, "well", "no disks can be added");
  require(setup.growth.rate == 0.0, "well", "disks with wells cannot grow");
}

void validate_form_rule(const CollisionRule& rule, const std::string& key) {
  require(rule.tangential_restitution == 0.0, key + ".tangential_restitution", "must be 0 among polygons");
  require(rule.law == RestitutionLaw::constant, key + ".law", "must be constant among polygons");
  require(std::isfinite(rule.friction), key + ".friction", "must be finite among polygons");
}

void validate_forms(const Setup& setup) {
  if (!setup.has_forms) return require(setup.form.empty(), "form", "are given, but has_forms is not");
  require(setup.form.size() == setup.position.size(), "form", "must be one a position");
  for (std::size_t i = 0; i < setup.form.size(); ++i) {
    const GrainForm& form = setup.form[i];
    require(form.shape.bounding_radius() == setup.radius[i] && form.area > 0.0 && std::isfinite(form.area) &&
                form.inertia > 0.0 && std::isfinite(form.inertia),
            fmt::format("form[{}]", i), "has no area or inertia, or another bounding circle than `radius`");
  }
  require(!setup.radius.empty() || setup.greatest_radius > 0.0, "greatest_radius", "must be given without grains");
  require(setup.well.range == 1.0, "well", "polygons have none");
  require(!setup.domain.cell, "domain.cell", "polygons cannot fly in a cell that deforms");
  validate_form_rule(setup.rules.disks, "rules.disks");
  validate_form_rule(setup.rules.walls, "rules.walls");
  for (const CollisionRule& rule : setup.rules.pairs) validate_form_rule(rule, "rules.pairs");
}

template <class T, class IsGood>
void validate(const std::vector<T>& values, std::size_t disks, const std::string& key, IsGood is_good) {
  require(values.size() == disks, key, fmt::format("there are {} of them for {} positions", values.size(), disks));
  const auto bad = std::ranges::find_if_not(values, is_good);
  require(bad == values.end(), fmt::format("{}[{}]", key, bad - values.begin()), "is out of range");
}

}  // namespace

DiskInTheWay::DiskInTheWay(std::size_t which, const std::string& why, std::optional<std::size_t> overlaps)
    : InvalidScene(fmt::format("position[{}]", which), overlaps ? fmt::format("{} disk {}", why, *overlaps) : why),
      disk(which),
      what_is_wrong(why),
      other(overlaps) {}

void validate(const Setup& setup) {
  const Domain& domain = setup.domain;
  require(domain.lo.allFinite() && domain.hi.allFinite() && (domain.lo.array() < domain.hi.array()).all(), "domain",
          "must have finite sides, lo < hi");
  const auto is_finite = [](const Vec2& v) { return v.allFinite(); };
  const auto is_positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  const std::size_t disks = setup.position.size();
  require(disks < kMaxDisks, "position", "there are too many disks");
  validate(setup.position, disks, "position", is_finite);
  validate(setup.velocity, disks, "velocity", is_finite);
  validate(setup.radius, disks, "radius", is_positive);
  validate(setup.mass, disks, "mass", is_positive);
  const auto is_number = [](double x) { return std::isfinite(x); };
  if (!setup.angle.empty()) validate(setup.angle, disks, "angle", is_number);
  if (!setup.angular_velocity.empty()) validate(setup.angular_velocity, disks, "angular_velocity", is_number);
  const auto is_index = [](std::int32_t k) { return k >= 0; };
  if (!setup.type.empty()) validate(setup.type, disks, "type", is_index);
  require(setup.gravity.allFinite(), "gravity", "must be finite");
  validate(setup.rules.disks, "rules.disks");
  const auto materials = static_cast<std::int32_t>(materials_in(setup));
  require(materials * materials == std::ssize(setup.rules.pairs) || setup.rules.pairs.empty(), "rules.pairs",
          "must be a square table");
  for (const CollisionRule& rule : setup.rules.pairs) validate(rule, "rules.pairs");
  if (!setup.material.empty()) {
    validate(setup.material, disks, "material", [&](std::int32_t k) { return k >= 0 && k < materials; });
  }
  validate(setup.rules.walls, "rules.walls");
  require(setup.walls.size() <= kMaxWalls, "walls", "are too many");
  for (const Wall& wall : setup.walls) {
    require(wall.material >= 0 && (setup.rules.pairs.empty() || wall.material < materials),
            "walls." + wall.name + ".material", "is out of range");
  }
  require(setup.contact_duration >= 0.0 && std::isfinite(setup.contact_duration), "contact_duration",
          "must be finite, 0 or positive");
  validate_growth(setup);
  validate_well(setup);
  validate_forms(setup);
  require(setup.margin >= 0.0 && std::isfinite(setup.margin), "margin", "must be finite, 0 or positive");
}

std::size_t materials_in(const Setup& setup) {
  return setup.rules.pairs.empty() ? 1 : static_cast<std::size_t>(std::lround(std::sqrt(setup.rules.pairs.size())));
}

double choose_margin(const Domain& domain, std::span<const double> radii) {
  if (radii.empty()) return 0.0;
  const double disks = static_cast<double>(radii.size());
  const double diameter = 2.0 * std::accumulate(radii.begin(), radii.end(), 0.0) / disks;
  const double spacing = std::sqrt((domain.hi - domain.lo).prod() / disks);
  // Circles of diameter w among n disks on an area A have pi w^2 n / A partners: eight cost least at packing fractions
  // from 0.3 to 0.7.
  const double width = 1.57 * spacing;
  return std::max(0.5 * (width - diameter), 0.05 * diameter);
}

}  // namespace scree::hard
