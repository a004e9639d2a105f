#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace scree {

/// Threads that share the loops of parallel/parallel_for.hpp which are called within run().
///
/// Several may exist and run at a time, each with its own thread calling run(). Made of TBB (tbb_threads.cpp); or, for
/// the thread sanitizer, which cannot look into TBB, of std::thread (std_threads.cpp).
class Threads {
 public:
  explicit Threads(int count);  ///< with the one that calls run(); 0: as many as there are cores
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const;
  void run(const std::function<void()>& work);

  /// Calls body(begin, end) for ranges, of some `grain` indices or more, that together make [0, n): on the threads
  /// within whose run() this is, if within any. A loop within a loop is welcome.
  static void share(std::size_t n, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end)>& body);

 private:
  class Team;
  std::unique_ptr<Team> team_;
};

}  // namespace scree
