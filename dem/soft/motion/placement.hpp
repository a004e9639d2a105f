#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dem/bodies.hpp"
#include "geometry/aabb.hpp"
#include "geometry/polygon.hpp"
#include "geometry/pose.hpp"

namespace scree::soft {

/// How the bodies lie in a step, as predicted: by body.
struct Placement {
  std::vector<Rotation> rotation;  ///< see rotation_of(); of walls only where all others are disks
  std::vector<Aabb2> box;          ///< around the body; of a clump itself one that holds all its parts [m]
  std::vector<Extremes> extremes;  ///< outermost vertices, hints for the boxes; empty if no outline has many
  /// The greatest low corner of all particles' boxes, and the least high one, or further out; absent where bodies have
  /// come since the last update() of all.
  std::optional<Aabb2> reach;

  /// Rotation of a polygon; a disk looks the same however it is turned.
  const Rotation& rotation_of(std::uint32_t body) const {
    static constexpr Rotation kNone{};
    return body < rotation.size() ? rotation[body] : kNone;
  }

  /// Rotations and boxes of all bodies. On several threads.
  void update(const Bodies& bodies);
  /// Places the bodies that have no placement yet.
  void add_missing(const Bodies& bodies);
  /// After bodies were removed. @param new_index see Bodies::remove
  void remove(const std::vector<std::uint32_t>& new_index);

  /// Boxes only: rotations are found anew in each step before they are used.
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.box);
  }
  /// After loading. @throws InvalidState
  void require_sound(const Bodies& bodies) const;
  /// After loading.
  void restore(const Bodies& bodies);

 private:
  void resize(const Bodies& bodies);
  void update(const Bodies& bodies, std::uint32_t body);
  void place(const Bodies& bodies, std::uint32_t begin, std::uint32_t end, Aabb2& of_them);
};

/// Whether a box that was loaded is one.
inline bool is_sound(const Aabb2& box) {
  return box.lo.allFinite() && box.hi.allFinite() && (box.lo.array() <= box.hi.array()).all();
}

}  // namespace scree::soft
