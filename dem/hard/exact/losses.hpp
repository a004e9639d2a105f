#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "dem/archive.hpp"
#include "dem/hard/boxes/event_queue.hpp"
#include "dem/hard/exact/loss.hpp"

namespace scree::hard::exact {

/// The restitution of all pairs of materials, and what is kept of it so that a gas can go back.
class Losses {
 public:
  /// @param material of each disk; empty: all 0  @param restitution of material a with b: number a times number of
  /// materials + b; empty: all 1
  Losses(std::vector<std::int32_t> material, std::span<const double> restitution, std::size_t disks);

  /// Whether any pair loses energy.
  bool exist() const { return exist_; }
  /// Remainders of each disk that is the lower of a pair; nothing if all are elastic.
  const std::vector<Remainders>& remainders() const { return remainders_; }
  /// A collision that was elastic though others as fast lose energy, or the other way round.
  struct Exception {
    std::int64_t tick;
    Index lower;  ///< of the pair

    auto operator<=>(const Exception&) const = default;
    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.tick, self.lower);
    }
  };
  const std::set<Exception>& exceptions() const { return exceptions_; }
  /// Kept of all collisions since the start, with the marks of exceptions. O(disks)
  std::uint64_t bits() const;

  struct Place {
    std::int64_t tick;                  ///< since the start
    const std::vector<Index>& members;  ///< of the cluster, in the order of numbers
  };
  enum class Way : std::uint8_t { forward, backward };
  /// pass_tick, with restitution. @param disks on the way back with their velocities reversed  @param others all that
  /// may be near the cluster after it
  /// @throws InvalidState on the way back, if what is kept is not of this gas
  Encounter pass(Way way, const Grid& grid, Cluster& disks, const Place& place, const std::vector<Bystander>& others);

  /// After loading. @throws InvalidState
  void require_sound(std::size_t disks) const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    std::vector<Exception> exceptions(self.exceptions_.begin(), self.exceptions_.end());
    archive(fixed(self.remainders_), exceptions);
    if constexpr (!std::is_const_v<Self>) self.exceptions_ = {exceptions.begin(), exceptions.end()};
  }

 private:
  /// Collision of a pair that can lose energy.
  struct Collision {
    const Grid& grid;
    const Cluster& before;
    const Contraction& contraction;
    const std::vector<Bystander>& others;
    Exception name;
  };

  const Contraction& contraction(Index a, Index b) const;
  bool has_lost(const Collision& here, std::int64_t speed);
  void note_kind(const Collision& here, std::int64_t speed, bool lost);
  /// What the elastic collision did, `disks` and `done`, is replaced where energy was lost.
  void pass_forward(const Collision& here, Cluster& disks, Encounter& done);
  void pass_backward(const Collision& here, Cluster& disks, Encounter& done);

  bool exist_ = false;
  std::vector<std::int32_t> material_;
  std::vector<Contraction> contractions_;  // of pairs of materials
  std::size_t materials_;
  std::vector<Remainders> remainders_;
  std::set<Exception> exceptions_;
};

}  // namespace scree::hard::exact
