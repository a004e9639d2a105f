#pragma once

#include "dem/hard/disks.hpp"
#include "dem/hard/event.hpp"
#include "dem/hard/handlers.hpp"
#include "dem/hard/setup.hpp"
#include "dem/hard/space.hpp"
#include "dem/hard/walls.hpp"
#include "dem/measure/transfers.hpp"

namespace scree::hard {

/// Hands on to the measurements what events did. It changes nothing that feeds back into the motion.
class Recorder {
 public:
  explicit Recorder(const Setup& setup);

  const Transfers& transfers() const { return transfers_; }
  /// @param i whose event it was
  void record(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls, const Space& space,
              Disks& disks) {
    if (measures_) record_transfer(i, event, outcome, now, walls, space, disks);
  }

  /// After loading. @param fresh  the sums as they were at the start @throws InvalidState
  void require_sound(const Transfers& fresh) const { transfers_.require_sound(fresh); }

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    Transfers::visit(archive, self.transfers_);
  }

 private:
  void record_transfer(Index i, const Event& event, const Outcome& outcome, double now, const Walls& walls,
                       const Space& space, Disks& disks);
  void record_free_flight(Index i, double now, Disks& disks);

  bool measures_;
  bool measures_free_flights_;
  Transfers transfers_;
};

}  // namespace scree::hard
