#include "dem/scene/measure.hpp"

#include <cmath>

#include "dem/mode.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/region.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

constexpr double kMostSamples = 1e6;
constexpr WholeNumbers kBins = {.least = 1, .greatest = 100'000};
constexpr WholeNumbers kSymmetries = {.least = 1, .greatest = 1000};
constexpr double kMostPoints = 250'000;  // of a grid of fields

using Radial = Measure::RadialDistribution;
using Velocities = Measure::VelocityDistribution;
using Profile = Measure::HeightProfile;
using Pairs = Measure::PairOrientation;
using Forces = Measure::Forces;
using Fields = Measure::Fields;

template <class Histogram>
Key<Histogram> bins() {
  return key("bins", &Histogram::bins, whole_number<int>(kBins)).says("number of bins or layers").example("50");
}

/// Up to which distance pairs are counted.
template <class Histogram>
Key<Histogram> reach() {
  return key("to", &Histogram::to, number(Numbers::positive("m")))
      .required()
      .limited([](const Context<Histogram>& at) -> std::optional<Numbers> {
        const Mistakes& mistakes = at.reading.mistakes;
        if (!mistakes.sound("measure.region") || !mistakes.sound("domain")) return {};
        const Region& region = at.reading.measure().region;
        return Numbers{.least = 0.0,
                       .greatest = 0.5 * (region.hi - region.lo).minCoeff(),
                       .without_least = true,
                       .reason = "up to half of the region's shorter side"};
      })
      .says("up to which distance, at most half of the region's shorter side")
      .example("0.05");
}

const Section<Radial>& radial_section() {
  static const Section<Radial> section = Section<Radial>("radial_distribution",
                                                         {
                                                             reach<Radial>(),
                                                             bins<Radial>(),
                                                         })
                                             .with_defaults();
  return section;
}

const Section<Velocities>& velocity_section() {
  static const Section<Velocities> section =
      Section<Velocities>("velocity_distribution", {key("to", &Velocities::to, number(Numbers::positive("")))
                                                        .says("up to which velocity, in thermal velocities")
                                                        .example("4"),
                                                    bins<Velocities>()})
          .with_defaults();
  return section;
}

const Section<Profile>& profile_section() {
  static const Section<Profile> section = Section<Profile>("height_profile", {bins<Profile>()}).with_defaults();
  return section;
}

const Section<Pairs>& orientation_section() {
  static const Section<Pairs> section =
      Section<Pairs>("pair_orientation",
                     {
                         reach<Pairs>(),
                         bins<Pairs>(),
                         key("symmetry", &Pairs::symmetry, whole_number<int>(kSymmetries))
                             .says("after which share of a turn a grain looks alike: 4 for squares, 6 for hexagons")
                             .example("4"),
                     })
          .with_defaults();
  return section;
}

const Section<Forces>& force_section() {
  static const Section<Forces> section =
      Section<Forces>("forces", {key("to", &Forces::to, number(Numbers::positive("")))
                                     .says("up to which normal force, over the mean; the last bin has all beyond")
                                     .example("6"),
                                 bins<Forces>()})
          .with_defaults();
  return section;
}

/// The shortest sides of cells with which a region has no more of them than allowed [m]; 0 if that is not known.
double least_spacing(const Reading& reading) {
  if (!reading.mistakes.sound("measure.region") || !reading.mistakes.sound("domain")) return 0.0;
  const Vec2 size = reading.measure().region.hi - reading.measure().region.lo;
  // (x / s + 1) (y / s + 1) = most
  return (size.sum() + std::sqrt(size.sum() * size.sum() + 4.0 * (kMostPoints - 1.0) * size.prod())) /
         (2.0 * (kMostPoints - 1.0));
}

std::optional<Numbers> field_lengths(const Context<Fields>& at, double times_spacing) {
  const double least = times_spacing * least_spacing(at.reading);
  if (!(least > 0.0)) return {};
  const Region& region = at.reading.measure().region;
  return Numbers{.least = least,
                 .greatest = (region.hi - region.lo).maxCoeff(),
                 .reason = "up to the region's longer side, at most 250 000 points"};
}

std::optional<Numbers> image_intervals(const Context<Fields>& at) {
  if (!at.reading.mistakes.sound("time.end")) return {};
  const double end = at.reading.end();
  return Numbers{.least = end / kMostSamples, .greatest = end, .reason = "up to time.end, at most a million images"};
}

const Section<Fields>& field_section() {
  static const Section<Fields> section =
      Section<Fields>(
          "fields",
          {
              key("width", &Fields::width, number(Numbers::positive("m")))
                  .required()
                  .limited([](const Context<Fields>& at) { return field_lengths(at, at.given("spacing") ? 0.0 : 2.0); })
                  .says("of the kernel, some diameters of a grain")
                  .example("0.05"),
              key("spacing", &Fields::spacing, maybe(number(Numbers::positive("m"))))
                  .limited([](const Context<Fields>& at) { return field_lengths(at, 1.0); })
                  .says("the longest side of a cell of the grid")
                  .otherwise("half the width")
                  .example("0.02"),
              key("kernel", &Fields::kernel, member_of<KernelKind>(kKernelNames))
                  .says("what mass and stress are smoothed by")
                  .example("lucy"),
              key("every", &Fields::every, maybe(number(Numbers::positive("s"))))
                  .limited(image_intervals)
                  .says("between two images, each the average over the samples since the one before")
                  .otherwise("`output.every`")
                  .example("0.1"),
          })
          .with_defaults();
  return section;
}

bool end_is_known(const Context<Measure>& at) {
  return at.reading.mistakes.sound("time.end");
}

std::optional<Numbers> sample_intervals(const Context<Measure>& at) {
  if (!end_is_known(at)) return {};
  const double end = at.reading.end();
  return Numbers{.least = end / kMostSamples, .greatest = end, .reason = "up to time.end, at most a million samples"};
}

std::optional<Numbers> beginnings(const Context<Measure>& at) {
  if (!end_is_known(at)) return {};
  return Numbers{.least = 0.0, .greatest = at.reading.end(), .reason = "up to time.end"};
}

}  // namespace

