#include "parallel/ranks.hpp"

#include <bit>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace scree {

std::vector<Ranks::Bytes> exchange(Ranks& ranks, std::vector<Ranks::Bytes> to_each) {
  std::vector<Ranks::Bytes> received(to_each.size());
  const auto own = static_cast<std::size_t>(ranks.rank());
  for (std::size_t rank = 0; rank < to_each.size(); ++rank) {
    if (rank != own) ranks.send(static_cast<int>(rank), std::move(to_each[rank]));
  }
  received[own] = std::move(to_each[own]);
  for (std::size_t rank = 0; rank < received.size(); ++rank) {
    if (rank != own) received[rank] = ranks.receive(static_cast<int>(rank));
  }
  return received;
}

std::vector<Ranks::Bytes> gather(Ranks& ranks, Ranks::Bytes message) {
  if (ranks.rank() != 0) {
    ranks.send(0, std::move(message));
    return {};
  }
  std::vector<Ranks::Bytes> received = {std::move(message)};
  for (int rank = 1; rank < ranks.size(); ++rank) received.push_back(ranks.receive(rank));
  return received;
}

void broadcast(Ranks& ranks, Ranks::Bytes& message) {
  // A rank hears it from the one whose number lacks its own lowest bit, and passes it on.
  const int rank = ranks.rank();
  const auto size = static_cast<unsigned>(ranks.size());
  const int lowest_bit = rank == 0 ? static_cast<int>(std::bit_ceil(size)) : rank & -rank;
  if (rank != 0) message = ranks.receive(rank - lowest_bit);
  for (int step = lowest_bit / 2; step > 0; step /= 2) {
    if (rank + step < ranks.size()) ranks.send(rank + step, message);
  }
}

namespace {

/// What all threads that are ranks share.
class Post {
 public:
  explicit Post(int count) : count_(static_cast<std::size_t>(count)), messages_(count_ * count_), has_mail_(count_) {}

  int count() const { return static_cast<int>(count_); }

  void put(int from, int to, Ranks::Bytes message) {
    const std::lock_guard lock(mutex_);
    box(from, to).push_back(std::move(message));
    has_mail_[static_cast<std::size_t>(to)].notify_one();
  }

  Ranks::Bytes take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<Ranks::Bytes>& waiting = box(from, to);
    has_mail_[static_cast<std::size_t>(to)].wait(lock, [&] { return !waiting.empty() || failed_; });
    if (waiting.empty()) throw RankLost("another rank failed");
    Ranks::Bytes message = std::move(waiting.front());
    waiting.pop_front();
    return message;
  }

  void note_failure(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = std::move(error);
    for (std::condition_variable& one : has_mail_) one.notify_one();
  }

  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  std::deque<Ranks::Bytes>& box(int from, int to) {
    return messages_[static_cast<std::size_t>(from) * count_ + static_cast<std::size_t>(to)];
  }

  std::size_t count_;
  std::vector<std::deque<Ranks::Bytes>> messages_;
  std::exception_ptr failed_;
  std::mutex mutex_;
  std::vector<std::condition_variable> has_mail_;  // by rank, which is one thread
};

class ThreadRank : public Ranks {
 public:
  ThreadRank(int rank, Post& post) : rank_(rank), post_(post) {}
  int rank() const override { return rank_; }
  int size() const override { return post_.count(); }
  void send(int to, Bytes message) override { post_.put(rank_, to, std::move(message)); }
  Bytes receive(int from) override { return post_.take(from, rank_); }
  void give_up(int) override { post_.note_failure(std::make_exception_ptr(RankLost("a rank gave up"))); }

 private:
  int rank_;
  Post& post_;
};

}  // namespace

void run_as_ranks(int count, const std::function<void(Ranks&)>& body) {
  Post post(count);
  const auto run = [&](int rank) {
    try {
      ThreadRank ranks(rank, post);
      body(ranks);
    } catch (...) {
      post.note_failure(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < count; ++rank) threads.emplace_back(run, rank);
  run(0);
  for (std::thread& thread : threads) thread.join();
  post.rethrow();
}

}  // namespace scree
