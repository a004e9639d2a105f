#include "dem/soft/forces/narrowphase.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

#include "dem/shapes.hpp"
#include "dem/soft/contact/chord_jump.hpp"
#include "dem/soft/lanes/views.hpp"
#include "geometry/tolerances.hpp"
#include "parallel/parallel_for.hpp"

namespace scree::soft {

namespace {

/// Acceleration of a body; of a part as its clump carries it.
Motion acceleration_of(const DetectionView& view, std::uint32_t body) {
  const Bodies& bodies = view.bodies;
  if (!bodies.is_part(body)) return view.gear.acceleration(body);
  const std::uint32_t clump = bodies.particle(body);
  const Motion& of_clump = view.gear.acceleration(clump);
  const double turning = bodies.velocity[clump].z();
  const Vec2 arm = bodies.arm_of(body);
  const Vec2 about_centre = of_clump.z() * perp(arm) - turning * turning * arm;
  return of_clump + Motion(about_centre.x(), about_centre.y(), 0.0);
}

/// Whether the chord has jumped since the last step.
/// @param found in the frame of a, except for the centroid
bool has_jumped(const DetectionView& view, const BodyPair& pair, const ContactGeometry& found, const Chord& before,
                const Chord& now) {
  const auto& [bodies, placement, proxies, gear, counted] = view;
  const ShapeView a = bodies.shape(pair.a);
  const ShapeView b = bodies.shape(pair.b);
  const Vec2& at = found.overlap.centroid;
  const Vec2 to_image = found.branch_vector - linear(bodies.position[pair.b]) + linear(bodies.position[pair.a]);
  const Vec2 drift = proxies.periodic().drift(to_image);
  const auto relative = [&](const Motion& of_a, const Motion& of_b) {
    return (velocity_at(of_b, at - found.branch_vector) - velocity_at(of_a, at)).norm() +
           std::abs(of_b.z() - of_a.z()) * (now.vector.norm() + found.overlap.depth);
  };
  const double dt = gear.dt();
  const Motion velocity_of_b = bodies.velocity[pair.b] + Motion(drift.x(), drift.y(), 0.0);
  const double by_velocity = dt * relative(bodies.velocity[pair.a], velocity_of_b);
  if (is_explained_at_any_angle(before, now, by_velocity)) return false;  // which the rest of it does not make less
  const double displacement = by_velocity +
                              dt * dt * relative(acceleration_of(view, pair.a), acceleration_of(view, pair.b)) +
                              kDozensOfRoundings * (a.radius + b.radius);
  if (is_explained_at_any_angle(before, now, displacement)) return false;
  const double turn = dt * std::abs(bodies.velocity[pair.b].z() - bodies.velocity[pair.a].z());
  const double extent = 2.0 * std::min(a.radius, b.radius);
  const Pose b_in_a = relative_pose(placement.rotation_of(pair.a), placement.rotation_of(pair.b), found.branch_vector);
  return chord_jumped(a.outline, b.outline, b_in_a, before, now, found.overlap.area / (extent * extent), displacement,
                      turn);
}

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

/// The work of one block of candidates.
class Block {
 public:
  /// @param sorted null: its pairs need not be sorted
  Block(const DetectionView& view, const lanes::BodiesIn& bodies, Contacts& contacts, SortedPairs* sorted,
        std::vector<NewContact>& found)
      : view_(view), bodies_(bodies), contacts_(contacts), sorted_(sorted), found_(found) {}

