#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dem/mode.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/text/number_text.hpp"

namespace scree::keys {

namespace {

using Periodic = std::array<bool, 2>;

/// Names of the axes that are periodic.
Kind<Periodic> axes() {
  return {in_words(list_form(word_form({"x", "y"}), 0, 2), "list of axes: `[]`, `[x]`, `[y]` or `[x, y]`"),
          [](Reading& reading, const YamlValue& value, const Form&, Periodic& periodic) {
            for (const YamlValue& entry : value.list("a list of the periodic axes: [], [x], [y] or [x, y]")) {
              reading.mistakes.attempt([&] {
                bool& axis = periodic[entry.choice({"x", "y"}) == "x" ? 0 : 1];
                if (axis) entry.fail("is given twice, must be given once");
                axis = true;
              });
            }
          },
          [](Writing& writing, const Periodic& periodic) {
            writing.out << YAML::Flow << YAML::BeginSeq;
            if (periodic[0]) writing.out << "x";
            if (periodic[1]) writing.out << "y";
            writing.out << YAML::EndSeq;
          }};
}

const Section<Region>& region_section() {
  static const Section<Region> section =
      Section<Region>("region", {axis<Region>("x", 0).required().says("from left to right").example("[0, 1]"),
                                 axis<Region>("y", 1).required().says("from bottom to top").example("[0, 1]")})
          .after([](const Context<Region>& at) {
            const Domain& domain = at.reading.domain();
            for (const int k : {0, 1}) {
              const YamlValue interval = at.keys[k == 0 ? "x" : "y"];
              const std::string side = "domain." + std::string(k == 0 ? "x" : "y");
              const double lo = at.value.lo[k];
              const double hi = at.value.hi[k];
              if (!at.reading.mistakes.sound(interval.path()) || !at.reading.mistakes.sound(side)) continue;
              if (lo >= domain.lo[k] && hi <= domain.hi[k]) continue;
              at.reading.mistakes.attempt([&] {
                interval.fail(fmt::format("is [{}, {}], must lie inside the domain, [{}, {}] [m]", number_text(lo),
                                          number_text(hi), number_text(domain.lo[k]), number_text(domain.hi[k])));
              });
            }
          });
  return section;
}

const Section<CellComponent>& component_section() {
  static const Section<CellComponent> section =
      Section<CellComponent>(
          "component",
          {
              key("rate", &CellComponent::rate, number(Numbers::any("1/s")))
                  .required()
                  .says(
                      "rate of strain: of `xx` and `yy` logarithmic, positive where the cell grows; of `xy` the change "
                      "of the velocity along x with y. With a `stress` the greatest rate, to and fro")
                  .example("0.1"),
              key("stress", &CellComponent::stress, maybe(number(Numbers::any("N/m"))))
                  .only_in(Mode::soft)
                  .says("mean stress of the cell, compression positive, that the cell deforms to")
                  .otherwise("the rate is what it is")
                  .example("1000"),
          })
          .after([](const Context<CellComponent>& at) {
            if (at.value.stress && at.sound("rate") && at.given("rate") && at.value.rate <= 0.0) {
              at.keys["rate"].refuse("a number > 0 beside stress [1/s], the greatest rate");
            }
          })
          .with_table_below("cell");
  return section;
}

}  // namespace

const Section<CellDrive>& cell_section() {
  constexpr Numbers kMass{.least = 0.0, .without_least = true};
  static const Section<CellDrive> section =
      Section<CellDrive>("cell",
                         {
                             key("xx", &CellDrive::xx, mapping(component_section()))
                                 .says("length along x")
                                 .otherwise("it stays")
                                 .example("{stress: 1000, rate: 1}"),
                             key("yy", &CellDrive::yy, mapping(component_section()))
                                 .says("length along y")
                                 .otherwise("it stays")
                                 .example("{stress: 1000, rate: 1}"),
                             key("xy", &CellDrive::xy, mapping(component_section()))
                                 .says("shear: rows above each other move along x")
                                 .otherwise("none")
                                 .example("{rate: 0.5}"),
                             key("mass", &CellDrive::mass, number(kMass))
                                 .says("of components with a stress: inertia of the cell, over that of all grains")
                                 .example("0.1"),
                             key("damping", &CellDrive::damping, number(Numbers::at_least(0.0, "")))
                                 .says("of components with a stress, over that which is critical for all contacts "
                                       "together")
                                 .example("0.5"),
                         })
          .with_defaults()
          .with_table_below("cell");
  return section;
}

constexpr std::array<const char*, 4> kSides = {"left", "right", "bottom", "top"};

/// Temperatures of sides by name.
const Section<std::array<double, 4>>& thermal_sides_section() {
  using Sides = std::array<double, 4>;
  const auto side = [](std::size_t number) {
    const Kind<double> kind = scree::keys::number(Numbers::positive("J"));
    return Key<Sides>(
               kSides[number], kind.form,
               [kind, number](Reading& reading, const YamlValue& value, const Form& form, Sides& sides) {
                 kind.read(reading, value, form, sides[number]);
               },
               [kind, number](Writing& writing, const Sides& sides) { kind.write(writing, sides[number]); },
               [number](const Sides& sides) { return sides[number] > 0.0; })
        .says("k T of that side")
        .otherwise("it is elastic and smooth")
        .example("1e-4");
  };
  static const Section<Sides> section =
      Section<Sides>("thermal_sides", {side(0), side(1), side(2), side(3)}).with_table_below("thermal-sides");
  return section;
}

const Section<Domain>& domain_section() {
  static const Section<Domain> section =
      Section<Domain>(
          "domain",
          {
              axis<Domain>("x", 0).required().says("from left to right").example("[-1, 1]"),
              axis<Domain>("y", 1).required().says("from bottom to top").example("[-0.1, 2]"),
              key("periodic", &Domain::periodic, axes()).says("axes along which the domain is periodic").example("[x]"),
              key("sides", &Domain::reflecting, either_of("open", "reflecting"))
                  .says("sides that are not periodic; reflecting, in hard mode only: elastic and smooth")
                  .example("reflecting"),
              key("thermal_sides", &Domain::side_temperature, mapping(thermal_sides_section()))
                  .only_in(Mode::hard)
                  .written_if([](const Domain& domain) { return domain.has_thermal_sides(); })
                  .says("reflecting sides that give disks random velocities of a temperature")
                  .details("([below](#thermal-sides))")
                  .otherwise("none")
                  .example("{left: 1e-4, right: 2e-4}"),
              key("cell", &Domain::cell, maybe(mapping(cell_section())))
                  .says("the domain, periodic along both axes, deforms")
                  .details("([below](#cell))")
                  .otherwise("it does not")
                  .example("{xy: {rate: 0.5}}"),
          })
          .with_defaults()
          .after([](const Context<Domain>& at) {
            if (at.value.reflecting && at.reading.named == Mode::soft) {
              at.keys["sides"].refuse("open in soft mode, where walls keep grains in");
            }
            if (at.value.has_thermal_sides() && at.sound("sides") && !at.value.reflecting) {
              at.keys["thermal_sides"].refuse("left out unless sides is reflecting");
            }
            for (const std::size_t side : {0, 1, 2, 3}) {
              if (at.value.side_temperature[side] == 0.0 || !at.sound("periodic") || !at.value.periodic[side / 2])
                continue;
              at.keys["thermal_sides"][kSides[side]].refuse(side < 2 ? "left out, since x is periodic"
                                                                     : "left out, since y is periodic");
            }
            if (at.value.cell && at.sound("periodic") && !(at.value.periodic[0] && at.value.periodic[1])) {
              at.keys["cell"].refuse("left out unless periodic is [x, y]");
            }
          })
          .with_table_below("domain");
  return section;
}

Kind<Region> region() {
  Kind<Region> kind = mapping(region_section());
  kind.form.markdown = "`x` and `y`, `[lo, hi]` each [m]";
  return kind;
}

}  // namespace scree::keys
