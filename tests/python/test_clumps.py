"""Grains of several parts: Python knows grains, one row each."""

import copy

import numpy as np

import scree
from common import SOFT, run_by_command_line

SCENE = copy.deepcopy(SOFT)
SCENE["particles"] = [
    {"fill": {"region": {"x": [0.06, 0.94], "y": [0.06, 0.6]}, "jitter": 0.2, "count": 20}, "material": "stone",
     "shape": {"polygon": [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]]}, "size": 0.06},
    {"fill": {"region": {"x": [0.06, 0.94], "y": [0.65, 0.9]}, "count": 5}, "material": "stone",
     "shape": {"parts": [{"disk": 1}, {"disk": 1, "position": [1.5, 0]}]}, "size": 0.06},
]
SCENE["time"] = {"end": 0.1}


def test_arrays_have_a_row_for_each_grain():
    sim = scree.Simulation(scree.Scene.from_dict(SCENE), threads=1).run()
    p = sim.particles
    assert len(p.id) == 25 and len(set(p.id)) == 25
    for name in ("position", "velocity", "angle", "mass", "radius", "group", "force", "torque", "coordination"):
        assert len(getattr(p, name)) == 25, name
    with sim.view() as view:
        assert np.array_equal(view.position, p.position)
        assert np.array_equal(view.id, p.id)
    assert [len(outline) for outline in p.outlines[:20]] == [6] * 20
    assert np.allclose(p.mass, 2600 * np.pi * p.radius**2)
    # The outline's area is the grain's: it is the true one.
    x, y = p.outlines[0].T
    area = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    assert abs(area / (np.pi * p.radius[0] ** 2) - 1) < 1e-12
    contacts = sim.contacts
    assert len(contacts) > 0
    assert set(contacts.id1) <= set(p.id)


def test_velocities_are_those_of_grains(tmp_path):
    scene = scree.Scene.from_dict(SCENE)
    sim = scree.Simulation(scene, threads=1)
    ids = sim.particles.id
    sim.set_velocity(ids[3], [1.0, 2.0], 3.0)
    assert sim.particles.velocity[3].tolist() == [1.0, 2.0]
    assert sim.particles.velocity[4].tolist() != [1.0, 2.0]
    info = run_by_command_line(scene, tmp_path)
    assert scree.Simulation(scene, threads=2).run().hash == info["state_hash"]
