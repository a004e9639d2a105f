#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/setup.hpp"
#include "dem/scene/material.hpp"

namespace scree::hard {

/// The collision rules of a setup: by materials, or one of disks and one of walls.
class RuleTable {
 public:
  explicit RuleTable(const Setup& setup)
      : rules_(setup.rules.pairs.empty() ? std::vector{setup.rules.disks} : setup.rules.pairs),
        materials_(materials_in(setup)),
        knows_walls_(!setup.rules.pairs.empty()),
        wall_rule_(setup.rules.walls),
        contact_duration_(setup.contact_duration) {}

  const CollisionRule& of_disks(const Disks& disks, Index a, Index b) const {
    return materials_ == 1 ? rules_.front() : of(disks.label(a).material, disks.label(b).material);
  }
  const CollisionRule& of_wall(std::int32_t material, std::int32_t material_of_wall) const {
    return knows_walls_ ? of(material, material_of_wall) : wall_rule_;
  }
  /// How many it distinguishes.
  std::size_t materials() const { return materials_; }
  /// Rule for the domain's hard sides.
  const CollisionRule& of_sides() const { return wall_rule_; }
  /// t_c of the TC model; 0: none [s].
  double contact_duration() const { return contact_duration_; }

  /// The rule of a collision of these disks now. The TC model: it does not dissipate along the normal if one of them
  /// has had one within the contact duration. Notes that they collide.
  CollisionRule at(double now, const CollisionRule& rule, Disks& disks, std::initializer_list<Index> colliding) const {
    CollisionRule then = rule;
    if (contact_duration_ == 0.0) return then;
    for (const Index i : colliding) {
      if (now - disks.exchange_last_collision(i, now) <= contact_duration_) {
        then.law = RestitutionLaw::constant;
        then.restitution = 1.0;
      }
    }
    return then;
  }

 private:
  const CollisionRule& of(std::int32_t material_a, std::int32_t material_b) const {
    return rules_[static_cast<std::size_t>(material_a) * materials_ + static_cast<std::size_t>(material_b)];
  }

  std::vector<CollisionRule> rules_;  // by material of a times number of materials + material of b
  std::size_t materials_;
  bool knows_walls_;
  CollisionRule wall_rule_;
  double contact_duration_;
};

}  // namespace scree::hard
