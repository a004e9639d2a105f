"""A gas of equal elastic disks of diameter 1 and mass 1 at kT = 1, between periodic sides."""

import math


def length(side, fraction):
    """Of the domain's sides, for so many disks along one and a packing fraction."""
    return side * math.sqrt(math.pi / 4 / fraction)


def scene(side, fraction, seed, measure, end):
    """Disks on a square lattice that melts; measure: the scene's entry; end: when it is over."""
    sides = {axis: [0, length(side, fraction)] for axis in "xy"}
    lattice = {"region": sides, "kind": "square", "spacing": length(side, fraction) / side, "temperature": 1}
    return {
        "scree": 1,
        "mode": "hard",
        "seed": seed,
        "domain": {**sides, "periodic": ["x", "y"]},
        "materials": {"disk": {"density": 4 / math.pi, "restitution": 1}},
        "particles": [{"lattice": lattice, "material": "disk", "shape": "disk", "size": 1}],
        "measure": measure,
        "time": {"end": end},
        "output": {"every": end},
    }
