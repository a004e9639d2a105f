#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace scree {

/// Threads that share the loops of parallel/parallel_for.hpp which are called within run().
///
/// Several objects may exist and run at the same time, if different threads call their run(). Implemented with TBB
/// (tbb_threads.cpp) or, for the thread sanitizer, which cannot analyse TBB, with std::thread (std_threads.cpp).
class Threads {
 public:
  explicit Threads(int count);  ///< including the thread that calls run(); 0: number of cores
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const;
  void run(const std::function<void()>& work) const;
  /// On the thread that calls it, which shares no loop.
  static void run_alone(const std::function<void()>& work);

  /// Calls body(begin, end) for ranges of about `grain` indices or more that together cover [0, n). Within run() the
  /// ranges are shared among its threads. Nested loops are allowed.
  /// Each thread takes one range, the same one in all loops: indices are to cost about the same.
  static void share(std::size_t n, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end)>& body);
  /// The same for indices of different cost: a thread that is done takes another range.
  static void share_by_turns(std::size_t n, std::size_t grain,
                             const std::function<void(std::size_t begin, std::size_t end)>& body);
  /// Whether share() would share now: within run() of several threads.
  static bool are_several();

 private:
  class Team;
  std::unique_ptr<Team> team_;
};

}  // namespace scree
