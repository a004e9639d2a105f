#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_blocks.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/forces/contact_power.hpp"
#include "dem/soft/forces/narrowphase.hpp"
#include "dem/soft/forces/plain_blocks.hpp"
#include "dem/soft/forces/plain_walls.hpp"
#include "dem/soft/lanes/kernels.hpp"

namespace scree::soft {

/// Contacts of disks with each other, where all particles are disks, with the linear law, without rolling resistance
/// and cohesion: four side by side in a block that has only what the next step needs. One pass measures them, finds
/// their forces and adds these up, with the bits of Narrowphase, ContactForces and net_force().
///
/// While they are packed, Contacts has their places only, until write_back(). Contacts with walls are packed with them
/// (plain_walls.hpp), or stay in Contacts if they cannot be.
class PlainDisks {
 public:
  using View = PlainView;

  bool are_packed() const { return packed_; }
  bool walls_are_packed() const { return packed_ && walls_.are_packed(); }
  /// Packs all contacts and candidates. @return false if the law of some pair of materials is no plain one: then they
  /// are not packed
  bool pack(const View& view, Contacts& contacts);
  /// The contacts become what they would be if they had never been packed. They stay packed. @pre between two steps
  void write_back(const View& view, Contacts& contacts);
  /// contact_elements() of all, of which packed ones need not be written back. @pre packed and computed
  void find_elements(const View& view, const Contacts& contacts, ElementBatch& batch) const;
  /// Of the contacts only what a measurement of each step reads: branch vectors, and forces on b. @pre compute
  void write_pushes(Contacts& contacts) const;
  /// All contacts stay in their records from now on, for tests.
  void never_pack() { may_pack_ = false; }
  /// Nothing is packed any more. @pre contacts were written back, or are others
  void forget(Contacts& contacts) {
    packed_ = false;
    contacts.take_back();
  }
  /// Some bodies were wrapped.
  void note_wrapping() { shifts_are_known_ = false; }

  /// Candidates whose contacts are not packed, or that have none.
  CandidatesBeside beside() const {
    return {others_.apart, others_.bodies_apart.data(),
            others_.shifts_apart.empty() ? nullptr : others_.shifts_apart.data(),
            walls_.are_packed() ? std::span<const std::uint32_t>(others_.near_walls) : others_.at_walls,
            walls_.are_packed() ? std::span<const std::uint32_t>(others_.no_contacts) : others_.contacts_at_walls};
  }
  /// Contacts with walls that are not packed.
  std::span<const std::uint32_t> touching_walls() const {
    if (walls_.are_packed()) return {};
    return touching_walls_;
  }

  /// Contacts::apply(), packed or not.
  std::span<const EndedContact> apply(std::vector<PairChange>& changes, const Bodies& bodies, Contacts& contacts);
  /// A new step: contacts that were new are so no more, packed or not.
  void begin_step(const View& view, Contacts& contacts);
  /// Geometry of packed contacts with walls, before beside() is detected; if the kernels are not certain of it, these
  /// go back to their records.
  void measure_walls(const View& view, Contacts& contacts);
  /// Contacts::update(). @param found beside()
  void update(const View& view, const Narrowphase& found, Contacts& contacts);
  /// Geometry, forces and histories; sums of forces, first those of contacts with walls, which have theirs already.
  /// Contacts whose bodies parted end. On several threads. @return whether a guard must check
  bool compute(const View& view, const Quanta& energy, Contacts& contacts);
  /// Corrects the motions of bodies [begin, end), whose forces are summed. @return whether a guard must check
  using Correct = std::function<bool(std::uint32_t begin, std::uint32_t end)>;
  /// compute() of one thread; bodies are corrected as soon as all their forces are summed, and the power of contacts is
  /// added as soon as both bodies are corrected: then blocks and bodies are still in the cache.
  bool sweep(const View& view, const PowerQuanta& quanta, const Correct& correct, Contacts& contacts);
  /// Sums of forces by body. The reader resets them to 0. @pre there are bodies
  double* sums() { return sums_.front().number; }
  /// At the end of a step, the heat included: see PowerIntegral::tally.
  void add_power(const View& view, const Quanta& power, lanes::PowerSums& sums);

 private:
  void list_others(const Bodies& bodies, const Contacts& contacts);
  void find_shifts_of_others(const View& view, const Contacts& contacts);
  void forget_ended(std::span<const std::uint32_t> ended);
  void add_forces_of_walls(const Contacts& contacts);
  void list_by_body(const Bodies& bodies);
  void begin_forces(const View& view, const Quanta& energy, const Contacts& contacts);
  bool finish(const View& view, std::vector<std::uint32_t>& odd, Contacts& contacts);
  void sum_up(const Bodies& bodies);
  bool look_at(std::span<const std::uint32_t> odd, Contacts& contacts);

  bool may_pack_ = true;
  bool packed_ = false;
  bool shifts_are_known_ = true;
  bool walls_change_ = false;
  bool are_computed_ = false;
  bool are_written_ = false;
  WholeSum heat_;
  ContactBlocks blocks_;
  PlainWalls walls_;
  std::vector<std::uint32_t> touching_walls_;  // contacts, packed or not
  /// Candidates that are not in blocks.
  struct Others {
    std::uint64_t changes = 0;  ///< Contacts::changes() when they were listed
    std::vector<std::uint32_t> apart;
    std::vector<std::uint32_t> bodies_apart;
    std::vector<double> shifts_apart;
    std::vector<std::uint32_t> at_walls;
    std::vector<std::uint32_t> contacts_at_walls;
    std::vector<std::uint32_t> near_walls;   // of at_walls those that do not touch
    std::vector<std::uint32_t> no_contacts;  // theirs
  } others_;
  std::vector<lanes::ForceSum> sums_;
  std::vector<PowerTally> parts_;
  std::optional<PowerTally> swept_;  // in this step
  /// What several threads need: forces by block, which of them each body has.
  struct Shared {
    std::uint64_t arrangement = 0;  ///< ContactBlocks::arrangement() when they were listed
    std::vector<double> forces;
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> incidences;  // 2 * the place of the contact; + 1: as b
  } shared_;
};

}  // namespace scree::soft
