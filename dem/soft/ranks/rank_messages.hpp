#pragma once

#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dem/archive.hpp"
#include "parallel/ranks.hpp"

/// Values as messages between ranks: in the bytes of saved states.
namespace scree::soft {

template <class... T>
Ranks::Bytes to_bytes(const T&... values) {
  std::ostringstream out;
  OutArchive archive(out);
  archive(values...);
  return std::move(out).str();
}

/// @throws InvalidState if the bytes are too few
template <class... T>
void from_bytes(Ranks::Bytes bytes, T&... values) {
  std::istringstream in(std::move(bytes));
  InArchive archive(in);
  archive(values...);
}

/// The value of rank 0 becomes that of all.
template <class T>
void broadcast_value(Ranks& ranks, T& value) {
  Ranks::Bytes message;
  if (ranks.rank() == 0) message = to_bytes(value);
  broadcast(ranks, message);
  if (ranks.rank() != 0) from_bytes(std::move(message), value);
}

/// Adds the values of all ranks up, in pairs: rank 0 gets the sum. Called by all. @return of other ranks: parts of it
template <class T>
T combine(Ranks& ranks, T value) {
  for (int step = 1; step < ranks.size(); step *= 2) {
    if (ranks.rank() % (2 * step) != 0) {
      ranks.send(ranks.rank() - step, to_bytes(value));
      break;
    }
    if (ranks.rank() + step >= ranks.size()) continue;
    T other;
    from_bytes(ranks.receive(ranks.rank() + step), other);
    value += std::move(other);
  }
  return value;
}

/// Plain numbers, without their count.
template <Bare T>
Ranks::Bytes bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// @param values as many as the other rank sent
template <Bare T>
void copy_bytes(const Ranks::Bytes& bytes, std::vector<T>& values) {
  if (bytes.size() != values.size() * sizeof(T)) throw std::logic_error("a message between ranks has another length");
  std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
}

}  // namespace scree::soft
