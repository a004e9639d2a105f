#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/pair.hpp"
#include "broadphase/strip_index.hpp"
#include "broadphase/timing_wheel.hpp"

namespace scree {

/// Boxes in many short sorted lists; pairs are tested only when they may have changed. The cost per box does not depend
/// on the number of boxes.
///
/// The cost per box of sort-and-update grows with N since its lists are long: 2 N ends along about sqrt(N) box sizes,
/// so that an end that moves by x sizes passes about 2 x sqrt(N) others, nearly all of boxes that are far away on the
/// other axis. Here
/// - every box has a **room**: the box enlarged by a margin, and further in the direction of its motion. The sorted
///   lists of strips (StripIndex), a few boxes wide and long, contain rooms: they change only when a box leaves its
///   room, and then only neighbours are exchanged;
/// - two boxes whose rooms overlap are a **couple**, and every box has a **limit** that none of its coordinates exceeds
///   in a step. If the boxes of a couple must move by a distance g to begin or end their overlap, this takes at least g
///   / (sum of their limits) steps, and the couple is tested again only then. A box that exceeds its limit gets a
///   higher one, and its couples are tested;
/// - a limit also bounds when a box can leave its room.
/// So an update mainly compares each box with its limit, in the order of ids. Let all boxes move by a fraction v of
/// their size per step. Each has a few couples, whose distances g are distributed uniformly. After a test, about v of
/// them need the next test after one step, the others after g/v steps. This makes O(v log(1/v)) tests and O(v) new
/// rooms per box and step. Both depend only on the neighbourhood, not on N.
///
/// Sizes may differ arbitrarily: strips have the width of their boxes, and large boxes have their own strips.
///
/// @pre Boxes have lo <= hi on every axis; infinite boxes are allowed. Not-a-number is a programmer's mistake
///       (asserted); without asserts it neither crashes nor hangs, but the pairs reported from then on are undefined.
/// @pre  Ids are below 2^32 - 1, couples fewer than 2^31.
///
/// Cost, for boxes that overlap with a few others each, m = largest id in use + 1:
///   update                     m comparisons, and O(1) for each box that leaves its room or exceeds its limit
///   move, insert, erase, query O(1), insert for each box
/// The first update after insertions costs as much as the insertions, since all new boxes exceed their limit of 0. The
/// cost of a box much larger than the others is that of the strips it overlaps, O(m) at most; if all boxes overlap,
/// each costs O(m). Updates and moves allocate only when there are more couples, or more boxes in a strip, than ever
/// before, or when a quarter of all boxes, some hundreds, leave their rooms or exceed their limits at once. Several
/// threads compare boxes with their limits; one does the rest.
///
/// Sources: insertion into sorted lists as in A. Schinner, Granular Matter 2 (1999), section 3; bounds on the time
/// until a pair needs a test as in B. Mirtich, Impulse-based dynamic simulation of rigid body systems, thesis (1996);
/// rooms are the skins of L. Verlet, Phys. Rev. 159 (1967).
template <int Dim>
class SortedStrips {
 public:
  void insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void erase(ProxyId id, PairChanges& changes);
  void update(std::span<const Aabb<Dim>> boxes, PairChanges& changes);
  void move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes);
  void query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const;

  const Aabb<Dim>& box(ProxyId id) const { return boxes_[id]; }
  std::size_t size() const { return size_; }

  /// Number of boxes passed so far in the lists of the strips.
  std::uint64_t exchanges() const { return strips_.exchanges(); }
  /// Number of pairs tested so far.
  std::uint64_t looks() const { return looks_; }

 private:
  using Vec = typename Aabb<Dim>::Vec;
  using Link = std::uint32_t;  // 2 (number of the couple) + side

  // When something is due that is in a wheel: the step, modulo the wheel's slots.
  using Due = std::uint16_t;
  static constexpr Due kUnplanned = 0xffff;
  static Due due_at(std::uint64_t step) { return static_cast<Due>(step % TimingWheel::kSlots); }

  /// Two boxes whose rooms overlap.
  struct Couple {
    std::array<ProxyId, 2> ids;  // ascending
    std::array<Link, 2> next;    // in the list of either box
    std::array<Link, 2> previous;
    Due due;        // the next test
    bool together;  // the boxes overlapped at the last test, and do so until the next
  };
  struct Sight {
    double gap;    // [m]
    double speed;  // at which it changes, at most [m per step]
  };
  struct Mover {
    ProxyId id;
    Vec step;             // [m]
    bool faster = false;  // than its limit
    bool left = false;    // its room
  };

  void wake(std::span<const Aabb<Dim>> boxes);
  void follow(std::span<const Aabb<Dim>> boxes);
  void exceed_limit(ProxyId id, const Aabb<Dim>& box);
  void make_room(Mover& mover);
  void take_in(ProxyId id, const Aabb<Dim>& box);
  void next_stamp();
  void look_around(ProxyId id, PairChanges& changes);
  void meet(ProxyId id, PairChanges& changes);
  void look(std::uint32_t number, PairChanges& changes);
  void look_at_those_due(PairChanges& changes);
  Sight sight(std::uint32_t number) const;
  void conclude(std::uint32_t number, const Sight& sight, PairChanges& changes);
  void plan_wake(ProxyId id);
  Due plan(TimingWheel& wheel, std::uint32_t number, Due due, double distance, double speed);
  std::uint32_t couple(ProxyId a, ProxyId b);
  void part(std::uint32_t number, PairChanges& changes);

  std::vector<Aabb<Dim>> boxes_;    // by id, as all below: of the last call
  std::vector<double> limit_;       // no coordinate moves further in a step [m]
  std::vector<Due> due_;            // when the box may leave its room
  std::vector<Link> first_;         // of the box's couples
  std::vector<std::uint32_t> met_;  // stamp of the last call of meet() in which it was known or found
  std::vector<std::uint8_t> in_use_;
  std::size_t size_ = 0;

  StripIndex<Dim> strips_;  // of rooms
  std::vector<Couple> couples_;
  std::uint32_t free_couple_ = ~std::uint32_t{0};
  TimingWheel box_wheel_;
  TimingWheel couple_wheel_;
  std::uint64_t step_ = 1;
  std::uint32_t stamp_ = 0;
  std::vector<Mover> movers_;
  std::vector<ProxyId> faster_;  // than their limits
  std::uint64_t looks_ = 0;
};

static_assert(Broadphase<SortedStrips<2>, 2> && Broadphase<SortedStrips<3>, 3>);

extern template class SortedStrips<2>;
extern template class SortedStrips<3>;

}  // namespace scree
