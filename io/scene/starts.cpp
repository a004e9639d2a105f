#include <array>
#include <cstdint>
#include <string>

#include "dem/insertion.hpp"
#include "dem/scene/particles.hpp"
#include "io/formats/billiards.hpp"
#include "io/scene/group_entry.hpp"

namespace scree::keys {

namespace {

constexpr double kDensest = 0.85;  // packing fraction that is asked for
constexpr std::array<const char*, 2> kLatticeNames = {"square", "hexagonal"};

const Section<RandomStart>& random_section() {
  static const Section<RandomStart> section =
      Section<RandomStart>(
          "random",
          {
              region_key<RandomStart>(
                  "where the grains are; where it is as long as a periodic domain, its ends are joined"),
              key("packing_fraction", &RandomStart::packing_fraction,
                  number({.least = 0.0, .greatest = kDensest, .without_least = true}))
                  .written_if([](const RandomStart& start) { return start.packing_fraction > 0.0; })
                  .says("share of the region's area that the grains take, to within half a grain")
                  .example("0.7"),
              key("count", &RandomStart::count,
                  maybe(whole_number<std::uint64_t>({.least = 1, .greatest = kMostRandom})))
                  .says("number of grains")
                  .example("500"),
              jitter_key<RandomStart>(),
              temperature_key<RandomStart>(),
              rotational_temperature_key<RandomStart>(),
          })
          .with_defaults()
          .exactly_one({"packing_fraction", "count"})
          .after(refuse_jitter_beside_temperature<RandomStart>)
          .with_table_below("random");
  return section;
}

const Section<LatticeStart>& lattice_section() {
  static const Section<LatticeStart> section =
      Section<LatticeStart>("lattice",
                            {
                                region_key<LatticeStart>("where the circles around the grains are"),
                                key("kind", &LatticeStart::kind, member_of<LatticeKind>(kLatticeNames))
                                    .says("hexagonal: every second row is shifted by half a spacing")
                                    .example("square"),
                                key("count", &LatticeStart::count,
                                    maybe(whole_number<std::uint64_t>({.least = 1, .greatest = kMostPlaced})))
                                    .says("so many, from below")
                                    .otherwise("all that fit")
                                    .example("100"),
                                key("spacing", &LatticeStart::spacing, number(Numbers::positive("m")))
                                    .written_if([](const LatticeStart& start) { return start.spacing > 0.0; })
                                    .says("of neighbours, at least the width of the largest grain")
                                    .otherwise("one in 10 000 more than that")
                                    .example("0.04"),
                                key("angle", &LatticeStart::angle, number_or("random", Numbers::any("rad")))
                                    .says("of the grains, counter-clockwise")
                                    .example("0"),
                                jitter_key<LatticeStart>(),
                                temperature_key<LatticeStart>(),
                                rotational_temperature_key<LatticeStart>(),
                            })
          .with_defaults()
          .after(refuse_jitter_beside_temperature<LatticeStart>)
          .with_table_below("lattice");
  return section;
}

const Section<Mix>& mix_section() {
  static const Section<Mix> section =
      Section<Mix>("mix",
                   {
                       key("share", &Mix::share, number({.least = 0.0, .greatest = 1.0, .without_least = true}))
                           .required()
                           .says("of all grains that are mixed")
                           .example("0.3"),
                       Key<Mix>(
                           "by", word_form({"mass", "number"}),
                           [](Reading&, const YamlValue& value, const Form&, Mix& mix) {
                             mix.by_mass = value.choice({"mass", "number"}) == "mass";
                           },
                           nullptr)
                           .required()
                           .says("what the share is a share of")
                           .example("mass"),
                   })
          .with_table_below("mix");
  return section;
}

}  // namespace

Key<GroupEntry> random_key() {
  Kind<std::optional<RandomStart>> kind = maybe(mapping(random_section()));
  return Key<GroupEntry>(
      "random", kind.form,
      [kind](Reading& reading, const YamlValue& value, const Form& form, GroupEntry& group) {
        group.how = scree::Place{};
        kind.read(reading, value, form, group.random);
      },
      nullptr);
}

Key<GroupEntry> lattice_key() {
  Kind<std::optional<LatticeStart>> kind = maybe(mapping(lattice_section()));
  return Key<GroupEntry>(
      "lattice", kind.form,
      [kind](Reading& reading, const YamlValue& value, const Form& form, GroupEntry& group) {
        group.how = scree::Place{};
        kind.read(reading, value, form, group.lattice);
      },
      nullptr);
}

Key<GroupEntry> mix_key() {
  Kind<std::optional<Mix>> kind = maybe(mapping(mix_section()));
  return Key<GroupEntry>(
      "mix", kind.form,
      [kind](Reading& reading, const YamlValue& value, const Form& form, GroupEntry& group) {
        group.how = scree::Place{};
        kind.read(reading, value, form, group.mix);
      },
      nullptr);
}

}  // namespace scree::keys
