#include "dem/scene.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/scene/group_entry.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/scene/tables.hpp"

namespace scree::keys {

namespace {

const char* const kVersion = "1";

constexpr std::size_t kMostGroups = 1000;

Key<Scene> version() {
  return Key<Scene>(
             "scree", in_words(number_form({.least = 1.0, .greatest = 1.0}), "1"),
             [](Reading&, const YamlValue& value, const Form&, Scene&) { require_version(value); },
             [](Writing& writing, const Scene&) { writing.out << kVersion; })
      .required()
      .says("version of the format")
      .example("1");
}

/// io/scene/scene_source has read it before.
Key<Scene> include() {
  const Form name = name_of("").form;
  return Key<Scene>(
      "include", in_words(either_form({name, list_form(name)}), "the name of a file, or a list of them"),
      [](Reading&, const YamlValue&, const Form&, Scene&) {}, nullptr);
}
Key<Scene> parameters() {
  Form form{.type = Form::Type::named, .parts = {number_form(Numbers::any(""))}, .may_be_empty = true};
  return Key<Scene>(
      "parameters", in_words(std::move(form), "mapping from names to numbers"),
      [](Reading&, const YamlValue&, const Form&, Scene&) {}, nullptr);
}

/// What the rest is read for depends on it.
Key<Scene> mode() {
  const Kind<Mode> kind = member_of<Mode>(kModeNames);
  return key("mode", &Scene::mode,
             Kind<Mode>{kind.form,
                        [kind](Reading& reading, const YamlValue& value, const Form& form, Mode& mode) {
                          reading.named.reset();
                          reading.mode = reading.as;
                          Mode named{};
                          kind.read(reading, value, form, named);
                          reading.named = named;
                          reading.mode = mode = reading.as.value_or(named);
                        },
                        kind.write});
}

Key<Scene> walls() {
  Form form = list_form(mapping(wall_section()).form);
  form.may_be_empty = true;
  return {"walls", std::move(form),
          [](Reading& reading, const YamlValue& value, const Form&, Scene&) { read_walls(reading, value); },
          [](Writing& writing, const Scene&) { write_walls(writing, 0); }};
}

Key<Scene> gravity_key() {
  static const Kind<std::vector<GravityPoint>> kind = gravity();
  return {"gravity", kind.form,
          [](Reading& reading, const YamlValue& value, const Form& form, Scene& scene) {
            std::vector<GravityPoint> points;
            kind.read(reading, value, form, points);
            if (points.empty()) return;
            scene.gravity = points.front().gravity;
            if (points.size() > 1) scene.soft.gravity_table = std::move(points);
          },
          [](Writing& writing, const Scene& scene) {
            kind.write(writing, scene.soft.gravity_table.empty() ? std::vector<GravityPoint>{{0.0, scene.gravity}}
                                                                 : scene.soft.gravity_table);
          }};
}

/// The groups of grains, each of which costs a pass over all grains now and then.
Kind<std::vector<ParticleGroup>> groups() {
  static const Kind<GroupEntry> group = in_lines(group_section());
  const auto entries = may_be_empty(list_of(group, "a list of particle groups"));
  return {entries.form,
          [entries](Reading& reading, const YamlValue& value, const Form& form, std::vector<ParticleGroup>& groups) {
            if (value.is_empty()) return;
            const std::vector<YamlValue> values = value.list("a list of particle groups");
            if (values.size() > kMostGroups) {
              value.fail_at_key(fmt::format("has {} groups, must have at most {}", values.size(), kMostGroups));
            }
            std::vector<GroupEntry> read;
            entries.read(reading, value, form, read);
            place_groups(reading, read, values);
            groups.assign(read.begin(), read.end());
          },
          [](Writing& writing, const std::vector<ParticleGroup>& groups) {
            writing.out << (groups.empty() ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
            for (const ParticleGroup& one : groups) group.write(writing, {one});
            writing.out << YAML::EndSeq;
          }};
}

}  // namespace

void require_version(const YamlValue& value) {
  if (!value.is(kVersion)) value.refuse("1, the version of the scene format");
}

const Section<GrowthSpec>& growth_section() {
  constexpr Numbers kPart{.least = 0.0, .greatest = 1.0, .without_least = true};
  static const Section<GrowthSpec> section =
      Section<GrowthSpec>(
          "growth",
          {
              key("rate", &GrowthSpec::rate, number(Numbers::positive("1/s")))
                  .required()
                  .says("at which the share of the groups' sizes that the grains have grows")
                  .example("1"),
              key("from", &GrowthSpec::from, number(kPart)).says("share of the sizes at time 0").example("0.1"),
              key("packing_fraction", &GrowthSpec::packing_fraction, number(kPart))
                  .says("at which growth ends; the disks fly on")
                  .example("0.8"),
              key("pressure", &GrowthSpec::pressure, number({.least = 1.0, .greatest = 1e9, .without_least = true}))
                  .says("p A / (N k T) at which growth ends: the disks have jammed and stop")
                  .example("1e8"),
              key("rescaling", &GrowthSpec::rescaling, number({.least = 1.0, .greatest = 64.0}))
                  .says("collisions a disk after which velocities get the energy of the start again and the pressure "
                        "is measured")
                  .example("10"),
              key("slow_beyond", &GrowthSpec::slow_beyond, maybe(number({.least = 1.0})))
                  .says("p A / (N k T) beyond which the rate falls, in inverse proportion to the pressure")
                  .otherwise("it stays")
                  .example("100"),
              key("least_rate", &GrowthSpec::least_rate, maybe(number(Numbers::positive("1/s"))))
                  .says("where it ends to fall; no more than `rate`")
                  .otherwise("`rate` / 1000")
                  .example("1e-3"),
          })
          .with_defaults()
          .with_table_below("growth");
  return section;
}

const Section<Thermostat>& thermostat_section() {
  using Kind = Thermostat::Kind;
  const auto is_of = [](std::initializer_list<Kind> kinds) {
    return [kinds = std::vector<Kind>(kinds)](const auto& at) {
      return at.sound("kind") && std::ranges::find(kinds, at.value.kind) != kinds.end();
    };
  };
  static const Section<Thermostat> section =
      Section<Thermostat>(
          "thermostat",
          {
              key("kind", &Thermostat::kind, member_of<Kind>(kThermostatNames))
                  .required()
                  .says(
                      "kicks: random ones; langevin: friction and random kicks that lead to a temperature; rescaling: "
                      "all velocities times one number")
                  .example("kicks"),
              key("every", &Thermostat::every, number(Numbers::positive("s")))
                  .required()
                  .says("between two changes of all velocities, at least a billionth of time.end")
                  .example("0.01"),
              key("strength", &Thermostat::strength, number(Numbers::positive("m^2/s^3")))
                  .required_if(is_of({Kind::kicks}), "required of kicks")
                  .written_if([](const Thermostat& all) { return all.kind == Kind::kicks; })
                  .says("of kicks: by which the variance of a velocity grows along each axis")
                  .example("1e-3"),
              key("temperature", &Thermostat::temperature, number(Numbers::positive("J")))
                  .required_if(is_of({Kind::langevin, Kind::rescaling}), "required of langevin and rescaling")
                  .written_if([](const Thermostat& all) { return all.kind != Kind::kicks; })
                  .says("k T: mean of m v^2 along an axis")
                  .example("1e-4"),
              key("rate", &Thermostat::rate, number(Numbers::positive("1/s")))
                  .required_if(is_of({Kind::langevin}), "required of langevin")
                  .written_if([](const Thermostat& all) { return all.kind == Kind::langevin; })
                  .says("of langevin: at which a velocity forgets what it was")
                  .example("2"),
              key("spins", &Thermostat::turns, either_of("free", "driven"))
                  .written_if([](const Thermostat& all) { return all.turns; })
                  .says("driven, not of kicks: angular velocities get the temperature, too")
                  .otherwise("`free`")
                  .example("driven"),
              key("from", &Thermostat::from, number(Numbers::at_least(0.0, "s")))
                  .says("the first change is at from + every")
                  .example("1"),
              key("until", &Thermostat::until, maybe(number(Numbers::positive("s"))))
                  .says("no change later")
                  .otherwise("none")
                  .example("10"),
          })
          .with_defaults()
          .after([](const Context<Thermostat>& at) {
            if (!at.sound("kind")) return;
            const auto refuse = [&](const char* key, const char* where) {
              if (at.given(key)) at.keys[key].refuse(std::string("left out ") + where);
            };
            const Kind kind = at.value.kind;
            if (kind != Kind::kicks) refuse("strength", "unless kind is kicks");
            if (kind == Kind::kicks) refuse("temperature", "where kind is kicks");
            if (kind != Kind::langevin) refuse("rate", "unless kind is langevin");
            if (kind == Kind::kicks && at.value.turns) refuse("spins", "where kind is kicks");
            if (at.value.until && at.sound("until") && *at.value.until < at.value.from) {
              at.keys["until"].refuse("a time after from [s]");
            }
          })
          .with_table_below("thermostat");
  return section;
}

const Section<Well>& well_section() {
  static const Section<Well> section =
      Section<Well>("well",
                    {
                        key("range", &Well::range, number(Numbers::above(1.0, "")))
                            .required()
                            .says("the pair has the energy while its centres are nearer than this times the sum of "
                                  "both radii")
                            .example("1.5"),
                        key("energy", &Well::energy, number(Numbers::any("J")))
                            .required()
                            .says("below 0 a well, above 0 a shoulder")
                            .example("-1e-3"),
                    })
          .with_table_below("well");
  return section;
}

Domain& Reading::domain() const {
  return scene.domain;
}
std::vector<Material>& Reading::materials() const {
  return scene.materials;
}
std::vector<Wall>& Reading::walls() const {
  return scene.walls;
}
Measure& Reading::measure() const {
  return *scene.measure;
}
double& Reading::end() const {
  return scene.end;
}
double Reading::output_every() const {
  return scene.output_every;
}

const std::vector<Material>& Writing::materials() const {
  return scene.materials;
}
const std::vector<Wall>& Writing::walls() const {
  return scene.walls;
}

const Scene& empty_scene() {
  static const Scene scene;
  return scene;
}

const Section<Scene>& scene_section() {
  static const Section<Scene> section =
      Section<Scene>(
          "scene",
          {
              version(),
              include()
                  .says("files whose keys this scene has, too")
                  .details("([below](#parameters-and-include))")
                  .otherwise("none")
                  .example("materials.yaml"),
              parameters()
                  .says("numbers by name, for expressions")
                  .details("([below](#parameters-and-include))")
                  .otherwise("none")
                  .example("{radius: 0.01, width: 40 * radius}"),
              key("title", &Scene::title, text()).says("any text").example("Stones poured on a plate"),
              mode()
                  .says(
                      "soft: grains overlap a little, time goes on in steps; hard: grains never overlap, time goes on "
                      "from collision to collision")
                  .details("([below](#hard-mode))")
                  .example("hard"),
              key("seed", &Scene::seed, whole_number<std::uint64_t>({}))
                  .says("of random numbers: equal scene and seed, equal run")
                  .example("7"),
              key("drawn_momentum", &Scene::keeps_drawn_momentum, either_of("removed", "kept"))
                  .says("net momentum of velocities that are drawn (`jitter`, `temperature`), along periodic axes; "
                        "removed: their mean "
                        "leaves each of them, and their energy stays")
                  .example("kept"),
              key("domain", &Scene::domain, mapping(domain_section()))
                  .required()
                  .says("the rectangle that is simulated")
                  .example("{x: [-1, 1], y: [-0.1, 2]}"),
              gravity_key().says("acceleration; a table in time in soft mode only").example("[0, -9.81]"),
              key("materials", &Scene::materials, materials_by_name()).says("materials by name"),
              walls().says("bodies of infinite mass"),
              key("particles", &Scene::particles, groups()).says("groups of grains"),
              key("start", &Scene::start, start())
                  .only_in(Mode::soft)
                  .says("the grains of an earlier run, with which this one begins")
                  .details("([below](#start))")
                  .otherwise("none")
                  .example("{from: out/settled}"),
              nested<Scene>("contact", in_lines(contact_section()))
                  .says("force laws and pairs of materials")
                  .otherwise("`{}`")
                  .example("{law: area}"),
              key("growth", &Scene::hard, &HardOptions::growth, mapping(growth_section()))
                  .only_in(Mode::hard)
                  .written_if([](const Scene& scene) { return scene.hard.growth.rate > 0.0; })
                  .says("disks that grow until they jam")
                  .otherwise("none")
                  .example("{rate: 1, from: 0.1}"),
              key("well", &Scene::hard, &HardOptions::well, mapping(well_section()))
                  .only_in(Mode::hard)
                  .written_if([](const Scene& scene) { return scene.hard.well.range > 1.0; })
                  .says("disks that attract or repel each other")
                  .otherwise("none")
                  .example("{range: 1.5, energy: -1e-3}"),
              key("thermostat", &Scene::thermostat, maybe(mapping(thermostat_section())))
                  .says("energy that all grains are given at regular times")
                  .otherwise("none")
                  .example("{kind: kicks, every: 0.01, strength: 1e-3}"),
              key("arithmetic", &Scene::hard, &HardOptions::arithmetic, member_of<Arithmetic>(kArithmeticNames))
                  .only_in(Mode::hard)
                  .written_if([](const Scene& scene) { return scene.hard.arithmetic != Arithmetic::floating; })
                  .says("float: doubles; exact: whole numbers, with which a run goes back bit for bit")
                  .details("([reversible.md](reversible.md#exactly))")
                  .otherwise("`float`")
                  .example("exact"),
              key("broadphase", &Scene::broadphase, member_of<BroadphaseKind>(kBroadphaseNames))
                  .says("method that finds the pairs that may touch")
                  .details("([below](#broadphase))")
                  .example("linked_cells"),
              key("stages", &Scene::soft, &SoftOptions::stages, stages())
                  .only_in(Mode::soft)
                  .says("parts of the run, one after the other")
                  .details("([below](#stages))")
                  .otherwise("none")
                  .example("[{name: settle, time: {end: 1}}, {name: tilt, gravity: [1, -9.8], time: {end: 1}}]"),
              nested<Scene>("time", mapping(time_section()))
                  .required_unless(
                      "stages",
                      [](const auto& at) { return !at.given("stages") && at.reading.mistakes.readable("stages"); })
                  .says("end, step and integrator")
                  .example("{end: 4.0}"),
              nested<Scene>("output", mapping(output_section()))
                  .required()
                  .says("interval of frames, and directory")
                  .example("{every: 0.02}"),
              nested<Scene>("checkpoint", mapping(checkpoint_section()))
                  .says("how often the state is saved")
                  .otherwise("`{}`")
                  .example("{every: 600}"),
              key("measure", &Scene::measure, maybe(mapping(measure_section())))
                  .says("what is measured")
                  .otherwise("nothing")
                  .example("{from: 1}"),
          })
          .with_defaults()
          .with_table_below("at-the-top");
  return section;
}

YamlValue::Words scene_keys() {
  YamlValue::Words names;
  for (const KeyInfo& key : scene_section().info().keys) names.push_back(key.name);
  return names;
}

}  // namespace scree::keys
