#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dem/insertion.hpp"
#include "dem/periodic.hpp"

namespace scree {

/// The grains of an earlier run, for one that begins with them (Start).
struct Inherited {
  struct Grain {
    std::uint64_t id;
    int group;  ///< number of its group in the new scene
    InitialState state;
    Image image = {0, 0};  ///< periods by which it was wrapped back
  };
  /// What a contact of the soft mode remembered; see soft::PairKey and soft::ContactHistory.
  struct Contact {
    std::uint64_t a;  ///< ids
    std::uint64_t b;
    std::uint32_t part_a;  ///< of clumps, else 0
    std::uint32_t part_b;
    Image image;
    std::string wall;  ///< its name, if b is one; else empty
    double tangential_displacement;
    double tangential_velocity;
    double rolling_displacement;
    double relative_angular_velocity;
    double max_depth_ratio;
    bool sliding;
    bool rolling;
  };

  std::vector<Grain> grains;      ///< ascending by id
  std::vector<Contact> contacts;  ///< in any order
  std::uint64_t next_id = 1;      ///< greater than any id of the earlier run
  /// Depth over the smaller grain's diameter, the greatest of its contacts.
  double max_depth_ratio = 0.0;
};

}  // namespace scree
