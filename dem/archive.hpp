#pragma once

#include <algorithm>
#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <type_traits>
#include <vector>

/// Converts plain arrays to bytes and back, for save and load: little endian as in memory, sizes before contents. The
/// same member function template of a structure serves both directions.
namespace scree {

/// A type whose bytes are its value. (Eigen's fixed vectors are such types, but are not trivially copyable to C++.)
template <class T>
concept Plain = std::is_trivially_destructible_v<T> && !std::is_pointer_v<T>;

class OutArchive {
 public:
  explicit OutArchive(std::ostream& out) : out_(out) {}
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }

 private:
  template <Plain T>
  void write(const T& value) {
    out_.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <Plain T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    out_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  }
  std::ostream& out_;
};

class InArchive {
 public:
  explicit InArchive(std::istream& in) : in_(in) {}
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }

 private:
  template <Plain T>
  void read(T& value) {
    if (!in_.read(reinterpret_cast<char*>(&value), sizeof value))
      throw std::runtime_error("the saved state is cut off");
  }
  template <Plain T>
  void read(std::vector<T>& values) {
    std::uint64_t size = 0;
    read(size);
    constexpr std::uint64_t kChunk =
        1 << 16;  // grow with the data actually read: a damaged size must not exhaust the memory
    values.clear();
    while (size > 0) {
      const std::uint64_t now = std::min(size, kChunk);
      const std::size_t old = values.size();
      values.resize(old + now);
      if (!in_.read(reinterpret_cast<char*>(values.data() + old), static_cast<std::streamsize>(now * sizeof(T)))) {
        throw std::runtime_error("the saved state is cut off");
      }
      size -= now;
    }
  }
  std::istream& in_;
};

}  // namespace scree
