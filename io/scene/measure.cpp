#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

constexpr double kMostSamples = 1e6;
constexpr WholeNumbers kBins = {.least = 1, .greatest = 100'000};

using Radial = Measure::RadialDistribution;
using Velocities = Measure::VelocityDistribution;
using Profile = Measure::HeightProfile;

template <class Histogram>
Key<Histogram> bins() {
  return key("bins", &Histogram::bins, whole_number<int>(kBins)).says("number of bins or layers").example("50");
}

const Section<Radial>& radial_section() {
  static const Section<Radial> section =
      Section<Radial>("radial_distribution",
                      {
                          key("to", &Radial::to, number(Numbers::positive("m")))
                              .required()
                              .limited([](const Context<Radial>& at) -> std::optional<Numbers> {
                                const Mistakes& mistakes = at.reading.mistakes;
                                if (!mistakes.sound("measure.region") || !mistakes.sound("domain")) return {};
                                const Region& region = at.reading.scene.measure->region;
                                return Numbers{.least = 0.0,
                                               .greatest = 0.5 * (region.hi - region.lo).minCoeff(),
                                               .without_least = true,
                                               .reason = "up to half of the region's shorter side"};
                              })
                              .says("up to which distance, at most half of the region's shorter side")
                              .example("0.05"),
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

bool end_is_known(const Context<Measure>& at) {
  return at.reading.mistakes.sound("time.end");
}

std::optional<Numbers> sample_intervals(const Context<Measure>& at) {
  if (!end_is_known(at)) return {};
  const double end = at.reading.scene.end;
  return Numbers{.least = end / kMostSamples, .greatest = end, .reason = "up to time.end, at most a million samples"};
}

std::optional<Numbers> beginnings(const Context<Measure>& at) {
  if (!end_is_known(at)) return {};
  return Numbers{.least = 0.0, .greatest = at.reading.scene.end, .reason = "up to time.end"};
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
          })
          .before([](const Context<Measure>& at) {
            const Scene& scene = at.reading.scene;
            at.value.every = scene.output_every;
            at.value.region = {scene.domain.lo, scene.domain.hi};
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
