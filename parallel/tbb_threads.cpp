#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "parallel/threads.hpp"

namespace scree {

namespace {

thread_local bool is_alone = false;

}  // namespace

class Threads::Team {
 public:
  explicit Team(int count)
      : control_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)), arena_(count) {}

  tbb::task_arena& arena() { return arena_; }

 private:
  tbb::global_control control_;  // allows more threads than cores
  tbb::task_arena arena_;
};

Threads::Threads(int count)
    : team_(std::make_unique<Team>(count > 0 ? count : tbb::this_task_arena::max_concurrency())) {}
Threads::~Threads() = default;

int Threads::count() const {
  return team_->arena().max_concurrency();
}
void Threads::run(const std::function<void()>& work) const {
  team_->arena().execute(work);
}

void Threads::run_alone(const std::function<void()>& work) {
  const struct Return {
    bool before = is_alone;
    ~Return() { is_alone = before; }
  } afterwards;
  is_alone = true;
  work();
}

bool Threads::are_several() {
  return !is_alone && tbb::this_task_arena::max_concurrency() > 1;
}

void Threads::share(std::size_t n, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  if (!are_several()) return body(0, n);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, n, grain), [&](const auto& range) { body(range.begin(), range.end()); },
      tbb::static_partitioner());
}

void Threads::share_by_turns(std::size_t n, std::size_t grain,
                             const std::function<void(std::size_t, std::size_t)>& body) {
  if (!are_several()) return body(0, n);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}

}  // namespace scree
