"""What is measured of a state."""

import copy

import numpy as np
import pytest

import scree
from common import HARD, SOFT


@pytest.fixture(scope="module")
def settled():
    return scree.Simulation(scree.Scene.from_dict(SOFT), threads=1).run()


def test_texture_is_that_of_the_contacts(settled):
    region = [0.05, 0.95, 0.05, 0.6]
    t = settled.measure.texture(region)
    c, walls = settled.contacts, settled.walls.id
    inside = (c.point[:, 0] >= 0.05) & (c.point[:, 0] <= 0.95) & (c.point[:, 1] >= 0.05) & (c.point[:, 1] <= 0.6)
    chosen = inside & ~np.isin(c.id2, walls) & (np.linalg.norm(c.force, axis=1) > 0)
    area = 0.9 * 0.55
    stress = np.einsum("ki,kj->ij", c.force[chosen], (c.centre2 - c.centre1)[chosen]) / area
    assert t["contacts"] == chosen.sum() > 30
    assert np.abs(t["stress"] - stress).max() < 1e-12 * np.abs(stress).max()
    assert np.array_equal(settled.measure.stress(region), t["stress"])
    symmetric = 0.5 * (stress + stress.T)
    low, high = np.linalg.eigvalsh(symmetric)
    assert abs(t["p"] - 0.5 * (low + high)) < 1e-12 * high and abs(t["q"] - 0.5 * (high - low)) < 1e-12 * high
    assert abs(np.trace(t["fabric"]) - 1) < 1e-12
    assert abs(t["mean_force"] - c.force_normal[chosen].mean()) < 1e-12 * t["mean_force"]
    assert 0.3 < t["weak_share"] < 0.9
    ends = np.where(np.isin(c.id2, walls), 1, 2).sum()
    assert abs(t["coordination"] - ends / len(settled.particles)) < 1e-12
    assert t["coordination_without_rattlers"] >= t["coordination"]
    f = settled.measure.forces(region, bin=0.2, bins=60)
    assert f["contacts"].sum() == chosen.sum() and abs(f["density"].sum() * 0.2 - 1) < 1e-12


def test_fields_have_the_mass_and_the_weight_of_the_grains(settled):
    w = 0.03
    fields = settled.measure.fields(width=w, spacing=w / 1.4, region=[-0.4, 1.4, -0.4, 1.4])
    cell = (fields.x[1] - fields.x[0]) * (fields.y[1] - fields.y[0])
    p = settled.particles
    assert abs(fields.density.sum() * cell - p.mass.sum()) < 1e-12 * p.mass.sum()
    momentum = (p.mass[:, None] * p.velocity).sum(axis=0)
    assert np.abs(fields.momentum.sum(axis=(0, 1)) * cell - momentum).max() < 1e-10
    by_walls = -settled.walls.force.sum(axis=0)
    assert np.abs(fields.boundary_force.sum(axis=(0, 1)) * cell - by_walls).max() < 1e-10 * np.abs(by_walls).max()
    c = settled.contacts
    wall = np.isin(c.id2, settled.walls.id)
    virial = np.einsum("ki,kj->ij", -c.force, c.centre1 - c.point)
    virial += np.einsum("ki,kj->ij", c.force[~wall], (c.centre2 - c.point)[~wall])
    assert np.abs(fields.contact_stress.sum(axis=(0, 1)) * cell - virial).max() < 1e-12 * np.abs(virial).max()
    assert abs(fields.packing_fraction.sum() * cell - (np.pi * p.radius**2).sum()) < 1e-12
    assert fields.pressure.shape == fields.density.shape == (len(fields.y), len(fields.x))
    stress = settled.measure.grain_stress()
    assert np.abs(np.einsum("k,kij->ij", np.pi * p.radius**2, stress) - virial).max() < 1e-12 * np.abs(virial).max()


def test_hard_disks_have_fields_without_contact_stress():
    sim = scree.Simulation(scree.Scene.from_dict(HARD)).run(until=0.2)
    fields = sim.measure.fields(width=0.05, kernel="lucy", region=[0, 1, 0, 1])
    assert np.all(fields.contact_stress == 0) and fields.kinetic_stress[:, :, 0, 0].mean() > 0


