#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dem/state.hpp"
#include "io/files/written.hpp"

/// Frames for ParaView. Three files a frame, VTK XML PolyData (appended raw data, zlib):
///
/// - particles_NNNNNN.vtp: a polygon a particle, its true outline; a disk is a polygon of 36 sides, its first vertex in
///   the direction of the particle's angle. Cell arrays id, type, material, radius, mass, centroid, velocity,
///   angular_velocity, angle, force, torque, coordination; colour (red, green, blue; UInt8) if the scene gives any;
///   stress of the grain (a tensor of nine components, row by row, 0 along z) and pressure, half its trace, if wanted.
///   Field arrays type_names and material_names (String): the name of type k is the k-th, from 0.
///   Of a periodic cell that deforms, the field array cell (Float64), three vectors: its two periods and its centre
///   [m]. The grains are in the parallelogram of the periods (io/frames/parallelogram.hpp).
/// - contacts_NNNNNN.vtp: a line a contact, centre - point - centre; with a wall centre - point. A contact across a
///   periodic side is two lines, one on each side of the domain, with the same cell data, so that no line crosses the
///   picture. Cell arrays id1, id2, force (that body 1 exerts on body 2), force_normal, force_tangential, overlap,
///   depth, sliding.
/// - walls_NNNNNN.vtp: a polygon a wall. Cell arrays id, material, velocity, angular_velocity, force, torque.
///   Field array material_names.
///
/// and three lists of them with their times: particles.pvd, contacts.pvd, walls.pvd. Each frame carries its time too,
/// in the field array TimeValue (Float64).
///
/// Units are SI in two dimensions; vectors have three components, z = 0. Real numbers are Float32, ids Int64, other
/// whole numbers Int32, sliding UInt8. Points and centroids are Float32 as well, but Float64 in a file whose largest
/// coordinate exceeds 10^4 times the smallest radius of the frame: single precision would show there in a grain's shape
/// (it resolves 6e-8 of a coordinate, so at this border 6e-4 of the radius).
namespace scree {

/// What the numbers of types and materials in a frame mean.
struct FrameNames {
  std::vector<std::string> types = {};
  std::vector<std::string> materials = {};
};

/// What a frame may have beside what it always has.
enum class FrameExtras { none, stress };

class VtkSeries {
 public:
  /// Starts a series in a directory, which is made if it is not there, or goes on with one.
  ///
  /// @param already_there  what a resumed run wrote before, and is there (require_all_written); none: a new series
  /// @param names  none: the frames carry none
  /// @param cell_centre  of a periodic cell that deforms, if the states have one [m]
  /// Later frames in the directory are deleted, and the .pvd files list those that remain.
  /// Throws IoError.
  explicit VtkSeries(std::filesystem::path directory, std::vector<FrameRecord> already_there = {},
                     FrameNames names = {}, FrameExtras extras = FrameExtras::none,
                     const Vec2& cell_centre = Vec2::Zero());

  /// Writes the next frame: its three files, then the .pvd files, particles.pvd last. Each file appears whole or not at
  /// all, so a reader meanwhile, or after a crash, finds lists of whole frames.
  /// Throws IoError with the path and the reason; frames written before stay as they are, and the call may be repeated.
  /// Cost: about 60 ms for 10 000 hexagons with 18 000 contacts (2.0 MB), nearly all of it zlib's.
  void write(const State& state) { write(State(state)); }
  /// The same, with less memory: the state is empty afterwards, as soon as it is not needed any more.
  void write(State&& state);

  /// Brings all frames so far to the disk, but for their names (sync_directory). Until then a power cut may damage
  /// those that are not there yet; the lists never. Throws IoError.
  void sync();

  const std::vector<FrameRecord>& frames() const { return frames_; }

 private:
  void write_lists() const;

  std::filesystem::path directory_;
  FrameNames names_;
  FrameExtras extras_;
  Vec2 cell_centre_;
  std::vector<FrameRecord> frames_;
  std::size_t synced_ = 0;  // the first so many frames
};

}  // namespace scree
