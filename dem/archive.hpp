#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include "dem/trim.hpp"
#include "geometry/aabb.hpp"
#include "geometry/overlap.hpp"

/// Converts plain arrays to bytes and back, for save and load: little endian as in memory, sizes before contents. A
/// structure lists what of it is saved in a static member function template `visit`, which serves both directions.
/// Every byte is one of a value: padding cannot get into a file.
namespace scree {

/// Bytes that are no state of the scene: cut off, damaged or made up.
struct InvalidState : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// @throws InvalidState unless it holds
inline void require_state(bool holds, const char* what) {
  if (!holds) throw InvalidState(std::string("the saved state makes no sense: ") + what);
}

/// Numbers, and fixed arrays of them: any bytes are a value, and all their bytes are.
template <class T>
struct IsBare
    : std::bool_constant<std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>> {};
template <class T, std::size_t N>
struct IsBare<std::array<T, N>> : IsBare<T> {};
template <class T>
requires std::derived_from<T, Eigen::PlainObjectBase<T>>
struct IsBare<T> : std::bool_constant<T::SizeAtCompileTime != Eigen::Dynamic && IsBare<typename T::Scalar>::value &&
                                      sizeof(T) == T::SizeAtCompileTime * sizeof(typename T::Scalar)> {
};
// What of geometry is saved does not depend on archives.
template <>
struct IsBare<Aabb2> : std::bool_constant<sizeof(Aabb2) == 4 * sizeof(double)> {};
template <>
struct IsBare<Overlap> : std::bool_constant<sizeof(Overlap) == 10 * sizeof(double)> {};
template <>
struct IsBare<PairHint> : std::has_unique_object_representations<PairHint> {};
template <class T>
concept Bare = IsBare<T>::value;

/// A structure that lists its members.
template <class T, class Archive>
concept Visitable = requires(Archive& archive, T& value) {
  std::remove_const_t<T>::visit(archive, value);
};

/// A vector that is loaded only if it has the length that it has before.
template <class Vector>
struct Fixed {
  Vector& values;
};
template <class Vector>
Fixed<Vector> fixed(Vector& values) {
  return {values};
}

class OutArchive {
 public:
  explicit OutArchive(std::ostream& out) : out_(out) {}
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

 private:
  void write_bytes(const void* bytes, std::size_t size) {
    const auto length = static_cast<std::streamsize>(size);
    if (out_.rdbuf()->sputn(static_cast<const char*>(bytes), length) != length) out_.setstate(std::ios::badbit);
  }
  void write(const bool& value) { write(static_cast<std::uint8_t>(value ? 1 : 0)); }
  template <Bare T>
  void write(const T& value) {
    write_bytes(&value, sizeof value);
  }
  template <class T>
  requires Visitable<const T, OutArchive>
  void write(const T& value) { T::visit(*this, value); }
  template <class T, std::size_t N>
  requires(!Bare<T>) void write(const std::array<T, N>& values) {
    for (const T& value : values) write(value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    if constexpr (Bare<T>) {
      write_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) write(value);
    }
  }
  template <class Vector>
  void write(const Fixed<Vector>& fixed) {
    write(fixed.values);
  }
  std::ostream& out_;
};

/// Reads what OutArchive wrote. @throws InvalidState if the bytes are too few, or no value
class InArchive {
 public:
  explicit InArchive(std::istream& in) : in_(in) {}
  template <class... T>
  void operator()(T&&... values) {
    (read(values), ...);
  }

 private:
  void read_bytes(void* bytes, std::size_t size) {
    const auto length = static_cast<std::streamsize>(size);
    if (in_.rdbuf()->sgetn(static_cast<char*>(bytes), length) != length) {
      throw InvalidState("the saved state is cut off");
    }
  }
  void read(bool& value) {
    std::uint8_t byte = 0;
    read(byte);
    require_state(byte <= 1, "neither yes nor no");
    value = byte != 0;
  }
  template <Bare T>
  void read(T& value) {
    read_bytes(&value, sizeof value);
  }
  template <class T>
  requires Visitable<T, InArchive>
  void read(T& value) { T::visit(*this, value); }
  template <class T, std::size_t N>
  requires(!Bare<T>) void read(std::array<T, N>& values) {
    for (T& value : values) read(value);
  }
  /// The vector grows with the values that are really there: a forged size must not exhaust the memory.
  template <class T>
  void read(std::vector<T>& values) {
    std::uint64_t size = 0;
    read(size);
    values.clear();
    constexpr std::uint64_t kChunk = 1 << 16;
    while (values.size() < size) {
      const std::size_t old = values.size();
      values.resize(old + std::min(size - old, kChunk));
      if constexpr (Bare<T>) {
        read_bytes(values.data() + old, (values.size() - old) * sizeof(T));
      } else {
        for (std::size_t k = old; k < values.size(); ++k) read(values[k]);
      }
    }
    trim(values);
  }
  template <class Vector>
  void read(const Fixed<Vector>& fixed) {
    const std::size_t size = fixed.values.size();
    read(fixed.values);
    require_state(fixed.values.size() == size, "a list has another length than the scene says");
  }
  std::istream& in_;
};

}  // namespace scree
