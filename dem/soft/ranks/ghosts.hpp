#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "dem/soft/step.hpp"
#include "dem/soft/tally.hpp"
#include "parallel/ranks.hpp"

namespace scree::soft {

/// Which bodies of a rank are its own, and which are ghosts: copies of those of others.
struct Ghosts {
  std::vector<char> own;                             ///< by body; of parts, too; not of walls, which all have
  std::vector<std::vector<std::uint32_t>> sent;      ///< by rank: own particles that are ghosts there
  std::vector<std::vector<std::uint32_t>> received;  ///< by rank: ghosts that it owns
};

/// What a step needs of the other ranks. Called by all ranks.
class GhostExchange final : public Neighbours {
 public:
  GhostExchange(Ranks& ranks, const Ghosts& ghosts) : ranks_(ranks), ghosts_(ghosts) {}

  /// Keeps what the contacts pass on of which it owns a.
  void record(const Rooms& rooms) override;
  /// Transfers of this step since they were last taken.
  std::vector<Tally::Transfer> take_transfers() { return std::exchange(transfers_, {}); }
  /// All ranks get the sum: a cell moves alike on all.
  CellTally sum(const CellTally& mine) override;
  /// All ranks get the loads of all contacts.
  void join(std::vector<PairKey>&& keys, std::vector<ContactLoad>& loads) override;
  void keep_ghosts(Rooms& rooms) override;
  /// Forces on own particles come from their contacts, which are all here, those on ghosts from their owners.
  void correct_ghosts(Rooms& rooms) override;

 private:
  /// Position, velocity and derivatives of a ghost.
  using Motions = std::array<Motion, 6>;

  Ranks& ranks_;
  const Ghosts& ghosts_;
  std::vector<Tally::Transfer> transfers_;
  std::vector<ContactTransfer> of_all_contacts_;  // kept for its memory
  std::vector<Motions> predicted_;                // of ghosts, in the order of ranks
};

}  // namespace scree::soft
