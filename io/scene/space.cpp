#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/number_text.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

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

/// Of two words the second one is true.
Kind<bool> either_of(const char* no, const char* yes) {
  return {word_form({no, yes}),
          [no, yes](Reading&, const YamlValue& value, const Form&, bool& member) {
            member = value.choice({no, yes}) == yes;
          },
          [no, yes](Writing& writing, const bool& member) { writing.out << (member ? yes : no); }};
}

const Section<Region>& region_section() {
  static const Section<Region> section =
      Section<Region>("region", {axis<Region>("x", 0).required().says("from left to right").example("[0, 1]"),
                                 axis<Region>("y", 1).required().says("from bottom to top").example("[0, 1]")})
          .after([](const Context<Region>& at) {
            const Domain& domain = at.reading.scene.domain;
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

}  // namespace

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
          })
          .with_defaults()
          .after([](const Context<Domain>& at) {
            if (at.value.reflecting && at.reading.named == Mode::soft) {
              at.keys["sides"].refuse("open in soft mode, where walls keep grains in");
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
