#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/hashing.hpp"
#include "dem/scene.hpp"
#include "dem/soft/ranks/ranked_simulation.hpp"
#include "dem/soft/simulation.hpp"
#include "io/files/written.hpp"
#include "io/frames/group_names.hpp"
#include "io/frames/parallelogram.hpp"
#include "io/frames/view_script.hpp"
#include "io/frames/vtk_writer.hpp"
#include "io/pages/colours.hpp"
#include "io/tables/hash_table.hpp"
#include "io/tables/tables.hpp"

namespace scree::app {

/// What a run writes at its frames, forward or back in time: the frames, a row of series.csv, and hashes of the state.
class FrameOutput {
 public:
  /// @param written up to the state from which the run goes on
  FrameOutput(const Scene& scene, const std::filesystem::path& directory, Colours colours, const Written& written)
      : colours_(std::move(colours)),
        frames_(directory, written.frames, {group_names(scene), material_names(scene)},
                scene.soft.output_stress ? FrameExtras::stress : FrameExtras::none, centre_of(scene.domain)),
        series_(directory / "series.csv", written),
        hashes_(directory / kHashFile, scene.mode, written),
        moves_(walls_that_move(scene)) {
    if (std::ranges::count(moves_, true) > 0) motions_.emplace(directory / "motions.csv", written);
    write_view_script(directory, scene.title, scene.domain);
  }

  /// Time of the frame that was written last [s]; nothing if there is none.
  std::optional<double> last_time() const {
    return frames_.frames().empty() ? std::nullopt : std::optional(frames_.frames().back().time);
  }

  /// What is driven, in the state that was written.
  struct Driven {
    std::vector<DriveState> drives;
    std::optional<CellState> cell;
  };
  /// In the soft mode without hashes, which have times of their own.
  template <AnySimulation S>
  Driven write(const S& simulation) {
    State state = simulation.state();
    Driven driven{std::move(state.drives), state.cell};
    for (const WallPlace& wall : places_of(state.walls, moves_)) motions_->add(state.time, wall);
    colours_.paint(state.particles);
    frames_.write(std::move(state));
    series_.add(simulation.summary());
    constexpr bool kSoft = std::is_same_v<S, soft::Simulation> || std::is_same_v<S, soft::RankedSimulation>;
    if constexpr (!kSoft) write_hashes(simulation);
    return driven;
  }

  template <AnySimulation S>
  void write_hashes(const S& simulation) {
    hashes_.add(hashes_now(simulation));
  }

  /// Brings all to the disk but the names of files (sync_directory).
  void sync() {
    frames_.sync();
    series_.sync();
    hashes_.sync();
    if (motions_) motions_->sync();
  }

  Written written() const {
    Written written{.frames = frames_.frames(), .tables = {}, .images = {}};
    series_.add_to(written);
    hashes_.add_to(written);
    if (motions_) motions_->add_to(written);
    return written;
  }

 private:
  Colours colours_;
  VtkSeries frames_;
  SeriesTable series_;
  HashTable hashes_;
  std::vector<bool> moves_;  // of the scene's walls
  std::optional<MotionTable> motions_;
};

}  // namespace scree::app
