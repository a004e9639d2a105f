#include "dem/soft/forces/narrowphase.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

#include "dem/soft/contact/chord_jump.hpp"
#include "dem/soft/forces/pair_geometry.hpp"
#include "dem/soft/lanes/views.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

constexpr std::uint32_t kBlock = SortedPairs::kPairs;  // candidates; the results of each block have a list of their own
using lanes::kNoContact;

/// Some pairs of a block.
struct List {
  std::uint32_t count = 0;
  std::uint32_t candidate[kBlock];
  std::uint32_t contact[kBlock];

  void add(std::uint32_t pair, std::uint32_t its_contact) {
    candidate[count] = pair;
    contact[count++] = its_contact;
  }
};

/// What blocks of candidates find.
struct Findings {
  std::vector<std::uint32_t> apart;  ///< contacts that do not touch any more, ascending
  std::uint64_t jumps = 0;           ///< of chords
};

/// The work of one block of candidates.
class Block {
 public:
  /// @param regions of the block's contacts  @param sorted null: its pairs need not be sorted  @param begun contacts
  Block(const DetectionView& view, const lanes::BodiesIn& bodies, Contacts& contacts, const RegionWindow& regions,
        SortedPairs* sorted, std::vector<NewContact>& begun, Findings& findings)
      : view_(view),
        bodies_(bodies),
        contacts_(contacts),
        regions_(regions),
        sorted_(sorted),
        begun_(begun),
        findings_(findings) {}

  void detect(std::uint32_t begin, std::uint32_t end) {
    if (bodies_.only_disks) return detect_disks(begin, end);
    if (!sorted_->are_known) sort(begin, end);
    if (view_.proxies.periodic().any()) note_branch_vectors(begin, end);
    if (fetched_contacts(contacts_) > 0) fetch(begin, end);
    const lanes::Kernels& kernels = lanes::kernels();
    const lanes::CandidatesIn candidates = candidates_for_lanes(contacts_);
    const auto list_of = [&](int kind) -> lanes::PairList {
      const std::size_t first = sorted_->first[static_cast<std::size_t>(kind)];
      const std::size_t last = sorted_->first[static_cast<std::size_t>(kind) + 1];
      return {sorted_->candidate.data() + first, sorted_->contact.data() + first,
              static_cast<std::uint32_t>(last - first), view_.proxies.periodic().any() ? branch_vectors_ : nullptr,
              begin};
    };
    std::uint32_t uncertain_at[kBlock];
    const auto leave = [&](const lanes::PairList& list, const lanes::Found& uncertain) {
      for (std::uint32_t k = 0; k < uncertain.count; ++k) {
        rest_.add(list.candidate[uncertain.at[k]], list.contact[uncertain.at[k]]);
      }
    };
    const lanes::PairList rest = list_of(kRest);
    for (std::uint32_t k = 0; k < rest.count; ++k) rest_.add(rest.candidate[k], rest.contact[k]);
    for (int kind = 0; kind <= kArcs; ++kind) {
      const lanes::PairList list = list_of(kind);
      if (list.count == 0) continue;
      const auto measure = kind == kArcs ? kernels.measure_arcs : kernels.measure[kind];
      std::uint32_t changed_at[kBlock];
      double chords[4 * kBlock];
      lanes::Found uncertain{uncertain_at, 0};
      lanes::Found changed{changed_at, 0};
      measure(bodies_, candidates, list, geometry_for_lanes(contacts_, regions_), uncertain, changed, chords);
      leave(list, uncertain);
      for (std::uint32_t k = 0; k < changed.count; ++k) {
        const double* const chord = chords + 4 * std::size_t{k};
        const std::uint32_t pair = list.candidate[changed.at[k]];
        count_jump(pair, geometry_now(list.contact[changed.at[k]]), {chord[0], chord[1]}, {chord[2], chord[3]},
                   whole(contacts_.candidates.hint[pair]));
      }
    }
    if (const lanes::PairList list = list_of(kDisks); list.count > 0) {
      lanes::Found uncertain{uncertain_at, 0};
      kernels.measure_disks(bodies_, candidates, list, geometry_for_lanes(contacts_, regions_), uncertain);
      leave(list, uncertain);
    }
    const std::pair<Kind, lanes::Kernels::Separate> separations[] = {{kDisksApart, kernels.disks_apart},
                                                                     {kApartByEdgeOfA, kernels.apart_by_edge_of_a},
                                                                     {kApartByEdgeOfB, kernels.apart_by_edge_of_b}};
    for (const auto& [kind, separate] : separations) {
      lanes::Found uncertain{uncertain_at, 0};
      separate(bodies_, candidates, list_of(kind), uncertain);
      leave(list_of(kind), uncertain);
    }
    measure_rest();
  }

