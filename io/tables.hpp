#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "dem/state.hpp"
#include "io/csv.hpp"

/// The tables of a run, comma-separated, with a header of names and units. Every row reaches its file at once. To go on
/// with tables of an earlier run, give the time [s] of the state that the run goes on from: rows later than that are
/// dropped, and so is a row that was cut off. All throw IoError with the path and the reason.
namespace scree {

/// series.csv: a row per output time.
class SeriesTable {
 public:
  explicit SeriesTable(std::filesystem::path file, std::optional<double> resume_at = {});
  void add(const Summary& summary);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.

 private:
  CsvFile csv_;
};

/// flow.csv: a row per body that left through an open side.
class FlowTable {
 public:
  /// @param departures  to go on with the table of an earlier run: how many bodies had left by then
  explicit FlowTable(std::filesystem::path file, std::optional<std::uint64_t> departures = {});
  void add(const Departure& departure);
  void sync() { csv_.sync(); }  ///< Brings all rows so far to the disk.

 private:
  CsvFile csv_;
};

}  // namespace scree
