#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dem/archive.hpp"
#include "dem/bodies.hpp"
#include "dem/insertion.hpp"
#include "dem/soft/motion/placement.hpp"
#include "dem/state.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// Births and departures: ids, pours. Changes bodies; the other rooms follow.
class Population {
 public:
  explicit Population(const Scene& scene);

  /// Ids for so many bodies. @return the first
  std::uint64_t take_ids(std::uint64_t count) { return std::exchange(next_id_, next_id_ + count); }
  /// Appends a grain to the bodies; a clump with all its parts, which are still where bodies are added.
  void add(const Scene& scene, const InitialState& birth, int group, Bodies& bodies);
  /// The next grain of a group that pours, if one is due and finds room.
  std::optional<InitialState> try_pour(const Scene& scene, int group, double time, const IsFree& is_free);

  /// Particles that are wholly beyond an open side (of a clump each part is), and walls whose time is over: one flag a
  /// body, parts of clumps included; empty if there are none.
  static std::vector<char> leaving(const Scene& scene, const Bodies& bodies, const Placement& placement, double time);
  /// Notes that a particle leaves.
  void note_departure(const Bodies& bodies, std::uint32_t body, double time);
  /// Since the last call.
  std::vector<Departure> take_departures() { return std::exchange(departures_, {}); }

  /// For bodies that have ids already.
  void set_next_id(std::uint64_t id) { next_id_ = id; }

  std::uint64_t next_id() const { return next_id_; }
  const std::vector<PourProgress>& pours() const { return pours_; }  ///< by particle group
  std::uint64_t born() const { return born_; }                       ///< so far
  std::uint64_t departed() const { return departed_; }               ///< so far
  /// Grains that are due by a time [s] and not born yet.
  std::uint64_t owed(const Scene& scene, double time) const;

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.next_id_, self.born_, self.departed_, fixed(self.pours_));
  }
  /// Departures that are not taken yet.
  template <class Archive, class Self>
  static void visit_departures(Archive& archive, Self& self) {
    archive(self.departures_);
  }

 private:
  std::vector<PourProgress> pours_;  // one a particle group
  std::uint64_t next_id_ = 1;
  std::uint64_t born_ = 0;
  std::uint64_t departed_ = 0;
  std::vector<Departure> departures_;
};

}  // namespace scree::soft