  /// Disks and walls. @param pairs candidates  @param of_pairs their contacts, or kNoContact
  void detect_at_walls(std::span<const std::uint32_t> pairs, std::span<const std::uint32_t> of_pairs) {
    const bool is_periodic = view_.proxies.periodic().any();
    for (std::size_t k = 0; is_periodic && k < pairs.size(); ++k) note_branch_vector(pairs[k], k);
    std::uint32_t uncertain_at[kBlock];
    lanes::Found uncertain{uncertain_at, 0};
    lanes::kernels().disks_at_edges(bodies_, candidates_for_lanes(contacts_),
                                    {pairs.data(), of_pairs.data(), static_cast<std::uint32_t>(pairs.size()),
                                     is_periodic ? branch_vectors_ : nullptr, 0, true},
                                    geometry_for_lanes(contacts_, regions_), uncertain);
    for (std::uint32_t k = 0; k < uncertain.count; ++k) measure(pairs[uncertain.at[k]], of_pairs[uncertain.at[k]]);
  }
  /// Any pair, from any hint.
  void measure(std::uint32_t pair, std::uint32_t contact);

 private:
  /// Detects in a scene whose particles are all disks: contacts need no lists.
  void detect_disks(std::uint32_t begin, std::uint32_t end) {
    const bool is_periodic = view_.proxies.periodic().any();
    if (is_periodic) note_branch_vectors(begin, end);
    const double* const branch_vectors = is_periodic ? branch_vectors_ : nullptr;
    const lanes::CandidatesIn candidates = candidates_for_lanes(contacts_);
    const std::uint32_t* const touching = contacts_.candidate.data();
    const auto first = static_cast<std::uint32_t>(contacts_.first_from(begin));
    const auto last = static_cast<std::uint32_t>(contacts_.first_from(end));
    std::uint32_t uncertain_at[kBlock];
    List at_walls;
    const auto leave = [&](std::uint32_t pair,
                           std::uint32_t contact) {  // the kernels of two disks are not certain of it
      const bool is_at_wall = contacts_.candidates.bodies[pair].b < bodies_.walls;
      (is_at_wall ? at_walls : rest_).add(pair, contact);
    };
    if (first < last) {
      lanes::Found uncertain{uncertain_at, 0};
      lanes::kernels().measure_only_disks(bodies_, candidates, {touching, branch_vectors, begin},
                                          {nullptr, first, last}, geometry_for_lanes(contacts_, regions_), uncertain);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) leave(touching[uncertain_at[k]], uncertain_at[k]);
    }
    List apart;
    std::uint32_t pair = begin;
    for (std::uint32_t contact = first; contact < last; ++contact, ++pair) {
      for (; pair < touching[contact]; ++pair) apart.add(pair, kNoContact);
    }
    for (; pair < end; ++pair) apart.add(pair, kNoContact);
    lanes::Found uncertain{uncertain_at, 0};
    lanes::kernels().disks_apart(bodies_, candidates,
                                 {apart.candidate, apart.contact, apart.count, branch_vectors, begin}, uncertain);
    for (std::uint32_t k = 0; k < uncertain.count; ++k) leave(apart.candidate[uncertain_at[k]], kNoContact);
    if (at_walls.count > 0) {
      uncertain.count = 0;
      lanes::kernels().disks_at_edges(bodies_, candidates,
                                      {at_walls.candidate, at_walls.contact, at_walls.count, branch_vectors, begin},
                                      geometry_for_lanes(contacts_, regions_), uncertain);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) {
        rest_.add(at_walls.candidate[uncertain.at[k]], at_walls.contact[uncertain.at[k]]);
      }
    }
    measure_rest();
  }

  /// One by one, in their order.
  void measure_rest() {
    std::uint32_t order[kBlock];
    std::iota(order, order + rest_.count, 0U);
    std::sort(order, order + rest_.count,
              [&](std::uint32_t x, std::uint32_t y) { return rest_.candidate[x] < rest_.candidate[y]; });
    for (std::uint32_t k = 0; k < rest_.count; ++k) measure(rest_.candidate[order[k]], rest_.contact[order[k]]);
  }

  /// Sorts candidates [begin, end) by the kernel that can probably deal with them, or by the lack of one.
  void sort(std::uint32_t begin, std::uint32_t end) {
    Candidates& candidates = contacts_.candidates;
    std::uint32_t contact_of[kBlock];  // of each
    std::fill(contact_of, contact_of + (end - begin), kNoContact);
    auto k = static_cast<std::uint32_t>(contacts_.first_from(begin));
    for (; k < contacts_.size() && contacts_.candidate[k] < end; ++k) contact_of[contacts_.candidate[k] - begin] = k;
    std::array<std::uint16_t, kKinds + 1>& first = sorted_->first;
    first.fill(0);
    for (std::uint32_t pair = begin; pair < end; ++pair) {
      std::uint8_t& kind = candidates.kind[pair];
      if (kind == Candidates::kUnsorted) {
        const auto [a, b] = candidates.bodies[pair];
        kind = kind_of(whole(candidates.hint[pair]), bodies_.size[a], bodies_.size[b],
                       contact_of[pair - begin] != kNoContact);
      }
      ++first[kind + std::size_t{1}];
    }
    for (std::size_t kind = 1; kind <= kKinds; ++kind)
      first[kind] = static_cast<std::uint16_t>(first[kind] + first[kind - 1]);
    std::array<std::uint16_t, kKinds + 1> next = first;
    sorted_->candidate.resize(end - begin);
    sorted_->contact.resize(end - begin);
    for (std::uint32_t pair = begin; pair < end; ++pair) {
      const std::uint16_t place = next[candidates.kind[pair]]++;
      sorted_->candidate[place] = pair;
      sorted_->contact[place] = contact_of[pair - begin];
    }
    sorted_->are_known = true;
  }

  /// Asks for what candidates [begin, end) need all at once: where b is, its vertices near those that it was left at.
  /// Each a was a b before. Without effect on values.
  void fetch(std::uint32_t begin, std::uint32_t end) const {
    constexpr std::size_t kLine = 8;  // doubles
    for (std::uint32_t pair = begin; pair < end; ++pair) {
      const std::size_t b = contacts_.candidates.bodies[pair].b;
      const std::size_t vertex = bodies_.first[b] + contacts_.candidates.hint[pair][3] / 2U;
      __builtin_prefetch(bodies_.vertices + 2 * vertex);
      __builtin_prefetch(bodies_.vertices + 2 * vertex + kLine);
      __builtin_prefetch(bodies_.position + 3 * b);
      __builtin_prefetch(bodies_.rotation + 2 * b);
    }
  }

  void note_branch_vectors(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t pair = begin; pair < end; ++pair) note_branch_vector(pair, pair - begin);
  }
  void note_branch_vector(std::uint32_t pair, std::size_t place) {
    const Candidates& candidates = contacts_.candidates;
    const auto [a, b] = candidates.bodies[pair];
    const Vec2 branch = view_.proxies.branch_vector(view_.bodies, a, b, candidates.image_of(pair));
    branch_vectors_[2 * place] = branch.x();
    branch_vectors_[2 * place + 1] = branch.y();
  }

  static std::uint8_t kind_of(const PairHint& hint, std::uint32_t size_a, std::uint32_t size_b, bool touches) {
    if (size_a == 0 && size_b == 0) return touches ? kDisks : kDisksApart;
    const auto [in_a, in_b] = hint.features;
    if (in_a >= 2 * size_a || in_b >= 2 * size_b) return kRest;  // one disk, or no hint
    if (touches) {
      const auto [out_a, out_b] = hint.leaving;
      if ((in_a & in_b & out_a & out_b & 1U) == 0 || out_a >= 2 * size_a || out_b >= 2 * size_b) return kRest;
      const std::uint32_t of_a = (out_a >= in_a ? out_a - in_a : out_a + 2 * size_a - in_a) / 2;
      const std::uint32_t of_b = (in_b >= out_b ? in_b - out_b : in_b + 2 * size_b - out_b) / 2;
      if (of_a + of_b == 0) return kRest;
      if (of_a > 2 || of_b > 2 || of_a + of_b == 4) return kArcs;
      return static_cast<std::uint8_t>(3 * of_a + of_b);
    }
    if ((in_a & 1U) == (in_b & 1U)) return kRest;
    return (in_a & 1U) == 1 ? kApartByEdgeOfA : kApartByEdgeOfB;
  }

  ContactGeometry geometry_now(std::uint32_t contact) const {
    return geometry_of(regions_[contact], contacts_.axes[contact]);
  }

  void count_jump(std::uint32_t pair, const ContactGeometry& geometry, const Vec2& before, const Vec2& now,
                  const PairHint& hint_before) {
    const BodyPair bodies = contacts_.candidates.bodies[pair];
    if (!view_.counted.empty() && view_.counted[bodies.a] == 0) return;
    const PairHint hint = whole(contacts_.candidates.hint[pair]);
    if (has_jumped(view_, bodies, geometry, {before, hint_before}, {now, hint})) ++findings_.jumps;
  }

  const DetectionView& view_;
  const lanes::BodiesIn& bodies_;
  Contacts& contacts_;
  const RegionWindow regions_;
  SortedPairs* sorted_;
  std::vector<NewContact>& begun_;
  Findings& findings_;
  // Arc classes of pairs that touch, then the other kinds.
  enum Kind : std::uint8_t {
    kArcs = lanes::kArcClasses,
    kApartByEdgeOfA,
    kApartByEdgeOfB,
    kDisks,
    kDisksApart,
    kRest,
    kKinds
  };
  static_assert(sizeof(SortedPairs::first) == sizeof(std::array<std::uint16_t, kKinds + 1>));
  List rest_;
  double branch_vectors_[2 * kBlock];
};

