#pragma once

#include <string>

#include "geometry/overlap.hpp"

namespace scree::test {

/// What the engine found that is not what exact arithmetic finds; empty if all is well, or CGAL is not there to tell.
std::string exact_disagreement(Outline a, Outline b, const Pose& b_in_a, const ClosestFeatures& closest,
                               const Overlap& overlap);

}  // namespace scree::test
