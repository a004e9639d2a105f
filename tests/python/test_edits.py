"""Edits by explicit calls: what they do, that they are told, and that nothing else changes a run."""

import json

import numpy as np
import pytest

import scree
from common import HARD, SOFT, command_line, run_by_command_line


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
    assert smooth.hash != rough.hash
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


# --- a state whose scene could not start: walls that have got other velocities would not stand clear of grains at time 0

BESIDE = dict(SOFT, particles=[{"place": [{"position": [0.915, 0.085], "colour": [255, 0, 0]}], "material": "stone",
                                "shape": "disk", "size": 0.06}, *SOFT["particles"]])


def leave_the_grain(sim):
    """The right wall moves away from the grain beside it, where it would have been at time 0."""
    sim.set_wall_velocity("right", [0.2, 0])
    with pytest.raises(scree.SceneError, match="right"):
        scree.Simulation(sim.scene)  # it would not start
    return sim


def test_a_state_whose_wall_would_have_been_in_the_grains_at_time_0_is_loaded_and_goes_on(tmp_path):
    sim = leave_the_grain(simulation(BESIDE).run(until=0.2))
    sim.save(tmp_path / "state")
    again = scree.Simulation.load(tmp_path / "state", threads=2)
    assert again.hash == sim.hash and again.scene == sim.scene
    again.set_wall_velocity("left", [-0.2, 0])
    sim.set_wall_velocity("left", [-0.2, 0])
    assert again.run().hash == sim.run().hash
    assert np.all(np.isfinite(sim.particles.position)) and abs(sim.summary["energy_residual"]) < 1e-3


def test_the_command_line_resumes_what_was_edited_and_another_run_begins_with_it(tmp_path):
    scene = scree.Scene.from_dict(dict(BESIDE, time={"end": 0.2}))
    run_by_command_line(scene, tmp_path)
    out = tmp_path / "out"
    sim = leave_the_grain(scree.Simulation.load(out / "state.scree", threads=1))
    edited = tmp_path / "edited"
    edited.mkdir()
    sim.save(edited / "state.scree")
    command_line("resume", edited, "--quiet", "--until", "0.3")
    told = json.loads((edited / "run.json").read_text())
    assert told["edits"] == sim.edits
    values = dict(BESIDE, walls=SOFT["walls"][:2], particles=[], start={"from": str(edited)})
    begun = scree.Scene.from_dict(values)
    assert len(scree.Simulation(begun).particles) == len(sim.particles)
    sim.run(until=0.3)
    assert told["state_hash"] == sim.hash


def test_a_run_that_began_with_the_grains_of_another_can_be_edited(tmp_path):
    run_by_command_line(scree.Scene.from_dict(dict(BESIDE, time={"end": 0.2})), tmp_path)
    begun = scree.Scene.from_dict(dict(BESIDE, particles=[], start={"from": str(tmp_path / "out")}, time={"end": 0.3}))
    sim = leave_the_grain(scree.Simulation(begun, threads=1).run(until=0.1))
    sim.save(tmp_path / "state")
    again = scree.Simulation.load(tmp_path / "state")
    for each in (sim, again):
        each.set_material("stone", friction=0.3)
    assert again.run().hash == sim.run().hash


def test_walls_with_motions_of_their_own_cannot_be_given_others():
    walls = [*SOFT["walls"], {"name": "lid", "material": "stone", "box": {"x": [0.1, 0.9], "y": [0.95, 0.99]},
                              "motions": [{"from": 0, "until": 0.1, "velocity": [0, 0.01]}]}]
    sim = simulation(dict(SOFT, walls=walls)).run(until=0.02)
    before, at = sim.hash, sim.walls["lid"].outline
    with pytest.raises(ValueError, match="motions"):
        sim.set_wall_velocity("lid", [0, 0])
    assert sim.hash == before and sim.edits == [] and np.array_equal(sim.walls["lid"].outline, at)


# --- hard mode

STEEL = {"density": 1000, "restitution": 1}


