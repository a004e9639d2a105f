#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "dem/mode.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/grain_shape.hpp"
#include "geometry/polygon.hpp"
#include "geometry/polygon_makers.hpp"
#include "io/formats/billiards.hpp"
#include "io/scene/file_beside.hpp"
#include "io/scene/grain_width.hpp"
#include "io/scene/group_entry.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

constexpr std::array<const char*, 2> kAxes = {"x", "y"};
constexpr WholeNumbers kCount = {.least = 1, .greatest = 10'000'000};  // each is made before a run begins

using How = std::variant<Pour, Fill, scree::Place>;

/// For people.
std::string metres(double length) {
  return number_text(length, 6) + " m";
}

const Section<Pour>& pour_section() {
  static const Section<Pour> section =
      Section<Pour>(
          "pour",
          {
              key("count", &Pour::count, whole_number<std::uint64_t>(kCount))
                  .required()
                  .says("grains in all")
                  .example("1500"),
              key("rate", &Pour::rate, number(Numbers::positive("1/s")))
                  .required()
                  .says("grains a second")
                  .example("800"),
              key("from", &Pour::from, number(Numbers::at_least(0.0, "s")))
                  .says("time of the first grain")
                  .example("0.5"),
              region_key<Pour>("where whole grains appear; at least as wide and high as the largest grain is wide")
                  .example("{x: [-0.1, 0.1], y: [0.3, 0.5]}"),
              key("velocity", &Pour::velocity, vector("m/s")).says("at birth").example("[0, -0.5]"),
          })
          .with_defaults()
          .with_table_below("pour");
  return section;
}

const Section<Fill>& fill_section() {
  static const Section<Fill> section =
      Section<Fill>("fill",
                    {
                        region_key<Fill>("where the lattice is"),
                        key("count", &Fill::count, whole_number_or("all", kCount))
                            .says("at most so many, or all that fit")
                            .example("100"),
                        jitter_key<Fill>(),
                        temperature_key<Fill>(),
                        rotational_temperature_key<Fill>(),
                        key("spacing", &Fill::spacing, number(Numbers::positive("m")))
                            .written_if([](const Fill& fill) { return fill.spacing > 0.0; })
                            .says("of neighbours on the lattice, more than the width of the largest grain")
                            .details("([how wide](#how-wide-a-grain-is))")
                            .otherwise("1 % more than the largest grain needs")
                            .example("0.04"),
                    })
          .with_defaults()
          .after(refuse_jitter_beside_temperature<Fill>)
          .with_table_below("fill");
  return section;
}

/// The disks in a data file of Algorithms, 6.1, as grains at given places. The file lies beside the scene.
scree::Place read_billiards_as_place(Reading& reading, const YamlValue& value) {
  const std::string name = value.name("the name of a file with billiards");
  const auto billiards = read_beside(reading, value, name, [&](const std::filesystem::path& file) {
    const Domain& domain = reading.domain();
    return read_billiards(file, reading.mistakes.sound("domain") ? std::optional(domain) : std::nullopt);
  });
  if (!billiards) return {};
  const hard::Setup& disks = billiards->setup;
  scree::Place place;
  for (std::size_t k = 0; k < disks.position.size(); ++k) {
    place.push_back({.position = disks.position[k],
                     .velocity = disks.velocity[k],
                     .size = 2.0 * disks.radius[k],
                     .mass = disks.mass[k],
                     .colour = billiards->colour[k]});
  }
  return place;
}

/// From the smallest to the largest of them.
SizeSpec sizes_of(const scree::Place& place) {
  SizeSpec sizes{1.0, 1.0};  // of no grain
  if (place.empty()) return sizes;
  const auto [least, greatest] = std::ranges::minmax(place, {}, &Placed::size);
  return {*least.size, *greatest.size};
}

// --- rules of a group

/// Sizes of grains at given places, some of which may have sizes of their own.
SizeSpec sizes_in(const scree::Place& place, SizeSpec sizes) {
  for (const Placed& one : place) {
    if (one.size) sizes = {std::min(sizes.least, *one.size), std::max(sizes.greatest, *one.size)};
  }
  return sizes;
}

