#include "io/tables/outflow.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace scree {
namespace {

constexpr std::size_t kFewest = 20;         // grains that give a rate
constexpr std::size_t kFewestForPause = 5;  // that show how long a wait is usual
constexpr double kPause = 10.0;             // mean waits; one of 22 000 waits for independent grains is longer

/// Waits longer than this are pauses [s]. A pause raises the mean, so they are left out until no more is found.
double pause_of(const std::vector<double>& waits) {
  double pause = std::numeric_limits<double>::infinity();
  for (std::size_t before = std::numeric_limits<std::size_t>::max();;) {
    double sum = 0.0;
    std::size_t kept = 0;
    for (const double wait : waits) {
      if (wait > pause) continue;
      sum += wait;
      ++kept;
    }
    if (kept >= before) return pause;  // more only where times go backwards, as in a file that was changed
    before = kept;
    pause = kPause * sum / static_cast<double>(kept);
  }
}

}  // namespace

Outflow outflow_of(const NumberTable& table, double end, std::size_t remaining) {
  Outflow flow;
  const std::vector<double>& times = table.column("time [s]");
  if (times.empty()) return flow;
  flow.grains = times.size();
  flow.first = times.front();
  flow.last = times.back();
  for (const double mass : table.column("mass [kg]")) flow.mass += mass;
  if (times.size() < kFewestForPause) return flow;
  std::vector<double> waits;
  for (std::size_t k = 1; k < times.size(); ++k) waits.push_back(times[k] - times[k - 1]);
  flow.pause = pause_of(waits);
  flow.has_stopped = remaining > 0 && end - flow.last > flow.pause;
  if (times.size() < kFewest) return flow;
  // The first and the last fifth belong to the beginning and the end of a flow.
  const std::size_t fifth = times.size() / 5;
  double flowed = 0.0;
  std::size_t came = 0;
  for (std::size_t k = fifth; k < waits.size() - fifth; ++k) {
    const bool pauses = waits[k] > flow.pause;
    (pauses ? flow.paused : flowed) += waits[k];
    ++(pauses ? flow.pauses : came);
  }
  if (flowed > 0.0) flow.rate = static_cast<double>(came) / flowed;
  return flow;
}

std::string how_it_flowed(const Outflow& flow) {
  if (flow.grains == 0) return {};
  std::string text = fmt::format("{} grains of {:.4g} kg left, the first at {:.4g} s, the last at {:.4g} s.",
                                 flow.grains, flow.mass, flow.first, flow.last);
  if (flow.rate) text += fmt::format(" In the middle three fifths of them {:.4g} left a second", *flow.rate);
  if (flow.rate && flow.pauses > 0) {
    text +=
        fmt::format(" while they flowed; {} pauses between grains, longer than {:.2g} s, {:.3g} s in all, are left out",
                    flow.pauses, flow.pause, flow.paused);
  }
  return flow.rate ? text + '.' : text;
}

std::string why_it_stopped(const Outflow& flow, double end, std::size_t remaining) {
  if (!flow.has_stopped) return {};
  return fmt::format(
      "Nothing has left since t = {:.4g} s, {:.3g} s before the end; {} grains remain: a clog, or what lies beside the "
      "opening.",
      flow.last, end - flow.last, remaining);
}

}  // namespace scree
