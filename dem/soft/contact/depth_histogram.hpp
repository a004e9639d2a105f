#pragma once

#include <array>
#include <cstdint>

namespace scree::soft {

/// How deep contacts went, as shares of the smaller grain's diameter: counts in equal bins.
struct DepthHistogram {
  static constexpr double kBin = 0.0005;
  std::array<std::uint64_t, 512> counts = {};  ///< the last bin takes all that is deeper

  void add(double depth_ratio);
  double percentile(double percent) const;  ///< upper edge of the bin where it lies; 0 if empty
  std::uint64_t total() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.counts);
  }
};

}  // namespace scree::soft
