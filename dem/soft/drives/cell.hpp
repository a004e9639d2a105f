#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/periodic.hpp"
#include "dem/scene/cell_drive.hpp"
#include "dem/soft/contact/contacts.hpp"
#include "dem/soft/forces/contact_laws.hpp"
#include "dem/soft/motion/step_clock.hpp"
#include "dem/state.hpp"
#include "parallel/whole_sum.hpp"

namespace scree {
struct Scene;
}  // namespace scree

namespace scree::soft {

/// What contacts and grains of a cell add up to in a step. The sums have no order: ranks, as threads, add up what they
/// have.
struct CellTally {
  WholeSums<4> contacts;   ///< forces times branch vectors: xx, yy, xy, yx [N m]
  WholeSums<4> stiffness;  ///< of contacts, against strains: xx, yy, xy, 0; not where all rates are given [N m]
  /// Momenta times velocities, both beside the flow: xx, yy, xy, 0; and momenta times Known::fastest: x, y [N m].
  WholeSums<6> kinetic;

  CellTally& operator+=(const CellTally& other);

  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    archive(self.contacts, self.stiffness, self.kinetic);
  }
};

/// A periodic cell that deforms (docs/theory.md, section 17): its velocity gradient L, upper triangular, is given by
/// component, or found from the mean stress. All of its periods move with the homogeneous flow L (x - centre); grains
/// keep their velocities against the centre, and what they do beside the flow is their own. In every step: advance,
/// tally, respond, tally_grains, close. One that is rigid does nothing and finds nothing.
class Cell {
 public:
  /// @throws InvalidScene for what a cell cannot have: walls, pours, gravity, grains that are fixed
  explicit Cell(const Scene& scene);

  bool deforms() const { return deforms_; }
  CellShape shape() const;

  /// Finds mass and size of its grains, and what their sums are rounded to. Before all of the following, after loading,
  /// and with other laws or another longest step. @param bodies all, not those of one rank
  void find_scales(const Bodies& bodies, const ContactLaws& laws, const StepClock& clock);
  /// Other drives from now on. Rates that are given hold at once.
  /// @return the change of the velocity gradient, by which the grains become faster, too
  Components drive(const CellDrive& drive);
  /// Whether some component is driven by a stress: then what contacts do decides how the cell moves.
  bool follows_stress() const;

  /// Over a step, as if accelerations stayed. @param dt [s]
  void advance(double dt);
  /// Once the forces of the step are known. On several threads.
  /// @param bodies with predicted velocities  @param own one flag a body; counted are the grains whose flag is set, and
  ///        the contacts of whose a it is. All if there are none
  CellTally tally(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws,
                  std::span<const char> own = {});
  /// The accelerations of components that have a stress, their corrected rates. Does nothing if none has.
  /// @param all of all contacts and grains
  void respond(const CellTally& all, double dt);
  /// What grains do, anew. On several threads. @param bodies with corrected velocities  @param own as above
  void tally_grains(const Bodies& bodies, std::span<const char> own, CellTally& tally);
  /// Closes a step: the stress. @param all of all contacts and grains @return work of the drive [J]
  double close(const CellTally& all, double dt);
  /// The stress before the first step, and after other drives.
  void look(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws);

  /// Acceleration of the homogeneous flow, for grains and cell to move alike [m/s^2].
  Vec2 acceleration(const Vec2& position) const { return times(flow_acceleration(), position - centre_); }
  /// An acceleration beside the flow, with that of the flow. @param position [m]
  Motion with_flow(const Vec2& position, const Motion& beside) const {
    if (!deforms_) return beside;
    const Vec2 flow = acceleration(position);
    return beside + Motion(flow.x(), flow.y(), 0.0);
  }
  /// Acceleration of an image less that of its body. @param displacement of the image [m]
  Vec2 jump(const Vec2& displacement) const { return times(flow_acceleration(), displacement); }

  /// How much a vector that the flow carries along may change in a step, over its length: its greater component.
  double strain_in(double dt) const;

  /// A cell that is too light for its contacts in a step of this length, that deforms too fast for it, or that has
  /// become too small for its grains. @param dt [s]
  std::optional<std::string> find_problem(double dt) const;

  /// Whether components with a stress have it, to 1 % of the greatest.
  bool has_its_stress() const;
  /// Kinetic energy of the homogeneous flow, as of grains that are spread evenly [J].
  double flow_energy() const;
  CellState state() const;

  /// After loading. @throws InvalidState
  void require_sound() const;
  template <class Archive, class Self>
  static void visit(Archive& archive, Self& self) {
    CellMotion::visit(archive, self.now_);
  }
  /// What find_scales() finds, for ranks that do not have all grains.
  struct Scales {
    double mass = 0.0;     ///< of all grains [kg]
    double widest = 0.0;   ///< diameter of one of them [m]
    double fastest = 1.0;  ///< no grain is faster beside the flow [m/s]
    Quanta contacts;       ///< of their sums
    Quanta grains;

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.mass, self.widest, self.fastest, self.contacts.coarse, self.contacts.per_coarse, self.grains.coarse,
              self.grains.per_coarse);
    }
  };
  const Scales& scales() const { return scales_; }
  void set_scales(const Scales& scales) { scales_ = scales; }
  /// What decides the future.
  template <class Act>
  void for_each_value(const Act& act) const {
    act(now_.length, now_.tilt, now_.flips, now_.rate, now_.acceleration, now_.damped);
  }

 private:
  /// Sums over the cell of forces times branch vectors, or momenta times velocities: xx, yy, xy, yx [N m].
  using Sums = Eigen::Array4d;
  struct CellMotion {
    Vec2 length = Vec2::Zero();
    double tilt = 0.0;
    std::int32_t flips = 0;
    Components rate = Components::Zero();
    Components rate_before = Components::Zero();   // at the end of the step before
    Components acceleration = Components::Zero();  // of the rates [1/s^2]
    Components strain = Components::Zero();
    // Stiffness of all contacts against strains, and the greatest lately, for which damping is critical [N m]. Zero
    // where all rates are given.
    Components stiffness = Components::Zero();
    Components damped = Components::Zero();
    Sums contacts = Sums::Zero();
    Sums kinetic = Sums::Zero();  // of velocities about their mean
    double power = 0.0;           // of the drive on the grains [W]
    double work = 0.0;            // [J]

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.length, self.tilt, self.flips, self.rate, self.rate_before, self.acceleration, self.strain,
              self.stiffness, self.damped, self.contacts, self.kinetic, self.power, self.work);
    }
  };

  const CellComponent& component(std::size_t k) const;
  Components flow_acceleration() const;
  double inertia(std::size_t k) const;
  CellTally sum_contacts(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws,
                         std::span<const char> own);
  void take_stiffness(const CellTally& all, double dt);
  void take_stress(const CellTally& all);
  double power() const;
  double damping(std::size_t k) const;
  double limited(std::size_t k, double rate) const;

  bool deforms_ = false;
  CellDrive drive_;
  Vec2 centre_ = Vec2::Zero();
  Scales scales_;
  CellMotion now_;
  Sums drift_ = Sums::Zero();  // of the mean velocity: does work, but is no stress
  // Kept for their memory.
  std::vector<CellTally> parts_of_contacts_;
  std::vector<WholeSums<6>> parts_of_grains_;
};

}  // namespace scree::soft