/// A grain must not meet its own image across a periodic domain.
void require_periods_for(double grain_width, const Reading& reading, const YamlValue& culprit) {
  if (!reading.mistakes.sound("domain")) return;
  const Domain& domain = reading.domain();
  for (const int axis : {0, 1}) {
    const double period = domain.hi[axis] - domain.lo[axis];
    if (!domain.periodic[static_cast<std::size_t>(axis)] || grain_width < period) continue;
    culprit.fail(fmt::format("allows grains {} wide, must allow less than {}, the period along {}", metres(grain_width),
                             metres(period), kAxes[static_cast<std::size_t>(axis)]));
  }
}

/// The whole of a grain must have room in a region.
void require_room_for(double grain_width, Reading& reading, const Region& region, const YamlValue& value) {
  for (const int axis : {0, 1}) {
    const YamlValue interval = value[kAxes[static_cast<std::size_t>(axis)]];
    const double room = region.hi[axis] - region.lo[axis];
    if (!reading.mistakes.sound(interval.path()) || room >= grain_width) continue;
    reading.mistakes.attempt([&] {
      interval.fail(fmt::format("is {} wide, must be at least as wide as the largest grain, {}", metres(room),
                                metres(grain_width)));
    });
  }
}

void check_lattice(Reading& reading, const Fill& fill, const SizeSpec& size, double grain_width,
                   const YamlValue& value) {
  const YamlValue spacing = value["spacing"];
  if (spacing.given() && reading.mistakes.sound(spacing.path()) && fill.spacing <= grain_width) {
    spacing.fail(fmt::format("is {}, must be more than the width of the largest grain, {}", metres(fill.spacing),
                             metres(grain_width)));
  }
  if (!reading.mistakes.sound(value.path())) return;
  const double cell = std::max(fill.spacing, size.least);
  const double room = (fill.region.hi - fill.region.lo).prod() / cell / cell;
  if (!fill.count && room > static_cast<double>(kCount.greatest)) {
    value["region"].fail(fmt::format("has room for some {} grains, must have room for at most {} (or give a count)",
                                     number_text(room, 2), kCount.greatest));
  }
}

void check_sizes_of(const scree::Place& place, const ShapeSpec& shape, Reading& reading, const YamlValue& value) {
  if (std::ranges::none_of(place, [](const Placed& one) { return one.size.has_value(); })) return;
  const std::vector<YamlValue> entries = value.list("a list of grains");
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (!place[k].size) continue;
    const double size = *place[k].size;
    reading.mistakes.attempt([&] {
      require_periods_for(greatest_width(shape, {size, size}), reading, entries[k]["size"]);
    });
  }
}

/// Names of the coordinates that are fixed.
Kind<std::array<bool, 3>> fixed_coordinates() {
  static constexpr std::array<const char*, 3> kNames = {"x", "y", "angle"};
  return {in_words(list_form(word_form({"x", "y", "angle"}), 0, 3), "list of `x`, `y` and `angle`"),
          [](Reading& reading, const YamlValue& value, const Form&, std::array<bool, 3>& fixed) {
            for (const YamlValue& entry : value.list("a list of x, y and angle")) {
              reading.mistakes.attempt([&] {
                const std::string name = entry.choice({"x", "y", "angle"});
                fixed[static_cast<std::size_t>(std::ranges::find(kNames, name) - kNames.begin())] = true;
              });
            }
          },
          [](Writing& writing, const std::array<bool, 3>& fixed) {
            writing.out << YAML::Flow << YAML::BeginSeq;
            for (std::size_t k = 0; k < fixed.size(); ++k) {
              if (fixed[k]) writing.out << kNames[k];
            }
            writing.out << YAML::EndSeq;
          }};
}

/// Disks from a file have sizes and colours of their own.
void check_billiards(const Context<GroupEntry>& at) {
  for (const char* key : {"shape", "size", "colour"}) {
    if (!at.given(key)) continue;
    at.reading.mistakes.attempt(
        [&] { at.keys[key].refuse("left out beside billiards, disks of their own sizes and colours"); });
  }
  if (!at.sound("billiards")) return;
  at.value.shape = Disk{};
  at.value.size = sizes_of(std::get<scree::Place>(at.value.how));
  require_periods_for(at.value.size.greatest, at.reading, at.keys["billiards"]);
}

