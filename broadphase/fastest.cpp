#include "broadphase/fastest.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace scree {

namespace {

// In the order of Fastest::Member.
constexpr std::array kKinds = {BroadphaseKind::sort_and_update, BroadphaseKind::sorted_strips,
                               BroadphaseKind::linked_cells, BroadphaseKind::hierarchical_grid};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

template <int Dim>
Fastest<Dim>::Fastest(std::size_t worth_a_trial) : candidates_(1), worth_a_trial_(worth_a_trial) {}

template <int Dim>
template <class Call>
void Fastest<Dim>::each(PairChanges& changes, Call call) {
  for (Candidate& candidate : candidates_) {
    PairChanges& own = &candidate == &candidates_.front() ? changes : others_changes_;
    std::visit([&](auto& member) { call(candidate, member, own); }, candidate.member);
  }
}

template <int Dim>
void Fastest<Dim>::insert(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  insert(std::span(&id, 1), std::span(&box, 1), changes);
}

template <int Dim>
void Fastest<Dim>::insert(std::span<const ProxyId> ids, std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  each(changes, [&](Candidate&, auto& member, PairChanges& own) { member.insert(ids, boxes, own); });
  for (const ProxyId id : ids) {
    if (id >= in_use_.size()) in_use_.resize(id + std::size_t{1}, 0);
    in_use_[id] = 1;
  }
  size_ += ids.size();
}

template <int Dim>
void Fastest<Dim>::erase(ProxyId id, PairChanges& changes) {
  each(changes, [&](Candidate&, auto& member, PairChanges& own) { member.erase(id, own); });
  in_use_[id] = 0;
  --size_;
}

template <int Dim>
void Fastest<Dim>::update(std::span<const Aabb<Dim>> boxes, PairChanges& changes) {
  if (trial_is_due()) {
    size_at_trial_ = size_;
    updates_at_trial_ = updates_;
    for (std::size_t k = kKinds.size(); k-- > 0;) {
      if (k != candidates_.front().member.index()) untried_.push_back(k);
    }
  }
  if (candidates_.size() == 1 && !untried_.empty()) begin_round(boxes);
  ++updates_;
  const std::uint64_t in_round = updates_ - updates_at_round_;
  each(changes, [&](Candidate& candidate, auto& member, PairChanges& own) {
    const double start = seconds_now();
    member.update(boxes, own);
    if (in_round > kRoundUpdates / 2) candidate.seconds += seconds_now() - start;
  });
  if (candidates_.size() > 1 && in_round == kRoundUpdates) end_round();
}

template <int Dim>
void Fastest<Dim>::move(ProxyId id, const Aabb<Dim>& box, PairChanges& changes) {
  each(changes, [&](Candidate&, auto& member, PairChanges& own) { member.move(id, box, own); });
}

template <int Dim>
void Fastest<Dim>::query(const Aabb<Dim>& box, std::vector<ProxyId>& found) const {
  std::visit([&](const auto& member) { member.query(box, found); }, candidates_.front().member);
}

template <int Dim>
const Aabb<Dim>& Fastest<Dim>::box(ProxyId id) const {
  return std::visit([&](const auto& member) -> const Aabb<Dim>& { return member.box(id); }, candidates_.front().member);
}

template <int Dim>
bool Fastest<Dim>::trial_is_due() const {
  if (candidates_.size() > 1 || !untried_.empty() || size_ < worth_a_trial_) return false;
  return size_ >= 2 * size_at_trial_ || 2 * size_ <= size_at_trial_ ||
         updates_ >= 10 * (updates_at_trial_ + kTrialUpdates);
}

// The boxes are already those of the next update; this makes no difference to a broadphase that starts.
template <int Dim>
void Fastest<Dim>::begin_round(std::span<const Aabb<Dim>> boxes) {
  updates_at_round_ = updates_;
  std::vector<ProxyId> ids;
  std::vector<Aabb<Dim>> present;
  for (ProxyId id = 0; id < boxes.size() && id < in_use_.size(); ++id) {
    if (!in_use_[id]) continue;
    ids.push_back(id);
    present.push_back(boxes[id]);
  }
  const auto add = [&]<class M>(std::in_place_type_t<M>) {
    Member member{std::in_place_type<M>};
    if (member.index() != untried_.back() || candidates_.size() > 1) return;
    std::get<M>(member).insert(ids, present, others_changes_);
    candidates_.push_back({std::move(member)});
  };
  add(std::in_place_type<SortAndUpdate<Dim>>);
  add(std::in_place_type<SortedStrips<Dim>>);
  add(std::in_place_type<LinkedCells<Dim>>);
  add(std::in_place_type<HierarchicalGrid<Dim>>);
  untried_.pop_back();
  candidates_.front().seconds = 0.0;
}

template <int Dim>
void Fastest<Dim>::end_round() {
  for (const Candidate& candidate : candidates_) note(candidate);
  if (candidates_.back().seconds < candidates_.front().seconds) std::swap(candidates_.front(), candidates_.back());
  candidates_.resize(1);
  if (!untried_.empty()) return;
  std::stable_sort(results_.begin(), results_.end(),
                   [](const Result& a, const Result& b) { return a.nanoseconds < b.nanoseconds; });
  trial_ = std::move(results_);
  results_.clear();
}

// The fastest of several rounds counts, so that the broadphase in use at last is the first on the list.
template <int Dim>
void Fastest<Dim>::note(const Candidate& candidate) {
  const double looks = static_cast<double>(size_) * (kRoundUpdates - kRoundUpdates / 2);
  const Result result{kKinds[candidate.member.index()], 1e9 * candidate.seconds / looks};
  const auto known = std::find_if(results_.begin(), results_.end(),
                                  [&](const Result& other) { return other.member == result.member; });
  if (known == results_.end()) {
    results_.push_back(result);
  } else {
    known->nanoseconds = std::min(known->nanoseconds, result.nanoseconds);
  }
}

template class Fastest<2>;
template class Fastest<3>;

}  // namespace scree
