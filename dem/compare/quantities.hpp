#pragma once

#include <string>
#include <vector>

#include "dem/compare/comparison.hpp"
#include "dem/scene.hpp"

namespace scree::compare {

/// By what number a quantity of one run is compared with that of another.
enum class Compared {
  mean,   ///< of something over time: the means
  last,   ///< of something over time: the last points
  curve,  ///< of an average over something else: the sum of |a - b| over the points, over that of |b|
};

/// One thing that both modes tell, over time or over something else: distance, velocity, height.
struct Quantity {
  std::string name;  ///< as in tables: kinetic_energy
  std::string title;
  std::string x_label = "time [s]";
  std::string y_label = {};
  Compared compared = Compared::mean;
  std::vector<double> x = {};
  std::vector<double> soft = {};
  std::vector<double> hard = {};
  std::vector<double> again = {};   ///< the hard run whose velocities differ by kStir
  std::vector<double> theory = {};  ///< empty: there is none
  std::string theory_name = {};

  bool over_time() const { return compared != Compared::curve; }
};

/// What a run has to tell by one number: the mean or the last value; of a curve 0.
double value(const Quantity& quantity, const std::vector<double>& run);

/// How far `run` is from the hard mode, as a share; 0 where both are 0, infinite where only the hard mode is.
double difference(const Quantity& quantity, const std::vector<double>& run);

/// The difference of the hard run `again`, if it is one of chance: once the modes have parted; 0 otherwise. One sample:
/// it tells a scale.
double by_chance(const Quantity& quantity, const Comparison& comparison);

/// What is worth comparing in a scene: kinetic energy (with Haff's law where smooth disks cool in a closed domain),
/// contacts, collision rate; without gravity pressure (with the equation of state where they are elastic), velocity
/// distribution, and along periodic axes mean square displacement; in gravity height and height profile; between
/// reflecting sides their pressure; where disks leave, how much and how fast; always the radial distribution; and what
/// the scene measures itself.
/// @param scene that of the hard twin
std::vector<Quantity> quantities(const Comparison& comparison, const Scene& scene);

}  // namespace scree::compare
