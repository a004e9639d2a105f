#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/tables/number_table.hpp"

/// A flow by its flow.csv: how fast it was, and whether it stands.
namespace scree {

struct Outflow {
  std::size_t grains = 0;
  double mass = 0.0;   ///< [kg]
  double first = 0.0;  ///< [s]
  double last = 0.0;   ///< [s]
  /// Grains a second in the middle three fifths of the grains, without pauses. Nothing if there are too few.
  std::optional<double> rate;
  double pause = 0.0;        ///< waits longer than this are pauses [s]; ten times the mean of the others
  std::size_t pauses = 0;    ///< among the middle three fifths
  double paused = 0.0;       ///< in these pauses [s]
  bool has_stopped = false;  ///< grains remain, and since the last one that left there is a pause
};

/// @param flow flow.csv; @param end until when the run went [s]; @param remaining grains in the domain then
Outflow outflow_of(const NumberTable& flow, double end, std::size_t remaining);

/// In sentences: how many left, and how fast. Empty if none left.
std::string how_it_flowed(const Outflow& flow);
/// A sentence: it stands, since when and with how many grains left. Empty if it goes on, or all grains are out.
std::string why_it_stopped(const Outflow& flow, double end, std::size_t remaining);

}  // namespace scree
