#pragma once

#include <cstddef>
#include <optional>
#include <span>

/// Means of results of independent runs, their standard errors, and what is within chance.
namespace scree::compare {

/// Mean over independent runs.
struct Estimate {
  double value = 0.0;
  std::optional<double> error = {};  ///< standard error of the mean; absent for fewer than two runs
};
Estimate estimate(std::span<const double> runs);

double mean(std::span<const double> values);
/// Sum of squares of the deviations from the mean.
double squares_about_mean(std::span<const double> values);

/// A difference is beyond chance if chance alone gives a greater one with this probability.
inline constexpr double kChance = 0.01;

/// The probability that Student's t is beyond +-t. @param freedom number of degrees of freedom, > 0
/// Source: M. Abramowitz & I. A. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
double probability_beyond(double t, std::size_t freedom);

/// The t > 0 that chance exceeds, in either direction, with the probability kChance; infinite without a degree of
/// freedom.
double chance_limit(std::size_t freedom);

}  // namespace scree::compare
