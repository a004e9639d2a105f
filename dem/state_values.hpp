#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/mode.hpp"
#include "geometry/vec.hpp"

/// All values that determine the future of a run, each with its body and quantity: for a hash of the state, and to find
/// the differences between two states.
namespace scree {

/// The quantities of a state. Each mode has some of them.
enum class Quantity : std::uint8_t {
  run,                 ///< time, step, counters
  pour,                ///< progress of the pours, by group
  body,                ///< constants: material, size, mass, outline
  image,               ///< periods by which the position was wrapped back
  position,            ///< and angle; hard mode: at the start of the flight
  velocity,            ///< and angular velocity; hard mode: at the start of the flight
  acceleration,        ///< soft mode
  higher_derivatives,  ///< soft mode: third to fifth, as many as the integrator keeps
  friction,            ///< soft mode: history of a touching contact
  rolling,             ///< soft mode: the same for rolling resistance
  flight,              ///< hard mode: time at which the velocity last changed
  last_collision,      ///< hard mode: when it was, with a contact duration; what is kept of all, in whole numbers
  well,                ///< hard mode: pairs inside each other's well
};
inline constexpr std::size_t kQuantities = 13;

/// The quantities of a mode.
std::span<const Quantity> quantities_of(Mode mode);

/// The name in messages.
std::string_view name(Quantity quantity);

/// Hash of all values of one quantity, independent of their order.
struct QuantityHash {
  std::uint64_t sum = 0;  ///< of the hashes of all owners, modulo 2^64
  std::uint64_t by_body =
      0;  ///< of the same, each times the id of its body: if one body differs, the two sums give its id

  bool operator==(const QuantityHash&) const = default;
};
using StateHash = std::array<QuantityHash, kQuantities>;  ///< by Quantity

/// The owner of a value. Ids as in tables; 0: none.
struct Owner {
  std::uint64_t body = 0;
  std::uint64_t partner = 0;                   ///< the second body of a contact
  std::array<std::int32_t, 2> image = {0, 0};  ///< of the partner

  auto operator<=>(const Owner&) const = default;
};

/// The values of one quantity of one owner.
struct OwnedValues {
  struct Value {
    std::uint64_t bits;
    bool is_whole;  ///< an integer; else the bits are those of a double
  };
  Quantity quantity;
  Owner owner;
  std::vector<Value> values;
};

/// Receives the values of a state and hashes them; optionally stores them. The hash depends only on the values and
/// their owners, not on the order of bodies and contacts, on padding, or on the format of saved states. Cost: a few
/// operations per value; no allocation unless values are stored.
class StateValues {
 public:
  enum class Keep { hashes, values };
  explicit StateValues(Keep keep = Keep::hashes) : keeps_values_(keep == Keep::values) {}

  /// @param values numbers, vectors, arrays and ranges of them
  template <class... T>
  void add(Quantity quantity, const Owner& owner, const T&... values) {
    begin(quantity, owner);
    (put(values), ...);
    end(quantity, owner);
  }

  const StateHash& hashes() const { return hashes_; }
  /// In the order in which they were added; empty unless values are stored.
  const std::vector<OwnedValues>& values() const { return values_; }

 private:
  void begin(Quantity quantity, const Owner& owner);
  void end(Quantity quantity, const Owner& owner);
  void put_bits(std::uint64_t bits, bool is_whole) {
    hash_ = (hash_ ^ bits) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
    if (keeps_values_) values_.back().values.push_back({bits, is_whole});
  }
  void put(double value) { put_bits(std::bit_cast<std::uint64_t>(value), false); }
  template <std::integral T>
  void put(T value) {
    put_bits(static_cast<std::uint64_t>(value), true);
  }
  void put(const Vec2& value) { put(value.x()), put(value.y()); }
  void put(const Motion& value) { put(value.x()), put(value.y()), put(value.z()); }
  template <class Range>
  requires requires(const Range& range) { range.begin() != range.end(); }
  void put(const Range& values) {
    for (const auto& value : values) put(value);
  }

  bool keeps_values_;
  std::uint64_t hash_ = 0;  // of the values that are being added
  StateHash hashes_ = {};
  std::vector<OwnedValues> values_;
};

/// A single hash of all quantities.
std::uint64_t combined(const StateHash& hashes);

/// The only body that differs in one quantity, if there is only one; 0: values without an owner.
/// @return nothing if there is no difference or if several bodies differ (wrong with probability 1 in 4e9)
std::optional<std::uint64_t> only_body_that_differs(const QuantityHash& first, const QuantityHash& second);

/// A value that differs between two states.
struct ValueDifference {
  Quantity quantity;
  Owner owner;
  std::size_t component;                          ///< number of the value among those of its quantity and owner
  std::optional<OwnedValues::Value> first = {};   ///< of the first state; empty if it has no such value
  std::optional<OwnedValues::Value> second = {};  ///< of the second state
};

/// All differences, by quantity, then owner, then component. @pre both store their values. O(n log n)
std::vector<ValueDifference> differences(const StateValues& first, const StateValues& second);

/// The name of a value, "velocity x"; and the number itself, with the fewest digits that read back as the same number.
std::string name(Quantity quantity, std::size_t component);
std::string text(const OwnedValues::Value& value);

}  // namespace scree
