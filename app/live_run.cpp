#include "app/live_run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/run_control.hpp"
#include "app/run_directory.hpp"
#include "app/written_run.hpp"
#include "dem/scene.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/written.hpp"
#include "io/formats/run_info.hpp"
#include "io/replay/shown_scene.hpp"
#include "io/text/errors.hpp"

namespace scree::app {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostAtOnce = 8'000'000;  // bytes of frames in an answer, and a frame
constexpr auto kLongestAnswer = 200ms;          // likewise; a viewer asks again
constexpr std::size_t kMostPoses = 4'000'000;   // of frames that a viewer finds: a browser keeps no more of them
constexpr std::size_t kMostViewers = 100;  // with the frames that each has; the one that has not asked for longest goes
constexpr auto kStillThere = 2s;           // a viewer that asked so lately
constexpr auto kLongestFarewell = 2s;      // for viewers that are there
constexpr auto kLongestForTheFirst = 10s;  // until a browser that was started shows the page
static_assert(std::endian::native == std::endian::little, "answers have the bytes of this processor");

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// run.json, without what is for a terminal only.
Json run_info(const fs::path& directory) {
  Json info = Json::parse(read_file(directory / kInfoFile), nullptr, /*allow_exceptions=*/false);
  if (!info.is_object()) return Json::object();
  for (const char* key : {"threads", "broadphase"}) info.erase(key);
  return info;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

struct LiveRun::Viewer {
  ShownFrame shown;
  std::size_t next = 0;    ///< frame
  std::size_t step = 1;    ///< frames, up to the one that was the last when it came
  std::size_t found = 0;   ///< that one
  std::size_t given = 0;   ///< frames
  double last_time = 0.0;  ///< of the frame that it was given last [s]
  std::size_t last = 0;    ///< that one
  std::string told = {};   ///< the status of the run
  Clock::time_point seen = Clock::now();
  bool knows_end = false;
};

struct LiveRun::Status {
  EarlierRun info;
  bool is_alive;
  bool is_over() const { return info.status != "running" || !is_alive; }
};

LiveRun::LiveRun(fs::path directory, RunControl* control)
    : directory_(std::move(directory)),
      control_(control),
      series_(directory_ / "series.csv"),
      flow_(directory_ / "flow.csv") {}

LiveRun::~LiveRun() = default;

void LiveRun::read_what_is_written() {
  const fs::path first = directory_ / frame_file("particles", 0);
  std::error_code none;
  const fs::file_time_type begun = fs::last_write_time(first, none);
  if (!scene_ || none || begun != begun_) {  // a run that begins, or has begun again
    viewers_.clear();
    frames_.clear();
    last_read_.reset();
    series_ = GrowingTable(directory_ / "series.csv");
    flow_ = GrowingTable(directory_ / "flow.csv");
    masses_out_.clear();
    scene_.reset();
    listed_ = {};
    scene_ = open_run(directory_).scene;
    begun_ = begun;
  }
  const fs::path list = directory_ / "particles.pvd";
  const Listed now{fs::last_write_time(list), fs::file_size(list)};
  if (now != listed_) {
    frames_ = list_frames(directory_);
    std::ranges::sort(frames_, {}, &WrittenFrame::number);  // back in time those that come have earlier times
    listed_ = now;
  }
  series_.read_on();
  flow_.read_on();
  const std::vector<double>& masses = flow_.rows().column("mass [kg]");
  if (masses.size() < masses_out_.size()) masses_out_.clear();
  while (masses_out_.size() < masses.size()) {
    masses_out_.push_back((masses_out_.empty() ? 0.0 : masses_out_.back()) + masses[masses_out_.size()]);
  }
}

double LiveRun::mass_out(double time) const {
  const std::vector<double>& times = flow_.rows().column("time [s]");
  const auto later = std::ranges::upper_bound(times, time) - times.begin();
  return later == 0 ? 0.0 : masses_out_[static_cast<std::size_t>(later) - 1];
}

LiveRun::Status LiveRun::status() const {
  Status now{read_run_info(directory_ / kInfoFile), control_ != nullptr};
  if (!now.is_alive && now.info.status == "running") now.is_alive = is_alive(directory_);
  return now;
}

std::shared_ptr<const State> LiveRun::frame(std::size_t k) {
  if (last_read_ == nullptr || last_number_ != frames_[k].number || last_read_->time != frames_[k].time) {
    last_read_ = std::make_shared<const State>(read_frame(directory_, frames_[k], *scene_));
    last_number_ = frames_[k].number;
  }
  return last_read_;
}

std::string LiveRun::open() {
  const std::scoped_lock lock(mutex_);
  try {
    read_what_is_written();
    if (frames_.empty()) return text_of({{"wait", "the run has no frames yet"}});
    const Status now = status();
    if (viewers_.size() == kMostViewers) {
      viewers_.erase(std::ranges::min_element(viewers_, {}, [](const auto& one) { return one.second.seen; }));
    }
    const std::size_t grains = std::max<std::size_t>(1, frame(frames_.size() - 1)->particles.size());
    Viewer viewer{.shown = ShownFrame(scene_->domain)};
    viewer.found = frames_.size() - 1;
    viewer.step = 1 + frames_.size() * grains / kMostPoses;
    viewers_.emplace(++met_, std::move(viewer));
    Json said = shown_scene(*scene_, *frame(0));
    said["viewer"] = met_;
    said["end"] = std::abs(now.info.until - now.info.turned.value_or(0.0));
    said["begins"] = now.info.turned ? frames_.front().time : 0.0;
    said["run"] = run_info(directory_);
    said["directory"] = directory_.string();
    said["can_control"] = control_ != nullptr;
    said["is_over"] = now.is_over();
    return text_of(said);
  } catch (const std::exception& error) {  // a run that has just begun, or begins again
    return text_of({{"wait", error.what()}});
  }
}

bool LiveRun::add_frame(Viewer& viewer, Json& frames, std::string& numbers) {
  const std::size_t k = viewer.next;
  if (k >= frames_.size()) return false;
  const NumberTable& series = series_.rows();
  if (k >= series.rows() && !status().is_over()) return false;  // its row comes in a moment
  const std::shared_ptr<const State> state = frame(k);
  viewer.shown.take(*state);
  Json row = Json::object();
  for (std::size_t c = 0; k < series.rows() && c < series.names.size(); ++c) {
    row[series.names[c]] = number_or_null(series.columns[c][k]);
  }
  if (!masses_out_.empty()) row["mass_out [kg]"] = mass_out(state->time);
  Json sizes = Json::object();
  for (std::size_t array = 0; array < ShownFrame::kArrays; ++array) {
    const std::vector<float>& values = viewer.shown.array(array);
    sizes[ShownFrame::kNames[array]] = values.size();
    numbers.append(reinterpret_cast<const char*>(values.data()), sizeof(float) * values.size());
  }
  frames.push_back({{"time", state->time},
                    {"grains", viewer.shown.grains()},
                    {"chain_force", viewer.shown.chain_force()},
                    {"row", std::move(row)},
                    {"sizes", std::move(sizes)}});
  viewer.last = k;
  viewer.last_time = frames_[k].time;
  viewer.next = k < viewer.found ? std::min(k + viewer.step, viewer.found) : k + 1;
  ++viewer.given;
  return true;
}

std::string LiveRun::news(std::uint64_t number, std::size_t from) {
  const std::scoped_lock lock(mutex_);
  Json head;
  std::string numbers;
  try {
    read_what_is_written();
    const auto found = viewers_.find(number);
    const auto is_known = [&] {
      if (found == viewers_.end() || found->second.given != from) return false;
      const Viewer& viewer = found->second;
      return from == 0 || viewer.last >= frames_.size() || frames_[viewer.last].time == viewer.last_time;
    };
    if (!is_known()) {  // a run that goes on from an earlier state, or a viewer that lost an answer
      head = {{"begin_again", true}};
    } else {
      Viewer& viewer = found->second;
      const Status now = status();
      viewer.seen = Clock::now();
      Json frames = Json::array();
      bool has_all = false;
      while (numbers.size() < kMostAtOnce && Clock::now() - viewer.seen < kLongestAnswer && !has_all) {
        has_all = !add_frame(viewer, frames, numbers);
      }
      head = {{"frames", std::move(frames)},
              {"has_all", has_all},
              {"total", frames_.size()},
              {"status", now.info.status},
              {"is_alive", now.is_alive},
              {"is_over", now.is_over()},
              {"is_paused", control_ != nullptr && control_->is_paused()},
              {"is_back", now.info.turned.has_value()},
              {"time", now.info.end_time},
              {"until", now.info.until},
              {"progress", now.info.progress()},
              {"wall_time", now.info.wall_time},
              {"ends", ends_}};
      if (viewer.told != now.info.status) head["run"] = run_info(directory_);
      viewer.told = now.info.status;
      viewer.knows_end = ends_ && has_all;
    }
  } catch (const std::exception& error) {
    head = {{"wait", error.what()}};
    numbers.clear();
  }
  const std::string text = text_of(head);
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string answer(reinterpret_cast<const char*>(&size), sizeof size);
  return answer += text + numbers;
}

bool LiveRun::is_seen_off(Clock::time_point began, bool expects_one) const {
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (expects_one && met_ == 0) return now - began > kLongestForTheFirst;
  if (now - began > kLongestFarewell + (expects_one ? kLongestForTheFirst : 0s)) return true;
  return std::ranges::all_of(
      viewers_, [&](const auto& one) { return one.second.knows_end || now - one.second.seen > kStillThere; });
}

void LiveRun::see_off(bool expects_one) {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  const Clock::time_point began = Clock::now();
  while (!is_seen_off(began, expects_one)) std::this_thread::sleep_for(10ms);
}

}  // namespace scree::app
