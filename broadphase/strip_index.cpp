#include "broadphase/strip_index.hpp"

#include <cassert>
#include <cmath>

#include "broadphase/lengthen.hpp"

namespace scree {

namespace {

constexpr double kLengthOverWidth = 4;
constexpr std::size_t kBoxesPerList = 4;  // on average, including empty lists
constexpr int kTopExponent = 500;         // all larger and infinite boxes are in one strip

}  // namespace

template <int Dim>
void StripIndex<Dim>::insert(ProxyId id, const Aabb<Dim>& box) {
  if (id >= boxes_.size()) {
    lengthen(boxes_, id + std::size_t{1});
    lengthen(in_use_, id + std::size_t{1});
  }
  assert(!in_use_[id]);
  boxes_[id] = box;
  in_use_[id] = 1;
  ++size_;
  Level& level = level_of(box);
  ++level.size;
  put(lists_[place(level, box)], {box.lo[0], id});
  if (size_ > kBoxesPerList * lists_.size()) grow();
}

template <int Dim>
void StripIndex<Dim>::erase(ProxyId id) {
  assert(in_use_[id]);
  Level& level = level_of(boxes_[id]);
  --level.size;
  take(lists_[place(level, boxes_[id])], id);
  in_use_[id] = 0;
  --size_;
}

template <int Dim>
void StripIndex<Dim>::move(ProxyId id, const Aabb<Dim>& box) {
  assert(in_use_[id]);
  Level& old_level = level_of(boxes_[id]);
  const std::size_t from = place(old_level, boxes_[id]);
  --old_level.size;
  Level& level = level_of(box);
  ++level.size;
  const std::size_t to = place(level, box);
  if (from == to) {
    List& list = lists_[from];
    const auto at = std::find_if(list.begin(), list.end(), [&](const Entry& entry) { return entry.id == id; });
    at->x = box.lo[0];
    settle(list, static_cast<std::size_t>(at - list.begin()));
  } else {
    take(lists_[from], id);
    put(lists_[to], {box.lo[0], id});
  }
  boxes_[id] = box;
}

template <int Dim>
int StripIndex<Dim>::exponent_of(const Aabb<Dim>& box) {
  const double extent = (box.hi - box.lo).maxCoeff();
  if (!std::isfinite(extent)) return kTopExponent;
  int binary = 0;
  std::frexp(extent, &binary);  // extent < 2^binary
  return std::clamp((binary + (binary > 0 ? 1 : 0)) / 2, -kTopExponent, kTopExponent);
}

// The level of boxes of this size; its reach is increased if necessary.
template <int Dim>
auto StripIndex<Dim>::level_of(const Aabb<Dim>& box) -> Level& {
  const int exponent = exponent_of(box);
  auto level = std::find_if(levels_.begin(), levels_.end(), [&](const Level& l) { return l.exponent == exponent; });
  if (level == levels_.end()) {
    Level fresh{exponent, {}};
    fresh.per_length.fill(exponent == kTopExponent ? 0.0 : std::ldexp(1.0, -2 * exponent));
    fresh.per_length[0] /= kLengthOverWidth;
    level = levels_.insert(levels_.end(), fresh);
  }
  for (int k = 0; k < Dim; ++k) {
    double& reach = level->reach[static_cast<std::size_t>(k)];
    reach = std::max(reach, box.hi[k] - box.lo[k]);
  }
  return *level;
}

template <int Dim>
std::size_t StripIndex<Dim>::place(const Level& level, const Aabb<Dim>& box) const {
  Cell at;
  for (int k = 0; k < Dim; ++k) at[static_cast<std::size_t>(k)] = cell(level, k, box.lo[k]);
  return slot(level, at);
}

template <int Dim>
void StripIndex<Dim>::put(List& list, Entry entry) {
  list.push_back(entry);
  settle(list, list.size() - 1);
}

template <int Dim>
void StripIndex<Dim>::take(List& list, ProxyId id) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const Entry& entry) { return entry.id == id; });
  exchanges_ += static_cast<std::uint64_t>(list.end() - at) - 1;
  list.erase(at);
}

// One step of insertion sort: the entry is exchanged with its neighbours until it is in order.
template <int Dim>
std::size_t StripIndex<Dim>::settle(List& list, std::size_t at) {
  const Entry entry = list[at];
  std::size_t j = at;
  for (; j > 0 && entry.x < list[j - 1].x; --j) list[j] = list[j - 1];
  for (; j + 1 < list.size() && list[j + 1].x < entry.x; ++j) list[j] = list[j + 1];
  list[j] = entry;
  exchanges_ += j < at ? at - j : j - at;
  return j;
}

template <int Dim>
void StripIndex<Dim>::grow() {
  std::vector<List>(4 * lists_.size()).swap(lists_);
  hash_shift_ -= 2;
  for (ProxyId id = 0; id < boxes_.size(); ++id) {
    if (in_use_[id]) put(lists_[place(level_of(boxes_[id]), boxes_[id])], {boxes_[id].lo[0], id});
  }
}

template class StripIndex<2>;
template class StripIndex<3>;

}  // namespace scree
