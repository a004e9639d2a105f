#pragma once

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// How grains are shared among ranks. Nothing of it changes the motion.
struct Sharing {
  bool renew_in_every_step = false;  ///< owners of grains, and ghosts
  bool rebalance_always = false;     ///< where domains end, whenever owners are renewed; else if it pays
};

/// @throws InvalidScene for a scene that several ranks cannot run: of the hard mode
void require_shareable(const Scene& scene);

}  // namespace scree::soft
