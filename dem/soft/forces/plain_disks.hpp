#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/proxies.hpp"
#include "dem/soft/contact/contacts.hpp"
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
/// While they are packed, what Contacts has of them is out of date until they are written back: the history after
/// unpack(), all of it after write_back(). Contacts with walls are packed with them (plain_walls.hpp), or stay in
/// Contacts if they cannot be.
class PlainDisks {
 public:
  using View = PlainView;

  bool are_packed() const { return packed_; }
  /// Whether they have been since the step before.
  bool stay_packed() const { return packed_ && power_.stays; }
  bool walls_are_packed() const { return packed_ && walls_.are_packed(); }
  /// Packs all contacts and candidates. @return false if the law of some pair of materials is no plain one: then they
  /// are not packed
  bool pack(const View& view, const Contacts& contacts);
  /// Histories go back to the contacts, which may change from now on.
  void unpack(Contacts& contacts);
  /// The contacts become what they would be if they had never been packed. They stay packed. @pre between two steps
  void write_back(const View& view, Contacts& contacts);
  /// contact_elements() of all, of which packed ones need not be written back. @pre packed and computed
  std::vector<ContactElement> elements(const View& view, const Contacts& contacts) const;
  /// Of the contacts only what a measurement of each step reads: branch vectors, and forces on b. @pre compute
  void write_pushes(Contacts& contacts) const;
  /// All contacts stay in their records from now on, for tests.
  void never_pack() { may_pack_ = false; }
  /// Nothing is packed any more: the contacts are others.
  void forget() { packed_ = false; }
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
    return others_.touching_walls;
  }

  /// A new step: contacts that were new are so no more, packed or not.
  void begin_step(const View& view, Contacts& contacts);
  /// Geometry of packed contacts with walls, before beside() is detected; if the kernels are not certain of it, these
  /// go back to their records.
  void measure_walls(const View& view, Contacts& contacts);
  /// That geometry goes to the records, before contacts change.
  void write_walls(const View& view, Contacts& contacts) const;
  /// Geometry, forces and histories; sums of forces, first those of contacts with walls, which have theirs already.
  /// Contacts whose bodies parted end. On several threads. @return whether a guard must check
  bool compute(const View& view, const Quanta& energy, Contacts& contacts);
  /// Corrects the motions of bodies [begin, end), whose forces are summed. @return whether a guard must check
  using Correct = std::function<bool(std::uint32_t begin, std::uint32_t end)>;
  /// compute() of one thread; bodies are corrected as soon as all their forces are summed, and the power of contacts is
  /// added as soon as both bodies are corrected: then blocks and bodies are still in the cache. Pays where contacts
  /// stay packed.
  bool sweep(const View& view, const PowerQuanta& quanta, const Correct& correct, Contacts& contacts);
  /// Sums of forces by body. The reader resets them to 0. @pre there are bodies
  double* sums() { return sums_.front().number; }
  /// At the end of a step, the heat included: see PowerIntegral::tally.
  void add_power(const View& view, const Quanta& power, lanes::PowerSums& sums);

 private:
  lanes::PlainLaw law(double dt) const;
  lanes::DiskBlocks blocks();
  bool have_laws() const { return !laws_.empty(); }
  void find_shifts(const View& view, const Contacts& contacts);
  void fill(const View& view, const Contacts& contacts, std::uint32_t contact, std::uint32_t place);
  void add_forces_of_walls(const Contacts& contacts);
  void list_by_body(const Bodies& bodies);
  void find_windows(const Bodies& bodies);
  void begin_forces(const View& view, const Quanta& energy, const Contacts& contacts);
  bool finish(const View& view, std::vector<std::uint32_t>& odd, Contacts& contacts);
  void sum_up(const Bodies& bodies);
  bool look_at(std::span<const std::uint32_t> odd, Contacts& contacts);
  void end(std::span<const std::uint32_t> over, Contacts& contacts);
  template <class Do>
  void for_each_contact(const Do& act) const;

  bool may_pack_ = true;
  bool packed_ = false;
  bool shifts_are_known_ = false;
  bool some_are_fresh_ = false;
  bool some_are_over_ = false;
  bool are_computed_ = false;
  bool are_written_ = false;
  std::uint32_t count_ = 0;       // contacts in blocks, those that are over included
  double least_mass_ = 0.0;       // reduced, of all contacts [kg]
  double greatest_square_ = 0.0;  // of all contacts: stiffness over reduced mass [1/s^2]
  PairLaw law_{};                 // of all, or of the first material
  WholeSum heat_;
  std::vector<lanes::DiskBlock> blocks_;
  std::vector<lanes::BlockLaw> laws_;  // by block; empty: all have one law
  std::vector<double> shifts_;         // by block; empty: all are 0
  FreshBits fresh_;
  std::vector<std::uint32_t> contact_;  // by place in the blocks; kNoContact: it is over, or there is none
  /// What is not in blocks.
  struct Others {
    std::vector<std::uint32_t> apart;
    std::vector<std::uint32_t> bodies_apart;
    std::vector<double> shifts_apart;
    std::vector<std::uint32_t> at_walls;
    std::vector<std::uint32_t> contacts_at_walls;
    std::vector<std::uint32_t> touching_walls;
    std::vector<std::uint32_t> near_walls;   // of at_walls those that do not touch
    std::vector<std::uint32_t> no_contacts;  // theirs
  } others_;
  PlainWalls walls_;
  std::vector<lanes::ForceSum> sums_;
  /// Blocks that are swept together.
  struct Window {
    std::uint32_t first;  ///< of the bodies of these and all later blocks
    std::uint32_t last;   ///< of the bodies of these blocks
  };
  struct Power {
    std::vector<PowerTally> parts;
    bool stays = false;               ///< contacts are packed since the step before
    std::vector<Window> windows;      ///< once they are needed
    std::optional<PowerTally> swept;  ///< in this step
  } power_;
  /// What several threads need: forces by block, which of them each body has.
  struct Shared {
    bool is_listed = false;
    std::vector<double> forces;
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> incidences;  // 2 * the place of the contact; + 1: as b
  } shared_;
};

}  // namespace scree::soft