const Section<Measure>& measure_section() {
  static const Section<Measure> section =
      Section<Measure>(
          "measure",
          {
              key("every", &Measure::every, number(Numbers::positive("s")))
                  .limited(sample_intervals)
                  .says("between two samples: from a millionth of time.end to time.end")
                  .otherwise("`output.every`")
                  .example("0.01"),
              key("from", &Measure::from, number(Numbers::at_least(0.0, "s")))
                  .limited(beginnings)
                  .says("when measuring begins, up to time.end")
                  .otherwise("0")
                  .example("1.5"),
              key("region", &Measure::region, region())
                  .says("where, inside the domain; in a box of walls, its inside")
                  .otherwise("the domain")
                  .example("{x: [0, 1], y: [0, 1]}"),
              key("radial_distribution", &Measure::radial_distribution, maybe(mapping(radial_section())))
                  .says("number of neighbours by distance")
                  .otherwise("not measured")
                  .example("{to: 0.05, bins: 50}"),
              key("velocity_distribution", &Measure::velocity_distribution, maybe(mapping(velocity_section())))
                  .says("distribution of velocity components and of speeds")
                  .otherwise("not measured")
                  .example("{}"),
              key("height_profile", &Measure::height_profile, maybe(mapping(profile_section())))
                  .says("profiles over the height, in layers of the region")
                  .otherwise("not measured")
                  .example("{bins: 40}"),
              key("mean_square_displacement", &Measure::mean_square_displacement, wanted())
                  .says("mean square displacement since measuring began")
                  .otherwise("not measured")
                  .example("{}"),
              key("free_flights", &Measure::free_flights, wanted())
                  .means_something_in(Mode::hard)
                  .says("paths and times between two collisions; refused in soft mode")
                  .otherwise("not measured")
                  .example("{}"),
              key("collisions", &Measure::collisions, wanted())
                  .only_in(Mode::hard)
                  .says("each collision: when, of whom with whom, its impulse; a row of 100 bytes each")
                  .otherwise("not listed")
                  .example("{}"),
              key("helfand_moments", &Measure::helfand_moments, wanted())
                  .only_in(Mode::hard)
                  .says("currents of momentum and heat, integrated: transport of smooth disks between periodic sides")
                  .otherwise("not measured")
                  .example("{}"),
              key("pair_orientation", &Measure::pair_orientation, maybe(mapping(orientation_section())))
                  .says("how pairs of grains are turned, by distance")
                  .otherwise("not measured")
                  .example("{to: 0.05, symmetry: 4}"),
              key("texture", &Measure::texture, wanted())
                  .only_in(Mode::soft)
                  .says("fabric, anisotropies, stress, coordination and so on of contacts")
                  .otherwise("not measured")
                  .example("{}"),
              key("forces", &Measure::forces, maybe(mapping(force_section())))
                  .only_in(Mode::soft)
                  .says("distribution of normal forces over their mean")
                  .otherwise("not measured")
                  .example("{}"),
              key("fields", &Measure::fields, maybe(mapping(field_section())))
                  .says("fields of density, velocity and stress on a grid, as images and tables")
                  .otherwise("not measured")
                  .example("{width: 0.05}"),
          })
          .before([](const Context<Measure>& at) {
            const Domain& domain = at.reading.domain();
            at.value.every = at.reading.output_every();
            at.value.region = {domain.lo, domain.hi};
          })
          .after([](const Context<Measure>& at) {
            if (at.value.free_flights && at.reading.named == Mode::soft) {
              at.keys["free_flights"].fail_at_key("is given in mode soft, where contacts last, must be left out");
            }
          })
          .with_table_below("measure");
  return section;
}

}  // namespace scree::keys
