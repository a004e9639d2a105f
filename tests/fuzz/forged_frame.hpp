#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/formats/frame_reader.hpp"

/// Frames that somebody made up: well-formed files, deflated as they must be, in which numbers are wrong.

/// Of a heap with polygons, disks, colours, contacts and a cell; and a scene that suits it.
const scree::FrameContents& sound_frame();
const scree::Scene& scene_of_frame();

/// The arrays of a file, in the order in which they stand in it.
struct FrameArray {
  std::string name;
  std::string type;       ///< "Float32" and so on
  std::size_t offset_at;  ///< where the digits of its offset begin in the file
  std::string raw;        ///< inflated
};
std::vector<FrameArray> arrays_in(const std::string& file);

/// Other bytes for an array.
void replace(const FrameArray& array, const std::string& raw, std::string& file);

struct FrameEdit {
  enum class Kind : std::uint8_t { number, less, header, byte, cut_off, kMaxValue = cut_off };
  Kind kind;            ///< a number of an array; an array without its end; a number of the header; a byte; the file
  std::uint8_t file;    ///< of kSeries
  std::uint32_t place;  ///< any; beyond the end it begins anew
  std::uint64_t value;
};
void forge(const FrameEdit& edit, scree::FrameContents& frame);

/// Reads a frame and looks at it as picture, replay and measurements do. Throws IoError if it is refused.
void look_at(scree::FrameContents frame);
