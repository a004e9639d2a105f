#pragma once

#include <array>
#include <vector>

#include "dem/hard/reversible/collisions.hpp"

// The paper's own terms, for equal masses: parameters ("angles") of the velocities and its procedures 1 to 4, with the
// corrections of docs/reversible.md. Masses are 1. Angles in radians.
namespace scree::hard::reversible {

// --- the mappings of velocities to angles (V-to-Phi) and back (Phi-to-V)
// ----------------------------------------------
//
// The paper keeps the energy delta, from which the radius of the energy shell follows as a difference; here the radius
// itself is kept, which is accurate for small relative velocities, too.

/// 2 particles in 2 dimensions, equations (9) and (10): v1 = (alpha, beta)/2 + R (cos phi, sin phi).
struct TwoInPlaneAngles {
  Vec2 momentum;
  double radius;  ///< R
  double phi;     ///< in (-pi, pi]
};
TwoInPlaneAngles angles_of(const TwoInPlane::Velocities& v);
TwoInPlane::Velocities velocities_of(const TwoInPlaneAngles& angles);

/// 2 particles in 3 dimensions, equations (14) and (15):
/// v1 = (alpha, beta, gamma)/2 + R (sin phi1 sin phi2, sin phi1 cos phi2, cos phi1).
struct TwoInSpaceAngles {
  Eigen::Vector3d momentum;
  double radius;
  double phi1;  ///< in [0, pi]
  double phi2;  ///< in (-pi, pi]; 0 if phi1 is 0 or pi
};
TwoInSpaceAngles angles_of(const TwoInSpace::Velocities& v);
TwoInSpace::Velocities velocities_of(const TwoInSpaceAngles& angles);

/// 3 particles in 1 dimension, equations (19) to (21): a - b = lambda cos phi, b - c = lambda cos(phi - 2 pi/3).
struct ThreeOnLineAngles {
  double momentum;
  double lambda;
  double phi;  ///< in (-pi, pi]
};
ThreeOnLineAngles angles_of(const ThreeOnLine::Velocities& v);
ThreeOnLine::Velocities velocities_of(const ThreeOnLineAngles& angles);

/// 3 particles in 2 dimensions, equations (4) to (7) of the appendix.
struct ThreeInPlaneAngles {
  Vec2 momentum;
  double lambda;
  std::array<double, 3> phi;  ///< in [0, pi], [0, pi] and (-pi, pi]; 0 where they mean nothing
};
ThreeInPlaneAngles angles_of(const ThreeInPlane::Velocities& v);
ThreeInPlane::Velocities velocities_of(const ThreeInPlaneAngles& angles);

// --- procedures 1 to 4
// ------------------------------------------------------------------------------------------------

/// Forward, 2 particles in 2 dimensions: phi' -> phi, which is phi' + psi, or phi' + psi + pi if that is what separates
/// the particles. Results of all four procedures are in [-pi, pi].
/// @param psi offset, 2 pi G
double procedure_1(double phi_before, double psi, const Vec2& r21);
/// Reverse of procedure_1: phi -> phi'.
double procedure_2(double phi_after, double psi, const Vec2& r21);

/// Forward, 3 particles in 1 dimension: phi' in R1 = [pi/6, pi/2] -> phi in S1 = [7 pi/6, 3 pi/2], which is phi' + psi
/// turned into S1 by a multiple of pi/3.
/// @param psi offset: ellipse_offset(G) as in the paper, or 2 pi G, which is uniform on the energy shell
double procedure_3(double phi_before, double psi);
/// Reverse of procedure_3: phi -> phi'.
double procedure_4(double phi_after, double psi);

// --- configurations of 3 particles in 2 dimensions
// --------------------------------------------------------------------

/// The paper's configurations: all touch and P3 is on the one (C1) or the other side (C2) of P1 and P2; P3 touches P2
/// only (C3) or P1 only (C4).
enum class Configuration { c1, c2, c3, c4 };

/// How three equal particles in contact are seen: P1 and P2 are the pair in contact with the smallest numbers, the
/// x-axis points from P2 to P1, as r21 = (D, 0) has it.
struct CanonicalView {
  Configuration configuration;
  std::array<int, 3> order;  ///< which particle is P1, P2, P3
  Vec2 x_axis;
  /// Angle of P3 as seen from P2, or in C4 from P1; against the x-axis, in (-pi, pi]. C1: -pi/3, C2: pi/3.
  double theta;
};
/// @param centres of disks of one diameter; std::invalid_argument if fewer than two pairs are in contact
CanonicalView canonical_view(const std::array<Vec2, 3>& centres, const Contacts& contacts);

struct Range {
  double begin;
  double end;
};

/// The values of phi3 after a collision, none, one or two ranges in ascending order, begin in [0, 2 pi), end > begin.
/// Equations (11) and (12) for C1, (16) for C3.
/// @param phi1 in (0, pi/2); @param phi2 in (0, pi)
std::vector<Range> phi3_ranges(Configuration configuration, double theta, double phi1, double phi2);

/// The values of phi2 after a collision at which there are values of phi3. Equations (15) and (17).
/// @param phi1 in (0, pi/2)
Range phi2_range(Configuration configuration, double theta, double phi1);

}  // namespace scree::hard::reversible
