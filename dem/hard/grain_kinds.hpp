#pragma once

#include <cmath>

#include "dem/hard/disk/handlers.hpp"
#include "dem/hard/disk/predictor.hpp"
#include "dem/hard/flight/disks.hpp"
#include "dem/hard/flight/event.hpp"
#include "dem/hard/polygon/polygon_handlers.hpp"
#include "dem/hard/polygon/polygon_predictor.hpp"
#include "geometry/vec.hpp"

/// What the event loop does differently for disks and for grains that have forms: how their events are predicted and
/// carried out. A template parameter, so that disks pay for nothing that polygons need.
namespace scree::hard {

struct OfDisks {
  using Predictor = hard::Predictor;
  using Handlers = hard::Handlers;
  static constexpr bool kHaveForms = false;
  static constexpr bool kArePlain = false;

  /// Square of the speed relative to which digits are lost on the way: no point that matters is faster [m^2/s^2].
  static double speed_squared(const Disks& disks, Index i) { return disks.flight(i).velocity.squaredNorm(); }
  /// How far a disk may fly until the clock is rebased, as a part of what its tolerance allows.
  static constexpr double kPath = 1.0;
};

struct OfPolygons {
  using Predictor = PolygonPredictor;
  using Handlers = PolygonHandlers;
  static constexpr bool kHaveForms = true;
  static constexpr bool kArePlain = false;

  static double speed_squared(const Disks& disks, Index i) {
    const Flight& flight = disks.flight(i);
    const double speed = flight.velocity.norm() + flight.radius * std::abs(disks.spin(i).angular_velocity);
    return speed * speed;
  }
  /// Less: polygons overlap by what their flights are rounded, at most some 1e-13 of a diameter.
  static constexpr double kPath = 1.0 / 16.0;
};

}  // namespace scree::hard
