#pragma once

#include <map>
#include <string>

namespace scree::figures {

/// Figures of several pages by their names: the floors of the house, signs, systems with closed forms, how a state
/// is saved, force laws.
std::map<std::string, std::string> figures_of_pages();

}  // namespace scree::figures
