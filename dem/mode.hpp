#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace scree {

/// Which dynamics.
enum class Mode { soft, hard };

/// As users write them, in the order of Mode.
inline constexpr std::array<const char*, 2> kModeNames = {"soft", "hard"};
constexpr const char* name_of(Mode mode) {
  return kModeNames.at(static_cast<std::size_t>(mode));
}

/// A set of modes.
class Modes {
 public:
  constexpr Modes(Mode mode) : bits_(bit(mode)) {}  // implicitly: a mode is the set of it alone
  static constexpr Modes all() { return Modes((1U << kModeNames.size()) - 1); }
  static constexpr Modes all_but(Mode mode) { return Modes(all().bits_ & ~bit(mode)); }

  constexpr bool has(Mode mode) const { return (bits_ & bit(mode)) != 0; }
  constexpr bool operator==(const Modes&) const = default;

  /// "hard mode: ", or "soft or hard mode: ", the beginning of a description; empty for all.
  std::string prefix() const {
    if (*this == all()) return "";
    std::string names;
    for (std::size_t k = 0; k < kModeNames.size(); ++k) {
      if (has(static_cast<Mode>(k))) names.append(names.empty() ? "" : " or ").append(kModeNames[k]);
    }
    return names + " mode: ";
  }

 private:
  constexpr explicit Modes(unsigned bits) : bits_(bits) {}
  static constexpr unsigned bit(Mode mode) { return 1U << static_cast<unsigned>(mode); }
  unsigned bits_;
};

}  // namespace scree
