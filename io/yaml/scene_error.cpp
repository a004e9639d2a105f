#include "io/yaml/scene_error.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "io/text/message_text.hpp"

namespace scree {

namespace {

std::string text_of(const std::vector<SceneMistake>& mistakes) {
  std::string text;
  const std::size_t told = std::min(mistakes.size(), kMostMistakesTold);
  for (std::size_t k = 0; k < told; ++k) {
    if (k > 0) text += '\n';
    text += mistakes[k].text();
  }
  if (const std::size_t more = mistakes.size() - told; more > 0) {
    text += fmt::format("\nand {}{} more", mistakes.size() < kMostMistakesCounted ? "" : "at least ", more);
  }
  return text;
}

std::vector<SceneMistake> in_order_of_file(std::vector<SceneMistake> mistakes) {
  std::ranges::stable_sort(
      mistakes, {}, [](const SceneMistake& mistake) { return std::tie(mistake.file, mistake.line, mistake.column); });
  return mistakes;
}

}  // namespace

std::string SceneMistake::text() const {
  const std::string place = line > 0 ? fmt::format(":{}:{}", line, column) : "";
  return fmt::format("{}{}: {}{}{}", shortened(file, 200), place, shortened(key, 200), key.empty() ? "" : ": ",
                     problem);
}

SceneError::SceneError(std::vector<SceneMistake> all)
    : std::runtime_error(text_of(all = in_order_of_file(std::move(all)))),
      mistakes(std::move(all)),
      file(mistakes.front().file),
      line(mistakes.front().line),
      column(mistakes.front().column),
      key(mistakes.front().key) {}

SceneError::SceneError(const std::string& in_file, int at_line, int at_column, const std::string& at_key,
                       const std::string& problem)
    : SceneError(std::vector<SceneMistake>{{in_file, at_line, at_column, at_key, problem}}) {}

void Mistakes::add(const SceneError& error) {
  for (const SceneMistake& mistake : error.mistakes) {
    paths_.insert(mistake.key);
    all_.push_back(mistake);
  }
  if (all_.size() >= kMostMistakesCounted) throw TooManyMistakes{all_};
}

bool Mistakes::readable(std::string_view path) const {
  if (paths_.empty()) return true;
  for (std::size_t end = path.size(); end > 0; --end) {
    const bool whole_step = end == path.size() || path[end] == '.' || path[end] == '[';
    if (whole_step && paths_.contains(path.substr(0, end))) return false;
  }
  return true;
}

bool Mistakes::sound(std::string_view path) const {
  const auto wrong_below = [&](char separator) {
    const std::string begin = std::string(path) + separator;
    const auto next = paths_.lower_bound(begin);
    return next != paths_.end() && next->starts_with(begin);
  };
  return paths_.empty() || (readable(path) && !wrong_below('.') && !wrong_below('['));
}

void Mistakes::throw_if_any() const {
  if (!all_.empty()) throw SceneError(all_);
}

void Mistakes::tell_if_any() const {
  std::vector<SceneMistake> told;
  std::ranges::copy_if(all_, std::back_inserter(told), [](const SceneMistake& one) { return !one.is_consequence; });
  if (!told.empty()) throw SceneError(std::move(told));
  throw_if_any();
}

}  // namespace scree
