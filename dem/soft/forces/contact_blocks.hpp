#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/plain_blocks.hpp"
#include "dem/soft/lanes/kernels.hpp"

namespace scree::soft {

/// Contacts of plain disks with each other, four side by side in a block, in the order of contacts. Where some ended
/// there are gaps, in which others may begin: then those up to the nearest gap make room, and all others stay.
class ContactBlocks {
 public:
  static constexpr std::size_t kWindow = 64;  ///< blocks
  /// What so many blocks have that follow each other.
  struct Window {
    std::uint32_t first;  ///< no body of these and all later blocks is before this one
    std::uint32_t last;   ///< no body of these blocks is after this one
  };

  /// @param some their places among the contacts, ascending  @param law of all, or of the first material
  /// @param has_laws whether each has its own
  void pack(const PlainView& view, const Contacts& contacts, std::span<const std::uint32_t> some, const PairLaw& law,
            bool has_laws);
  /// None is in its first step any more.
  void age();
  /// Some bodies were wrapped, or there are others.
  void find_shifts(const PlainView& view, const Contacts& contacts);

  /// Another number whenever contacts have other places in blocks.
  std::uint64_t arrangement() const { return arrangement_; }
  /// The number of blocks.
  std::size_t size() const { return blocks_.size(); }
  /// Calls act(place, contact) for all, in order.
  template <class Do>
  void for_each(const Do& act) const {
    for (std::uint32_t place = 0; place < contact_.size(); ++place) {
      if (contact_[place] != lanes::kNoContact) act(place, contact_[place]);
    }
  }
  /// kNoContact: a gap.
  std::uint32_t contact(std::uint32_t place) const { return contact_[place]; }
  const std::uint32_t* contacts() const { return contact_.data(); }
  const lanes::DiskBlock& of(std::uint32_t place) const { return blocks_[place / kInBlock]; }
  bool is_new(std::uint32_t place) const { return is_fresh(fresh_, place); }
  void write_history(std::uint32_t place, ContactHistory& history) const {
    soft::write_history(of(place), place % kInBlock, is_new(place), history);
  }

  bool have_laws() const { return has_laws_; }
  const PairLaw& law_of(const PlainView& view, const BodyPair& pair) const {
    return has_laws_ ? view.laws.of_disks(view.bodies, pair) : law_;
  }
  double stiffness(std::uint32_t place) const {
    return has_laws_ ? laws_[place / kInBlock].stiffness[place % kInBlock] : law_.stiffness;
  }
  double tangential_stiffness(std::uint32_t place) const {
    return has_laws_ ? laws_[place / kInBlock].tangential_stiffness[place % kInBlock] : law_.tangential_stiffness;
  }
  /// The law of all, for kernels. @param dt the step [s]
  lanes::PlainLaw law(double dt) const;
  /// Whether the step may be too long for one of them.
  bool are_stiff(double dt, double max_square) const;
  /// @param sums of forces, by body  @param forces where they go instead, by block, or null
  lanes::DiskBlocks for_lanes(double* sums, double* forces);

  /// Where a contact is. @pre it is in blocks  @param from a place that does not come after it
  std::uint32_t place_of(std::uint32_t contact, std::uint32_t from) const;
  /// The contact of a place is over: that is a gap from now on. What it has stays until close().
  void leave(std::uint32_t place);
  /// Places that were left have no force from now on.
  void close();
  /// After contacts ended that were left. @param ended their places among the contacts, ascending
  void follow(std::span<const std::uint32_t> ended) { soft::follow(ended, contact_); }
  /// After contacts began: those of two particles are put in. @param begun their places among the contacts, ascending
  void insert(const PlainView& view, const Contacts& contacts, std::span<const std::uint32_t> begun);

  /// Of each kWindow blocks.
  std::span<const Window> windows();

 private:
  void put(const PlainView& view, const Contacts& contacts, std::uint32_t contact, std::uint32_t place);
  void move(std::uint32_t from, std::uint32_t to);
  std::uint32_t make_room(std::uint32_t before, std::span<std::uint32_t> earlier);
  void resize(std::size_t blocks);
  void fill_with_gaps(std::size_t first, std::uint32_t body);
  void put_gap(std::uint32_t place);
  void close_up();
  void spread(std::size_t gaps, std::uint32_t body);
  void add_to_window(std::uint32_t place);

  std::vector<lanes::DiskBlock> blocks_;
  std::vector<lanes::BlockLaw> laws_;   // by block; none: all have one
  std::vector<double> shifts_;          // by block; none: all are 0
  FreshBits fresh_;                     // by block
  std::vector<std::uint32_t> contact_;  // by place in the blocks; kNoContact: a gap
  std::vector<std::uint32_t> left_;     // gaps that are not closed
  std::vector<Window> windows_;         // once they are needed
  std::size_t gaps_ = 0;
  std::uint64_t arrangement_ = 0;
  bool has_laws_ = false;
  bool has_shifts_ = false;
  bool some_are_fresh_ = false;
  double least_mass_ = 0.0;       // reduced, no contact's is less [kg]
  double greatest_square_ = 0.0;  // no contact's stiffness over reduced mass is more [1/s^2]
  PairLaw law_{};                 // of all, or of the first material
};

}  // namespace scree::soft