  struct Counts {
    std::uint64_t jumps;  ///< of chords
    bool some_are_apart;  ///< that touched
  };
  Counts detect(std::uint32_t begin, std::uint32_t end) {
    if (bodies_.only_disks) return detect_disks(begin, end);
    if (!sorted_->are_known) sort(begin, end);
    if (view_.proxies.periodic().any()) note_branch_vectors(begin, end);
    if (contacts_for_lanes(contacts_).fetched > 0) fetch(begin, end);
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
      measure(bodies_, candidates, list, geometry_for_lanes(contacts_), uncertain, changed, chords);
      leave(list, uncertain);
      for (std::uint32_t k = 0; k < changed.count; ++k) {
        const double* const chord = chords + 4 * std::size_t{k};
        const std::uint32_t pair = list.candidate[changed.at[k]];
        count_jump(pair, contacts_.geometry[list.contact[changed.at[k]]], {chord[0], chord[1]}, {chord[2], chord[3]},
                   whole(contacts_.candidates.hint[pair]));
      }
    }
    if (const lanes::PairList list = list_of(kDisks); list.count > 0) {
      lanes::Found uncertain{uncertain_at, 0};
      kernels.measure_disks(bodies_, candidates, list, geometry_for_lanes(contacts_), uncertain);
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
    return {jumps_, some_are_apart_};
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
                                    geometry_for_lanes(contacts_), uncertain);
    for (std::uint32_t k = 0; k < uncertain.count; ++k) measure(pairs[uncertain.at[k]], of_pairs[uncertain.at[k]]);
  }
  /// Any pair, from any hint.
  void measure(std::uint32_t pair, std::uint32_t contact);
  bool some_are_apart() const { return some_are_apart_; }

 private:
  /// Detects in a scene whose particles are all disks: contacts need no lists.
  Counts detect_disks(std::uint32_t begin, std::uint32_t end) {
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
                                          {nullptr, first, last}, geometry_for_lanes(contacts_), uncertain);
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
                                      geometry_for_lanes(contacts_), uncertain);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) {
        rest_.add(at_walls.candidate[uncertain.at[k]], at_walls.contact[uncertain.at[k]]);
      }
    }
    measure_rest();
    return {jumps_, some_are_apart_};
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
    sorted_->first_contact = static_cast<std::uint32_t>(contacts_.first_from(begin));
    std::uint32_t k = sorted_->first_contact;
    for (; k < contacts_.size() && contacts_.candidate[k] < end; ++k) contact_of[contacts_.candidate[k] - begin] = k;
    sorted_->last_contact = k;
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

  /// Asks for what candidates [begin, end) need all at once: where b is, its vertices near those that it was left at,
  /// records of contacts. Each a was a b before. Without effect on values.
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
    const double* const geometry = geometry_for_lanes(contacts_);
    constexpr std::size_t kNumbers = sizeof(ContactGeometry) / sizeof(double);
    const std::size_t last = kNumbers * sorted_->last_contact;
    for (std::size_t at = kNumbers * sorted_->first_contact; at < last; at += kLine) {
      __builtin_prefetch(geometry + at, 1);
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

  void count_jump(std::uint32_t pair, const ContactGeometry& geometry, const Vec2& before, const Vec2& now,
                  const PairHint& hint_before) {
    const BodyPair bodies = contacts_.candidates.bodies[pair];
    if (!view_.counted.empty() && view_.counted[bodies.a] == 0) return;
    const PairHint hint = whole(contacts_.candidates.hint[pair]);
    if (has_jumped(view_, bodies, geometry, {before, hint_before}, {now, hint})) ++jumps_;
  }

  const DetectionView& view_;
  const lanes::BodiesIn& bodies_;
  Contacts& contacts_;
  SortedPairs* sorted_;
  std::vector<NewContact>& found_;
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
  std::uint64_t jumps_ = 0;
  bool some_are_apart_ = false;
};