def test_averages_and_profiles_are_those_of_the_moments():
    sim = scree.Simulation(scree.Scene.from_dict(SOFT), threads=1)
    arguments = {"width": 0.06, "spacing": 0.05, "region": [0.05, 0.95, 0.05, 0.65]}
    average = scree.FieldAverage(**arguments)
    with pytest.raises(ValueError):
        average.mean()
    each = []
    for until in (0.05, 0.1, 0.15):
        average.add(sim.run(until=until))
        each.append(sim.measure.fields(**arguments))
    assert len(average) == 3
    mean = average.mean()
    for name in ("density", "momentum", "contact_stress", "boundary_force", "packing_fraction"):
        wanted = sum(getattr(fields, name) for fields in each) / 3
        assert np.abs(getattr(mean, name) - wanted).max() < 1e-12 * np.abs(wanted).max(), name
    there = mean.density > 0
    assert np.abs((mean.momentum / mean.density[..., None] - mean.velocity)[there]).max() < 1e-12
    flow = sum(f.kinetic_stress + f.momentum[..., :, None] * f.velocity[..., None, :] for f in each) / 3
    kinetic = flow - mean.momentum[..., :, None] * mean.velocity[..., None, :]
    assert np.abs(kinetic - mean.kinetic_stress).max() < 1e-12 * np.abs(flow).max()
    over_y, over_x = mean.profile("y"), mean.profile("x")
    assert over_y.density.shape == over_y.y.shape == mean.y.shape and over_x.velocity.shape == (len(mean.x), 2)
    assert np.abs(over_y.density - mean.density.mean(axis=1)).max() < 1e-12
    assert np.abs(over_x.contact_stress - mean.contact_stress.mean(axis=0)).max() < 1e-9
    assert over_y.pressure.shape == mean.y.shape and over_y.pressure[0] > over_y.pressure[-1]
    with pytest.raises(ValueError):
        mean.profile("z")


def test_an_average_is_of_one_scene():
    sim = scree.Simulation(scree.Scene.from_dict(SOFT), threads=1).run(until=0.01)
    average = scree.FieldAverage(width=0.06).add(sim)
    other = dict(copy.deepcopy(SOFT), domain={"x": [0, 2], "y": [0, 1]}, title="another box")
    with pytest.raises(ValueError, match="source: is of another scene, 'another box', must be of that of the moments"):
        average.add(scree.Simulation(scree.Scene.from_dict(other)))
    assert len(average) == 1
    average.add(scree.Simulation(scree.Scene.from_dict(SOFT)))  # of the same one
    average.add(sim)
    sim.set_material("stone", friction=0.1)
    average.add(sim.run(until=0.02))
    assert len(average) == 4


def test_how_pairs_are_turned_is_what_the_definition_says(settled):
    p = settled.particles
    region, to, bins = [0.1, 0.9, 0.06, 0.56], 0.2, 8
    found = settled.measure.pair_orientation(to, bins, symmetry=6, region=region)
    inside = ((p.position >= [0.1, 0.06]) & (p.position <= [0.9, 0.56])).all(axis=1)
    asked = ((p.position >= [0.1 + to, 0.06 + to]) & (p.position <= [0.9 - to, 0.56 - to])).all(axis=1)
    pairs, grains = np.zeros(bins), np.zeros(bins)
    for a in np.flatnonzero(asked):
        for b in np.flatnonzero(inside):
            distance = np.linalg.norm(p.position[b] - p.position[a])
            if a != b and distance < to:
                pairs[int(distance / to * bins)] += 1
                grains[int(distance / to * bins)] += np.cos(6 * (p.angle[b] - p.angle[a]))
    assert np.array_equal(found["pairs"], pairs) and pairs.sum() > 50
    assert np.abs(found["grains"] - grains / np.maximum(pairs, 1)).max() < 1e-12
    for bad in ((0, 8), (9, 8), (0.1, 0), (float("nan"), 8)):
        with pytest.raises((ValueError, TypeError)):
            settled.measure.pair_orientation(*bad, region=region)


def test_bad_arguments_raise(settled):
    m = settled.measure
    for bad in (0, -1, float("nan"), float("inf"), "x", None, []):
        with pytest.raises((ValueError, TypeError)):
            m.fields(width=bad)
    for bad in ([], [0, 1], [1, 0, 0, 1], [0, 1, 0, float("nan")], "abcd", 3):
        with pytest.raises((ValueError, TypeError)):
            m.texture(bad)
    for arguments in ({"width": 0.1, "spacing": 1e-9}, {"width": 0.1, "kernel": "box"}, {"width": 0.1, "spacing": 0}):
        with pytest.raises(ValueError):
            m.fields(**arguments)
    for bins, bin in ((0, 0.1), (-1, 0.1), (10, 0), (10**9, 0.1), (10, float("nan"))):
        with pytest.raises((ValueError, TypeError)):
            m.forces(bins=bins, bin=bin)
