#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace scree::soft {

/// The stages of a step, as benchmarks print them.
enum class Stage : std::size_t { exchange, predict, place, find_pairs, apply_changes, detect, forces, correct };

/// Wall time that each stage has taken so far.
class StageTimes {
 public:
  struct StageTime {
    const char* name;
    double seconds = 0.0;
  };

  void add(Stage stage, double seconds) { all_[static_cast<std::size_t>(stage)].seconds += seconds; }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::array<StageTime, 8> all_ = {{{"births and departures"},
                                    {"predict"},
                                    {"place"},
                                    {"broadphase"},
                                    {"apply pair changes"},
                                    {"detect"},
                                    {"contact forces"},
                                    {"gather and correct"}}};
};

/// Looks at the clock whenever a step comes to another stage.
class StageWatch {
 public:
  explicit StageWatch(StageTimes& times) : times_(times) {}
  ~StageWatch() { stop(); }
  StageWatch(const StageWatch&) = delete;
  StageWatch& operator=(const StageWatch&) = delete;

  /// Does the work of a stage, or of a part of it. @return what the work returns
  template <class Work, class... With>
  decltype(auto) operator()(Stage stage, const Work& work, With&&... with) {
    if (stage_ != stage) {
      const Clock::time_point now = Clock::now();
      if (stage_) times_.add(*stage_, since(now));
      stage_ = stage;
      begin_ = now;
    }
    return work(std::forward<With>(with)...);
  }

  /// The last stage is over.
  void stop() {
    if (stage_) times_.add(*stage_, since(Clock::now()));
    stage_.reset();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double since(Clock::time_point now) const { return std::chrono::duration<double>(now - begin_).count(); }

  StageTimes& times_;
  std::optional<Stage> stage_;
  Clock::time_point begin_;
};

}  // namespace scree::soft