void Block::measure(std::uint32_t pair, std::uint32_t contact) {
  const bool has_touched = contact != kNoContact;
  Candidates& candidates = contacts_.candidates;
  const BodyPair bodies = candidates.bodies[pair];
  const ShapeView a = view_.bodies.shape(bodies.a);
  const ShapeView b = view_.bodies.shape(bodies.b);
  const Rotation& to_world = view_.placement.rotation_of(bodies.a);
  const Vec2 branch_vector = view_.proxies.branch_vector(view_.bodies, bodies.a, bodies.b, candidates.image_of(pair));
  const Pose b_in_a = relative_pose(to_world, view_.placement.rotation_of(bodies.b), branch_vector);
  const PairHint hint_before = whole(candidates.hint[pair]);
  PairHint hint = hint_before;
  const Overlap found = overlap(a, b, b_in_a, hint);
  if (const ShortHint now = shortened(hint); now != candidates.hint[pair] || found.touching() != has_touched) {
    candidates.hint[pair] = now;
    candidates.kind[pair] = Candidates::kUnsorted;
    if (sorted_ != nullptr) sorted_->are_known = false;
  }
  if (!found.touching()) {
    if (!has_touched) return;
    contacts_.geometry[contact].overlap = found;
    some_are_apart_ = true;
    return;
  }
  if (!has_touched) found_.push_back({.candidate = pair, .geometry = {}});
  ContactGeometry& geometry = has_touched ? contacts_.geometry[contact] : found_.back().geometry;
  const Vec2 chord_before = geometry.chord.cast<double>();
  geometry.overlap = {.area = found.area,
                      .depth = found.depth,
                      .centroid = to_world * found.centroid,
                      .normal = to_world * found.normal,
                      .chord_begin = to_world * found.chord_begin,
                      .chord_end = to_world * found.chord_end};
  geometry.branch_vector = branch_vector;
  geometry.depth_ratio = found.depth / (2.0 * std::min(view_.bodies.radius[bodies.a], view_.bodies.radius[bodies.b]));
  if (a.is_disk() || b.is_disk()) return;
  const Vec2 chord = found.chord_end - found.chord_begin;
  geometry.chord = chord.cast<float>();
  if (has_touched && chord_changed(chord_before, chord)) count_jump(pair, geometry, chord_before, chord, hint_before);
}

}  // namespace

void Narrowphase::detect(const DetectionView& view, Contacts& contacts) {
  const auto count = static_cast<std::uint32_t>(contacts.candidates.size());
  found_.resize((count + kBlock - 1) / kBlock);
  chord_jumps_ = 0;
  some_are_apart_ = false;
  if (count == 0) return;
  std::atomic<std::uint64_t> jumps = 0;
  std::atomic<bool> some_are_apart = false;
  contacts.sorted.resize(found_.size());
  const lanes::BodiesIn bodies = bodies_for_lanes(view.bodies, view.placement.rotation);
  const auto detect_blocks = [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block != end; ++block) {
      found_[block].clear();
      const auto first = static_cast<std::uint32_t>(block) * kBlock;
      const auto found = Block(view, bodies, contacts, &contacts.sorted[block], found_[block])
                             .detect(first, std::min(first + kBlock, count));
      if (found.jumps > 0) jumps.fetch_add(found.jumps, std::memory_order_relaxed);
      if (found.some_are_apart) some_are_apart.store(true, std::memory_order_relaxed);
    }
  };
  if (found_.size() < 2) {
    detect_blocks(0, found_.size());
  } else {
    Threads::share(found_.size(), 1, std::cref(detect_blocks));
  }
  chord_jumps_ = jumps;
  some_are_apart_ = some_are_apart;
}

void Narrowphase::detect(const DetectionView& view, const CandidatesBeside& some, Contacts& contacts) {
  found_.resize(1);
  found_.front().clear();
  chord_jumps_ = 0;
  const lanes::BodiesIn bodies = bodies_for_lanes(view.bodies, view.placement.rotation);
  std::mutex mutex;
  std::vector<std::uint32_t> touching;
  parallel_for_ranges(some.apart.size(), [&](std::size_t begin, std::size_t end) {
    std::uint32_t uncertain_at[kBlock];
    for (; begin < end; begin += kBlock) {
      const auto first = static_cast<std::uint32_t>(begin);
      const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(begin + kBlock, end));
      lanes::Found uncertain{uncertain_at, 0};
      lanes::kernels().plain.find_touching(bodies, some.bodies_apart, some.shifts_apart, {nullptr, first, last},
                                           uncertain);
      if (uncertain.count == 0) continue;
      const std::lock_guard lock(mutex);
      for (std::uint32_t k = 0; k < uncertain.count; ++k) touching.push_back(some.apart[uncertain.at[k]]);
    }
  });
  Block block(view, bodies, contacts, nullptr, found_.front());
  for (const std::uint32_t pair : touching) block.measure(pair, kNoContact);
  for (std::size_t begin = 0; begin < some.at_walls.size(); begin += kBlock) {
    const std::size_t count = std::min<std::size_t>(kBlock, some.at_walls.size() - begin);
    block.detect_at_walls(some.at_walls.subspan(begin, count), some.contacts_at_walls.subspan(begin, count));
  }
  std::ranges::sort(found_.front(), {}, &NewContact::candidate);
  some_are_apart_ = block.some_are_apart();
}

}  // namespace scree::soft