void Block::measure(std::uint32_t pair, std::uint32_t contact) {
  const bool has_touched = contact != kNoContact;
  Candidates& candidates = contacts_.candidates;
  const BodyPair bodies = candidates.bodies[pair];
  const Vec2 branch_vector = view_.proxies.branch_vector(view_.bodies, bodies.a, bodies.b, candidates.image_of(pair));
  const PairHint hint_before = whole(candidates.hint[pair]);
  PairHint hint = hint_before;
  const PairGeometry now = pair_geometry(view_.bodies, view_.placement, bodies, branch_vector, hint);
  const bool touches = now.geometry.overlap.touching();
  if (const ShortHint hint_now = shortened(hint); hint_now != candidates.hint[pair] || touches != has_touched) {
    candidates.hint[pair] = hint_now;
    candidates.kind[pair] = Candidates::kUnsorted;
    if (sorted_ != nullptr) sorted_->are_known = false;
  }
  if (!has_touched) {
    if (touches) begun_.push_back({.candidate = pair, .geometry = now.geometry, .chord = now.chord});
    return;
  }
  if (!touches) return findings_.apart.push_back(contact);
  regions_[contact] = region_of(now.geometry);
  ContactAxes& axes = contacts_.axes[contact];
  const Vec2 chord_before = axes.chord.cast<double>();
  axes = axes_of(now.geometry, now.chord);
  if (!has_disk(view_.bodies, bodies) && chord_changed(chord_before, now.chord))
    count_jump(pair, now.geometry, chord_before, now.chord, hint_before);
}

