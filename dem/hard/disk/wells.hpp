#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dem/hard/boxes/disk_boxes.hpp"
#include "dem/hard/flight/collision_rule.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/prediction.hpp"
#include "dem/hard/flight/space.hpp"
#include "dem/scene/hard_options.hpp"

/// Square wells and shoulders around hard disks: Lubachevsky 1991, section 11, Eq. (17); B. J. Alder & T. E.
/// Wainwright, J. Chem. Phys. 31 (1959) 459.
namespace scree::hard {

/// NearImage b of a pair a < b, `periods` from where both are when nothing is wrapped.
struct WellPair {
  Index a;
  Index b;
  std::array<std::int32_t, 2> periods;

  auto operator<=>(const WellPair&) const = default;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.a, self.b, self.periods);
  }
};

/// Which pairs are inside each other's well: a fact of its own that events change, never inferred from a distance.
class WellPairs {
 public:
  void assign(std::size_t disks, const std::vector<WellPair>& pairs);
  bool contains(const WellPair& pair) const;
  void insert(const WellPair& pair);
  void erase(const WellPair& pair);
  std::size_t size() const { return size_; }
  /// In order.
  std::vector<WellPair> all() const;

 private:
  std::vector<std::vector<WellPair>> of_;  // by the lower disk
  std::size_t size_ = 0;
};

/// The well of all pairs, and which pairs are inside it.
struct Wells {
  Well well;
  WellPairs pairs;

  bool exist() const { return well.range > 1.0; }
  /// Energy of all pairs inside [J].
  double energy() const { return well.energy * static_cast<double>(pairs.size()); }
};

/// The name of an image of a pair, which wrapping does not change.
/// @param image of j, seen from i
WellPair well_pair(const Disks& disks, Index i, Index j, NearImage image);

/// Checks pairs that were loaded. @throws InvalidState
void require_sound(const std::vector<WellPair>& pairs, std::size_t disks);

/// The pairs inside their wells by their distances: at the start only, since rounding decides later.
std::vector<WellPair> pairs_by_distance(const Well& well, const Disks& disks, const DiskBoxes& boxes,
                                        const Space& space);

/// What comes next between two disks.
struct WellEvent {
  double time;   ///< kNever: nothing [s]
  bool at_edge;  ///< of the well; else the disks touch
};

/// @param contact distance of the centres at which they touch [m]
/// @param inside the well, even if rounding has put the pair on the other side of the edge: a pair outside enters at
///               once if it approaches, a pair inside leaves at once if it does not
WellEvent next_well_event(const Approach& pair, double contact, double range, bool inside);

/// The jump at the edge of a well: the velocity along the distance changes by what the energy takes or gives; if it has
/// too little, the pair bounces. Afterwards it moves as it should, in the arithmetic that predicts.
/// @return whether it passes
bool cross_edge(const Well& well, bool inside, ImpactBody& a, ImpactBody& b, const Vec2& distance);

}  // namespace scree::hard
