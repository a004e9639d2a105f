#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/bodies.hpp"
#include "dem/scene.hpp"

namespace scree {

/// Number of a periodic image, along x and along y.
using Image = std::array<std::int32_t, 2>;

/// What a box in the broadphase stands for: a body (one convex part each so far) and which periodic image of it.
/// Images are numbered absolutely: image g of a body lies at (unwrapped position) + g * period, where the unwrapped
/// position is position + Bodies::image * period. So wrapping a body changes no number, and a pair keeps its name (and
/// its friction) when either body crosses a periodic side.
struct Proxy {
  std::uint32_t body;
  Image image;
};

/// Which bodies have which boxes. Every body has a box where it is; one that sticks out of a periodic side has another
/// where it comes in again.
class Proxies {
 public:
  static constexpr std::uint32_t kUnused = 0xffffffff;  ///< body of a proxy that is free for reuse

  explicit Proxies(const Domain& domain);

  bool periodic() const { return domain_.periodic[0] || domain_.periodic[1]; }
  const Vec2& period() const { return period_; }

  /// One entry a proxy id; unused ones have body == kUnused.
  const std::vector<Proxy>& all() const { return proxies_; }

  ProxyId add(Proxy proxy);
  void release(ProxyId id);

  /// Where the box of a proxy lies relative to that of its body [m].
  Vec2 shift(const Proxy& proxy, const Bodies& bodies) const;

  /// Images that are needed, or no more, given where the bodies are now.
  struct ImageChanges {
    std::vector<Proxy> missing;
    std::vector<ProxyId> obsolete;
  };
  /// @param body_boxes of all bodies [m]
  void find_image_changes(const Bodies& bodies, const std::vector<Aabb2>& body_boxes, ImageChanges& changes);

  /// A wall that covers the whole width of the domain along a periodic axis is the same seen from every image: it needs
  /// no images along that axis.
  bool spans(std::uint32_t body, int axis) const { return body < spans_.size() && spans_[body][axis]; }
  void set_spans(std::vector<std::array<bool, 2>> of_walls);

  /// After bodies were removed; their proxies must have been released.
  void renumber(const std::vector<std::uint32_t>& new_index, const Bodies& bodies);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.proxies_, self.free_, self.spans_);
  }

 private:
  Domain domain_;
  Vec2 period_;
  std::vector<Proxy> proxies_;
  std::vector<ProxyId> free_;
  std::vector<std::array<bool, 2>> spans_;  // of walls
  // By body, of the last find_image_changes: which images have a box, at -1, 0, +1 periods along x and y.
  std::vector<std::array<std::array<bool, 3>, 3>> present_;
};

}  // namespace scree
