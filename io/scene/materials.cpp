#include "dem/materials.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dem/scene.hpp"
#include "dem/soft/contact/laws/laws.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"

namespace scree::keys {

namespace {

constexpr double kGreatestDampingRatio = 10.0;
constexpr std::size_t kMostMaterials = 100;
constexpr double kLeastViscoelasticRestitution = 0.01;

bool is_in(Mode mode, const Context<Material>& at) {
  return at.reading.mode == mode;
}

std::optional<Numbers> restitutions(const Context<Material>& at) {
  if (!is_in(Mode::soft, at)) return {};
  return Numbers{.least = 0.0, .greatest = 1.0, .without_least = true, .reason = "no finite damping reaches 0"};
}

std::optional<Numbers> dynamic_frictions(const Context<Material>& at) {
  if (!at.sound("friction") || is_in(Mode::hard, at)) return {};
  return Numbers{.least = 0.0, .greatest = at.value.friction, .reason = "up to friction"};
}

/// What two materials in contact have in common: keys of a material, and of a pair instead of mixing.
std::vector<Key<Material>> contact_properties() {
  return {
      key("stiffness", &Material::stiffness, number(Numbers::positive("N/m")))
          .required_if([](const auto& at) { return is_in(Mode::soft, at); }, "required; hard mode: none")
          .written_if([](const Material& m) { return m.stiffness > 0.0; })
          .says("Y of the contact law")
          .example("1e6"),
      key("restitution", &Material::restitution, number({.least = 0.0, .greatest = 1.0}))
          .limited(restitutions)
          .required_if([](const auto& at) { return !at.given("damping"); }, "this or `damping`")
          .written_if([](const Material& m) { return !m.damping; })
          .says("rebound speed over impact speed of a central impact, with however many parts grains touch; 0 in hard "
                "mode only, as no finite damping reaches it")
          .example("0.3"),
      key("damping", &Material::damping, maybe(number({.least = 0.0, .greatest = kGreatestDampingRatio})))
          .refused_in(Mode::hard, "left out in hard mode, and restitution given instead")
          .says("damping ratio of the normal dashpot; not in hard mode")
          .otherwise("this or `restitution`")
          .example("0.5"),
      key("friction", &Material::friction, number(Numbers::at_least(0.0, "")))
          .says("Coulomb's coefficient")
          .example("0.5"),
      key("dynamic_friction", &Material::dynamic_friction, number_or("static", Numbers::at_least(0.0, "")))
          .limited(dynamic_frictions)
          .says("of contacts that slide, up to friction; static: the same as friction")
          .example("0.4"),
      key("tangential_stiffness", &Material::tangential_stiffness, number(Numbers::positive("")))
          .says("of friction's spring, as a share of stiffness")
          .otherwise("2/7")
          .example("0.5"),
      key("tangential_damping", &Material::tangential_damping,
          number_or("normal", {.least = 0.0, .greatest = kGreatestDampingRatio}))
          .says("damping ratio of friction's dashpot; normal: that of the normal one")
          .example("0.2"),
      key("rolling_friction", &Material::rolling_friction, number(Numbers::at_least(0.0, "")))
          .says("greatest rolling torque over normal force and rolling radius")
          .details("([laws](laws.md#rolling-resistance))")
          .example("0.05"),
      key("cohesion", &Material::cohesion, number(Numbers::at_least(0.0, "N/m")))
          .says("attraction over the length of the contact's chord")
          .details("([laws](laws.md#cohesion))")
          .example("10"),
      key("tangential_restitution", &Material::tangential_restitution, number({.least = -1.0, .greatest = 1.0}))
          .means_something_in(Mode::hard)
          .says("rebound over impact velocity, along the surface, of contacts that stick; -1: as if smooth")
          .example("0.5"),
      key("restitution_law", &Material::restitution_law, member_of<RestitutionLaw>(kRestitutionLawNames))
          .means_something_in(Mode::hard)
          .says("how the restitution depends on the speed of approach")
          .details(
              "$v$, with $e$ the `restitution` and $v_0$ the `restitution_speed`. `bizon`: "
              "$1-(1-e)(v/v_0)^{3/4}$ below $v_0$, $e$ above; `viscoelastic`: that of viscoelastic spheres, $e$ at "
              "$v_0$, more below and less above, with $e$ in [0.01, 1) "
              "([theory](theory.md#what-a-collision-does))")
          .example("bizon"),
      key("restitution_speed", &Material::restitution_speed, number(Numbers::positive("m/s")))
          .means_something_in(Mode::hard)
          .written_if([](const Material& m) { return m.restitution_law != RestitutionLaw::constant; })
          .says("speed of approach at which the restitution holds")
          .otherwise("required beside a law that depends on speed, and only there")
          .example("0.5"),
  };
}

/// How restitution depends on speed; a pair without a law has that of its mixture. It is checked in hard mode only.
void check_restitution_law(const Context<Material>& at) {
  const YamlValue law = at.keys["restitution_law"];
  const YamlValue speed = at.keys["restitution_speed"];
  const YamlValue restitution = at.keys["restitution"];
  Material& material = at.value;
  if (!at.sound("restitution_law")) return;
  if (law.given() && material.restitution_law != RestitutionLaw::constant) {
    if (!speed.given() && at.sound("restitution_speed")) speed.refuse(Numbers::positive("m/s").text());
  } else {
    if (speed.given()) speed.refuse("left out: no restitution_law that depends on speed is given with it");
    if (law.given()) material.restitution_speed = Material{}.restitution_speed;
  }
  if (!is_in(Mode::hard, at) || material.restitution_law != RestitutionLaw::viscoelastic) return;
  if (material.restitution >= kLeastViscoelasticRestitution && material.restitution < 1.0) return;
  if (!at.sound("restitution")) return;
  if (!restitution.given()) law.refuse("constant or bizon, since restitution is not in [0.01, 1)");
  restitution.refuse("a number in [0.01, 1), since restitution_law is viscoelastic");
}

void check_contact_properties(const Context<Material>& at) {
  const auto attempt = [&](const auto& rule) { at.reading.mistakes.attempt(rule); };
  if (at.given("restitution") && at.given("damping") && !is_in(Mode::hard, at)) {
    attempt([&] { (void)at.keys.only_one_of({"restitution", "damping"}); });
  }
  // In a pair, what is given takes the place of the mixture's.
  if (at.given("restitution")) at.value.damping.reset();
  if (at.given("friction") && !at.given("dynamic_friction")) at.value.dynamic_friction.reset();
  attempt([&] { check_restitution_law(at); });
  if (!is_in(Mode::hard, at)) return;
  const auto refuse = [&](const char* key, bool is_bad, const char* allowed) {
    if (is_bad && at.given(key) && at.sound(key)) attempt([&] { at.keys[key].refuse(allowed); });
  };
  refuse("dynamic_friction", at.value.dynamic_friction.has_value(), "static in hard mode");
  refuse("rolling_friction", at.value.rolling_friction != 0.0, "0 in hard mode");
  refuse("cohesion", at.value.cohesion != 0.0, "0 in hard mode");
}

/// Reads which pair it is, and mixes its materials.
void read_between(Reading& reading, const YamlValue& value, const Form&, MaterialPair& pair) {
  const std::string allowed = "a list of two materials";
  const std::vector<YamlValue> names = value.list(allowed);
  if (names.size() != 2) value.refuse(allowed);
  Mistakes mistakes;
  mistakes.attempt([&] { pair.first = read_material(reading, names[0]); });
  mistakes.attempt([&] { pair.second = read_material(reading, names[1]); });
  mistakes.throw_if_any();
  if (!reading.mistakes.readable("materials")) return;
  if (!reading.pairs.insert(std::minmax({pair.first, pair.second})).second) {
    value.fail("names a pair again, must be another one than those before");
  }
  const auto& first = reading.scene.materials[static_cast<std::size_t>(pair.first)];
  const auto& second = reading.scene.materials[static_cast<std::size_t>(pair.second)];
  const auto sound = [&](const Material& m) { return reading.mistakes.sound("materials." + m.name); };
  if (reading.mode && sound(first) && sound(second)) pair.mixed = mix(*reading.mode, first, second);
}

void read_materials(Reading& reading, const YamlValue& value, const Form&, std::vector<Material>& materials) {
  if (value.is_empty()) return;
  const auto entries = value.entries("a mapping from names to materials", reading.mistakes);
  if (entries.size() > kMostMaterials) {  // of which there is a table of all pairs
    value.fail_at_key(fmt::format("has {} materials, must have at most {}", entries.size(), kMostMaterials));
  }
  for (const auto& [name, entry] : entries) {
    Material material;
    material.name = name;
    reading.mistakes.attempt([&, &at = entry] { material_section().read(reading, at, material); });
    materials.push_back(std::move(material));
  }
}

}  // namespace

const Section<Material>& material_section() {
  static const Section<Material> section = [] {
    std::vector<Key<Material>> keys = contact_properties();
    keys.insert(keys.begin(), key("density", &Material::density, number(Numbers::positive("kg/m^2")))
                                  .required()
                                  .says("mass per area")
                                  .example("2600"));
    return Section<Material>("material", std::move(keys))
        .exactly_one_by_rule({"restitution", "damping"})
        .with_defaults()
        .after(check_contact_properties)
        .with_table_below("materials");
  }();
  return section;
}

const Section<MaterialPair>& pair_section() {
  static const Section<MaterialPair> section = [] {
    Form between = list_form(material().form, 2, 2);
    std::vector<Key<MaterialPair>> keys;
    keys.push_back(Key<MaterialPair>("between", in_words(std::move(between), "names of two materials, or of one twice"),
                                     read_between,
                                     [](Writing& writing, const MaterialPair& pair) {
                                       writing.out << YAML::Flow << YAML::BeginSeq;
                                       material().write(writing, pair.first);
                                       material().write(writing, pair.second);
                                       writing.out << YAML::EndSeq;
                                     })
                       .required()
                       .says("the two materials")
                       .example("[stone, steel]"));
    for (const Key<Material>& property : contact_properties()) {
      keys.push_back(property.of(&MaterialPair::mixed).optional());
    }
    return Section<MaterialPair>("pair", std::move(keys))
        .never_together_by_rule({"restitution", "damping"})
        .before([](const auto& at) { at.value.mixed.friction = kLargestNumber; })  // limits nothing until it is mixed
        .after([](const auto& at) {
          check_contact_properties({at.reading, at.keys, at.value.mixed});
        });
  }();
  return section;
}

Kind<std::vector<Material>> materials_by_name() {
  return {{.type = Form::Type::named, .parts = {mapping_form(material_section().info())}, .may_be_empty = true},
          read_materials,
          [](Writing& writing, const std::vector<Material>& materials) {
            writing.out << (materials.empty() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
            for (const Material& material : materials) {
              writing.out << YAML::Key;
              write_text(writing, material.name);
              writing.out << YAML::Value << YAML::Flow;
              material_section().write(writing, material);
            }
            writing.out << YAML::EndMap;
          }};
}

/// What changes of a material, the rest of which is as it was.
const Section<Material>& material_change_section() {
  static const Section<Material> section = [] {
    std::vector<Key<Material>> keys;
    for (Key<Material>& property : contact_properties()) {
      keys.push_back(std::move(property).optional().otherwise("it stays"));
    }
    return Section<Material>("material change", std::move(keys))
        .never_together_by_rule({"restitution", "damping"})
        .after(check_contact_properties);
  }();
  return section;
}

Kind<std::vector<std::pair<int, Material>>> material_changes() {
  Form form{.type = Form::Type::named, .parts = {mapping_form(material_change_section().info())}, .may_be_empty = true};
  return {in_words(std::move(form), "mapping from names of materials to any of their keys but `density`"),
          [](Reading& reading, const YamlValue& value, const Form&, std::vector<std::pair<int, Material>>& changes) {
            if (value.is_empty()) return;
            const std::vector<Material>& materials = reading.scene.materials;
            for (const auto& [name, entry] : value.entries("a mapping from names to materials", reading.mistakes)) {
              reading.mistakes.attempt([&, &name = name, &entry = entry] {
                const auto material = std::ranges::find(materials, name, &Material::name);
                if (material == materials.end()) {
                  if (reading.mistakes.readable("materials")) {
                    entry.fail_at_key("is none of the scene's materials, must be one");
                  }
                  return;
                }
                Material changed = *material;
                material_change_section().read(reading, entry, changed);
                changes.emplace_back(static_cast<int>(material - materials.begin()), changed);
              });
            }
          },
          [](Writing& writing, const std::vector<std::pair<int, Material>>& changes) {
            writing.out << YAML::Block << YAML::BeginMap;
            for (const auto& [number, material] : changes) {
              writing.out << YAML::Key;
              write_text(writing, material.name);
              writing.out << YAML::Value << YAML::Flow;
              material_change_section().write(writing, material);
            }
            writing.out << YAML::EndMap;
          },
          [](const std::vector<std::pair<int, Material>>& changes) { return !changes.empty(); }};
}

const Section<Scene>& contact_section() {
  static Kind<std::vector<MaterialPair>> pairs =
      may_be_empty(list_of(mapping(pair_section()), "a list of pairs of materials"));
  pairs.form.markdown =
      "list of mappings: `between`, two materials, and any keys of [materials](#materials) but `density`";
  static const Section<Scene> section =
      Section<Scene>(
          "contact",
          {
              key("law", &Scene::contact_law, word(soft::law_names<soft::PolygonLaws>()))
                  .means_something_in(Mode::soft)
                  .says("force law of polygons on polygons")
                  .details("([laws](laws.md))")
                  .example("area_potential"),
              key("disks", &Scene::disk_law, word(soft::law_names<soft::DiskLaws>()))
                  .means_something_in(Mode::soft)
                  .says("force law of contacts with disks")
                  .details("([laws](laws.md))")
                  .example("hertz"),
              key("pairs", &Scene::pairs, std::move(pairs))
                  .says("pairs of materials that are not to be mixed by rule")
                  .example("[{between: [stone, steel], friction: 0.2}]"),
              key("initial_depth", &Scene::soft, &SoftOptions::initial_depth,
                  number({.least = 0.0, .greatest = soft::kMaxDepthRatio}))
                  .means_something_in(Mode::soft)
                  .says("how deep contacts may be at time 0, over the smaller grain's diameter; beyond that "
                        "the scene is refused")
                  .details("([below](#overlaps-at-the-start))")
                  .example("0.01"),
              key("local_damping", &Scene::soft, &SoftOptions::local_damping, number({.least = 0.0, .greatest = 0.95}))
                  .only_in(Mode::soft)
                  .written_if([](const Scene& scene) { return scene.soft.local_damping != 0.0; })
                  .says(
                      "Cundall's local damping for quasi-statics: the share of the force on a grain that acts against "
                      "its motion, from 0 to 0.95")
                  .details("([theory](theory.md#local-damping))")
                  .otherwise("`0`")
                  .example("0.7"),
              key("duration", &Scene::hard, &HardOptions::contact_duration, number(Numbers::at_least(0.0, "s")))
                  .means_something_in(Mode::hard)
                  .says("t_c of the TC model: a disk's collision that soon after its last one keeps the "
                        "energy of the normal motion; 0: none")
                  .details("([theory](theory.md#11-event-driven-hard-disks)). Beds at rest need it, or "
                           "infinitely many collisions come in no time")
                  .example("1e-5"),
          })
          .with_defaults()
          .with_table_below("contact");
  return section;
}

}  // namespace scree::keys