/// Blocks whose regions are taken together.
constexpr std::size_t kBlocksOfWindow = 2;

}  // namespace

void Narrowphase::detect(const DetectionView& view, Contacts& contacts) {
  contacts.keep_regions();
  detect_all(view, nullptr, contacts);
}

void Narrowphase::detect(const DetectionView& view, const Passing& passing, Contacts& contacts) {
  detect_all(view, &passing, contacts);
}

/// @param passing null: nothing is done  @pre then regions are kept
void Narrowphase::detect_all(const DetectionView& view, const Passing* passing, Contacts& contacts) {
  const auto count = static_cast<std::uint32_t>(contacts.candidates.size());
  found_.resize((count + kBlock - 1) / kBlock);
  apart_.clear();
  waiting_.clear();
  chord_jumps_ = 0;
  if (count == 0) return;
  contacts.sorted.resize(found_.size());
  const lanes::BodiesIn bodies = bodies_for_lanes(view.bodies, view.placement.rotation);
  const bool are_kept = contacts.have_regions();
  std::mutex mutex;
  const auto detect_windows = [&](std::size_t begin, std::size_t end) {
    std::vector<ContactRegion> room = take_room(mutex);
    Findings all;
    std::uint32_t last_contact = 0;  // of the window before
    for (std::size_t window = begin; window != end; ++window) {
      const std::size_t first_block = kBlocksOfWindow * window;
      const std::size_t last_block = std::min(first_block + kBlocksOfWindow, found_.size());
      const auto first = static_cast<std::uint32_t>(first_block) * kBlock;
      const auto last = std::min(static_cast<std::uint32_t>(last_block) * kBlock, count);
      RegionWindow regions{window == begin ? static_cast<std::uint32_t>(contacts.first_from(first)) : last_contact,
                           static_cast<std::uint32_t>(contacts.first_from(last)), nullptr};
      last_contact = regions.last;
      if (!are_kept) room.resize(std::max<std::size_t>(room.size(), regions.last - regions.first));
      regions.of_first = are_kept ? contacts.region.data() + regions.first : room.data();
      if (passing != nullptr && passing->before && regions.first < regions.last)
        passing->before(regions.first, regions.last);
      const std::size_t apart_before = all.apart.size();
      bool some_change = false;
      for (std::size_t block = first_block; block != last_block; ++block) {
        found_[block].clear();
        const auto begin_of_block = static_cast<std::uint32_t>(block) * kBlock;
        Block(view, bodies, contacts, regions, &contacts.sorted[block], found_[block], all)
            .detect(begin_of_block, std::min(begin_of_block + kBlock, last));
        some_change |= !found_[block].empty();
      }
      some_change |= all.apart.size() > apart_before;
      if (passing == nullptr) continue;
      if (!some_change) {
        passing->take(regions);
        continue;
      }
      Waiting rest{.first = first, .last = last};
      if (!are_kept) {
        rest.candidate.assign(contacts.candidate.begin() + regions.first, contacts.candidate.begin() + regions.last);
        rest.region.assign(room.begin(), room.begin() + (regions.last - regions.first));
      }
      const std::lock_guard lock(mutex);
      waiting_.push_back(std::move(rest));
    }
    const std::lock_guard lock(mutex);
    rooms_.push_back(std::move(room));
    apart_.insert(apart_.end(), all.apart.begin(), all.apart.end());
    chord_jumps_ += all.jumps;
  };
  const std::size_t windows = (found_.size() + kBlocksOfWindow - 1) / kBlocksOfWindow;
  if (windows < 2) {
    detect_windows(0, windows);
  } else {
    Threads::share(windows, 1, std::cref(detect_windows));
  }
  std::ranges::sort(apart_);  // as threads came
  std::ranges::sort(waiting_, {}, &Waiting::first);
}