/// Their number in the whole scene is bounded.
void count_placed(const Context<GroupEntry>& at, const scree::Place& place) {
  at.reading.placed += place.size();
  if (at.reading.placed <= kMostPlaced) return;
  at.reading.mistakes.attempt([&] {
    at.keys[at.given("place")  ? "place"
            : at.given("file") ? "file"
                               : "billiards"]
        .fail(fmt::format("makes {} grains at given places in this scene, must make at most {}", at.reading.placed,
                          kMostPlaced));
  });
}

/// A polygon that is given needs no size: it has one. So have parts.
bool has_a_size(const Context<GroupEntry>& at) {
  const YamlValue shape = at.keys["shape"];
  const bool is_given = shape["polygon"].given() || shape["outline"].given() || shape["parts"].given();
  return is_given &&
         (std::holds_alternative<ExplicitPolygon>(at.value.shape) || std::holds_alternative<Clump>(at.value.shape));
}

/// Area of the shape as it is given. @pre it has a size
double area_of(const ShapeSpec& shape) {
  if (const auto* clump = std::get_if<Clump>(&shape)) return clump->whole().area;
  return Polygon(std::get<ExplicitPolygon>(shape).vertices).area();
}

/// What the grains' width asks of the domain and of regions.
void check_group(const Context<GroupEntry>& at) {
  Reading& reading = at.reading;
  GroupEntry& group = at.value;
  if (const auto* place = std::get_if<scree::Place>(&group.how)) count_placed(at, *place);
  if (at.given("billiards")) {
    check_billiards(at);
    return;
  }
  if (!at.sound("shape") || !at.sound("size")) return;
  if (has_a_size(at) && !at.given("size")) {
    group.size.least = group.size.greatest = equivalent_diameter(area_of(group.shape));
    group.sizes = {.least = group.size.least, .greatest = group.size.greatest};
  }
  const double width = greatest_width(group.shape, group.size);
  const YamlValue culprit = at.keys[at.given("size") ? "size" : "shape"];
  require_periods_for(width, reading, culprit);
  if (const auto* pour = std::get_if<Pour>(&group.how); pour != nullptr && at.given("pour")) {
    require_room_for(width, reading, pour->region, at.keys["pour"]["region"]);
  } else if (const auto* fill = std::get_if<Fill>(&group.how)) {
    require_room_for(width, reading, fill->region, at.keys["fill"]["region"]);
    check_lattice(reading, *fill, group.size, width, at.keys["fill"]);
  } else if (const auto* place = std::get_if<scree::Place>(&group.how); place != nullptr && at.given("place")) {
    check_sizes_of(*place, group.shape, reading, at.keys["place"]);
  } else if (at.given("file")) {
    require_periods_for(greatest_width(group.shape, sizes_in(std::get<scree::Place>(group.how), group.size)), reading,
                        at.keys["file"]);
  }
}

Key<GroupEntry> how(const char* name, const Kind<How>& kind) {
  return key_of<GroupEntry>(name, &ParticleGroup::how, kind);
}

Key<GroupEntry> billiards() {
  return {"billiards", name_of("").form,
          [](Reading& reading, const YamlValue& value, const Form&, GroupEntry& group) {
            group.how = read_billiards_as_place(reading, value);
          },
          nullptr};
}

}  // namespace

