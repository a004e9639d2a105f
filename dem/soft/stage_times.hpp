#pragma once

#include <array>
#include <chrono>
#include <cstddef>
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

  /// Does the work of a stage and adds the time that it takes. @return what the work returns
  template <class Work>
  auto timed(Stage stage, const Work& work) {
    const Stopwatch stopwatch(all_[static_cast<std::size_t>(stage)].seconds);
    return work();
  }

  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  class Stopwatch {
   public:
    explicit Stopwatch(double& seconds) : seconds_(seconds) {}
    ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    double& seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  std::array<StageTime, 8> all_ = {{{"births and departures"},
                                    {"predict"},
                                    {"place"},
                                    {"broadphase"},
                                    {"apply pair changes"},
                                    {"detect"},
                                    {"contact forces"},
                                    {"gather and correct"}}};
};

}  // namespace scree::soft
