#include "io/replay/replay_columns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <zlib.h>

#include "io/text/errors.hpp"

namespace scree {
namespace {

constexpr std::uint32_t kOrders = 3;

/// What is to be expected of value k of an item, from those before it.
std::uint32_t foretold(std::uint32_t order, std::size_t k, std::uint32_t last, std::uint32_t one_before) {
  if (order == 0) return 0;
  return order == 1 || k == 1 ? last : 2 * last - one_before;
}

std::uint32_t zigzag(std::uint32_t difference) {
  return (difference << 1U) ^ ((difference >> 31U) != 0 ? ~0U : 0U);
}

std::uint32_t unzigzag(std::uint32_t number) {
  return (number >> 1U) ^ ((number & 1U) != 0 ? ~0U : 0U);
}

std::vector<std::uint32_t> differences(std::span<const std::int32_t> values, std::span<const std::uint32_t> lengths,
                                       std::uint32_t order) {
  std::vector<std::uint32_t> all;
  all.reserve(values.size());
  std::uint32_t first = 0;
  for (std::size_t item = 0, at = 0; item < lengths.size(); at += lengths[item++]) {
    std::uint32_t last = order == 0 ? 0 : first;
    std::uint32_t one_before = last;
    for (std::size_t k = 0; k < lengths[item]; ++k) {
      const auto value = static_cast<std::uint32_t>(values[at + k]);
      all.push_back(zigzag(value - (k == 0 ? last : foretold(order, k, last, one_before))));
      one_before = last;
      last = value;
      if (k == 0) first = value;
    }
  }
  return all;
}

std::string in_planes(const std::vector<std::uint32_t>& numbers, std::uint32_t order) {
  const std::uint32_t greatest = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
  unsigned planes = 1;
  while (planes < 4 && (greatest >> (8 * planes)) != 0) ++planes;
  std::string bytes = {static_cast<char>(order), static_cast<char>(planes)};
  bytes.reserve(2 + planes * numbers.size());
  for (unsigned plane = 0; plane < planes; ++plane) {
    for (const std::uint32_t number : numbers) bytes += static_cast<char>((number >> (8 * plane)) & 255U);
  }
  return bytes;
}

std::string deflated(const std::string& bytes, int level) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
            level);  // cannot fail: there is room
  out.resize(size);
  return out;
}

std::string inflated(const std::string& bytes, std::size_t most) {
  uLongf size = most;
  std::string out(most, '\0');
  if (uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                 bytes.size()) != Z_OK) {
    throw IoError("a column of numbers is damaged");
  }
  out.resize(size);
  return out;
}

}  // namespace

std::string packed_column(std::span<const std::int32_t> values, std::span<const std::uint32_t> lengths) {
  std::string best;
  for (std::uint32_t order = 0; order < kOrders; ++order) {
    std::string bytes = in_planes(differences(values, lengths, order), order);
    // A quick compression decides which order is best; a thorough one follows.
    if (best.empty() || deflated(bytes, 1).size() < deflated(best, 1).size()) best = std::move(bytes);
  }
  return deflated(best, 6);
}

std::vector<std::int32_t> unpacked_column(const std::string& bytes, std::span<const std::uint32_t> lengths) {
  const std::size_t count = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  const std::string planes = inflated(bytes, 2 + 4 * count);
  if (planes.size() < 2 || planes.size() != 2 + count * static_cast<unsigned char>(planes[1])) {
    throw IoError("a column of numbers has another length than its items");
  }
  const std::uint32_t order = static_cast<unsigned char>(planes[0]);
  std::vector<std::int32_t> values;
  values.reserve(count);
  std::uint32_t first = 0;
  for (const std::uint32_t length : lengths) {
    std::uint32_t last = order == 0 ? 0 : first;
    std::uint32_t one_before = last;
    for (std::size_t k = 0; k < length; ++k) {
      std::uint32_t number = 0;
      for (std::size_t plane = 0, at = 2 + values.size(); at < planes.size(); ++plane, at += count) {
        number |= static_cast<std::uint32_t>(static_cast<unsigned char>(planes[at])) << (8 * plane);
      }
      const std::uint32_t value = unzigzag(number) + (k == 0 ? last : foretold(order, k, last, one_before));
      one_before = last;
      last = value;
      if (k == 0) first = value;
      values.push_back(static_cast<std::int32_t>(value));
    }
  }
  return values;
}

std::uint32_t hash_of_numbers(std::span<const std::int32_t> values, std::uint32_t hash) {
  for (const std::int32_t value : values) hash = (hash ^ static_cast<std::uint32_t>(value)) * 16777619U;
  return hash;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace scree
