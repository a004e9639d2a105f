"""scree: granular matter of convex polygons and disks in two dimensions (docs/python.md is the tutorial).

    scene = scree.Scene.load("examples/heap.yaml")
    sim = scree.Simulation(scene, threads=2)
    sim.run(until=0.5)
    sim.particles.position   # (N, 2) [m]
"""

from . import broadphase, geometry, observables
from ._scree import version as __version__
from .comparisons import Comparison, compare
from .errors import Error, FileError, Mistake, PhysicsError, SceneError, WrongMoment
from .measure import FieldAverage, Fields, Measure
from .pictures import animate, plot
from .runs import Frame, Run, open
from .scene import Scene
from .simulation import Contacts, Particles, Simulation, View, Wall, Walls
from .sweeps import sweep

__all__ = ["Comparison", "Contacts", "Error", "FieldAverage", "Fields", "FileError", "Frame", "Measure", "Mistake", "Particles", "PhysicsError", "Run",
           "Scene", "SceneError", "Simulation", "View", "Wall", "Walls", "WrongMoment", "__version__", "animate",
           "broadphase", "compare", "geometry", "observables", "open", "plot", "sweep"]
