#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scree {

/// Counts of positive numbers of any magnitude, in bins whose width is a sixteenth of a power of two: from 3 to 6 % of
/// the numbers in them. Numbers beyond 2^-80 and 2^80 are counted in the outermost bins. 20 kB.
class LogHistogram {
 public:
  static constexpr int kBinsAnOctave = 16;
  static constexpr int kLeastExponent = -80;
  static constexpr int kOctaves = 160;
  static constexpr std::size_t kBins = kOctaves * kBinsAnOctave;

  void add(double x) {
    if (counts_.empty()) counts_.resize(kBins);
    ++counts_[bin(x)];
  }
  /// Empty until a number is added.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  /// Lower end of a bin; of the one after the last bin, the upper end of that.
  static double edge(std::size_t bin) {
    const int octave = static_cast<int>(bin) / kBinsAnOctave;
    const int within = static_cast<int>(bin) % kBinsAnOctave;
    return std::ldexp(1.0 + static_cast<double>(within) / kBinsAnOctave, kLeastExponent + octave);
  }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.counts_);
  }

 private:
  static std::size_t bin(double x) {
    constexpr std::size_t kLast = kBins - 1;
    if (!(x >= edge(0))) return 0;
    if (x >= edge(kLast)) return kLast;
    int exponent = 0;
    const double mantissa = 2.0 * std::frexp(x, &exponent);  // in [1, 2)
    return static_cast<std::size_t>((exponent - 1 - kLeastExponent) * kBinsAnOctave +
                                    static_cast<int>((mantissa - 1.0) * kBinsAnOctave));
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace scree
