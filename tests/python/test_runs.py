"""Finished and running directories, pictures, sweeps."""

import copy
import json
import shutil
import subprocess
import time

import numpy as np
import pytest

import scree
from common import HARD, PROGRAM, SOFT, SOON_AT_REST, command_line, run_by_command_line


@pytest.fixture(scope="module", params=[SOFT, HARD], ids=["soft", "hard"])
def run(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("run")
    (directory / "scene.yaml").write_text(scree.Scene.from_dict(request.param).to_yaml())
    command_line("run", directory / "scene.yaml", "--output", directory / "out", "--quiet")
    return scree.open(directory / "out")


def test_frames_are_the_simulation_at_their_times(run):
    sim = scree.Simulation(run.scene, threads=1)
    assert len(run) == len(run.times) == len(list(run)) > 3
    for frame in (run[0], run[2], run[-1], run.at(0.21)):
        if sim.time > frame.time:
            sim = scree.Simulation(run.scene, threads=1)
        sim.run(until=frame.time)
        p, q = frame.particles, sim.particles
        assert np.array_equal(p.id, q.id)
        assert np.abs(p.position - q.position).max() < 1e-6
        assert np.abs(p.velocity - q.velocity).max() < 1e-6 * max(1, np.abs(q.velocity).max())
        if len(sim.contacts):
            assert abs(frame.measure.texture()["p"] - sim.measure.texture()["p"]) < 1e-5 * sim.measure.texture()["p"]
        assert frame.walls.name == sim.walls.name
    assert not run.is_running


def test_frames_of_a_cell_have_the_grains_where_the_simulation_has_them(tmp_path):
    shape = {"domain": {"x": [0, 1], "y": [0, 1], "periodic": ["x", "y"], "cell": {"xy": {"rate": 1}}}}
    scene = {key: value for key, value in SOFT.items() if key not in ("walls", "gravity", "particles", "measure")} | shape
    disks = {"random": {"region": {"x": [0, 1], "y": [0, 1]}, "packing_fraction": 0.6}, "shape": "disk", "size": 0.05}
    scene["particles"] = [disks | {"material": next(iter(SOFT["materials"]))}]
    sim = scree.Simulation(scree.Scene.from_dict(scene), threads=1)
    sim.run(until=0.4)
    sim.write(tmp_path / "out")
    frame = scree.open(tmp_path / "out")[-1]
    assert np.abs(frame.particles.position - sim.particles.position).max() < 1e-6
    x = sim.particles.position[:, 0] - 0.5 - 0.4 * (sim.particles.position[:, 1] - 0.5)
    assert (np.abs(x) > 0.51).sum() > 10  # which in the file are on the other side


def test_tables_are_read_with_pandas_and_without(run, monkeypatch):
    pandas = pytest.importorskip("pandas")
    table = run.table("series")
    assert isinstance(table, pandas.DataFrame) and len(table) == len(run)
    import builtins

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__",
                        lambda name, *rest: (_ for _ in ()).throw(ImportError()) if name == "pandas" else real(name, *rest))
    plain = run.table("series")
    assert isinstance(plain, dict) and np.array_equal(plain["kinetic_energy"], table["kinetic_energy"])
    assert plain["time"].dtype == float
    with pytest.raises(scree.FileError, match="series"):
        run.table("nothing")


def test_what_is_no_run_raises(tmp_path, run):
    for bad in (tmp_path, tmp_path / "nothing", "/dev/null"):
        with pytest.raises(scree.FileError):
            scree.open(bad)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(scree.FileError):
        scree.open(tmp_path)
    for bad in (len(run), -len(run) - 1, 10**20):
        with pytest.raises(IndexError, match=rf"frame: is {bad}, must be from -{len(run)} to {len(run) - 1}"):
            run[bad]
    with pytest.raises(TypeError, match="frame: is 1.5, must be a whole number"):
        run[1.5]
    for bad in (99, -5.0, "0.1", float("nan")):
        with pytest.raises(ValueError, match="time: is .*, must be"):
            run.at(bad)


