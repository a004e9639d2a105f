#pragma once

#include <string>
#include <vector>

namespace scree {

struct Scene;

/// For people: what the groups of a scene's particles are, such as "poured random polygons of stone". No two are alike.
std::vector<std::string> group_names(const Scene& scene);

std::vector<std::string> material_names(const Scene& scene);

}  // namespace scree
