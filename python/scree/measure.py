"""What a state is like: docs/theory.md, sections 13 and 14, has the definitions. Compression is positive."""

from __future__ import annotations

import weakref
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


_FROM_SUMS = ("density", "momentum", "contact_stress", "boundary_force", "packing_fraction")


class Fields(SimpleNamespace):
    """Smoothed fields at points: x (columns,), y (rows,) [m]; density (rows, columns) [kg/m^2]; momentum, velocity
    (rows, columns, 2); kinetic_stress, contact_stress (rows, columns, 2, 2) [N/m]; boundary_force (rows, columns, 2)
    [N/m^2], of walls on grains; packing_fraction (rows, columns)."""

    @property
    def pressure(self) -> np.ndarray:
        """Half the trace of both stresses, (rows, columns) [N/m]."""
        return 0.5 * np.trace(self.kinetic_stress + self.contact_stress, axis1=-2, axis2=-1)

    def profile(self, over: str) -> "Fields":
        """Averages over the other axis: with over="y" arrays (rows,), (rows, 2) and (rows, 2, 2), and y; with over="x"
        those of columns, and x. Velocity and kinetic stress are those of the averages of momentum and its flow."""
        if over not in ("x", "y"):
            raise ValueError(f"over: is {over!r}, must be 'x' or 'y'")
        axis = 1 if over == "y" else 0
        means = {name: getattr(self, name).mean(axis=axis) for name in _FROM_SUMS}
        flow = (self.kinetic_stress + self.momentum[..., :, None] * self.velocity[..., None, :]).mean(axis=axis)
        density, momentum = means["density"], means["momentum"]
        velocity = np.divide(momentum, density[:, None], out=np.zeros_like(momentum), where=density[:, None] > 0)
        return Fields(**{over: getattr(self, over)}, **means, velocity=velocity,
                      kinetic_stress=flow - momentum[:, :, None] * velocity[:, None, :])


class FieldAverage:
    """Averages of fields over moments, as those of a scene's `measure.fields`: add(sim) or add(frame), then mean().

    The moments are those of one scene. Arguments as those of Measure.fields. Density, momentum, its flow, contact stress and so on are averaged; velocity
    and kinetic stress are made of the averages.
    """

    def __init__(self, width: float, spacing: float | None = None, kernel: str = "gauss", region: Region | None = None):
        self._sides = _sides(region)
        self._width = float(width)
        self._spacing = 0.5 * self._width if spacing is None else float(spacing)
        self._kernel = kernel
        self._sums: Any = None
        self._scene: Any = None  # of the moments
        self._last: Any = lambda: None  # whose the last one was

    def add(self, source: Any) -> "FieldAverage":
        """`source`: a simulation or a frame. ValueError for arguments above that make no fields, and for a moment of
        another scene than the first one's: edits of one simulation do not make it another."""
        if self._scene is not None and source is not self._last() and source.scene is not self._scene:
            if source.scene.hash != self._scene.hash:
                raise ValueError(f"source: is of another scene, {source.scene.title!r}, must be of that of the moments "
                                 f"before, {self._scene.title!r}")
        self._add(source.measure._frozen)
        self._scene, self._last = source.scene, weakref.ref(source)
        return self

    def _add(self, frozen: Any) -> None:
        if self._sums is None:
            self._sums = frozen.field_sums(self._sides, self._kernel, self._width, self._spacing)
        self._sums.add(frozen)

    def _of(self, frozen: Any) -> Fields:
        self._add(frozen)
        return self.mean()

    def __len__(self) -> int:
        """How many moments were added."""
        return 0 if self._sums is None else self._sums.states()

    def mean(self) -> Fields:
        if self._sums is None:
            raise ValueError("no moment was added yet")
        return Fields(**self._sums.mean())


class Measure:
    """Measurements of one moment. A region is [x0, x1, y0, y1] [m]; None stands for the domain."""

    def __init__(self, frozen: Any):
        self._frozen = frozen

    def texture(self, region: Region | None = None) -> dict:
        """Fabric, stress, anisotropies, weak contacts, coordination, inertial number and so on, by name; fabric, stress,
        weak_stress and domain_stress are arrays (2, 2)."""
        return self._frozen.texture(_sides(region))

    def stress(self, region: Region | None = None) -> np.ndarray:
        """Of the contacts between particles in the region, (2, 2) [N/m]."""
        return self.texture(region)["stress"]

    def forces(self, region: Region | None = None, bin: float = 0.1, bins: int = 100) -> dict:
        """Distribution of normal forces over their mean: arrays force, density, contacts, (bins,)."""
        return self._frozen.forces(_sides(region), bin, bins)

    def pair_orientation(self, to: float, bins: int = 100, symmetry: int = 2, region: Region | None = None) -> dict:
        """How pairs of grains are turned, by their distance up to `to` [m]: arrays (bins,) distance, g, grains, bond,
        direction_cos, direction_sin, pairs; docs/theory.md, section 12. symmetry: 4 for squares, 6 for hexagons."""
        return self._frozen.pair_orientation(_sides(region), float(to), bins, symmetry)

    def grain_stress(self) -> np.ndarray:
        """Of each particle, (N, 2, 2) [N/m]."""
        return self._frozen.grain_stress()

    def fields(self, width: float, spacing: float | None = None, kernel: str = "gauss",
               region: Region | None = None) -> Fields:
        """Fields smoothed with a kernel of this width [m] ("gauss" or "lucy"), at points no farther apart than `spacing`
        [m] (default: half the width)."""
        return FieldAverage(width, spacing, kernel, region)._of(self._frozen)
