#pragma once

#include <string>
#include <vector>

#include "dem/compare/comparison.hpp"
#include "dem/scene.hpp"

namespace scree::compare {

/// The number by which a quantity of two runs is compared.
enum class Compared {
  mean,   ///< of a function of time: the means
  last,   ///< of a function of time: the last points
  curve,  ///< of an average over another variable: the sum of |a - b| over the points, over that of |b|
};

/// A quantity of both modes, as a function of time or of another variable: distance, velocity, height.
struct ComparedQuantity {
  std::string name;  ///< as in tables: kinetic_energy
  std::string title;
  std::string x_label = "time [s]";
  std::string y_label = {};
  Compared compared = Compared::mean;
  std::vector<double> x = {};
  std::vector<double> soft = {};
  std::vector<double> hard = {};
  std::vector<double> again = {};   ///< the hard run whose velocities differ by kStir
  std::vector<double> theory = {};  ///< empty if there is none
  std::string theory_name = {};

  bool over_time() const { return compared != Compared::curve; }
};

/// The value of a run: the mean or the last value; 0 for a curve.
double value(const ComparedQuantity& quantity, const std::vector<double>& run);

/// Relative difference of `run` from the hard mode; 0 if both are 0, infinite if only the hard mode is 0.
double difference(const ComparedQuantity& quantity, const std::vector<double>& run);

/// The difference of the hard run `again` after the modes have diverged, where it is that of chance; 0 before. It is a
/// single sample and gives only a scale.
double by_chance(const ComparedQuantity& quantity, const Comparison& comparison);

/// The quantities compared in a scene: kinetic energy (with Haff's law if smooth disks cool in a closed domain),
/// contacts, collision rate, radial distribution; without gravity the pressure (with the equation of state if the disks
/// are elastic), the velocity distribution and, along periodic axes, the mean square displacement; with gravity the
/// height and the height profile; between reflecting sides their pressure; if disks leave, their number and flow rate;
/// and the measurements of the scene.
/// @param scene that of the hard twin
std::vector<ComparedQuantity> quantities(const Comparison& comparison, const Scene& scene);

}  // namespace scree::compare
