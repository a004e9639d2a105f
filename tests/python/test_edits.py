"""Edits by explicit calls: what they do, that they are told, and that nothing else changes a run."""

import json

import numpy as np
import pytest

import scree
from common import HARD, SOFT


def simulation(values=SOFT, threads=1):
    return scree.Simulation(scree.Scene.from_dict(values), threads=threads)


def test_a_velocity_is_the_particles_from_then_on():
    sim = simulation().run(until=0.05)
    p = sim.particles
    ids, before, energy = p.id, p.velocity, sim.summary
    sim.set_velocity(ids[3], [0.5, 0.25])
    sim.set_velocity(ids[[5, 6]], [[1, 0], [0, 1]], angular_velocity=2)
    sim.set_velocity(ids[7:9], angular_velocity=[3, 4])
    after = sim.particles
    assert np.array_equal(after.velocity[3], [0.5, 0.25]) and after.angular_velocity[3] == p.angular_velocity[3]
    assert np.array_equal(after.velocity[[5, 6]], [[1, 0], [0, 1]]) and np.all(after.angular_velocity[[5, 6]] == 2)
    assert np.array_equal(after.velocity[7:9], before[7:9]) and np.array_equal(after.angular_velocity[7:9], [3, 4])
    others = np.delete(np.arange(len(ids)), [3, 5, 6])
    assert np.array_equal(after.velocity[others], before[others])
    brought = sim.summary["energy_in"] - energy["energy_in"]
    kinetic = sim.summary["kinetic_energy"] - energy["kinetic_energy"]
    assert abs(brought - kinetic) < 1e-9 * abs(energy["energy_in"])
    sim.run()
    assert abs(sim.summary["energy_residual"]) < 1e-3
    assert sim.hash != simulation().run().hash


def test_a_wall_moves_on_from_where_it_is_and_its_velocity_is_kept_across_save_and_load(tmp_path):
    values = dict(SOFT, gravity=[0, 0])
    sim = simulation(values).run(until=0.1)
    before = sim.walls["right"].outline
    sim.set_wall_velocity("right", [0.2, 0.0])
    began = sim.time
    sim.run(until=0.2)
    moved = sim.walls["right"].outline - before
    assert np.abs(moved - [0.2 * (sim.time - began), 0]).max() < 1e-12
    assert np.array_equal(sim.walls["right"].velocity, [0.2, 0.0])
    sim.save(tmp_path / "state")
    again = scree.Simulation.load(tmp_path / "state", threads=2)
    assert again.edits == sim.edits and again.scene == sim.scene
    assert again.run().hash == sim.run().hash
    sim.set_wall_velocity("right", [0, 0])
    at = sim.walls["right"].outline
    sim.run(until=0.45)
    assert np.abs(sim.walls["right"].outline - at).max() < 1e-12


def test_a_material_has_its_new_values_from_then_on(tmp_path):
    slope = dict(SOFT, gravity=[3, -9.81], time={"end": 0.6})
    rough, smooth = simulation(slope).run(until=0.3), simulation(slope).run(until=0.3)
    smooth.set_material("stone", friction=0.0)
    assert smooth.hash == rough.hash  # the moment itself does not change
    rough.run()
    smooth.run()
    assert smooth.scene.to_dict()["materials"]["stone"]["friction"] == 0
    assert smooth.measure.texture()["sliding_share"] >= 0 and smooth.hash != rough.hash
    tangential = np.abs(smooth.contacts.force_tangential).max()
    assert tangential < 1e-9 * smooth.contacts.force_normal.max()
    assert abs(smooth.summary["energy_residual"]) < 1e-3
    same = simulation(slope).run(until=0.3)
    same.set_material("stone", friction=0.5)  # what it is
    assert same.run().hash == rough.hash
    hard = simulation(HARD).run(until=0.2)
    hard.set_material("steel", restitution=0.5)
    assert hard.run().summary["kinetic_energy"] < simulation(HARD).run().summary["kinetic_energy"]


def test_edits_are_told_in_order_and_run_json_has_them(tmp_path):
    sim = simulation()
    assert sim.edits == []
    sim.write(tmp_path / "run")
    assert "edits" not in json.loads((tmp_path / "run/run.json").read_text())
    sim.run(until=0.1)
    one = int(sim.particles.id[0])
    sim.set_velocity(one, [0.1, 0.0])
    sim.run(until=0.2)
    sim.set_material("stone", friction=np.float64(0.3))
    sim.set_wall_velocity("left", [0.01, 0])
    told = sim.edits
    assert [edit["what"] for edit in told] == ["velocity", "material", "wall_velocity"]
    assert told[0]["ids"] == [one] and told[0]["velocity"] == [[0.1, 0.0]] and told[0]["time"] == pytest.approx(0.1, abs=1e-3)
    assert told[1] == {**told[1], "material": "stone", "values": {"friction": 0.3}} and told[2]["wall"] == "left"
    sim.run()
    sim.write(tmp_path / "run")
    run = scree.open(tmp_path / "run")
    assert run.info["edits"] == told and run.info["state_hash"] == sim.hash and run.info["status"] == "finished"
    assert len(run) == 2 and np.abs(run[-1].particles.position - sim.particles.position).max() < 1e-6
    assert run.scene == sim.scene


