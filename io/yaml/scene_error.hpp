#pragma once

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// One mistake in a scene.
struct SceneMistake {
  std::string file;
  int line = 0;         ///< from 1
  int column = 0;       ///< from 1
  std::string key;      ///< e.g. particles[0].pour.region.x; empty for the scene as a whole
  std::string problem;  ///< what is wrong, what is allowed
  /// It follows from another mistake, which is reported; this one is not.
  bool is_consequence = false;

  /// "file:line:column: key.path: what is wrong, what is allowed"; without line and column if there are none (0)
  std::string text() const;
};

/// More mistakes than this are counted, not reported.
inline constexpr std::size_t kMostMistakesTold = 20;

/// Where so many have been found, reading ends.
inline constexpr std::size_t kMostMistakesCounted = 1000;

/// Bad input in a scene. what() has a line for each mistake, in the order of the file.
struct SceneError : std::runtime_error {
  /// @param all  at least one
  explicit SceneError(std::vector<SceneMistake> all);
  SceneError(const std::string& in_file, int at_line, int at_column, const std::string& at_key,
             const std::string& problem);

  std::vector<SceneMistake> mistakes;
  std::string file;  ///< of the first mistake, as line, column and key
  int line;
  int column;
  std::string key;
};

/// Reading is not worth going on.
struct TooManyMistakes {
  std::vector<SceneMistake> mistakes;
};

/// Collects mistakes, so that one does not hide the next, and keeps what cannot be judged because of them.
class Mistakes {
 public:
  /// Does it, and keeps the mistakes that it throws as a SceneError. @return whether there was none
  template <class Do>
  bool attempt(const Do& do_it) {
    try {
      do_it();
      return true;
    } catch (const SceneError& error) {
      add(error);
      return false;
    }
  }
  /// @throws TooManyMistakes if these are kMostMistakesCounted or more
  void add(const SceneError& error);

  /// From now on as if something were wrong at this path, but nothing is reported: the mistake behind it has been.
  void excuse(const std::string& path) { paths_.insert(path); }

  /// Whether nothing is wrong with what stands at this path, apart from what is below it. Cost: O(log mistakes)
  bool readable(std::string_view path) const;
  /// Whether nothing is wrong there nor below.
  bool sound(std::string_view path) const;

  bool any() const { return !all_.empty(); }
  /// @throws SceneError with all of them, in the order of the file, if there are any
  void throw_if_any() const;
  /// Throws what a reader sees: all mistakes but consequences.
  void tell_if_any() const;

 private:
  std::vector<SceneMistake> all_;
  std::set<std::string, std::less<>> paths_;
};

}  // namespace scree
