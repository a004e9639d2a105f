#include "dem/soft/contact/depth_histogram.hpp"

#include <algorithm>
#include <cstddef>

namespace scree::soft {

void DepthHistogram::add(double depth_ratio) {
  ++counts[static_cast<std::size_t>(std::min(depth_ratio / kBin, static_cast<double>(counts.size() - 1)))];
}

std::uint64_t DepthHistogram::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

double DepthHistogram::percentile(double percent) const {
  const double wanted = 0.01 * percent * static_cast<double>(total());
  std::uint64_t below = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    below += counts[bin];
    if (below > 0 && static_cast<double>(below) >= wanted) return static_cast<double>(bin + 1) * kBin;
  }
  return 0.0;
}

}  // namespace scree::soft
