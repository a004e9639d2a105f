// For the thread sanitizer, not for speed. So that it misses little, nothing within a loop puts one thread's work
// before another's: all have begun before any works, each takes a range of its own, and what hands out the others
// orders nothing. A body that throws ends the program.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "parallel/threads.hpp"

namespace scree {

namespace {

/// Where each of a number of threads waits for all others.
class Meeting {
 public:
  explicit Meeting(std::size_t wanted) : wanted_(wanted) {}

  void wait() {
    std::unique_lock lock(mutex_);
    if (++here_ < wanted_) return complete_.wait(lock, [this, now = times_] { return times_ != now; });
    here_ = 0;
    ++times_;
    complete_.notify_all();
  }

 private:
  const std::size_t wanted_;
  std::mutex mutex_;
  std::condition_variable complete_;
  std::size_t here_ = 0;
  std::size_t times_ = 0;
};

}  // namespace

class Threads::Team {
 public:
  /// The team within whose run() a thread is, unless it is in a loop already: a loop within a loop is not shared.
  static thread_local Team* current;

  explicit Team(std::size_t count) : count_(count), begin_(count), end_(count) {
    for (std::size_t member = 1; member < count; ++member) members_.emplace_back([this, member] { attend(member); });
  }
  ~Team() {
    body_ = nullptr;
    begin_.wait();
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
    begin_.wait();
    take_ranges(0);
    end_.wait();
  }

 private:
  void attend(std::size_t member) {
    for (begin_.wait(); body_; begin_.wait()) {
      take_ranges(member);
      end_.wait();
    }
  }

  void take_ranges(std::size_t member) noexcept {
    for (std::size_t k = member; k * grain_ < n_; k = next_range_.fetch_add(1, std::memory_order_relaxed)) {
      (*body_)(k * grain_, std::min((k + 1) * grain_, n_));
    }
  }

  const std::size_t count_;  // with the one that calls share()
  // Two, since leaving a meeting takes its mutex: were it the same, who has done his work would come before who is late
  // to begin.
  Meeting begin_;
  Meeting end_;
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

void Threads::run(const std::function<void()>& work) {
  const struct Return {
    Team* before = Team::current;
    ~Return() { Team::current = before; }
  } afterwards;
  Team::current = team_.get();
  work();
}

void Threads::share(std::size_t n, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  Team* const team = std::exchange(Team::current, nullptr);
  if (!team) return body(0, n);
  team->share(n, grain, body);
  Team::current = team;
}

}  // namespace scree
