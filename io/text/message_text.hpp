#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Texts of the user's in messages: whatever they hold, a message stays one readable line that no terminal obeys.
namespace scree {

/// A character of a text in UTF-8.
struct Character {
  char32_t code;
  std::size_t bytes;
};

/// The character that begins at a byte; nothing if none does. Precondition: at < text.size()
std::optional<Character> character_at(std::string_view text, std::size_t at);

/// Whether it stands for a glyph or a space: no control character, nor one that turns the direction of what follows.
bool is_printable(char32_t code);
/// Whether all of a text is UTF-8 and does.
bool is_printable(std::string_view text);

/// The text with what is not printable, or not UTF-8, written as \n, \x1b or \u202e.
std::string escaped(std::string_view text);

/// The text in at most some `most` characters: the middle of a longer text is left out ("...").
std::string shortened(std::string_view text, std::size_t most = 60);

}  // namespace scree
