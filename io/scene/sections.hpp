#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dem/scene/cell_drive.hpp"
#include "dem/scene/domain.hpp"
#include "dem/scene/grain_shape.hpp"
#include "dem/scene/hard_options.hpp"
#include "dem/scene/material.hpp"
#include "dem/scene/measure.hpp"
#include "dem/scene/particles.hpp"
#include "dem/scene/region.hpp"
#include "dem/scene/stage.hpp"
#include "dem/scene/start.hpp"
#include "dem/scene/thermostat.hpp"
#include "dem/scene/wall.hpp"
#include "io/scene/kinds.hpp"
#include "io/scene/section.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// The sections of a scene. Each is a table of keys with the rules beside it; docs/scene.md is made from them.
namespace scree::keys {

/// The scene itself: what stands at the top.
const Section<Scene>& scene_section();
/// Names of its keys.
YamlValue::Words scene_keys();
/// In another version of the format anything may be different: nothing else of such a scene is worth reading.
/// @throws SceneError
void require_version(const YamlValue& value);

const Section<Domain>& domain_section();
/// What drives a periodic cell.
const Section<CellDrive>& cell_section();
/// A rectangle inside the domain.
Kind<Region> region();

const Section<Material>& material_section();
/// A mapping from names to materials.
Kind<std::vector<Material>> materials_by_name();
const Section<MaterialPair>& pair_section();
const Section<Scene>& contact_section();

/// A wall as it is written down: one of several outlines, a ring even many walls.
struct WallEntry : Wall {
  std::vector<std::vector<Vec2>> outlines = {};
};
const Section<WallEntry>& wall_section();

/// The numbers of walls by a name, or of all those of a ring or line of that name.
std::vector<int> walls_called(const Scene& scene, const std::string& name);
/// A mapping from names of walls to what moves them from now on.
Kind<std::vector<WallChange>> wall_changes();
/// Several bodies or one: entries of a list, each read by its section into the scene.
/// @param stage  the walls of which are written
void read_walls(Reading& reading, const YamlValue& value);
void write_walls(Writing& writing, int stage);
/// A mapping from names of materials to what changes of them.
Kind<std::vector<std::pair<int, Material>>> material_changes();
/// The parts of a run.
Kind<std::vector<Stage>> stages();
/// Time at which a run ends by itself.
Kind<std::optional<double>> until_rest();
/// The grains of an earlier run.
Kind<std::optional<Start>> start();

const Section<ShapeSpec>& shape_section();
Kind<ShapeSpec> shape();
const Section<Placed>& placed_section();
struct GroupEntry;
const Section<GroupEntry>& group_section();

const Section<Scene>& time_section();
const Section<Scene>& output_section();
const Section<Scene>& checkpoint_section();
const Section<GrowthSpec>& growth_section();
const Section<Thermostat>& thermostat_section();
const Section<Well>& well_section();
const Section<Measure>& measure_section();

}  // namespace scree::keys
