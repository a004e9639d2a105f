#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace scree::app {

/// Prints for people. What does not arrive is no reason to stop, as it would be for fmt::print, which throws: main
/// looks at the end whether the standard output took all of it.
template <class... T>
void say(std::FILE* to, fmt::format_string<T...> text, T&&... values) {
  const std::string said = fmt::format(text, std::forward<T>(values)...);
  std::fwrite(said.data(), 1, said.size(), to);
}

/// To the standard output.
template <class... T>
void say(fmt::format_string<T...> text, T&&... values) {
  say(stdout, text, std::forward<T>(values)...);
}

}  // namespace scree::app
