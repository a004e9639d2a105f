#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "broadphase/pair.hpp"
#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/domain.hpp"

namespace scree {

/// The meaning of a box in the broadphase: a body, perhaps a part of a clump, in one of its periodic images. Images are
/// numbered absolutely: image g of a body is at (unwrapped position) + g * period, where the unwrapped position is
/// position + Bodies::image * period. So wrapping a body changes no number, and a pair keeps its key (and its contact
/// history) when either body crosses a periodic side.
struct Proxy {
  std::uint32_t body;
  Image image = {0, 0};

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.body, self.image);
  }
};

/// The boxes of the bodies. Every body with a shape has a box at its position. If it extends beyond a periodic side,
/// its images inside the domain have boxes, too.
class Proxies {
 public:
  static constexpr std::uint32_t kUnused = 0xffffffff;  ///< body of a proxy that is free for reuse

  explicit Proxies(const Domain& domain) : periodic_(domain) {}

  const Periodic& periodic() const { return periodic_; }
  /// The cell has deformed. @param shape now
  void deform(const CellShape& shape) { periodic_.deform(shape); }

  /// Proxy ids are below this.
  ProxyId size() const { return are_bodies_ ? bodies_ : static_cast<ProxyId>(proxies_.size()); }
  /// Unused ones have body == kUnused.
  Proxy operator[](ProxyId id) const { return are_bodies_ ? Proxy{.body = id} : proxies_[id]; }
  /// Proxy k is body k, without images: nothing was released yet.
  bool are_bodies() const { return are_bodies_; }

  ProxyId add(Proxy proxy);
  /// Instead of all that there are. None of them is unused.
  void begin_anew(const std::vector<Proxy>& proxies) {
    are_bodies_ = true;
    bodies_ = 0;
    proxies_.clear();
    free_.clear();
    for (const Proxy& proxy : proxies) add(proxy);
  }
  void release(ProxyId id);

  /// Displacement of the box of a proxy from that of its body [m].
  Vec2 shift(const Proxy& proxy, const Bodies& bodies) const {
    const Image& wrapped = bodies.image[proxy.body];
    return periodic_.shift({proxy.image[0] + wrapped[0], proxy.image[1] + wrapped[1]});
  }

  /// Finds the images that are newly needed, and those that are no longer needed, at the present positions.
  struct ImageChanges {
    std::vector<Proxy> missing;
    std::vector<ProxyId> obsolete;
  };
  /// @param body_boxes of all bodies [m]
  void find_image_changes(const Bodies& bodies, const std::vector<Aabb2>& body_boxes, ImageChanges& changes);

  /// A wall that covers the whole width of the domain along a periodic axis coincides with its images along that axis,
  /// so it needs none.
  bool spans(std::uint32_t body, int axis) const { return body < spans_.size() && spans_[body][axis]; }
  void set_spans(std::vector<std::array<bool, 2>> of_walls) { spans_ = std::move(of_walls); }

  /// The image of b in periods from where b is to where it stands by a, for an image whose number is relative to a in
  /// unwrapped positions.
  static Image image_between(const Bodies& bodies, std::uint32_t a, std::uint32_t b, const Image& image) {
    return {image[0] + bodies.image[b][0] - bodies.image[a][0], image[1] + bodies.image[b][1] - bodies.image[a][1]};
  }

  /// Vector from the centre of a to that of an image of b, whose number is relative to a in unwrapped positions [m].
  Vec2 branch_vector(const Bodies& bodies, std::uint32_t a, std::uint32_t b, const Image& image) const {
    Vec2 between = linear(bodies.position[b]) - linear(bodies.position[a]);
    if (!periodic_.any()) return between;
    if (periodic_.deforms()) [[unlikely]]
      return between + periodic_.shift(image_between(bodies, a, b, image));
    for (int axis = 0; axis < 2; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      if (spans(b, axis)) continue;
      between[axis] += (image[at] + bodies.image[b][at] - bodies.image[a][at]) * periodic_.period()[axis];
    }
    return between;
  }

  /// To be called after bodies were removed; their proxies must have been released.
  void renumber(const std::vector<std::uint32_t>& new_index, const Bodies& bodies);

  /// After loading. @throws InvalidState
  void require_sound(const Bodies& bodies) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.are_bodies_, self.bodies_, self.proxies_, self.free_, self.spans_);
  }

 private:
  void list_all();

  Periodic periodic_;
  bool are_bodies_ = true;
  std::uint32_t bodies_ = 0;    // if so, how many
  std::vector<Proxy> proxies_;  // else all
  std::vector<ProxyId> free_;
  std::vector<std::array<bool, 2>> spans_;  // of walls
  // By body, in the last find_image_changes: bits (see Periodic::bit) of images that need a box, and that have one.
  std::vector<std::uint32_t> needed_;
  std::vector<std::uint32_t> present_;
};

}  // namespace scree
