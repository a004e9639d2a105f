#pragma once

#include <memory>
#include <span>
#include <string>

#include "parallel/ranks.hpp"

namespace scree {
struct Scene;
}  // namespace scree

/// Several processes that advance one simulation, started by mpirun.
namespace scree::app {

/// The ranks of which this process is one; null if it was started alone. @throws IoError without the module for MPI
std::unique_ptr<Ranks> ranks_of_this_run();

/// For commands that one process works at. @return whether this is one of several; rank 0 then gets the reason why it
/// ends
bool is_one_too_many();

/// Called by all ranks, first of all. @param arguments of this process, without its own name
/// @return false if ranks were started with different ones, which rank 0 says; then all end with kBadInput
bool have_same_arguments(Ranks& ranks, std::span<const char* const> arguments);

/// What rank 0 has of the others: they wait until it says what to work on, and go home when this ends.
class Crew {
 public:
  explicit Crew(Ranks& ranks) : ranks_(ranks) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  Ranks& ranks() { return ranks_; }
  /// Each of them serves a simulation from now on. @param scene_name of its file
  void begin(const Scene& scene, const std::string& scene_name);

 private:
  Ranks& ranks_;
  bool has_begun_ = false;
};

/// What the other ranks do instead of run or resume: what rank 0 asks for, until it has no more to do. They report
/// errors of their own, and end all ranks. @param threads see threads_of_rank @return the exit status
int serve(Ranks& ranks, int threads);

/// How many threads this process has. @param asked_for 0: its share of the cores of its machine
int threads_of_rank(int asked_for);

}  // namespace scree::app
