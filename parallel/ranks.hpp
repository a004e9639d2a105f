#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace scree {

/// Processes that work on one simulation together, numbered from 0, or threads of one process that behave like them.
/// Every object stands for one of them and reaches the others.
class Ranks {
 public:
  using Bytes = std::string;

  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Does not wait for the receiver. Messages from one rank to another arrive in the order in which they were sent.
  virtual void send(int to, Bytes message) = 0;
  /// Waits for the next message. @throws RankLost if none can come any more
  virtual Bytes receive(int from) = 0;
  /// Ends all ranks, because this one cannot go on. Processes: with this exit status.
  virtual void give_up(int status) = 0;
};

/// Another rank failed and reported why.
struct RankLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Gives every rank its message. Called by all. @param to_each one message a rank @return what each rank sent
std::vector<Ranks::Bytes> exchange(Ranks& ranks, std::vector<Ranks::Bytes> to_each);
/// Called by all. @return for rank 0 the messages of all, by rank; for others nothing
std::vector<Ranks::Bytes> gather(Ranks& ranks, Ranks::Bytes message);
/// Called by all: the message of rank 0 becomes that of all.
void broadcast(Ranks& ranks, Ranks::Bytes& message);

/// Threads of this process as ranks: for tests, and for sanitizers, which see through them.
/// Runs `body` once for each rank, at the same time. If one throws, those that wait for a message throw RankLost.
/// @throws what the first one threw
void run_as_ranks(int count, const std::function<void(Ranks&)>& body);

}  // namespace scree