std::vector<ContactRegion> Narrowphase::take_room(std::mutex& mutex) {
  const std::lock_guard lock(mutex);
  if (rooms_.empty()) return {};
  std::vector<ContactRegion> room = std::move(rooms_.back());
  rooms_.pop_back();
  return room;
}

void Narrowphase::take_rest(const TakeRegions& take, Contacts& contacts) {
  const auto take_some = [&](std::size_t begin, std::size_t end) {
    for (; begin != end; ++begin) {
      const Waiting& waiting = waiting_[begin];
      RegionWindow window{static_cast<std::uint32_t>(contacts.first_from(waiting.first)),
                          static_cast<std::uint32_t>(contacts.first_from(waiting.last)), nullptr};
      std::vector<ContactRegion> now;
      if (!contacts.have_regions()) {
        now = regions_after(waiting, std::span(contacts.candidate).subspan(window.first, window.last - window.first));
      }
      window.of_first = contacts.have_regions() ? contacts.region.data() + window.first : now.data();
      take(window);
    }
  };
  if (waiting_.empty()) return;
  Threads::share(waiting_.size(), 1, std::cref(take_some));
}

/// Of contacts that were there, or begin. @param now their candidates
std::vector<ContactRegion> Narrowphase::regions_after(const Waiting& waiting,
                                                      std::span<const std::uint32_t> now) const {
  std::vector<ContactRegion> all;
  all.reserve(now.size());
  std::size_t before = 0;
  std::size_t block = waiting.first / kBlock;
  std::size_t begun = 0;  // in the block
  for (const std::uint32_t candidate : now) {
    while (before < waiting.candidate.size() && waiting.candidate[before] < candidate) ++before;
    if (before < waiting.candidate.size() && waiting.candidate[before] == candidate) {
      all.push_back(waiting.region[before]);
      continue;
    }
    while (begun == found_[block].size()) {
      ++block;
      begun = 0;
    }
    all.push_back(region_of(found_[block][begun++].geometry));
  }
  return all;
}