def two_disks(velocity, **more):
    """One disk at rest, another that has this velocity."""
    return {"scree": 1, "mode": "hard", "domain": {"x": [0, 1], "y": [0, 1], "sides": "reflecting"},
            "materials": {"steel": STEEL}, "time": {"end": 8}, "output": {"every": 1},
            "particles": [{"place": [{"position": [0.3, 0.5], "velocity": velocity}, {"position": [0.7, 0.52]}],
                           "material": "steel", "shape": "disk", "size": 0.1}], **more}


def test_hard_disks_go_on_as_if_they_had_begun_with_the_velocity_that_they_are_given():
    started = simulation(two_disks([0.7, 0.1]))
    edited = simulation(two_disks([0, 0]))
    edited.set_velocity(edited.particles.id[0], [0.7, 0.1])
    assert edited.hash == started.hash
    assert edited.run().hash == started.run().hash and started.steps > 10
    assert edited.summary["energy_in"] == started.summary["energy_in"]


def test_hard_disks_that_get_velocities_on_the_way_do_what_those_do_that_start_there():
    sim = simulation(two_disks([0.7, 0.1])).run(until=0.31)
    p = sim.particles
    sim.set_velocity(p.id, [[-0.4, 0.2], [0.1, -0.3]], angular_velocity=[2, 0])
    assert np.array_equal(sim.particles.velocity, [[-0.4, 0.2], [0.1, -0.3]])
    assert np.array_equal(sim.particles.position, p.position) and list(sim.particles.angular_velocity) == [2, 0]
    values = two_disks([0, 0])
    values["particles"][0]["place"] = [
        {"position": list(p.position[0]), "velocity": [-0.4, 0.2], "angle": float(p.angle[0]), "angular_velocity": 2},
        {"position": list(p.position[1]), "velocity": [0.1, -0.3], "angle": float(p.angle[1])}]
    begun = simulation(values)
    for after in (0.1, 0.5, 5):  # rounding grows by each collision
        sim.run(until=0.31 + after)
        begun.run(until=after)
        assert np.abs(sim.particles.position - begun.particles.position).max() < 1e-9
        assert np.abs(sim.particles.velocity - begun.particles.velocity).max() < 1e-9
    assert begun.steps > 5


def test_edits_of_hard_disks_balance_and_are_saved_and_are_the_same_for_any_number_of_threads(tmp_path):
    def edited(threads):
        sim = simulation(HARD, threads).run(until=0.2)
        before = sim.summary
        sim.set_velocity(sim.particles.id[::3], [0.05, -0.02])
        sim.set_velocity(sim.particles.id[5], angular_velocity=20)
        after = sim.summary
        brought = after["energy_in"] - before["energy_in"]
        assert brought != 0 and abs(brought - (after["kinetic_energy"] - before["kinetic_energy"])) < 1e-12 * after["energy_in"]
        return sim

    sim = edited(1)
    sim.save(tmp_path / "state")
    again = scree.Simulation.load(tmp_path / "state", threads=3)
    assert again.hash == sim.hash and again.edits == sim.edits and len(sim.edits) == 2
    end = sim.run().hash
    assert abs(sim.summary["energy_residual"]) < 1e-11
    assert again.run().hash == end and edited(3).run().hash == end and simulation(HARD).run().hash != end


def test_hard_disks_can_be_edited_after_any_event():
    sim = simulation(HARD)
    for _ in range(40):
        sim.step(7)
        sim.set_velocity(sim.particles.id[3::50], [0.1, 0.2])
    assert abs(sim.run().summary["energy_residual"]) < 1e-11


PISTON = two_disks([0.7, 0.1], walls=[{"name": "piston", "material": "steel", "box": {"x": [0.9, 0.95], "y": [0.1, 0.9]}},
                                      {"name": "stub", "material": "steel", "box": {"x": [0.45, 0.5], "y": [0.9, 0.95]}}])


