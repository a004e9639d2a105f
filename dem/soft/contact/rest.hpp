#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "parallel/exact_sum.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// How far the grains are from equilibrium: the sum over all grains of the magnitudes of their net forces, weight
/// included, over the sum of the magnitudes of all forces on them. From 0, at rest or in steady motion, to 1, if each
/// grain flies freely or touches one other. What is fixed of a grain bears any force. 1 without grains or forces.
/// Source: the average ratio of quasi-static codes; docs/theory.md, At rest.
/// Cost: O(grains + contacts), serial.
class UnbalancedForces {
 public:
  /// Adds up those of some grains, and of the contacts of which they are a. @param own one flag a body; all count if
  ///        there are none
  void add(const Scene& scene, const Bodies& bodies, const Contacts& contacts, std::span<const Motion> net_force,
           std::span<const char> own = {});
  UnbalancedForces& operator+=(const UnbalancedForces& other);
  double ratio() const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.unbalanced_, self.all_);
  }

 private:
  ExactSum unbalanced_;
  ExactSum all_;
};
double unbalanced_force_ratio(const Scene& scene, const Bodies& bodies, const Contacts& contacts,
                              std::span<const Motion> net_force);

/// The ratio is computed after so many steps each, and it must be below the limit so many times running: an
/// oscillation that passes through equilibrium is not at rest.
inline constexpr std::uint64_t kStepsBetweenLooks = 64;
inline constexpr std::uint32_t kLooksAtRest = 8;

}  // namespace scree::soft
