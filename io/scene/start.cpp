#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dem/inherited.hpp"
#include "dem/scene.hpp"
#include "dem/soft/forces/overlap_limits.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/sections.hpp"
#include "io/scene/start_reader.hpp"
#include "io/text/errors.hpp"
#include "io/text/message_text.hpp"

namespace scree::keys {

namespace {

const Section<Start>& start_section() {
  static const Section<Start> section =
      Section<Start>("start",
                     {
                         key("from", &Start::from, name_of("the directory of a run, its state.scree or a frame of it"))
                             .required()
                             .says("the directory of a run, its state.scree or a frame of it, as seen from where the "
                                   "program runs, else from this file")
                             .example("out/settled"),
                         key("hash", &Start::hash, text())
                             .written_if([](const Start& start) { return !start.hash.empty(); })
                             .says("of what was taken over; the run writes it, and refuses another one")
                             .otherwise("any")
                             .example("0123456789abcdef"),
                         key("groups", &Start::groups, whole_number<std::size_t>({.least = 0, .greatest = 1000}))
                             .written_if([](const Start& start) { return !start.hash.empty(); })
                             .says("how many of the last groups of particles are those of the earlier run; the run "
                                   "writes it")
                             .otherwise("they are added")
                             .example("2"),
                     })
          .with_table_below("start");
  return section;
}

/// The earlier run suits this scene; else an error at the key names what does not.
void check_domain(const Domain& domain, const Domain& earlier, const YamlValue& value) {
  if (earlier.cell) value.fail("is a run in a cell that deforms, must be one in a domain that stays as it is");
  for (const std::size_t axis : {0, 1}) {
    const auto k = static_cast<Eigen::Index>(axis);
    const char* name = axis == 0 ? "x" : "y";
    if (domain.periodic[axis] != earlier.periodic[axis]) {
      value.fail(fmt::format("is a run that is {}periodic along {}, must be as this scene's domain",
                             earlier.periodic[axis] ? "" : "not ", name));
    }
    if (domain.periodic[axis] && (domain.lo[k] != earlier.lo[k] || domain.hi[k] != earlier.hi[k])) {
      value.fail(
          fmt::format("is a run that is periodic along {} from {} to {} m, must be from {} to {} m as this scene", name,
                      earlier.lo[k], earlier.hi[k], domain.lo[k], domain.hi[k]));
    }
  }
}

/// The groups of the earlier run, with this scene's materials.
std::vector<ParticleGroup> groups_of(const EarlierGrains& earlier, const Scene& scene, const YamlValue& value) {
  std::vector<ParticleGroup> groups;
  for (std::size_t g = 0; g < earlier.scene.particles.size(); ++g) {
    ParticleGroup group = earlier.scene.particles[g];
    group.how = Place{};
    const std::string& name = earlier.scene.materials[static_cast<std::size_t>(group.material)].name;
    const auto material = std::ranges::find(scene.materials, name, &Material::name);
    const bool is_used = std::ranges::any_of(earlier.inherited.grains, [&](const Inherited::Grain& grain) {
      return static_cast<std::size_t>(grain.group) == g;
    });
    if (material == scene.materials.end()) {
      if (is_used || scene.materials.empty()) {
        value.fail(fmt::format("has grains of the material '{}', which must be one of this scene's", shortened(name)));
      }
      group.material = 0;  // of no group
    } else {
      group.material = static_cast<int>(material - scene.materials.begin());
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

void take_over(Reading& reading, const YamlValue& value, Start& start) {
  namespace fs = std::filesystem;
  const YamlValue from = value["from"];
  const fs::path path = fs::exists(start.from) ? fs::path(start.from) : from.beside(start.from);
  EarlierGrains earlier = [&] {
    try {
      return read_earlier_grains(path);
    } catch (const IoError& error) {
      from.fail(fmt::format("cannot be used: {}", error.what()));
    }
  }();
  Scene& scene = reading.scene;
  check_domain(scene.domain, earlier.scene.domain, from);
  if (!start.hash.empty() && start.hash != earlier.hash) {
    from.fail(fmt::format("has grains with the hash {}, must be those with {} (start.hash)", earlier.hash, start.hash));
  }
  std::vector<ParticleGroup> groups = groups_of(earlier, scene, from);
  std::size_t outside = 0;
  for (const Inherited::Grain& grain : earlier.inherited.grains) {
    const Vec2& at = grain.state.position;
    if ((at.array() < scene.domain.lo.array()).any() || (at.array() > scene.domain.hi.array()).any()) ++outside;
  }
  if (outside > 0) {
    from.fail(fmt::format("has {} grains outside this scene's domain, must have none there", outside));
  }
  if (start.hash.empty()) {
    start.hash = earlier.hash;
    start.groups = groups.size();
    scene.particles.insert(scene.particles.end(), groups.begin(), groups.end());
  }
  if (start.groups != groups.size() || start.groups > scene.particles.size()) {
    value["groups"].refuse(fmt::format("{}, as many as that run has", groups.size()));
  }
  for (Inherited::Grain& grain : earlier.inherited.grains) {
    grain.group += static_cast<int>(scene.particles.size() - start.groups);
  }
  constexpr double kRounding = 1.0 + 1e-6;
  const double depth = std::min(earlier.inherited.max_depth_ratio * kRounding, soft::kMaxDepthRatio);
  scene.soft.initial_depth = std::max(scene.soft.initial_depth, depth);
  start.inherited = std::make_shared<const Inherited>(std::move(earlier.inherited));
}

}  // namespace

Kind<std::optional<Start>> start() {
  return {mapping_form(start_section().info()),
          [](Reading& reading, const YamlValue& value, const Form&, std::optional<Start>& start) {
            start_section().read(reading, value, start.emplace());
            if (reading.is_saved) return;
            // With all the groups and materials, and contact.initial_depth.
            reading.last.emplace_back([&reading, &start, value] {
              for (const char* key : {"start", "mode", "domain", "materials", "particles"}) {
                if (!reading.mistakes.sound(key)) return;
              }
              reading.mistakes.attempt([&] {
                if (!reading.scene.soft.stages.empty()) value.refuse("left out beside stages");
                take_over(reading, value, *start);
              });
            });
          },
          [](Writing& writing, const std::optional<Start>& start) { mapping(start_section()).write(writing, *start); },
          [](const std::optional<Start>& start) { return start.has_value(); }};
}

}  // namespace scree::keys
