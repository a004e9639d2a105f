#include "io/text/words.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "io/text/message_text.hpp"

namespace scree {

namespace {

std::string joined(const std::vector<std::string>& words, const std::string& last_separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last_separator : ", ";
    text += words[i];
  }
  return text;
}

/// Steps from one word to the other: a letter more, less, changed, or two neighbours swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string listed(const std::vector<std::string>& words) {
  return joined(words, ", ");
}

std::string one_of_text(const std::vector<std::string>& words) {
  constexpr std::size_t kMostTold = 30;
  if (words.size() <= kMostTold) return joined(words, " or ");
  const std::vector<std::string> first(words.begin(), words.begin() + kMostTold);
  return fmt::format("{} or one of {} more", joined(first, ", "), words.size() - kMostTold);
}

const std::string* most_like(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t kLongestMisspelt = 100;
  if (word.size() > kLongestMisspelt) return nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* best = nullptr;
  for (const std::string& candidate : words) {
    if (candidate.size() > word.size() + least || word.size() > candidate.size() + least) continue;
    // A candidate that shares no letter is no help.
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance >= std::max(word.size(), candidate.size())) continue;
    least = distance;
    best = &candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::string* meant = most_like(word, words);
  return meant != nullptr ? fmt::format(" (did you mean '{}'?)", shortened(*meant)) : "";
}

}  // namespace scree
