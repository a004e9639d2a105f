#include "dem/state_values.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace scree {

namespace {

constexpr std::array kOfSoft = {
    Quantity::run,      Quantity::pour,     Quantity::body,         Quantity::image,
    Quantity::position, Quantity::velocity, Quantity::acceleration, Quantity::higher_derivatives,
    Quantity::friction, Quantity::rolling};
constexpr std::array kOfHard = {Quantity::run,    Quantity::pour,           Quantity::body,
                                Quantity::image,  Quantity::position,       Quantity::velocity,
                                Quantity::flight, Quantity::last_collision, Quantity::well};

constexpr std::array<std::string_view, kQuantities> kNames = {
    "run",      "pour",    "body",   "image",          "position", "velocity", "acceleration", "higher derivatives",
    "friction", "rolling", "flight", "last collision", "well"};

/// Names of the first values of a quantity. Further values, and those without a name here, are named by their number.
constexpr std::array<std::array<std::string_view, 7>, kQuantities> kComponents = {{
    {},
    {"born", "attempts"},
    {"group", "material", "radius", "mass", "inverse mass", "inverse inertia", "bounding radius"},
    {"x", "y"},
    {"x", "y", "angle"},
    {"x", "y", "angular"},
    {"x", "y", "angular"},
    {"x (third)", "y (third)", "angular (third)", "x (fourth)", "y (fourth)", "angular (fourth)", "x (fifth)"},
    {"displacement", "tangential velocity", "sliding"},
    {"displacement", "angular velocity", "at its limit"},
    {"begin"},
    {"time"},
    {},
}};

/// A bijection in which every bit of the result depends on every bit of x.
/// Source: D. Stafford's variant 13 of the finaliser of MurmurHash3, as in SplitMix64 (S. Vigna).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::size_t index(Quantity quantity) {
  return static_cast<std::size_t>(quantity);
}

}  // namespace

std::span<const Quantity> quantities_of(Mode mode) {
  return mode == Mode::soft ? std::span<const Quantity>(kOfSoft) : std::span<const Quantity>(kOfHard);
}

std::string_view name(Quantity quantity) {
  return kNames[index(quantity)];
}

void StateValues::begin(Quantity quantity, const Owner& owner) {
  const std::uint64_t image = static_cast<std::uint64_t>(static_cast<std::uint32_t>(owner.image[0])) << 32 |
                              static_cast<std::uint32_t>(owner.image[1]);
  hash_ = mixed(mixed(mixed(owner.body) ^ owner.partner) ^ image) + index(quantity);
  if (keeps_values_) values_.push_back({quantity, owner, {}});
}

void StateValues::end(Quantity quantity, const Owner& owner) {
  const std::uint64_t hash = mixed(hash_);
  QuantityHash& hashes = hashes_[index(quantity)];
  hashes.sum += hash;
  hashes.by_body += owner.body * hash;
}

std::uint64_t combined(const StateHash& hashes) {
  std::uint64_t all = 0;
  for (const QuantityHash& hash : hashes) all = mixed(mixed(all ^ hash.sum) ^ hash.by_body);
  return all;
}

std::optional<std::uint64_t> only_body_that_differs(const QuantityHash& first, const QuantityHash& second) {
  // If one body differs, by_body differs by its id times as much as sum: sum's difference is an odd number times 2^k,
  // and has an inverse but for these k bits.
  const std::uint64_t sum = second.sum - first.sum;
  const std::uint64_t by_body = second.by_body - first.by_body;
  if (sum == 0) return std::nullopt;
  const int twos = std::countr_zero(sum);
  const std::uint64_t odd = sum >> twos;
  std::uint64_t inverse = odd;  // right to 3 bits; each of Newton's steps doubles them
  for (int k = 0; k < 5; ++k) inverse *= 2 - odd * inverse;
  const std::uint64_t body = (by_body >> twos) * inverse & (~std::uint64_t{0} >> twos);
  constexpr std::uint64_t kMostIds = std::uint64_t{1} << 32;
  if (body >= kMostIds || body * sum != by_body) return std::nullopt;
  return body;
}

std::vector<ValueDifference> differences(const StateValues& first, const StateValues& second) {
  const auto sorted = [](const std::vector<OwnedValues>& values) {
    std::vector<const OwnedValues*> order;
    for (const OwnedValues& each : values) order.push_back(&each);
    std::ranges::stable_sort(order, {}, [](const OwnedValues* v) { return std::tuple(v->quantity, v->owner); });
    return order;
  };
  const auto of_first = sorted(first.values());
  const auto of_second = sorted(second.values());
  std::vector<ValueDifference> found;
  const auto compare = [&](const OwnedValues* a, const OwnedValues* b) {
    const OwnedValues& one = a != nullptr ? *a : *b;
    const std::size_t sizes[] = {a != nullptr ? a->values.size() : 0, b != nullptr ? b->values.size() : 0};
    if (a != nullptr && b != nullptr && sizes[0] + sizes[1] == 0) return;
    for (std::size_t k = 0; k < std::max({sizes[0], sizes[1], std::size_t{1}}); ++k) {
      ValueDifference difference{one.quantity, one.owner, k};
      if (k < sizes[0]) difference.first = a->values[k];
      if (k < sizes[1]) difference.second = b->values[k];
      if (one.values.empty()) (a != nullptr ? difference.first : difference.second) = {1, true};  // it is there
      const bool both = difference.first && difference.second;
      if (!both || difference.first->bits != difference.second->bits) found.push_back(difference);
    }
  };
  auto a = of_first.begin();
  auto b = of_second.begin();
  while (a != of_first.end() || b != of_second.end()) {
    const auto key = [](const OwnedValues* v) { return std::tuple(v->quantity, v->owner); };
    const bool has_a = a != of_first.end() && (b == of_second.end() || key(*a) <= key(*b));
    const bool has_b = b != of_second.end() && (a == of_first.end() || key(*b) <= key(*a));
    compare(has_a ? *a++ : nullptr, has_b ? *b++ : nullptr);
  }
  return found;
}

std::string name(Quantity quantity, std::size_t component) {
  const auto& components = kComponents[index(quantity)];
  if (component < components.size() && !components[component].empty()) {
    return fmt::format("{} {}", name(quantity), components[component]);
  }
  return fmt::format("{} [{}]", name(quantity), component);
}

std::string text(const OwnedValues::Value& value) {
  if (value.is_whole) return fmt::to_string(static_cast<std::int64_t>(value.bits));
  return fmt::to_string(std::bit_cast<double>(value.bits));
}

}  // namespace scree