const Section<Placed>& placed_section() {
  static const Section<Placed> section =
      Section<Placed>(
          "place",
          {
              key("position", &Placed::position, vector("m"))
                  .required()
                  .says("of the centroid, inside the domain")
                  .example("[0, 1]"),
              key("angle", &Placed::angle, number(Numbers::any("rad"))).says("counter-clockwise").example("0.1"),
              key("velocity", &Placed::velocity, vector("m/s")).says("at time 0").example("[1, 0]"),
              key("angular_velocity", &Placed::angular_velocity, number(Numbers::any("rad/s")))
                  .says("at time 0")
                  .example("-3"),
              key("size", &Placed::size, maybe(number(Numbers::positive("m"))))
                  .says("instead of the group's")
                  .otherwise("that of the group")
                  .example("0.02"),
              key("mass", &Placed::mass, maybe(number(Numbers::positive("kg"))))
                  .says("instead of density times area")
                  .otherwise("density times area")
                  .example("0.1"),
              key("colour", &Placed::colour, maybe(colour()))
                  .says("instead of the group's")
                  .otherwise("that of the group")
                  .example("[212, 132, 0]"),
          })
          .with_defaults()
          .after([](const Context<Placed>& at) {
            const Domain& domain = at.reading.domain();
            const Vec2& position = at.value.position;
            if (!at.sound("position") || !at.reading.mistakes.sound("domain")) return;
            for (const int axis : {0, 1}) {
              if (position[axis] >= domain.lo[axis] && position[axis] <= domain.hi[axis]) continue;
              at.keys["position"].fail(fmt::format("is [{}, {}], must be in the domain, {} in [{}, {}] [m]",
                                                   number_text(position.x()), number_text(position.y()),
                                                   kAxes[static_cast<std::size_t>(axis)], number_text(domain.lo[axis]),
                                                   number_text(domain.hi[axis])));
            }
          })
          .with_table_below("place");
  return section;
}

const Section<GroupEntry>& group_section() {
  static const Section<GroupEntry> section =
      Section<GroupEntry>(
          "group",
          {
              how("pour", alternative<How>(mapping(pour_section())))
                  .says("grains that appear one after another in a region, as fast as asked and as there is room"),
              how("fill", alternative<How>(mapping(fill_section())))
                  .says("grains on a square lattice that fills a region from below at time 0, each turned at random"),
              how("place", alternative<How>(list_of(mapping(placed_section()), "a list of grains")))
                  .says("grains at given places at time 0"),
              random_key()
                  .says("grains without overlap at random places at time 0, up to dense ones")
                  .example("{region: {x: [0, 1], y: [0, 1]}, packing_fraction: 0.7}"),
              mix_key()
                  .says("grains among those of the group before, which has random, pour or mix")
                  .example("{share: 0.3, by: mass}"),
              lattice_key().says("grains on a lattice at time 0").example("{region: {x: [0, 1], y: [0, 1]}}"),
              file_key()
                  .says("grains from a table at time 0, as seen from the file that names it")
                  .example("grains.csv"),
              billiards()
                  .says("grains from a file of disks, as seen from the scene's directory")
                  .details("([below](#billiards))")
                  .example("billiards/break.txt"),
              key_of<GroupEntry>("material", &ParticleGroup::material, material())
                  .required()
                  .says("material")
                  .example("stone"),
              key_of<GroupEntry>("shape", &ParticleGroup::shape, shape())
                  .required_if([](const auto& at) { return !at.given("billiards"); },
                               "required, but not beside `billiards`")
                  .says("shape of the grains")
                  .example("disk"),
              size_key()
                  .required_if(
                      [](const auto& at) {
                        const bool has_one = has_a_size(at);
                        return !at.given("billiards") && !has_one && at.sound("shape");
                      },
                      "required; with `polygon` and `outline`: their own size")
                  .says("diameter of the disk of equal area")
                  .example("{uniform: [0.008, 0.014]}"),
              key_of<GroupEntry>("fixed", &ParticleGroup::fixed, fixed_coordinates())
                  .only_in(Mode::soft)
                  .written_if([](const GroupEntry& group) {
                    return group.fixed != std::array{false, false, false};
                  })
                  .says("what of its grains never moves; forces from others act as ever")
                  .otherwise("`[]`")
                  .example("[angle]"),
              key_of<GroupEntry>("growth_rate", &ParticleGroup::growth_rate,
                                 maybe(number(Numbers::at_least(0.0, "1/s"))))
                  .only_in(Mode::hard)
                  .says("of its grains, instead of [`growth.rate`](#growth) and no more than that")
                  .otherwise("`growth.rate`")
                  .example("0.5"),
              key_of<GroupEntry>("colour", &ParticleGroup::colour, maybe(colour()))
                  .says("for pictures")
                  .details(
                      "(if any grain of the scene has one, frames have the cell array `colour`, which `view.py` shows)")
                  .otherwise("none")
                  .example("[212, 132, 0]"),
          })
          .exactly_one({"pour", "fill", "place", "random", "mix", "lattice", "file", "billiards"})
          .after(check_group)
          .with_table_below("particles");
  return section;
}

}  // namespace scree::keys
