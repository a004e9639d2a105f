"""What a state is like: docs/theory.md, sections 13 and 14, has the definitions. Compression is positive."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

Region = Sequence[float]


def _sides(region: Region | None) -> Any:
    if region is None:
        return None
    sides = [float(side) for side in region]
    if len(sides) != 4:
        raise ValueError(f"region: has {len(sides)} numbers, must be [x0, x1, y0, y1] [m]")
    return sides


class Fields(SimpleNamespace):
    """Smoothed fields at points: x (columns,), y (rows,) [m]; density (rows, columns) [kg/m^2]; momentum, velocity
    (rows, columns, 2); kinetic_stress, contact_stress (rows, columns, 2, 2) [N/m]; boundary_force (rows, columns, 2)
    [N/m^2], of walls on grains; packing_fraction (rows, columns)."""

    @property
    def pressure(self) -> np.ndarray:
        """Half the trace of both stresses, (rows, columns) [N/m]."""
        return 0.5 * np.trace(self.kinetic_stress + self.contact_stress, axis1=2, axis2=3)


class Measure:
    """Measurements of one moment. A region is [x0, x1, y0, y1] [m]; None stands for the domain."""

    def __init__(self, frozen: Any):
        self._frozen = frozen

    def texture(self, region: Region | None = None) -> dict:
        """Fabric, stress, anisotropies, weak contacts, coordination, inertial number and so on, by name; fabric, stress
        and weak_stress are arrays (2, 2)."""
        return self._frozen.texture(_sides(region))

    def stress(self, region: Region | None = None) -> np.ndarray:
        """Of the contacts between particles in the region, (2, 2) [N/m]."""
        return self.texture(region)["stress"]

    def forces(self, region: Region | None = None, bin: float = 0.1, bins: int = 100) -> dict:
        """Distribution of normal forces over their mean: arrays force, density, contacts, (bins,)."""
        return self._frozen.forces(_sides(region), bin, bins)

    def grain_stress(self) -> np.ndarray:
        """Of each particle, (N, 2, 2) [N/m]."""
        return self._frozen.grain_stress()

    def fields(self, width: float, spacing: float | None = None, kernel: str = "gauss",
               region: Region | None = None) -> Fields:
        """Fields smoothed with a kernel of this width [m] ("gauss" or "lucy"), at points no farther apart than `spacing`
        [m] (default: half the width)."""
        width = float(width)
        return Fields(**self._frozen.fields(_sides(region), kernel, width, 0.5 * width if spacing is None else spacing))
