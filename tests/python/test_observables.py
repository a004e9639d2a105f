"""scree.observables: beside sums written out, exact cases, and runs."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import scree
from common import EXAMPLES, HARD, SOFT, run_by_command_line
from scree import observables as obs

LENGTHS = np.array([2.0, 3.0])


def moment(position, velocity=None, time=0.0, periodic=("x", "y"), **columns):
    """What observables read of a moment, with positions inside [0, 2] x [0, 3]."""
    position = np.array(position, dtype=float)
    count = len(position)
    own = {"id": np.arange(1, count + 1), "mass": np.ones(count), "radius": np.full(count, 0.1),
           "group": np.zeros(count, dtype=int), "material": np.zeros(count, dtype=int),
           "angular_velocity": np.zeros(count), "position": position,
           "velocity": np.zeros((count, 2)) if velocity is None else np.array(velocity, dtype=float)}
    scene = {"domain": {"x": [0, 2], "y": [0, 3], "periodic": list(periodic)}}
    return SimpleNamespace(time=time, particles=SimpleNamespace(**{**own, **columns}),
                           scene=SimpleNamespace(to_dict=lambda: scene))


@pytest.fixture
def dice():
    return np.random.default_rng(11)


@pytest.fixture(scope="module")
def gas(tmp_path_factory):
    """A run of equal elastic disks in a periodic box."""
    values = {**HARD, "domain": {"x": [0, 1], "y": [0, 1], "periodic": ["x", "y"]}, "time": {"end": 4.0},
              "materials": {"steel": {"density": 1000, "restitution": 1}}, "output": {"every": 0.05}}
    place = tmp_path_factory.mktemp("gas")
    run_by_command_line(scree.Scene.from_dict(values), place)
    return scree.open(place / "out")


def image(between):
    """The nearest image, by trying all."""
    return min((between + LENGTHS * shift for shift in itertools.product((-1, 0, 1), repeat=2)), key=np.linalg.norm)


def test_cumulants_of_known_distributions(dice):
    maxwell = moment(np.zeros((200_000, 2)), dice.normal(size=(200_000, 2)) * 3 + [5, 0])
    found = obs.cumulants(maxwell)
    assert abs(found.a2) < 0.01 and abs(found.a3) < 0.02 and abs(found.a4) < 0.06
    # On a circle x = 1: <x^k> = 1.
    angle = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    circle = moment(np.zeros((64, 2)), np.stack([np.cos(angle), np.sin(angle)], axis=1))
    found = obs.cumulants([circle, circle])
    a2 = 0.5 - 1
    a3 = 1 + 3 * a2 - 1 / 6
    assert np.allclose([found.a2, found.a3, found.a4], [a2, a3, 1 / 24 - 1 - 6 * a2 + 4 * a3], atol=1e-12)
    with pytest.raises(ValueError, match="one velocity"):
        obs.cumulants(moment(np.zeros((3, 2))))


def test_masses_scale_velocities_in_cumulants(dice):
    mass = dice.choice([1.0, 9.0], 100_000)
    mixture = moment(np.zeros((100_000, 2)), dice.normal(size=(100_000, 2)) / np.sqrt(mass)[:, None], mass=mass)
    assert abs(obs.cumulants(mixture).a2) < 0.015


def test_temperatures_of_groups(dice):
    count = 100_000
    group = np.repeat([0, 3], count // 2)
    mass = np.where(group == 0, 2.0, 0.5)
    velocity = dice.normal(size=(count, 2)) * np.sqrt(np.where(group == 0, 4.0, 1.0) / mass)[:, None] + [7, -7]
    spin = dice.normal(size=count)
    found = obs.temperatures(moment(np.zeros((count, 2)), velocity, mass=mass, group=group, angular_velocity=spin))
    assert sorted(found) == [0, 3] and found[0].count == count // 2
    assert abs(found[0].translation - 4) < 0.08 and abs(found[3].translation - 1) < 0.02
    assert abs(found[0].rotation - 0.5 * 2 * 0.01) < 3e-4
    with pytest.raises(ValueError, match="must be 'group' or 'material'"):
        obs.temperatures(moment(np.zeros((2, 2))), by="size")


def test_simulations_have_their_own_inertia():
    sim = scree.Simulation(scree.Scene.from_dict(SOFT), threads=1).run(until=0.05)
    p = sim.particles
    found = obs.temperatures(sim, by="material")
    assert np.isclose(found[0].rotation, (p.inertia * p.angular_velocity**2).mean(), rtol=1e-12)
    u = (p.mass[:, None] * p.velocity).sum(axis=0) / p.mass.sum()
    assert np.isclose(found[0].translation, 0.5 * (p.mass * ((p.velocity - u) ** 2).sum(axis=1)).mean(), rtol=1e-12)


def test_lattices_have_the_order_of_their_neighbours():
    square = moment([[0.25 * i, 0.25 * j] for i in range(8) for j in range(12)])
    assert np.allclose(abs(obs.bond_order(square, 4)), 1, atol=1e-12)
    assert np.allclose(obs.bond_order(square, 4), 1, atol=1e-12)  # bonds along x and y
    assert abs(obs.bond_order(square, 6)).max() < 0.9
    with pytest.raises(ValueError, match="must be less"):
        obs.bond_order(moment([[0, 0], [1, 1]]), 6)
    with pytest.raises(ValueError, match="whole number >= 1"):
        obs.bond_order(square, 0)


@pytest.mark.parametrize("periodic", [("x", "y"), ("x",), ()])
def test_bond_order_and_its_correlation_beside_sums_written_out(dice, periodic):
    position = dice.uniform(size=(300, 2)) * LENGTHS  # more than a block of rows
    here = moment(position, periodic=periodic)
    wrap = np.array([axis in periodic for axis in "xy"])

    def between(i, j):
        straight = position[j] - position[i]
        near = image(straight)
        return np.where(wrap, near, straight)

    psi = obs.bond_order(here, 6)
    found = obs.order_correlation(here, psi, to=0.8, bins=7)
    total, pairs = np.zeros(7), np.zeros(7)
    for i in (0, 1, 255, 256, 299):
        all_of = sorted((between(i, j) for j in range(300) if j != i), key=np.linalg.norm)[:6]
        assert np.isclose(psi[i], np.mean([np.exp(6j * np.arctan2(d[1], d[0])) for d in all_of]), atol=1e-9)
    for i in range(300):
        for j in range(i):
            distance = np.linalg.norm(between(i, j))
            if distance < 0.8:
                total[int(distance / 0.8 * 7)] += (psi[i].conjugate() * psi[j]).real
                pairs[int(distance / 0.8 * 7)] += 1
    assert np.array_equal(found.pairs, pairs)
    assert np.allclose(found.correlation, total / pairs, atol=1e-12)
    assert np.allclose(found.r, (np.arange(7) + 0.5) * 0.8 / 7)


def test_structure_factor_of_a_lattice_of_chance_and_beside_a_sum(dice):
    square = moment([[0.25 * i + 0.1, 0.25 * j] for i in range(8) for j in range(12)])
    found = obs.structure_factor(square, to=2 * np.pi / 0.25, bins=400)
    assert np.isclose(found.s[-1], 96) and found.s[:-1].max() < 1e-9  # Bragg's peaks along x and y
    chance = [moment(dice.uniform(size=(400, 2)) * LENGTHS) for _ in range(20)]
    found = obs.structure_factor(chance, to=40, bins=4)
    assert abs(found.s - 1).max() < 0.1
    few = moment(dice.uniform(size=(5, 2)) * LENGTHS)
    found = obs.structure_factor(few, to=2 * np.pi / 3 * 1.01, bins=1)  # one wave vector: (0, 1)
    phases = 2 * np.pi * few.particles.position[:, 1] / 3
    assert found.vectors == [1] and np.isclose(found.s[0], (np.cos(phases).sum() ** 2 + np.sin(phases).sum() ** 2) / 5)
    with pytest.raises(ValueError, match="periodic along x and y"):
        obs.structure_factor(moment([[0, 0]], periodic=("x",)), to=40)
    with pytest.raises(ValueError, match="at least 2.09"):
        obs.structure_factor(few, to=1)


def test_grains_that_turn_and_grains_that_fly():
    times = np.arange(41) * 0.1
    turning = [moment([[1, 1], [1, 1]], [[np.cos(t), np.sin(t)], [-np.cos(t), -np.sin(t)]], t) for t in times]
    found = obs.velocity_autocorrelation(turning)
    assert len(found.time) == 21 and np.allclose(found.value, np.cos(found.time), atol=1e-12)
    speed = np.array([[3.0, -2.0], [-3.0, 2.0]])  # several times around
    flying = [moment((np.ones((2, 2)) + speed * t) % LENGTHS, speed, t) for t in times]
    found = obs.mean_square_displacement(flying, to=3)
    assert len(found.time) == 31 and np.allclose(found.value, 13 * found.time**2, atol=1e-9)
    with pytest.raises(ValueError, match="equally far"):
        obs.velocity_autocorrelation([turning[k] for k in (0, 1, 3)])
    with pytest.raises(ValueError, match="at least 2"):
        obs.mean_square_displacement(turning[:1])


def test_only_grains_that_are_always_there_count():
    first = moment([[0.5, 0.5], [1, 1], [1.5, 2]], [[1, 0], [-1, 0], [5, 5]], 0.0, id=np.array([2, 4, 9]))
    second = moment([[0.6, 0.5], [0.9, 1]], [[1, 0], [-1, 0]], 0.1, id=np.array([2, 4]))
    assert np.allclose(obs.mean_square_displacement([first, second], to=0.1).value, [0, 0.01])
    other = moment([[0, 0]], time=0.2, id=np.array([7]))
    with pytest.raises(ValueError, match="no grain that all"):
        obs.mean_square_displacement([first, other])


def test_scattering_beside_sums_written_out(dice):
    times = np.arange(5) * 0.1
    start, speed = dice.uniform(size=(20, 2)) * LENGTHS, dice.normal(size=(20, 2))
    speed -= speed.mean(axis=0)
    run = [moment((start + speed * t) % LENGTHS, speed, t) for t in times]
    found = obs.intermediate_scattering(run, q=2 * np.pi / 2, to=0.2, vectors=1)
    q = np.array([np.pi, 0.0])
    assert np.isclose(found.q, np.pi)
    for k in range(3):
        own, both = [], []
        for begin in range(5 - k):
            a, b = start + speed * times[begin], start + speed * times[begin + k]
            own.append(np.cos((b - a) @ q).mean())
            both.append((np.exp(1j * b @ q).sum() * np.exp(-1j * a @ q).sum()).real / 20)
        assert np.isclose(found.own[k], np.mean(own)) and np.isclose(found.all[k], np.mean(both))
    several = obs.intermediate_scattering(run, q=8, vectors=24)
    assert several.own[0] == 1 and abs(several.q - 8) < 0.5


def test_a_homogeneous_deformation_is_affine_and_a_jump_is_not(dice):
    position = 0.5 + dice.uniform(size=(400, 2)) * [1, 2]
    f = np.array([[1.03, 0.08], [-0.02, 0.98]])
    before = moment(position, periodic=())
    found = obs.non_affine(before, moment(position @ f.T, time=1.0, periodic=()), radius=0.2)
    fit = ~np.isnan(found.d2min)
    assert fit.sum() > 390 and np.nanmax(found.d2min) < 1e-25
    assert np.allclose(found.gradient[fit], f - np.eye(2), atol=1e-9)
    assert np.allclose(found.shear[fit], np.hypot(0.5 * 0.05, 0.5 * 0.06), atol=1e-9)
    after = position @ f.T
    jumped = int(np.argmin(((position - [1, 1.5]) ** 2).sum(axis=1)))
    after[jumped] += 0.05
    found = obs.non_affine(before, moment(after, time=1.0, periodic=()), radius=0.2)
    assert np.nanargmax(found.d2min) == jumped
    far = np.linalg.norm(position - position[jumped], axis=1) > 0.2
    assert np.nanmax(found.d2min[far]) < 1e-25 and np.nanmin(found.d2min[~far]) > 1e-9


def test_neighbours_are_fitted_across_periodic_sides(dice):
    position = dice.uniform(size=(400, 2)) * LENGTHS
    shift = 0.1 * np.sin(2 * np.pi * position[:, 1] / 3)
    after = (position + np.stack([shift, np.zeros(400)], axis=1)) % LENGTHS
    found = obs.non_affine(moment(position), moment(after, time=1.0), radius=0.3)
    i = int(np.argmin(abs(position[:, 0] - 0.01) + abs(position[:, 1] - 1.5)))
    own = [image(position[j] - position[i]) for j in range(400) if j != i]
    change = [[shift[j] - shift[i], 0] for j in range(400) if j != i]
    near = [k for k, d in enumerate(own) if np.linalg.norm(d) < 0.3]
    d, later = np.array(own)[near], np.array(own)[near] + np.array(change)[near]
    f, *_ = np.linalg.lstsq(d, later, rcond=None)
    assert found.neighbours[i] == len(near)
    assert np.allclose(found.gradient[i], f.T - np.eye(2), atol=1e-9)
    assert np.isclose(found.d2min[i], ((later - d @ f) ** 2).sum() / len(near))


def test_a_band_has_the_strain(dice):
    position = np.stack([dice.uniform(size=20_000) * 2, dice.uniform(size=20_000) * 3], axis=1)
    moved = 0.2 * np.tanh((position[:, 1] - 1.5) / 0.3)
    after = np.stack([(position[:, 0] + moved) % 2, position[:, 1]], axis=1)
    found = obs.shear_profile(moment(position, periodic=("x",)), moment(after, time=1.0, periodic=("x",)), bins=30)
    assert found.count.sum() == 20_000 and abs(found.y[found.strain.argmax()] - 1.5) < 0.1
    assert np.allclose(found.displacement - found.displacement.mean(), 0.2 * np.tanh((found.y - 1.5) / 0.3), atol=0.01)
    with pytest.raises(ValueError, match="no layers"):
        obs.shear_profile(moment([[0, 1], [1, 1]]), moment([[0, 1], [1, 1]], time=1.0))


def test_edges_are_the_contacts():
    sim = scree.Simulation(scree.Scene.from_dict(SOFT), threads=1).run()
    c = sim.contacts
    grains = ~np.isin(c.id2, sim.walls.id)
    edges = obs.contact_edges(sim)
    assert len(edges) == grains.sum() > 30 and len(obs.contact_edges(sim, walls=True)) == len(c)
    assert [edge[:2] for edge in edges] == list(zip(c.id1[grains].tolist(), c.id2[grains].tolist()))
    force = np.linalg.norm(c.force[grains], axis=1)
    assert np.allclose([edge[2]["force"] for edge in edges], force)
    degree = np.bincount([end for edge in edges for end in edge[:2]], minlength=int(sim.particles.id.max()) + 1)
    assert degree.sum() == 2 * len(edges)


def test_a_gas_in_equilibrium(gas):
    assert abs(obs.cumulants(gas[40:]).a2) < 0.05
    found = obs.temperatures(gas[-1])[0]
    p = gas[-1].particles
    assert found.count == len(p) and np.isclose(found.translation, 0.5 * (p.mass * (p.velocity**2).sum(axis=1)).mean(), rtol=0.01)
    c = obs.velocity_autocorrelation(gas[20:], to=0.5)
    assert c.value[0] == pytest.approx(1) and np.all(c.value[1:3] < c.value[:2]) and 0 < c.value[1] < 1
    d = obs.mean_square_displacement(gas[20:], to=0.5)
    assert np.all(np.diff(d.value) > 0)
    s = obs.intermediate_scattering(gas[20:], q=20.0, to=0.5)
    assert s.own[0] == pytest.approx(1) and np.all(np.diff(s.own[:4]) < 0)
    # As long as grains go where the velocity was: the second cumulant of the displacement.
    assert s.own[1] == pytest.approx(np.exp(-s.q**2 * d.value[1] / 4), rel=0.02)


def test_collisions_are_taken_once():
    values = {**HARD, "measure": {"collisions": {}}}
    sim = scree.Simulation(scree.Scene.from_dict(values), threads=1)
    before = sim.particles.velocity.copy()
    sim.run(until=0.3)
    c = sim.take_collisions()
    assert len(c.time) > 20 and np.all(np.diff(c.time) >= 0) and c.position.shape == c.impulse.shape == (len(c.time), 2)
    assert len(sim.take_collisions().time) == 0
    p = sim.particles
    gained = np.zeros_like(before)
    number = {grain: k for k, grain in enumerate(p.id.tolist())}
    for id1, id2, kind, impulse in zip(c.id1.tolist(), c.id2.tolist(), c.kind.tolist(), c.impulse):
        gained[number[id1]] -= impulse
        if kind == "grain":
            gained[number[id2]] += impulse
    assert np.allclose(p.mass[:, None] * (p.velocity - before), gained, atol=1e-9 * abs(p.mass[:, None] * before).max())


def test_averages_by_phase_are_those_of_the_period(dice):
    time = np.arange(4000) * 0.0137
    noise = dice.normal(size=len(time))
    table = {"time": time, "height": np.sin(2 * np.pi * 2.5 * time) + 0.1 * noise, "count": np.full(len(time), 7),
             "side": np.full(len(time), "left")}
    found = obs.by_phase(table, 2.5, bins=10, since=1.0)
    assert found.count.sum() == (time >= 1.0).sum() and set(found.mean) == {"height", "count"}
    expected = np.sin(2 * np.pi * found.phase) * np.sin(np.pi / 10) / (np.pi / 10)  # the mean over a tenth of a period
    assert np.all(abs(found.mean["height"] - expected) < 5 * found.error["height"] + 0.01)
    assert np.allclose(found.mean["count"], 7) and np.all(found.error["count"] == 0)
    with pytest.raises(ValueError, match="strobe"):
        obs.by_phase({"time": np.arange(50) * 0.4, "height": np.arange(50)}, 2.5, bins=4)
    assert obs.by_phase({"time": np.arange(50) * 0.2, "height": np.arange(50) % 2}, 2.5, bins=2).mean["height"].tolist() == [0, 1]


def test_transport_in_a_gas_is_that_of_enskog(tmp_path):
    fraction, side = 0.2, 10  # disks of diameter 1 m and mass 1 kg at kT = 1 J
    length = side * np.sqrt(np.pi / 4 / fraction)
    region = {"x": [0, length], "y": [0, length]}
    chi = (1 - 7 * fraction / 16) / (1 - fraction) ** 2
    free_time = np.sqrt(np.pi) / (8 * fraction * chi)
    end = 8000 * free_time
    lattice = {"region": region, "kind": "square", "spacing": length / side, "temperature": 1}
    values = {"scree": 1, "mode": "hard", "domain": {**region, "periodic": ["x", "y"]}, "time": {"end": end},
              "materials": {"disk": {"density": 4 / np.pi, "restitution": 1}}, "output": {"every": end},
              "particles": [{"lattice": lattice, "material": "disk", "shape": "disk", "size": 1}],
              "measure": {"every": free_time, "helfand_moments": {}}}
    run_by_command_line(scree.Scene.from_dict(values), tmp_path)
    run = scree.open(tmp_path / "out")
    found = obs.transport(run, 5 * free_time, 10 * free_time)
    b = 2 * fraction  # Gass 1971
    assert found.viscosity == pytest.approx(0.28830 * (1 / chi + b + 0.8729 * b * b * chi), rel=0.2)
    assert found.conductivity == pytest.approx(1.16110 * (1 / chi + 1.5 * b + 0.8718 * b * b * chi), rel=0.2)
    with pytest.raises(ValueError, match="lags: are"):
        obs.transport(run, 5.0, 5.0)


def test_a_cell_that_deforms_is_refused():
    scene = scree.Scene.load(EXAMPLES / "sheared_gas.yaml")
    sim = scree.Simulation(scene, threads=1)
    for refused in (lambda: obs.bond_order(sim, 6), lambda: obs.structure_factor(sim, to=1000)):
        with pytest.raises(ValueError, match="cell that deforms"):
            refused()
    assert obs.temperatures(sim)[0].count == len(sim.particles)
