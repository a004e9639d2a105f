#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dem/state.hpp"
#include "io/formats/frame_reader.hpp"
#include "io/replay/shown_frame.hpp"
#include "io/tables/growing_table.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::app {

class RunControl;

/// What viewers get of the run in a directory while it goes on: what it has written, each frame once. It reads
/// files and does nothing to the run. Several threads may ask.
class LiveRun {
 public:
  /// @param control  of a run of this process, which viewers may pause; null: they may watch
  LiveRun(std::filesystem::path directory, RunControl* control);
  ~LiveRun();

  RunControl* control() const { return control_; }

  /// A new viewer: JSON with its number and what is known of the run, or with `wait`, why there is nothing to see yet.
  std::string open();

  /// What is new for a viewer: four bytes with the length of a JSON text, lowest first, that text, and the numbers of
  /// the arrays of its frames (ShownFrame) as 32-bit floats. @param from  how many frames the viewer has
  std::string news(std::uint64_t viewer, std::size_t from);

  /// The run has ended, and so does its server. Waits until all viewers have its end, a few seconds at
  /// most. @param expects_one  a viewer may be about to come
  void see_off(bool expects_one);

 private:
  using Clock = std::chrono::steady_clock;
  struct Viewer;
  struct Status;
  /// A list of frames as a file: what it was when it was read.
  struct Listed {
    std::filesystem::file_time_type written = {};
    std::uintmax_t bytes = 0;
    bool operator==(const Listed&) const = default;
  };

  void read_what_is_written();
  Status status() const;
  double mass_out(double time) const;
  std::shared_ptr<const State> frame(std::size_t k);
  bool add_frame(Viewer& viewer, nlohmann::ordered_json& frames, std::string& numbers);
  bool is_seen_off(Clock::time_point began, bool expects_one) const;

  std::filesystem::path directory_;
  RunControl* control_;
  mutable std::mutex mutex_;

  std::shared_ptr<const Scene> scene_;
  std::vector<WrittenFrame> frames_;            // in the order in which they were written
  std::filesystem::file_time_type begun_ = {};  // when the first frame was written
  Listed listed_;
  GrowingTable series_;
  GrowingTable flow_;
  std::vector<double> masses_out_;  // up to each row of flow_ [kg]
  std::shared_ptr<const State> last_read_;
  std::size_t last_number_ = 0;

  std::map<std::uint64_t, Viewer> viewers_;
  std::uint64_t met_ = 0;  // viewers so far
  bool ends_ = false;
};

}  // namespace scree::app