def test_slices_of_a_run_are_lists_of_frames(run):
    assert [frame.time for frame in run[-3:]] == run.times[-3:].tolist()
    assert [frame.time for frame in run[::2]] == run.times[::2].tolist()
    assert run[10**6:] == [] and run.at(run.times[-1] + 1e-3).time == run.times[-1]


def test_a_frame_that_somebody_changed_is_refused(run, tmp_path):
    copied = tmp_path / "out"
    shutil.copytree(run.directory, copied)
    file = copied / f"particles_{len(run) - 1:06d}.vtp"
    file.write_bytes(file.read_bytes().replace(b'NumberOfPoints="', b'NumberOfPoints="2000000000', 1))
    with pytest.raises(scree.FileError, match=r"cannot read .*; needed: a frame that scree wrote"):
        scree.open(copied)[-1]


def test_a_running_directory_grows(tmp_path):
    values = dict(copy.deepcopy(SOFT), time={"end": 50}, output={"every": 0.02})
    (tmp_path / "scene.yaml").write_text(scree.Scene.from_dict(values).to_yaml())
    process = subprocess.Popen([PROGRAM, "run", tmp_path / "scene.yaml", "--output", tmp_path / "out", "--quiet"])
    try:
        for _ in range(6000):  # 300 s: a loaded machine
            time.sleep(0.05)
            try:
                run = scree.open(tmp_path / "out")
                if len(run) > 2:
                    break
            except scree.FileError:
                continue
        assert run.is_running
        before = len(run)
        for _ in range(6000):  # 300 s: a loaded machine
            time.sleep(0.05)
            if len(run) > before:
                break
        assert len(run) > before >= 3
        assert np.all(np.isfinite(run[-1].particles.position))
        assert len(run.table("series")["time"]) >= before
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_pictures_show_the_grains(run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for colour in ("speed", "coordination", "steelblue", run[-1].particles.radius):
        axes = scree.plot(run, colour=colour, chains=True)
        axes.figure.canvas.draw()
        pixels = np.asarray(axes.figure.canvas.buffer_rgba())
        assert (pixels[:, :, :3].std(axis=2) > 5).mean() > 0.02  # something coloured
        plt.close(axes.figure)
    with pytest.raises(ValueError):
        scree.plot(run, colour="no such colour")
    with pytest.raises(ValueError):
        scree.plot(run, colour=[1, 2, 3])
    plt.close("all")
    movie = scree.animate(run, every=2)
    movie._func(0)
    movie._draw_was_started = True
    plt.close("all")


def test_fields_that_the_scene_measures_are_those_of_the_moments(tmp_path):
    measure = {"every": 0.05, "fields": {"width": 0.05, "spacing": 0.04, "every": 0.1}, "texture": {}}
    scene = scree.Scene.from_dict(dict(copy.deepcopy(SOFT), measure=measure))
    (tmp_path / "scene.yaml").write_text(scene.to_yaml())
    command_line("run", tmp_path / "scene.yaml", "--output", tmp_path / "out", "--quiet")
    run = scree.open(tmp_path / "out")
    assert len(run.field_times) == 4 and np.abs(run.field_times - [0.1, 0.2, 0.3, 0.4]).max() < 1e-3
    sim = scree.Simulation(scene, threads=1)
    average, whole = scree.FieldAverage(0.05, 0.04), scree.FieldAverage(0.05, 0.04)
    for time_now in run.table("texture")["time"]:
        sim.run(until=time_now)
        average.add(sim)
        whole.add(sim)
        if len(average) == 2:
            image = run.fields(len(whole) // 2 - 1)
            assert image.states == 2 and abs(image.time - sim.time) < 1e-12
            for name, values in vars(average.mean()).items():
                assert np.abs(getattr(image, name) - values).max() <= 1e-6 * max(np.abs(values).max(), 1e-12), name
            average = scree.FieldAverage(0.05, 0.04)
    mean = run.fields()
    assert mean.states == 8
    assert np.abs(mean.pressure - whole.mean().pressure).max() < 1e-6 * mean.pressure.max()
    table = run.table("fields_over_y")
    assert np.abs(table["pressure"] - whole.mean().profile("y").pressure).max() < 1e-9 * mean.pressure.max()
    texture = run.table("texture")
    assert np.asarray(texture["p"])[-1] == sim.measure.texture()["p"]
    with pytest.raises(IndexError):
        run.fields(4)


def test_a_scene_is_compared_in_both_modes(tmp_path):
    values = dict(copy.deepcopy(HARD), time={"end": 0.05}, output={"every": 0.01})
    values.pop("mode")
    values["materials"] = {"steel": {"density": 1000, "stiffness": 1e6, "restitution": 0.9, "friction": 0.1}}
    values["domain"] = {"x": [0, 1], "y": [0, 1], "periodic": ["x", "y"]}
    values["particles"][0]["fill"]["spacing"] = 0.1
    found = scree.compare(scree.Scene.from_dict(values), tmp_path / "out", threads=1)
    assert len(found.table("compare")["time"]) >= 6 and "soft" in found.report
    with pytest.raises(scree.Error):
        scree.compare(scree.Scene.from_dict(values), tmp_path / "out")  # is there already
    clumps = copy.deepcopy(values)
    clumps["particles"][0]["shape"] = {"parts": [{"disk": 1, "position": [k, 0]} for k in (0, 1)]}
    with pytest.raises(scree.Error, match="in a comparison|in hard mode"):
        scree.compare(scree.Scene.from_dict(clumps), tmp_path / "other")


def test_a_sweep_runs_what_is_missing_only(tmp_path):
    scene = scree.Scene.from_dict(dict(copy.deepcopy(SOFT), time={"end": 0.05}, output={"every": 0.02}))
    values = {"materials.stone.friction": [0.1, 0.5], "seed": [1, 2]}
    runs = scree.sweep(scene, values, jobs=2, directory=tmp_path / "sweep")
    assert [run.parameters["seed"] for run in runs] == [1, 2, 1, 2]
    assert runs[2].scene.to_dict()["materials"]["stone"]["friction"] == 0.5
    hashes = [run.info["state_hash"] for run in runs]
    assert len(set(hashes)) == 4
    times = [(run.directory / "state.scree").stat().st_mtime_ns for run in runs]
    (runs[1].directory / "run.json").unlink()
    file = runs[0].directory.parent / f"{runs[0].directory.name}.yaml"
    command_line("run", file, "--output", runs[0].directory, "--force", "--until", 0.02, "--quiet")
    again = scree.sweep(scene, values, jobs=2, directory=tmp_path / "sweep")
    assert [run.info["state_hash"] for run in again] == hashes
    assert [(run.directory / "state.scree").stat().st_mtime_ns for run in again][2:] == times[2:]


def test_a_sweep_takes_parameters(tmp_path):
    values = dict(copy.deepcopy(SOFT), parameters={"height": 1.5}, time={"end": 0.01}, output={"every": 0.01})
    values["domain"]["y"] = [0, "height"]
    runs = scree.sweep(scree.Scene.from_dict(values), {"parameters.height": [1, 2], "seed": [5]}, directory=tmp_path / "sweep")
    assert [run.scene.to_dict()["domain"]["y"][1] for run in runs] == [1, 2]
    assert [run.parameters for run in runs] == [{"parameters.height": 1, "seed": 5}, {"parameters.height": 2, "seed": 5}]
    with pytest.raises(scree.SceneError, match="is not a parameter of the scene"):
        scree.sweep(scree.Scene.from_dict(values), {"parameters.width": [1]}, directory=tmp_path / "other")


def test_a_sweep_of_runs_that_end_at_rest_finds_them_finished(tmp_path):
    for _ in range(2):
        (run,) = scree.sweep(scree.Scene.from_dict(SOON_AT_REST), {"seed": [1]}, directory=tmp_path / "sweep")
        assert run.info["status"] == "finished" and run.info["end_time"] < 10


def test_a_run_that_began_with_the_grains_of_another_opens_without_it(tmp_path):
    (tmp_path / "settle.yaml").write_text(scree.Scene.from_dict(SOON_AT_REST).to_yaml())
    command_line("run", tmp_path / "settle.yaml", "--output", tmp_path / "settled", "--quiet")
    values = dict(SOON_AT_REST, particles=[], start={"from": str(tmp_path / "settled")}, time={"end": 0.02}, output={"every": 0.01})
    (tmp_path / "then.yaml").write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
    command_line("run", tmp_path / "then.yaml", "--output", tmp_path / "then", "--quiet")
    scene = scree.Scene.load(tmp_path / "then.yaml")
    sim = scree.Simulation(scene).run()
    assert len(sim.particles) == 1
    shutil.rmtree(tmp_path / "settled")
    run = scree.open(tmp_path / "then")
    assert run.scene == scene and run.info["state_hash"] == sim.hash
    assert len(run[-1].particles) == 1
    with pytest.raises(scree.SceneError) as caught:
        scree.Simulation(run.scene)
    assert caught.value.key == "start.from"
    assert scree.Simulation.load(tmp_path / "then" / "state.scree").hash == sim.hash


def assert_walls_are_named(scene_file, directory, expected):
    command_line("run", scene_file, "--output", directory, "--quiet")
    run = scree.open(directory)
    assert [frame.walls.name for frame in run] == expected
    assert scree.open(directory)[-1].walls.name == expected[-1]  # the last one alone
    sim = scree.Simulation(scree.Scene.load(scene_file), threads=1)
    for time_, names in zip(run.times, expected):
        assert sim.run(until=time_).walls.name == names


def box(name, x, y, **more):
    return {"name": name, "material": "stone", "box": {"x": [x, x + 0.1], "y": [y, y + 0.1]}, **more}


def written(file, values):
    file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
    return file


@pytest.mark.parametrize("grains", [1, 5])  # fewer and more than walls
def test_walls_of_a_run_that_began_with_the_grains_of_another_have_their_names(tmp_path, grains):
    place = [{"position": [0.15 + 0.12 * k, 0.2]} for k in range(grains)]
    disks = [{"place": place, "material": "stone", "shape": "disk", "size": 0.1}]
    before = dict(SOFT, particles=disks, walls=[], gravity=[0, 0], time={"end": 0.02}, output={"every": 0.01})
    run_by_command_line(scree.Scene.from_dict(before), tmp_path / "before")
    gates = [box("first", 0.2, 0.8, until=0.005), box("second", 0.5, 0.8, until=0.015), SOFT["walls"][0]]
    then = dict(before, walls=gates, particles=[], start={"from": str(tmp_path / "before" / "out")})
    assert_walls_are_named(written(tmp_path / "then.yaml", then), tmp_path / "then",
                           [["first", "second", "floor"], ["second", "floor"], ["floor"]])


def test_walls_that_come_and_go_in_stages_have_their_names(tmp_path):
    stages = [{"name": "one", "time": {"end": 0.015}},
              {"name": "two", "walls": [box("late", 0.3, 0.6)], "time": {"end": 0.01}},
              {"name": "three", "walls": [box("later", 0.6, 0.6)], "remove": ["late"], "time": {"end": 0.01}}]
    values = {key: value for key, value in SOFT.items() if key != "time"}
    values |= {"particles": [dict(SOFT["particles"][1], fill={"region": {"x": [0.1, 0.2], "y": [0.1, 0.2]}})],
               "walls": [box("gate", 0.2, 0.8, until=0.005), SOFT["walls"][0]], "stages": stages, "output": {"every": 0.01}}
    assert_walls_are_named(written(tmp_path / "scene.yaml", values), tmp_path / "out",
                           [["gate", "floor"], ["floor"], ["floor", "late"], ["floor", "later"], ["floor", "later"]])


def test_bad_sweeps_raise_before_anything_runs(tmp_path):
    scene = scree.Scene.from_dict(SOFT)
    for values, error in (({"materials.stone.friction": [0.1, -1]}, scree.SceneError), ({"nothing.at.all": [1]}, KeyError),
                          ({"particles[9].size": [1]}, KeyError), ({"title.x": [1]}, (KeyError, TypeError))):
        with pytest.raises(error):
            scree.sweep(scene, values, directory=tmp_path / "sweep")
    with pytest.raises(ValueError):
        scree.sweep(scene, {}, jobs=0, directory=tmp_path / "sweep")
    assert not (tmp_path / "sweep").exists()
