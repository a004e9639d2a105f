#include "dem/soft/forces/dashpot_shares.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

/// Whether both are contacts of the same two grains.
bool belong_together(const Bodies& bodies, const Contacts& contacts, std::size_t one, std::size_t other) {
  const BodyPair& pair = contacts.bodies(one);
  const BodyPair& of_other = contacts.bodies(other);
  return bodies.particle(pair.a) == bodies.particle(of_other.a) &&
         bodies.particle(pair.b) == bodies.particle(of_other.b);
}

/// Shares the dashpot among the contacts of two grains.
void share(Contacts& contacts, std::size_t begin, std::size_t end) {
  Eigen::Matrix2d all;  // stiffness of those with one image of the partner
  for (std::size_t k = begin; k < end; ++k) {
    const Image image = contacts.image(k);
    if (k == begin || image != contacts.image(k - 1)) {
      all.setZero();
      for (std::size_t other = begin; other < end; ++other) {
        const Vec2& normal = contacts.axes[other].normal;
        if (contacts.image(other) == image) all += contacts.parts[other].stiffness * normal * normal.transpose();
      }
    }
    const Vec2& normal = contacts.axes[k].normal;
    const double share = std::sqrt(contacts.parts[k].stiffness / normal.dot(all * normal));
    contacts.dashpot_share[k] = std::min(1.0, share);
  }
}

}  // namespace

void share_dashpots(const Bodies& bodies, Contacts& contacts) {
  contacts.dashpot_share.assign(bodies.parts > 0 ? contacts.size() : 0, 1.0);
  parallel_for_ranges(contacts.dashpot_share.size(), [&](std::size_t begin, std::size_t end) {
    // Contacts of the same two grains follow each other; the first one leads to all.
    while (begin > 0 && begin < end && belong_together(bodies, contacts, begin - 1, begin)) ++begin;
    while (begin < end) {
      std::size_t behind = begin + 1;
      while (behind < contacts.size() && belong_together(bodies, contacts, begin, behind)) ++behind;
      if (behind - begin > 1) share(contacts, begin, behind);
      begin = behind;
    }
  });
}

}  // namespace scree::soft
