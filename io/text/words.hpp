#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Words that may stand somewhere, in messages.
namespace scree {

/// The word most like the given one; null if none is.
const std::string* most_like(std::string_view word, const std::vector<std::string>& words);

/// " (did you mean 'X'?)" with the word most like the given one, or nothing if none is.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

/// "a, b or c"; "a, b, ... or one of 98 more" if there are many.
std::string one_of_text(const std::vector<std::string>& words);

/// "a, b, c"
std::string listed(const std::vector<std::string>& words);

}  // namespace scree
