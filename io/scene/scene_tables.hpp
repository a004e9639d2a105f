#pragma once

#include <string>

namespace scree {

/// docs/scene.md with new tables of keys: between `<!-- keys: NAME -->` and `<!-- end of keys -->` the table of the
/// section NAME, made from the reader's tables of keys; between `<!-- index of keys -->` and `<!-- end of
/// index
/// -->`, if they are there, all keys by the alphabet with links to their tables.
/// @throws std::invalid_argument that names what is wrong: a marker without a section or without an end, a section
///         without a marker
std::string with_key_tables(const std::string& markdown);

}  // namespace scree
