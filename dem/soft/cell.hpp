#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dem/bodies.hpp"
#include "dem/energy_balance.hpp"
#include "dem/periodic.hpp"
#include "dem/scene.hpp"
#include "dem/soft/contact_laws.hpp"
#include "dem/soft/contacts.hpp"
#include "dem/state.hpp"

namespace scree::soft {

/// A periodic cell that deforms (docs/theory.md, section 17): its velocity gradient L, upper triangular, is given by
/// component, or found from the mean stress. All of its periods move with the homogeneous flow L (x - centre); grains
/// keep their velocities against the centre, and what they do beside the flow is their own. In every step: advance,
/// feel, account. All sums are taken in the order of contacts and bodies.
class Cell {
 public:
  /// @throws InvalidScene for what a cell cannot have: walls, pours, gravity, grains that are fixed
  explicit Cell(const Scene& scene);

  /// Without it, nothing here needs to be called.
  bool deforms() const { return deforms_; }
  CellShape shape() const;

  /// The grains that it has. Before all of the following, and after loading.
  void know(const Bodies& bodies);
  /// Other drives from now on. Rates that are given hold at once.
  /// @return the change of the velocity gradient, by which the grains become faster, too
  Components drive(const CellDrive& drive);

  /// Over a step, as if accelerations stayed. @param dt [s]
  void advance(double dt);
  /// Once the forces of the step are known: the mean stress, the accelerations of components that have a stress, their
  /// corrected rates. @param bodies with predicted velocities
  void feel(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws, double dt);
  /// Closes a step: the work of the drive. @param bodies with corrected velocities
  void account(const Bodies& bodies, double dt, EnergyBalance& energy);
  /// The stress before the first step, and after other drives.
  void look(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws);

  /// Acceleration of the homogeneous flow, for grains and cell to move alike [m/s^2].
  Vec2 acceleration(const Vec2& position) const { return times(flow_acceleration(), position - centre_); }
  /// By which the acceleration of an image differs from that of its body. @param displacement of the image [m]
  Vec2 jump(const Vec2& displacement) const { return times(flow_acceleration(), displacement); }

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
    Components stiffness = Components::Zero();  // of all contacts, against strains [N m]
    Components damped = Components::Zero();     // the greatest lately, for which damping is critical [N m]
    Sums contacts = Sums::Zero();
    Sums kinetic = Sums::Zero();
    double power = 0.0;  // of the drive on the grains [W]
    double work = 0.0;   // [J]

    template <class Archive, class Self>
    static void visit(Archive& archive, Self& self) {
      archive(self.length, self.tilt, self.flips, self.rate, self.rate_before, self.acceleration, self.strain,
              self.stiffness, self.damped, self.contacts, self.kinetic, self.power, self.work);
    }
  };

  const CellComponent& component(std::size_t k) const;
  Components flow_acceleration() const;
  double inertia(std::size_t k) const;
  void sum_contacts(const Bodies& bodies, const Contacts& contacts, const ContactLaws& laws);
  void sum_kinetic(const Bodies& bodies);
  double power() const;
  double damping(std::size_t k) const;
  void note_stiffness(double dt);
  double limited(std::size_t k, double rate) const;

  bool deforms_ = false;
  CellDrive drive_;
  Vec2 centre_ = Vec2::Zero();
  double mass_ = 0.0;    // of all grains [kg]
  double widest_ = 0.0;  // of them [m]
  CellMotion now_;
  // Kept for their memory.
  struct ContactSums {
    Sums stress = Sums::Zero();
    Components stiffness = Components::Zero();

    ContactSums& operator+=(const ContactSums& other);
  };
  struct KineticSums {
    Sums stress = Sums::Zero();

    KineticSums& operator+=(const KineticSums& other) { return stress += other.stress, *this; }
  };
  std::vector<ContactSums> contact_parts_;
  std::vector<KineticSums> kinetic_parts_;
};

}  // namespace scree::soft
