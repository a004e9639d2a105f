#pragma once

#include <numbers>

#include "dem/hard/reversible/ellipse.hpp"
#include "dem/hard/reversible/procedures.hpp"

// The paper's experiments: one group of particles that collides again and again, since all velocities are reversed
// after each collision; and all of it backwards. Momentum and energy are taken once, as in the paper, but momentum
// changes its sign with the velocities.
namespace scree::hard::reversible {

/// What a collision did to the angle.
struct AngleStep {
  double before;  ///< phi'
  double offset;  ///< psi
  double after;   ///< phi
};

/// The paper's procedure 5: 2 particles in 2 dimensions.
template <ReversibleStream Stream>
class Procedure5 {
 public:
  /// @param velocities that approach along r21
  Procedure5(const TwoInPlane::Velocities& velocities, const Vec2& r21, const Stream& stream)
      : velocities_(velocities), angles_(angles_of(velocities)), r21_(r21), stream_(stream) {}

  AngleStep forward() {
    AngleStep step{angles_of(velocities_).phi, 2.0 * std::numbers::pi * stream_.next(), 0.0};
    step.after = angles_.phi = procedure_1(step.before, step.offset, r21_);
    velocities_ = velocities_of(angles_);
    turn_round();
    return step;
  }

  void reverse() {
    turn_round();
    const double after = angles_of(velocities_).phi;
    angles_.phi = procedure_2(after, 2.0 * std::numbers::pi * stream_.previous(), r21_);
    velocities_ = velocities_of(angles_);
  }

  const TwoInPlane::Velocities& velocities() const { return velocities_; }

 private:
  void turn_round() {
    for (Vec2& v : velocities_) v = -v;
    angles_.momentum = -angles_.momentum;
  }

  TwoInPlane::Velocities velocities_;
  TwoInPlaneAngles angles_;
  Vec2 r21_;
  Stream stream_;
};

/// How procedure 6 takes its offset from a random number.
enum class Offset {
  ellipse,  ///< uniform on the circumference of the ellipse, as in the paper
  arc,      ///< 2 pi G: uniform on the energy shell
};

/// The paper's procedure 6: 3 particles in 1 dimension.
template <ReversibleStream Stream>
class Procedure6 {
 public:
  /// @param velocities of the left, the centre and the right particle, descending
  Procedure6(const ThreeOnLine::Velocities& velocities, const Stream& stream, Offset offset = Offset::ellipse)
      : velocities_(velocities), angles_(angles_of(velocities)), stream_(stream), offset_(offset) {}

  AngleStep forward() {
    AngleStep step{angles_of(velocities_).phi, offset(stream_.next()), 0.0};
    step.after = angles_.phi = procedure_3(step.before, step.offset);
    velocities_ = velocities_of(angles_);
    turn_round();
    return step;
  }

  void reverse() {
    turn_round();
    const double after = angles_of(velocities_).phi;
    angles_.phi = procedure_4(after, offset(stream_.previous()));
    velocities_ = velocities_of(angles_);
  }

  const ThreeOnLine::Velocities& velocities() const { return velocities_; }

 private:
  void turn_round() {
    for (double& v : velocities_) v = -v;
    angles_.momentum = -angles_.momentum;
  }
  double offset(double g) const { return offset_ == Offset::ellipse ? ellipse_offset(g) : 2.0 * std::numbers::pi * g; }

  ThreeOnLine::Velocities velocities_;
  ThreeOnLineAngles angles_;
  Stream stream_;
  Offset offset_;
};

}  // namespace scree::hard::reversible
