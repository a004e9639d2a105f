#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dem/state.hpp"

/// A run as one web page that plays it: no network, no other file (docs/showing.md).
namespace scree {

struct Scene;

/// A domain beside others, in states that beside() made.
struct ReplayPanel {
  std::string name;
  Vec2 shift = Vec2::Zero();  ///< [m]
};

struct ReplayOptions {
  std::vector<std::string> arrays = {"speed"};  ///< of grain_arrays()
  std::string colour = {};                      ///< at first, one of grain_colours(); empty: the first there is
  bool chains = true;                           ///< the forces between grains
  std::vector<ReplayPanel> panels = {{}};       ///< one at least
};

/// Two states in one: the second one's bodies are moved by `shift` [m], and their ids are larger by 10^9.
State beside(const State& first, const State& second, const Vec2& shift);

/// What a replay holds, for people.
struct ReplayReport {
  std::size_t frames = 0;
  std::size_t grains = 0;                                    ///< that were there at any time
  std::uint32_t hash = 0;                                    ///< of the poses, as the page finds it, too
  std::vector<std::pair<std::string, std::size_t>> sizes{};  ///< of the parts of the page [bytes]
};

struct ReplayFrames;

/// Takes the frames of a run and makes a page of them.
///
/// Positions are rounded to 1/256 of the smallest radius, angles to 1/4096 of a turn, corners of polygons to 1/2048 of
/// the smallest radius; arrays to 1/1023 of the root of their greatest value, so that small values stay apart.
class Replay {
 public:
  /// @param scene the run's; its title, domain, materials and walls are shown
  Replay(const Scene& scene, ReplayOptions options);
  ~Replay();

  /// The next frame. Grains and walls are identified by their ids; one that left does not come back.
  /// Throws IoError if the frame does not fit to those before it: a grain that comes back, or changes its corners.
  void add(const State& state);

  /// @param run_info  what run.json has, as JSON text
  /// @param tables    comma-separated texts by name, such as series.csv; a page draws those it has charts for
  /// @param report    is filled in
  std::string page(const std::string& run_info, const std::map<std::string, std::string>& tables,
                   ReplayReport& report) const;

 private:
  std::unique_ptr<ReplayFrames> frames_;
};

}  // namespace scree
