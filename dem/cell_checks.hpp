#pragma once

namespace scree {

struct Scene;

/// A cell that deforms must have periodic sides, and nothing that stands still beside them, in either mode.
/// @throws InvalidScene
void require_alone_in_cell(const Scene& scene);

}  // namespace scree
