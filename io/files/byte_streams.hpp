#pragma once

#include <cstdint>
#include <streambuf>
#include <string_view>

#include "io/text/hash64.hpp"

/// Streams of bytes that are nowhere else in memory: a state of a million grains is written without a copy of it.
namespace scree {

/// Takes bytes in pieces.
class ByteSink : public std::streambuf {
 protected:
  /// @return whether all of them were taken
  virtual bool take(std::string_view bytes) = 0;

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize size) final {
    return take({bytes, static_cast<std::size_t>(size)}) ? size : 0;
  }
  int_type overflow(int_type one) final {
    if (traits_type::eq_int_type(one, traits_type::eof())) return traits_type::not_eof(one);
    const char byte = traits_type::to_char_type(one);
    return take({&byte, 1}) ? one : traits_type::eof();
  }
};

/// Counts bytes.
class ByteCount final : public ByteSink {
 public:
  std::uint64_t count() const { return count_; }

 private:
  bool take(std::string_view bytes) override {
    count_ += bytes.size();
    return true;
  }
  std::uint64_t count_ = 0;
};

/// Hashes bytes, see hash64().
class ByteHash final : public ByteSink {
 public:
  std::uint64_t value() const { return hash_.value(); }

 private:
  bool take(std::string_view bytes) override {
    hash_.add(bytes);
    return true;
  }
  Hash64 hash_;
};

/// Reads bytes where they are. @param bytes must outlive it
class ByteView final : public std::streambuf {
 public:
  explicit ByteView(std::string_view bytes) {
    char* const begin = const_cast<char*>(bytes.data());  // nothing writes there
    setg(begin, begin, begin + bytes.size());
  }
};

}  // namespace scree
