"""Pictures by matplotlib, which is asked for only here."""

from __future__ import annotations

from typing import Any

import numpy as np

from .runs import Frame, Run
from .simulation import Simulation

_SCALARS = ("radius", "mass", "angle", "angular_velocity", "coordination", "torque", "group", "material")


def _values(particles: Any, colour: Any) -> np.ndarray | None:
    """What colours the grains: None if `colour` is a colour of matplotlib."""
    if not isinstance(colour, str):
        values = np.asarray(colour, dtype=float)
        if values.shape != (len(particles),):
            raise ValueError(f"colour: has shape {values.shape}, must be one number for each of {len(particles)} grains")
        return values
    if colour == "speed":
        return np.linalg.norm(particles.velocity, axis=1)
    if colour == "force":
        return np.linalg.norm(particles.force, axis=1)
    if colour in _SCALARS:
        return np.asarray(getattr(particles, colour), dtype=float)
    return None


def plot(source: Simulation | Frame | Run, colour: Any = "speed", chains: bool = False, ax: Any = None,
         limits: tuple[float, float] | None = None, cmap: str = "viridis") -> Any:
    """Draws grains and walls at their true outlines. @return matplotlib's Axes

    source: a simulation, a frame, or a run (its last frame). colour: "speed", "force", a scalar column of particles, an
    array (N,), or a colour of matplotlib. chains: contact forces as lines, as wide as their normal force. limits: of the
    colours.
    """
    import matplotlib.pyplot as plt
    from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection

    if isinstance(source, Run):
        source = source[-1]
    if ax is None:
        ax = plt.subplots(figsize=(7, 5))[1]
    particles = source.particles
    values = _values(particles, colour)
    if values is None:
        from matplotlib.colors import is_color_like

        if not is_color_like(colour):
            raise ValueError(f"colour: is {colour!r}, must be speed, force, {', '.join(_SCALARS)}, an array or a colour")
    ax.add_collection(PolyCollection(source.walls.outlines, facecolors="0.6", edgecolors="0.4", linewidths=0.5))
    outlines = particles.outlines
    is_disk = np.array([len(outline) == 0 for outline in outlines], dtype=bool)
    collections = []
    if not is_disk.all():
        collections.append((PolyCollection([o for o in outlines if len(o)]), ~is_disk))
    if is_disk.any():
        size = 2 * particles.radius[is_disk]
        collections.append((EllipseCollection(size, size, np.zeros(len(size)), units="xy",
                                              offsets=particles.position[is_disk], transOffset=ax.transData), is_disk))
    if values is not None and limits is None and len(values):
        limits = (float(values.min()), float(values.max()))
    for collection, which in collections:
        collection.set_edgecolor("0.2")
        collection.set_linewidth(0.3)
        if values is None:
            collection.set_facecolor(colour)
        else:
            collection.set_array(values[which])
            collection.set_cmap(cmap)
            collection.set_clim(*limits)
        ax.add_collection(collection)
    if chains and len(source.contacts):
        contacts = source.contacts
        force = contacts.force_normal
        across = np.any(contacts.image_shift != 0, axis=1)
        lines = np.stack([contacts.centre1, contacts.point, contacts.centre2], axis=1)[~across]
        width = 3.0 * np.clip(force[~across] / max(force.max(), 1e-300), 0.0, 1.0)
        ax.add_collection(LineCollection(lines, linewidths=width, colors="crimson", capstyle="round"))
    x0, x1, y0, y1 = source.scene._core.sides()
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    ax.set_title(f"t = {source.time:.4g} s")
    if values is not None and collections:
        ax.figure.colorbar(collections[0][0], ax=ax, label=colour if isinstance(colour, str) else None)
    return ax


def animate(run: Run, colour: Any = "speed", chains: bool = False, every: int = 1, interval: float = 80.0) -> Any:
    """The frames of a run one after another, as matplotlib's FuncAnimation: in a notebook `HTML(animate(run).to_jshtml())`.

    every: each so many frames. interval: between two of them [ms]. `scree replay DIR` makes a page that is smaller and
    faster.
    """
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    figure = plt.figure(figsize=(7, 5))

    def draw(number: int) -> list[Any]:
        figure.clear()
        plot(run[number], colour=colour, chains=chains, ax=figure.add_subplot())
        return []

    return FuncAnimation(figure, draw, frames=range(0, len(run), every), interval=interval)
