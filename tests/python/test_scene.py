import copy

import numpy as np
import pytest

import scree
from common import EXAMPLES, HARD, SOFT, command_line


def test_every_example_comes_back_the_same_from_its_dict():
    files = sorted(EXAMPLES.glob("*.yaml"))
    assert len(files) > 10
    for file in files:
        scene = scree.Scene.load(file)
        again = scree.Scene.from_dict(scene.to_dict(), name=file.name)
        assert again == scene, file
        assert again.hash == scene.hash
        values = scene.to_dict()
        assert type(values["seed"]) is int
        for part in values.get("stages", [values]):  # of a scene with stages each has its end
            assert isinstance(part["time"]["end"], (int, float))


def test_scenes_that_differ_are_unequal():
    other = copy.deepcopy(SOFT)
    other["seed"] = 8
    assert scree.Scene.from_dict(SOFT) != scree.Scene.from_dict(other)
    assert scree.Scene.from_dict(SOFT).hash != scree.Scene.from_dict(other).hash


def test_numpy_numbers_and_arrays_are_numbers_and_lists():
    values = copy.deepcopy(SOFT)
    values["gravity"] = np.array([0, -9.81])
    values["seed"] = np.int64(7)
    assert scree.Scene.from_dict(values) == scree.Scene.from_dict(SOFT)


def test_a_dict_has_the_mistakes_of_the_file_with_their_keys():
    values = copy.deepcopy(SOFT)
    values["materials"]["stone"]["friction"] = -1
    values["time"] = {"end": "soon"}
    with pytest.raises(scree.SceneError) as caught:
        scree.Scene.from_dict(values)
    error = caught.value
    assert [m.key for m in error.mistakes] == ["materials.stone.friction", "time.end"]
    assert error.key == "materials.stone.friction" and error.line is None
    assert "-1" in error.message and error.message in str(error)
    assert isinstance(error, ValueError) and isinstance(error, scree.Error)


def test_a_file_has_the_messages_of_the_command_line(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text(scree.Scene.from_dict(SOFT).to_yaml().replace("density: 2600", "density: -2600"))
    with pytest.raises(scree.SceneError) as caught:
        scree.Scene.load(file)
    told = command_line("check", file, status=2).stderr
    assert str(caught.value) in told
    assert caught.value.key == "materials.stone.density"
    assert "density: -2600" in file.read_text().splitlines()[caught.value.line - 1]


def test_grains_that_overlap_are_found_by_check_with_their_place(tmp_path):
    values = copy.deepcopy(SOFT)
    values["particles"] = [{"place": [{"position": [0.5, 0.5]}, {"position": [0.51, 0.5]}], "material": "stone", "shape": "disk",
                            "size": 0.1}]
    with pytest.raises(scree.SceneError) as caught:
        scree.Scene.from_dict(values).check()
    assert caught.value.key.startswith("particles[0].place")
    file = tmp_path / "overlap.yaml"
    file.write_text(scree.Scene.from_dict(values).to_yaml())
    with pytest.raises(scree.SceneError) as caught:
        scree.Scene.load(file).check()
    assert caught.value.line is not None
    assert str(caught.value) in command_line("check", file, status=2).stderr


def test_check_says_what_is_simulated():
    seen = scree.Scene.from_dict(SOFT).check()
    assert seen["mode"] == "soft" and seen["particles"] > 50 and 0 < seen["step"] < 1e-3
    assert scree.Scene.from_dict(HARD).check()["step"] is None
    assert seen["warnings"] == []


def test_check_warns_as_the_command_line_does(tmp_path):
    values = dict(copy.deepcopy(SOFT), gravity=[0, -981])
    values["walls"][0]["oscillation"] = {"amplitude": [0, 0.001], "frequency": 10}
    scene = scree.Scene.from_dict(values)
    (tmp_path / "cm.yaml").write_text(scene.to_yaml())
    told = [line.removeprefix("warning: ") for line in command_line("check", tmp_path / "cm.yaml").stdout.splitlines()
            if line.startswith("warning: ")]
    warnings = scene.check()["warnings"]
    assert warnings == told and len(warnings) >= 2 and "gravity" in warnings[0]


@pytest.mark.parametrize("values", [
    {}, {"scree": 1}, {"scree": 2}, {1: 2}, {"scree": {1, 2}}, {"scree": b"1"}, {"scree": object()}, {"a" * 5000: 1},
    {"scree": 1, "title": "\x00"}, {"scree": 1, "title": "\ud800"}, {"scree": 1, "seed": 10**400},
    {"scree": 1, "seed": float("nan")}, {"scree": 1, "domain": []}, {"scree": 1, "domain": [[[[]]]]}, [], "text", None, 3,
    {"scree": 1, "particles": [{}] * 1000}, {"scree": 1, "\n": 1}, {"scree": 1, "*": "&a"},
])
def test_bad_values_raise(values):
    with pytest.raises((scree.SceneError, TypeError, ValueError)):
        scree.Scene.from_dict(values)


def test_endless_values_raise():
    endless = {"scree": 1}
    endless["domain"] = endless
    with pytest.raises(RecursionError):
        scree.Scene.from_dict(endless)
    deep = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(scree.SceneError):
        scree.Scene.from_dict({"scree": 1, "domain": deep})


@pytest.mark.parametrize("path", ["/nowhere/scene.yaml", "/", "", "/dev/null"])
def test_a_file_that_is_no_scene_raises(path):
    with pytest.raises((scree.FileError, scree.SceneError)):
        scree.Scene.load(path)
    with pytest.raises(TypeError):
        scree.Scene.load(3)


def test_a_scene_cannot_be_made_of_anything_else():
    with pytest.raises(TypeError):
        scree.Scene(SOFT, None)
    with pytest.raises(TypeError):
        scree.Simulation(SOFT)
