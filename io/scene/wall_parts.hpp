#pragma once

#include <string>
#include <vector>

#include "dem/scene/wall.hpp"
#include "io/scene/sections.hpp"

/// What the tables of walls and of their changes are made of.
namespace scree::keys {

/// What a wall consists of, one of several forms. Each gives it its outlines, and the point that it turns about unless
/// the scene gives others.
std::vector<Key<WallEntry>> outline_keys();

const Section<Wall>& rotation_section();

/// The key by which a wall is driven.
struct DriveKey {
  std::string name;
  Kind<WallDrive> kind;
  std::string says;
  std::string example;
  bool moves_alone = false;  ///< nothing else may move the wall
};
/// All of them: docs and tables of walls and of their changes follow from these.
const std::vector<DriveKey>& drive_keys();
/// "servo, free or torque"
std::string names_of_drives();

/// Refuses a second one. @return the one that is given; null: none
template <class Owner>
const DriveKey* only_drive(const Context<Owner>& at) {
  const DriveKey* only = nullptr;
  for (const DriveKey& drive : drive_keys()) {
    if (!at.given(drive.name.c_str())) continue;
    if (only != nullptr) at.keys[drive.name.c_str()].refuse("left out beside " + only->name);
    only = &drive;
  }
  return only;
}

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
