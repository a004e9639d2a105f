#pragma once

/// Tolerances of the soft mode that several of its files share. For code that is compiled for lanes, too: constants
/// only.
namespace scree::soft {

/// A change of a contact's chord by less than this share of its length is no jump worth a thought.
inline constexpr double kLeastJump = 1e-3;

}  // namespace scree::soft