def test_a_wall_of_the_hard_mode_moves_on_from_where_it_is(tmp_path):
    values = json.loads(json.dumps(PISTON))
    values["walls"][0]["velocity"] = [-0.05, 0.02]
    started, edited = simulation(values), simulation(PISTON)
    edited.set_wall_velocity("piston", [-0.05, 0.02])
    assert edited.run(until=2).hash == started.run(until=2).hash
    same = simulation(PISTON).run(until=0.4)
    same.set_wall_velocity("piston", [0, 0])  # what it is
    assert same.run().hash == simulation(PISTON).run().hash

    sim = simulation(dict(PISTON, time={"end": 20})).run(until=1)
    at = sim.walls["piston"].outline
    sim.set_wall_velocity("piston", [-0.04, 0])
    assert np.abs(sim.walls["piston"].outline - at).max() < 1e-15
    sim.run(until=6)
    assert np.abs(sim.walls["piston"].outline - at - [-0.2, 0]).max() < 1e-14
    assert np.array_equal(sim.walls["piston"].velocity, [-0.04, 0])
    sim.set_wall_velocity("piston", [0.04, 0])  # at time 0 it would have been at x = 0.46, on a disk
    sim.save(tmp_path / "state")
    again = scree.Simulation.load(tmp_path / "state")
    assert again.hash == sim.hash
    assert again.run(until=9).hash == sim.run(until=9).hash
    assert abs(sim.summary["energy_residual"]) < 1e-11 and sim.summary["wall_work"] != 0


def test_a_disk_rebounds_from_a_wall_that_was_set_in_motion():
    sim = simulation(two_disks([0.0, 0.0], walls=PISTON["walls"])).run(until=0.5)
    sim.set_velocity(sim.particles.id[1], [0.3, 0])
    sim.set_wall_velocity("piston", [-0.1, 0])
    sim.run(until=1.2)  # 0.15 m at 0.4 m/s: they meet after 0.375 s
    assert np.abs(sim.particles.velocity[1] - [-0.5, 0]).max() < 1e-12
    assert np.abs(sim.particles.position[1] - [0.7 + 0.3 * 0.375 - 0.5 * (0.7 - 0.375), 0.52]).max() < 1e-12


def test_what_the_hard_mode_cannot_change_is_refused_by_its_key():
    one = lambda sim: sim.set_velocity(sim.particles.id[0], [0.1, 0])
    plain = {"density": 1000, "restitution": 1}
    exact = two_disks([0.5, 0.2], arithmetic="exact", materials={"steel": plain})
    growing = dict(two_disks([0.5, 0.2]), growth={"rate": 0.1, "from": 0.3, "pressure": 1e4})
    growing["materials"] = {"steel": dict(STEEL, friction=0)}
    reversed_ = dict(PISTON, time={"end": 3, "reverse": 1})
    belt = dict(PISTON, domain={"x": [0, 1], "y": [0, 1], "periodic": ["x"], "sides": "reflecting"})
    for values, edit, key in ((exact, one, "arithmetic"), (growing, one, "growth"),
                              (reversed_, lambda sim: sim.set_wall_velocity("piston", [0.1, 0]), "time.reverse"),
                              (belt, lambda sim: sim.set_wall_velocity("piston", [0.1, 0]), "walls.piston.velocity")):
        sim = simulation(values).run(until=0.1)
        before = sim.hash
        with pytest.raises(scree.SceneError) as refused:
            edit(sim)
        assert refused.value.key == key and sim.hash == before and sim.edits == []
        assert sim.run(until=0.2).hash == simulation(values).run(until=0.2).hash
    sim = simulation(HARD).run(until=0.1)
    before = sim.hash
    for arguments in ((10**9, [0, 0]), (sim.particles.id[0], [0, np.inf]), ([1, 2], [0, 0, 0])):
        with pytest.raises(ValueError):
            sim.set_velocity(*arguments)
    with pytest.raises(ValueError, match="no wall"):
        sim.set_wall_velocity("floor", [0, 0])
    assert sim.hash == before and sim.edits == []


# --- run.json

def test_run_json_has_the_fields_of_the_command_line(tmp_path):
    for number, values in enumerate((SOFT, HARD)):
        scene = scree.Scene.from_dict(values)
        (tmp_path / str(number)).mkdir()
        theirs = run_by_command_line(scene, tmp_path / str(number))
        sim = scree.Simulation(scene).run()
        sim.write(tmp_path / str(number) / "mine")
        mine = json.loads((tmp_path / str(number) / "mine/run.json").read_text())
        assert list(mine) == list(theirs)
        for key in mine.keys() - {"wall_time", "threads", "broadphase"}:
            assert mine[key] == theirs[key], key
        assert mine["wall_time"] > 0
    assert mine["events"]["collisions"] > 0
