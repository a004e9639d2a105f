#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dem/scene.hpp"
#include "io/formats/checkpoint.hpp"

/// Saved states that somebody made up: with a right checksum, so that only what is in them can be wrong.

/// A run that was saved in the middle.
struct SavedRun {
  scree::Scene scene;
  scree::Checkpoint checkpoint;
};

/// Small runs of both modes. Together they have all that a state can have: polygons and disks, walls that move or are
/// removed, contacts with histories, pours, departures, periodic sides, growth, wells, all measurements; runs in whole
/// numbers with restitution, and runs that go back.
std::span<const SavedRun> saved_runs();

/// A change of bytes.
struct Edit {
  enum class Kind : std::uint8_t { set_1, set_4, set_8, add_8, insert, erase, cut_off, kMaxValue = cut_off };
  Kind kind;
  std::uint64_t offset;  ///< any; beyond the end it begins anew
  std::uint64_t value;
};
void apply(const Edit& edit, std::string& bytes);

enum class Fate { refused, stopped, went_on };

/// What resume does with such a checkpoint, and a few steps or events more.
/// @throws what is none of refusal or bad physics
Fate continue_from(const scree::Scene& scene, const scree::Checkpoint& checkpoint);
