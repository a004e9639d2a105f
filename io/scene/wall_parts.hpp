#pragma once

#include <vector>

#include "dem/scene.hpp"
#include "io/scene/sections.hpp"

/// What the tables of walls and of their changes are made of.
namespace scree::keys {

/// What a wall consists of, one of several forms. Each gives it its outlines, and the point that it turns about unless
/// the scene gives others.
std::vector<Key<WallEntry>> outline_keys();

const Section<Wall>& rotation_section();
const Section<Servo>& servo_section();
const Section<FreeWall>& free_section();
const Section<TorqueDrive>& torque_section();

/// A vector of any length.
Kind<Vec2> direction();

/// A rule: the member, read from this key, is a direction.
template <class Owner>
typename Section<Owner>::Rule has_direction(const char* name, Vec2 Owner::*member) {
  return [name, member](const Context<Owner>& at) {
    if (at.sound(name) && (at.value.*member).isZero()) at.keys[name].refuse("a direction [x, y], not [0, 0]");
  };
}

}  // namespace scree::keys