void Narrowphase::detect(const DetectionView& view, const CandidatesBeside& some, Contacts& contacts) {
  found_.resize(1);
  found_.front().clear();
  waiting_.clear();
  const lanes::BodiesIn bodies = bodies_for_lanes(view.bodies, view.placement.rotation);
  std::mutex mutex;
  std::vector<std::uint32_t> touching;
  parallel_for_ranges(some.apart.size(), [&](std::size_t begin, std::size_t end) {
    std::uint32_t uncertain_at[kBlock];
    for (; begin < end; begin += kBlock) {
      const auto first = static_cast<std::uint32_t>(begin);
      const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(begin + kBlock, end));
      lanes::Found uncertain{uncertain_at, 0};
      lanes::kernels().plain->find_touching(bodies, some.bodies_apart, some.shifts_apart, {nullptr, first, last},
                                            uncertain);
      if (uncertain.count == 0) continue;
      const std::lock_guard lock(mutex);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) touching.push_back(some.apart[uncertain.at[k]]);
    }
  });
  Findings findings;
  Block block(view, bodies, contacts, contacts.all_regions(), nullptr, found_.front(), findings);
  for (const std::uint32_t pair : touching) block.measure(pair, kNoContact);
  for (std::size_t begin = 0; begin < some.at_walls.size(); begin += kBlock) {
    const std::size_t count = std::min<std::size_t>(kBlock, some.at_walls.size() - begin);
    block.detect_at_walls(some.at_walls.subspan(begin, count), some.contacts_at_walls.subspan(begin, count));
  }
  std::ranges::sort(found_.front(), {}, &NewContact::candidate);
  apart_ = std::move(findings.apart);
  chord_jumps_ = findings.jumps;
}

}  // namespace scree::soft