def test_the_same_edits_make_the_same_run_for_any_number_of_threads():
    def edited(threads):
        sim = simulation(threads=threads).run(until=0.07)
        sim.set_velocity(sim.particles.id[:10], [0, 1])
        sim.set_material("stone", restitution=0.6)
        return sim.run(until=0.15).hash

    assert edited(1) == edited(3)


def test_bad_edits_raise_and_change_nothing(tmp_path):
    sim = simulation().run(until=0.05)
    before = sim.hash
    one = sim.particles.id[0]
    for arguments in ((10**9, [0, 0]), (-1, [0, 0]), ("x", [0, 0]), (one, [0, 0, 0]), (one, [np.nan, 0]), (one, "ab"),
                      (1.5, [0, 0]), ([one, one], [[0, 0]] * 3)):
        with pytest.raises((ValueError, TypeError)):
            sim.set_velocity(*arguments)
    for name, velocity in (("ceiling", [0, 0]), ("floor", [0, 0, 0]), ("floor", [np.inf, 0]), ("floor", None)):
        with pytest.raises((ValueError, TypeError)):
            sim.set_wall_velocity(name, velocity)
    for name, values in (("wood", {"friction": 0.1}), ("stone", {"density": 1}), ("stone", {"friction": -1}),
                         ("stone", {"colour": 3}), ("stone", {"friction": object()})):
        with pytest.raises((ValueError, TypeError)):
            sim.set_material(name, **values)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    with pytest.raises(scree.FileError, match="not empty"):
        sim.write(tmp_path / "mine")
    assert sim.hash == before and sim.edits == []
    hard = simulation(HARD)
    for edit in (lambda: hard.set_velocity(hard.particles.id[0], [0, 0]), lambda: hard.set_wall_velocity("floor", [0, 0])):
        with pytest.raises(ValueError, match="soft mode"):
            edit()


def test_a_callback_and_a_view_cannot_edit():
    sim = simulation()
    tried = []

    @sim.every(0.05)
    def meddle(sim):
        one = sim.particles.id[0]
        for edit in (lambda: sim.set_velocity(one, [0, 0]), lambda: sim.set_material("stone", friction=0),
                     lambda: sim.set_wall_velocity("floor", [0, 0])):
            with pytest.raises(scree.WrongMoment):
                edit()
            tried.append(edit)

    assert sim.run(until=0.1).hash == simulation().run(until=0.1).hash and len(tried) >= 6
    with sim.view() as view:
        kept = view.position
        with pytest.raises(scree.WrongMoment):
            sim.set_velocity(sim.particles.id[0], [0, 0])
    with pytest.raises(scree.WrongMoment):
        sim.set_material("stone", friction=0)
    del kept
    sim.set_material("stone", friction=0)


def test_walls_and_materials_that_the_scene_changes_itself_are_left_alone():
    moving = {"name": "lid", "material": "stone", "box": {"x": [0, 1], "y": [0.95, 1]},
              "motions": [{"from": 0.1, "velocity": [0, -0.1]}]}
    sim = simulation(dict(SOFT, walls=[*SOFT["walls"], moving])).run(until=0.01)
    with pytest.raises(ValueError, match="the wall lid has motions"):
        sim.set_wall_velocity("lid", [0, 1])
    sim.set_wall_velocity("left", [0.1, 0])
    values = {key: value for key, value in SOFT.items() if key != "time"}
    stages = [{"name": "one", "time": {"end": 0.1}}, {"name": "two", "time": {"end": 0.1}, "materials": {"stone": {"friction": 0.1}}}]
    sim = simulation(dict(values, stages=stages)).run(until=0.01)
    before = sim.hash
    with pytest.raises(ValueError, match="a scene with stages"):
        sim.set_wall_velocity("left", [0.1, 0])
    with pytest.raises(ValueError, match="a scene with stages"):
        sim.set_material("stone", friction=0.3)
    assert sim.hash == before and sim.edits == []
    sim.run(until=1)  # each stage ends with a step
    assert sim.is_over and sim.time == pytest.approx(0.2, abs=1e-3)
