#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dem/periodic.hpp"
#include "dem/soft/checks/step_renewal.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/contact/rest.hpp"
#include "dem/soft/drives/cell.hpp"
#include "dem/soft/forces/contact_power.hpp"
#include "dem/soft/observe.hpp"
#include "geometry/aabb.hpp"
#include "parallel/exact_sum.hpp"

namespace scree::soft {

/// What ranks report of a step, of the grains that they own and of the pairs of which they own a. Those of several
/// ranks make one; sums do not depend on which rank adds what.
struct Tally {
  struct Ended {
    PairKey key;
    double energy;       ///< left in its tangential springs [J]
    double depth_ratio;  ///< the largest so far

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.key, self.energy, self.depth_ratio);
    }
  };
  struct ImageOfBody {
    std::uint64_t id;
    std::uint32_t part;
    Image image;
    bool is_needed;
    Aabb2 box;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.id, self.part, self.image, self.is_needed, self.box);
    }
  };
  struct Transfer {
    PairKey key;
    ContactTransfer of;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.key, self.of);
    }
  };
  /// A sum that not every step asks for.
  template <class Sum>
  struct Perhaps {
    std::optional<Sum> sum;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      bool is_there = self.sum.has_value();
      archive(is_there);
      if constexpr (requires { self.sum.emplace(); }) {
        if (is_there && !self.sum) self.sum.emplace();
      }
      if (is_there) archive(*self.sum);
    }
    void add(const Perhaps& other) {
      if (sum && other.sum) *sum += *other.sum;
    }
  };

  bool alarm = false;                   ///< the guards must check
  bool some_leave = false;              ///< bodies are to be removed
  bool some_outran = false;             ///< in the next step a grain may be farther than ghosts allow for
  bool has_images = false;              ///< some pairs are with images
  std::uint64_t chord_jumps = 0;        ///< see Summary
  std::vector<Ended> ended_with_pairs;  ///< contacts whose boxes parted
  std::vector<double> ended_depths;     ///< the largest depth ratios of the other contacts that ended
  std::vector<double> servo_work;       ///< see WallDrives::respond: all ranks find the same, and only one books it [J]
  Perhaps<PowerTally> power;            ///< absent: put off to the next step
  std::optional<PowerTally> power_before;  ///< of the step before, if that put it off; no rank does
  std::vector<Transfer> transfers;         ///< of all contacts, if the scene measures
  std::vector<ImageOfBody> images;         ///< that got a box, or lost it
  Perhaps<ExactSum> gain;                  ///< of potential energy, where gravity has changed [J]
  Perhaps<ExactSum> damping;               ///< power of local damping [W]
  Perhaps<ExactSum> kinetic;               ///< energy [J]
  Perhaps<CellTally> cell;                 ///< of a cell that deforms, with corrected velocities
  Perhaps<StepNeed> step;
  Perhaps<EnergyTally> energies;
  Perhaps<UnbalancedForces> unbalanced;

  Tally& operator+=(Tally&& other);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.alarm, self.some_leave, self.some_outran, self.has_images, self.chord_jumps, self.ended_with_pairs,
            self.ended_depths, self.power, self.transfers, self.images, self.gain, self.damping, self.kinetic,
            self.cell, self.step, self.energies, self.unbalanced);
  }
};

}  // namespace scree::soft
