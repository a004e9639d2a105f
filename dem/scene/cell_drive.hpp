#pragma once

#include <optional>

namespace scree {

/// What drives a component of a periodic cell's deformation.
struct CellComponent {
  /// Without a stress: rate of strain, of xx and yy positive where the cell grows, of xy the change of the velocity
  /// along x with y. With a stress: the greatest rate, > 0 [1/s]
  double rate = 0.0;
  std::optional<double> stress = {};  ///< soft mode: mean stress of the cell, compression positive [N/m]

  bool operator==(const CellComponent&) const = default;
};
/// What drives a periodic cell; in hard mode rates alone. Its matrix of periods stays upper triangular.
struct CellDrive {
  CellComponent xx = {};
  CellComponent yy = {};
  CellComponent xy = {};
  double mass = 0.1;     ///< of components with a stress: that of the cell over that of all grains, > 0
  double damping = 1.0;  ///< of these, over the critical one, >= 0

  bool operator==(const CellDrive&) const = default;
};

}  // namespace scree
