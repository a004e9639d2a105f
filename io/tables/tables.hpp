#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "dem/state.hpp"
#include "geometry/vec.hpp"
#include "io/files/csv.hpp"

/// The tables of a run, comma-separated, with a header of names and units. Every row reaches its file at once. A
/// resumed run gives what was written up to the state from which it continues (CsvFile). All throw IoError with the
/// path and the reason.
namespace scree {

struct Scene;

/// series.csv: a row per output time.
class SeriesTable {
 public:
  explicit SeriesTable(std::filesystem::path file, const Written& from = {});
  void add(const Summary& summary);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  CsvFile csv_;
};

/// flow.csv: a row per body that left through an open side.
class FlowTable {
 public:
  explicit FlowTable(std::filesystem::path file, const Written& from = {});
  void add(const Departure& departure);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  CsvFile csv_;
};

/// collisions.csv: a row per collision of the hard mode.
class CollisionTable {
 public:
  explicit CollisionTable(std::filesystem::path file, const Written& from = {});
  void add(const std::vector<Collision>& collisions);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  CsvFile csv_;
};

/// cell.csv: a row per output time, of a periodic cell that deforms.
class CellTable {
 public:
  CellTable(std::filesystem::path file, const Written& from);
  void add(double time, const CellState& cell);
  void sync() { csv_.sync(); }
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  CsvFile csv_;
};

/// A wall that moves, at one time.
struct WallPlace {
  std::uint64_t id;
  Vec2 position;  ///< of its centroid [m]
  Vec2 velocity;  ///< of its centroid [m/s]
  double angular_velocity;
};

/// Which walls of a scene ever move, in their order.
std::vector<bool> walls_that_move(const Scene& scene);
/// Places of the walls of a state that move. @param moves walls_that_move() of its scene
std::vector<WallPlace> places_of(const WallState& walls, const std::vector<bool>& moves);

/// motions.csv: a row per wall that moves and output time.
class MotionTable {
 public:
  explicit MotionTable(std::filesystem::path file, const Written& from = {});
  void add(double time, const WallPlace& wall);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  CsvFile csv_;
};

/// drives.csv: a row per wall that forces move and output time.
class DriveTable {
 public:
  explicit DriveTable(std::filesystem::path file, const Written& from = {});
  void add(double time, const DriveState& drive);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.
  void add_to(Written& written) const { csv_.add_to(written); }

 private:
  CsvFile csv_;
};

}  // namespace scree
