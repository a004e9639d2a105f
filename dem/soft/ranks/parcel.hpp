#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/rooms.hpp"

namespace scree::soft {

/// Bodies between two steps, bit for bit, with what the pairs of some of them remember: what goes from rank to rank.
struct Parcel {
  Bodies bodies;
  std::array<std::vector<Motion>, 4> derivatives;  ///< second to fifth
  std::vector<std::array<double, 2>> rotation;     ///< cosine and sine, as predicted
  std::vector<Aabb2> box;                          ///< as predicted [m]
  std::vector<Motion> net_force;
  std::vector<Proxy> proxies;  ///< by places in this parcel
  std::vector<Aabb2> proxy_box;
  // Pairs, in the order of their keys.
  std::vector<PairKey> key;
  std::vector<ShortHint> hint;
  std::vector<std::uint8_t> boxes;
  // Contacts, by places among these pairs.
  std::vector<std::uint32_t> candidate;
  std::vector<ContactHistory> history;
  std::vector<ContactRegion> region;
  std::vector<ContactAxes> axes;
  std::vector<ContactForce> force;
  std::vector<ForceParts> parts;
  std::vector<RollingResistance> rolling;  ///< of all contacts, or none

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    Bodies::visit(archive, self.bodies);
    for (auto& derivative : self.derivatives) archive(derivative);
    archive(self.rotation, self.box, self.net_force, self.proxies, self.proxy_box, self.key, self.hint, self.boxes,
            self.candidate, self.history, self.region, self.axes, self.force, self.parts, self.rolling);
  }
};

/// Bodies that are wanted and told, and pairs of which a is told and both bodies are wanted, or b is a wall.
/// @param wanted one flag a body; parts of clumps as their clumps; no walls  @param told the same
Parcel pack(Rooms& rooms, std::span<const char> wanted, std::span<const char> told);
/// All walls, without pairs.
Parcel pack_walls(Rooms& rooms);

/// What becomes of boxes in the broadphase when bodies are put together.
enum class Proxied {
  anew,    ///< they are numbered anew, and the broadphase has them
  as_were  ///< they keep their numbers: the same bodies had them before. The broadphase does not have them yet
};

/// Makes rooms hold these walls and the particles of all parcels, in the order of ids, and their pairs, in the order of
/// keys. Each particle and each pair is in one parcel.
/// @param own one flag a parcel and body: pairs of two particles that are not own are left out; null: all are own
void put_together(const Parcel& walls, std::span<const Parcel> parcels, const std::vector<std::vector<char>>* own,
                  Proxied proxied, Rooms& rooms);

}  // namespace scree::soft
