#include <cstddef>
#include <list>
#include <mpi.h>
#include <utility>

#include <climits>

#include "parallel/ranks.hpp"

/// Processes as ranks, by MPI. A module of its own, which the program loads when it runs under mpirun: without it
/// nothing needs MPI.
namespace scree {

namespace {

constexpr int kTag = 1;
constexpr std::size_t kPiece = std::size_t{1} << 30;  // bytes; a message goes in pieces, the last one is shorter

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override {
    for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, Bytes message) override {
    sent_.remove_if([](Sent& sent) {
      int is_done = 0;
      MPI_Test(&sent.request, &is_done, MPI_STATUS_IGNORE);
      return is_done != 0;
    });
    if (message.size() < kPiece) return send_piece(to, std::move(message));
    std::size_t begin = 0;
    for (; begin + kPiece <= message.size(); begin += kPiece) send_piece(to, message.substr(begin, kPiece));
    send_piece(to, message.substr(begin));
  }

  Bytes receive(int from) override {
    Bytes message;
    for (;;) {
      MPI_Status status;
      MPI_Probe(from, kTag, MPI_COMM_WORLD, &status);
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      const std::size_t before = message.size();
      message.resize(before + static_cast<std::size_t>(count));
      MPI_Recv(message.data() + before, count, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (static_cast<std::size_t>(count) < kPiece) return message;
    }
  }

  void give_up(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  struct Sent {
    Bytes bytes;
    MPI_Request request;
  };

  void send_piece(int to, Bytes piece) {
    static_assert(kPiece <= INT_MAX);
    Sent& sent = sent_.emplace_back();
    sent.bytes = std::move(piece);
    MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD,
              &sent.request);
  }

  int rank_ = 0;
  int size_ = 1;
  std::list<Sent> sent_;  // until they have arrived
};

}  // namespace

}  // namespace scree

/// The entry of this module. @return the caller deletes it, which ends MPI
extern "C" scree::Ranks* scree_mpi_ranks() {
  return new scree::MpiRanks;
}
