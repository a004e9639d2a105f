#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "dem/compare/comparison.hpp"
#include "dem/compare/statistics.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::compare {

/// The number by which a quantity of two runs is compared.
enum class Compared {
  mean,   ///< of a function of time: the means
  last,   ///< of a function of time: the last points
  curve,  ///< of an average over another variable: the sum of |a - b| over the points, over that of |b|
};

/// A quantity of one run.
struct Series {
  std::vector<double> values;
  std::vector<double> theory = {};  ///< for the state of this run; empty if there is none
};

/// A quantity of both modes, as a function of time or of another variable: distance, velocity, height.
struct ComparedQuantity {
  std::string name;  ///< as in tables: kinetic_energy
  std::string title;
  std::string x_label = "time [s]";
  std::string y_label = {};
  Compared compared = Compared::mean;
  std::vector<double> x = {};
  std::vector<Series> soft = {};  ///< of each run
  std::vector<Series> hard = {};
  std::string theory_name = {};   ///< empty if there is none
  std::string theory_omits = {};  ///< what the theory leaves out, by which the modes may differ from it
  std::string caveat = {};        ///< why, or where, the modes cannot be compared
  bool independent =
      true;  ///< the runs are independent of each other: only then does their scatter show what is chance

  bool over_time() const { return compared != Compared::curve; }
};

/// The value of a run: the mean or the last value; 0 for a curve.
double value(const ComparedQuantity& quantity, const std::vector<double>& run);
/// Mean and standard error over all runs of a mode.
Estimate value(const ComparedQuantity& quantity, const std::vector<Series>& runs);
Estimate theory_value(const ComparedQuantity& quantity, const std::vector<Series>& runs);

/// How two means over runs differ, relative to the second one.
struct Contrast {
  double difference = 0.0;  ///< of numbers with its sign, of curves the area between; infinite if the second is 0
  double by_chance = 0.0;   ///< what chance alone gives on average: 0 for numbers, > 0 for curves
  /// Standard error of `difference`; absent if the runs are not independent.
  std::optional<double> error = {};
  double limit = 0.0;  ///< chance gives a greater multiple with the probability kChance

  /// (difference - by_chance) / error; nothing if both are 0, infinite if only the error is.
  std::optional<double> multiple() const;
  /// The size up to which a difference is within chance; 0 if that is unknown.
  double chance() const { return by_chance + limit * error.value_or(0.0); }
  /// Whether the difference is greater than that.
  bool beyond_chance() const { return error && difference != 0.0 && std::abs(difference) > chance(); }
};

/// From this number of soft runs on, each is compared with the hard run of the same disks.
inline constexpr std::size_t kPairedRuns = 4;

/// The soft mode against the hard one. With kPairedRuns soft runs or more, from the differences of pairs of runs that
/// start with the same disks. With fewer, from the means of both modes, whose runs are taken to scatter alike.
Contrast soft_against_hard(const ComparedQuantity& quantity);

/// A mode against theory, from the differences of its runs from the theory for each. Fewer than kPairedRuns runs are
/// taken to scatter as those of the hard mode do. @pre quantity has a theory  @param runs quantity.soft or
/// quantity.hard
Contrast against_theory(const ComparedQuantity& quantity, const std::vector<Series>& runs);

/// A quantity at one point of its axis.
struct Point {
  double x = 0.0;
  Estimate soft;
  Estimate hard;
  double centre = 0.0;                ///< mean of the hard runs that the soft ones are compared with
  std::optional<double> chance = {};  ///< the soft mean is within chance if it is not farther from `centre`
  std::optional<double> theory = {};  ///< mean over the hard runs
};
std::vector<Point> points(const ComparedQuantity& quantity);

/// The quantities compared in a scene: kinetic energy (with Haff's law if smooth disks cool in a closed domain),
/// contacts, collision rate (with Enskog's in such a domain), radial distribution; without gravity the pressure (with
/// the equation of state if the disks are elastic), the velocity distribution and, along periodic axes, the mean square
/// displacement; with gravity the height and the height profile; between reflecting sides their pressure; if disks
/// leave, their number and flow rate; and the measurements of the scene.
/// @param scene that of the hard twin
std::vector<ComparedQuantity> quantities(const Comparison& comparison, const Scene& scene);

}  // namespace scree::compare
