#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/text/message_text.hpp"
#include "io/yaml/scene_error.hpp"

/// What a fuzz target demands; libFuzzer keeps the input with which the program aborts.
namespace scree::test {

inline void require(bool good, const char* what, const std::string& about) {
  if (good) return;
  std::fprintf(stderr, "%s: %s\n", what, about.c_str());
  std::abort();
}

/// Each mistake has a place, and is told in one line that every terminal can show.
/// @param longest line [bytes]
inline void require_readable(const SceneError& error, std::size_t longest) {
  require(!error.mistakes.empty(), "no mistake", error.what());
  for (const SceneMistake& mistake : error.mistakes) {
    const std::string told = mistake.text();
    require(is_printable(std::string_view(told)) && told.size() < longest, "not readable", told);
    require(mistake.line > 0 && mistake.column > 0, "no place", told);
  }
}

}  // namespace scree::test
