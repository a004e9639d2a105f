#pragma once

#include <array>
#include <charconv>
#include <string>

namespace scree {

/// The shortest text that reads back as the same double.
inline std::string number_text(double value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// For people: `digits` significant ones.
inline std::string number_text(double value, int digits) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

}  // namespace scree
