#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Columns of whole numbers, packed for a web page (io/replay/decode.js unpacks them).
namespace scree {

/// The numbers of several items, one item after the other; an item's numbers follow one another in time.
///
/// Each number becomes its difference from what those before it foretell: nothing, the last one, or the line through
/// the last two, whichever gives the smallest result; the first of an item is compared with the first of the item
/// before. Differences wrap around at 32 bits. Small ones of either sign become small numbers (zigzag); their lowest
/// bytes come first, then all second ones, and so on; then zlib. The result begins with two bytes, inside the
/// compression: the order of the differences and the number of bytes of a number.
///
/// @param lengths of the items; their sum is the number of values
/// Cost: linear.
std::string packed_column(std::span<const std::int32_t> values, std::span<const std::uint32_t> lengths);

/// The numbers again. Throws IoError if these are no such bytes.
std::vector<std::int32_t> unpacked_column(const std::string& bytes, std::span<const std::uint32_t> lengths);

/// A 32-bit hash of numbers: FNV-1a over their 32-bit words, from `hash`.
std::uint32_t hash_of_numbers(std::span<const std::int32_t> values, std::uint32_t hash = 2166136261U);

std::string base64(const std::string& bytes);

}  // namespace scree
