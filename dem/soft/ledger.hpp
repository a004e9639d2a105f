#pragma once

namespace scree::soft {

/// Where the energy of a run came from and went to, so far. Work is force times velocity as corrected, integrated by
/// the trapezoidal rule (docs/theory.md, section 8).
struct Ledger {
  /// What all contacts do in a step.
  struct Step {
    // Powers at its end [W].
    double damping = 0.0;   ///< taken by the normal forces' dashpots
    double friction = 0.0;  ///< taken by friction's
    double rolling = 0.0;   ///< taken by rolling resistance's
    double law = 0.0;       ///< of springs cut to nothing; less that of springs without a potential
    double walls = 0.0;     ///< of the walls on the particles
    // Energies that went during the step [J].
    double slid = 0.0;    ///< by friction at Coulomb's limit
    double rolled = 0.0;  ///< by rolling resistance at its limit
    double erased = 0.0;  ///< left in tangential springs where bodies parted

    Step& operator+=(const Step& other);
  };

  // Since the start [J].
  double damping = 0.0;
  double friction = 0.0;
  double rolling = 0.0;
  double law = 0.0;          ///< but for the energy that is now in springs without a potential
  double walls = 0.0;        ///< work that the walls did on the particles
  double in = 0.0;           ///< came with particles
  double out = 0.0;          ///< left with particles, and with walls that were taken away
  double kinetic_out = 0.0;  ///< of `out`
  double turned_over = 0.0;  ///< the largest so far of turned_over_by_now
  Step last;

  void book(const Step& now, double dt);
  /// The energy of motion that there is or has been, or the walls' work if that is more [J]. @param kinetic now [J]
  double turned_over_by_now(double kinetic) const;
};

}  // namespace scree::soft
