#include "io/text/message_text.hpp"

#include <fmt/format.h>

namespace scree {

namespace {

/// Bytes of a character by its first byte; none for a byte that cannot be first.
std::optional<std::size_t> bytes_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return {};
}

std::string escape(char32_t code) {
  switch (code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      return code < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                          : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  }
}

}  // namespace

std::optional<Character> character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::optional<std::size_t> bytes = bytes_of(byte(at));
  if (!bytes || at + *bytes > text.size()) return {};
  if (*bytes == 1) return Character{byte(at), 1};
  char32_t code = byte(at) & (0xFFU >> (*bytes + 1));
  for (std::size_t k = at + 1; k < at + *bytes; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return {};
    code = code << 6 | (byte(k) & 0x3FU);
  }
  const char32_t least = *bytes == 2 ? 0x80 : *bytes == 3 ? 0x800 : 0x10000;
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (code < least || code > 0x10FFFF || is_surrogate) return {};
  return Character{code, *bytes};
}

bool is_printable(char32_t code) {
  const auto in = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return code >= 0x20 && !in(0x7F, 0x9F) && !in(0x200E, 0x200F) && !in(0x2028, 0x202E) && !in(0x2066, 0x2069) &&
         code != 0xFEFF && (code & 0xFFFEU) != 0xFFFE;
}

bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<Character> character = character_at(text, at);
    if (!character || !is_printable(character->code)) return false;
    at += character->bytes;
  }
  return true;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<Character> character = character_at(text, at);
    const std::size_t bytes = character ? character->bytes : 1;
    if (!character) {
      out += escape(static_cast<unsigned char>(text[at]));
    } else if (is_printable(character->code)) {
      out += text.substr(at, bytes);
    } else {
      out += escape(character->code);
    }
    at += bytes;
  }
  return out;
}

namespace {

/// Where the character begins that a byte belongs to: it has four bytes at most. The byte itself if that is of none.
std::size_t begin_of_character(std::string_view text, std::size_t at) {
  constexpr std::size_t kMostBytes = 4;
  if (at >= text.size()) return at;
  for (std::size_t back = 0; back < kMostBytes && back <= at; ++back) {
    const std::optional<Character> character = character_at(text, at - back);
    if (character && character->bytes > back) return at - back;
  }
  return at;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return escaped(text);
  const std::size_t begin = begin_of_character(text, most / 2 + most / 4);
  const std::size_t end = begin_of_character(text, text.size() - most / 4);
  return escaped(text.substr(0, begin)) + "..." + escaped(text.substr(end));
}

}  // namespace scree
