#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/pair_geometry.hpp"

namespace scree::soft {

/// Candidates beside those of plain contacts of disks (dem/soft/forces/plain_disks.hpp), ascending.
struct CandidatesBeside {
  std::span<const std::uint32_t> apart;  ///< pairs of disks that do not touch
  const std::uint32_t* bodies_apart;     ///< a, b of each
  const double* shifts_apart;            ///< of b to its image, x, y of each; null: all are 0 [m]
  std::span<const std::uint32_t> at_walls;
  std::span<const std::uint32_t> contacts_at_walls;  ///< of each, or lanes::kNoContact
};

/// From candidate pairs to overlaps. Keeps no memory but room for its results.
class Narrowphase {
 public:
  /// Measures all candidates, each from its hint, and renews the geometry of contacts, all of which is kept. The
  /// overlap is found in the frame of a, where a pair far from the origin loses no digits. On several threads, with the
  /// same result for any number of them.
  /// Cost: O(candidates), see overlap().
  void detect(const DetectionView& view, Contacts& contacts);

  /// Reads the regions of some contacts, as long as they are there.
  using TakeRegions = std::function<void(const RegionWindow&)>;
  /// What is done with contacts while some hundred of them are in the cache. Several threads may call it at once.
  struct Passing {
    std::function<void(std::uint32_t first, std::uint32_t last)> before;  ///< with them as they were; may be empty
    TakeRegions take;                                                     ///< as soon as they are measured
  };
  /// The same in passing: regions are kept only if contacts have them already. Where contacts begin or end, these wait
  /// for take_rest().
  void detect(const DetectionView& view, const Passing& passing, Contacts& contacts);
  /// What detect did not let be taken yet. @pre contacts were updated by found() and apart()
  void take_rest(const TakeRegions& take, Contacts& contacts);

  /// Detects some candidates, in a scene whose particles are all disks. @pre contacts have regions
  /// if there are some among these
  void detect(const DetectionView& view, const CandidatesBeside& some, Contacts& contacts);

  /// Contacts that begin, ascending by candidate, in lists behind one another: as detect left them.
  std::span<const std::vector<NewContact>> found() const { return found_; }
  /// Contacts whose bodies do not touch any more, ascending.
  std::span<const std::uint32_t> apart() const { return apart_; }
  /// Contacts whose chord jumped since the step before: as detect counted them (dem/soft/contact/chord_jump.hpp).
  std::uint64_t chord_jumps() const { return chord_jumps_; }

 private:
  /// Candidates whose contacts change, and the contacts that they had, with their regions unless these are kept.
  struct Waiting {
    std::uint32_t first;
    std::uint32_t last;
    std::vector<std::uint32_t> candidate = {};
    std::vector<ContactRegion> region = {};
  };
  void detect_all(const DetectionView& view, const Passing* passing, Contacts& contacts);
  std::vector<ContactRegion> take_room(std::mutex& mutex);
  std::vector<ContactRegion> regions_after(const Waiting& waiting, std::span<const std::uint32_t> now) const;

  std::vector<std::vector<NewContact>> found_;  // by block of candidates
  std::vector<std::uint32_t> apart_;
  std::vector<Waiting> waiting_;                   // ascending
  std::vector<std::vector<ContactRegion>> rooms_;  // for those of windows; kept for their memory
  std::uint64_t chord_jumps_ = 0;
};

}  // namespace scree::soft
