// For the thread sanitizer, not for speed. It can miss races between threads that are synchronized, so nothing within a
// loop synchronizes them: all threads start before any of them works, each first takes a range of its own, and the
// other ranges are assigned without ordering. A body that throws ends the program.

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "parallel/threads.hpp"

namespace scree {

class Threads::Team {
 public:
  /// The team whose run() the thread is in; none while the thread is in a loop, since a nested loop is not shared.
  static thread_local Team* current;

  explicit Team(std::size_t count)
      : count_(count), begin_(static_cast<std::ptrdiff_t>(count)), end_(static_cast<std::ptrdiff_t>(count)) {
    for (std::size_t member = 1; member < count; ++member) members_.emplace_back([this, member] { attend(member); });
  }
  ~Team() {
    body_ = nullptr;
    begin_.arrive_and_wait();
    for (std::thread& member : members_) member.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t count() const { return count_; }

  void share(std::size_t n, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
    n_ = n;
    grain_ = grain;
    body_ = &body;
    next_range_ = count_;
    begin_.arrive_and_wait();
    take_ranges(0);
    end_.arrive_and_wait();
  }

 private:
  void attend(std::size_t member) {
    for (begin_.arrive_and_wait(); body_; begin_.arrive_and_wait()) {
      take_ranges(member);
      end_.arrive_and_wait();
    }
  }

  void take_ranges(std::size_t member) noexcept {
    for (std::size_t k = member; k * grain_ < n_; k = next_range_.fetch_add(1, std::memory_order_relaxed)) {
      (*body_)(k * grain_, std::min((k + 1) * grain_, n_));
    }
  }

  const std::size_t count_;  // with the one that calls share()
  // Two barriers, so that a thread that arrives at the end touches nothing that a thread still leaving the beginning
  // reads: otherwise the work of the first could count as done before that of the second.
  std::barrier<> begin_;
  std::barrier<> end_;
  std::size_t n_ = 0;
  std::size_t grain_ = 1;
  const std::function<void(std::size_t, std::size_t)>* body_ = nullptr;
  std::atomic<std::size_t> next_range_ = 0;
  std::vector<std::thread> members_;
};

thread_local Threads::Team* Threads::Team::current = nullptr;

Threads::Threads(int count)
    : team_(std::make_unique<Team>(count > 0 ? count : std::max(1u, std::thread::hardware_concurrency()))) {}
Threads::~Threads() = default;

int Threads::count() const {
  return static_cast<int>(team_->count());
}

void Threads::run(const std::function<void()>& work) const {
  const struct Return {
    Team* before = Team::current;
    ~Return() { Team::current = before; }
  } afterwards;
  Team::current = team_.get();
  work();
}

void Threads::run_alone(const std::function<void()>& work) {
  const struct Return {
    Team* before = std::exchange(Team::current, nullptr);
    ~Return() { Team::current = before; }
  } afterwards;
  work();
}

bool Threads::are_several() {
  return Team::current != nullptr && Team::current->count() > 1;
}

void Threads::share(std::size_t n, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  Team* const team = std::exchange(Team::current, nullptr);
  if (!team) return body(0, n);
  team->share(n, grain, body);
  Team::current = team;
}

void Threads::share_by_turns(std::size_t n, std::size_t grain,
                             const std::function<void(std::size_t, std::size_t)>& body) {
  share(n, grain, body);
}

}  // namespace scree
