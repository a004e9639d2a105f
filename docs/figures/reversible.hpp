#pragma once

#include <map>
#include <string>

namespace scree::figures {

/// The figures of docs/reversible.md by their names, drawn with the operators themselves.
std::map<std::string, std::string> reversible_figures();

}  // namespace scree::figures
