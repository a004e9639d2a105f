import copy
import json
import pickle

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
    with pytest.raises(ValueError, match="holds itself"):
        scree.Scene.from_dict(endless)
    twice = [1]
    twice[0:] = [twice, twice]
    with pytest.raises(ValueError, match="holds itself"):
        scree.Scene.from_dict({"scree": 1, "domain": twice})
    again = [0, 1]
    assert scree.Scene.from_dict(dict(SOFT, domain={"x": again, "y": again})) == scree.Scene.from_dict(SOFT)
    deep = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(scree.SceneError):
        scree.Scene.from_dict({"scree": 1, "domain": deep})
    for _ in range(10000):
        deep = [deep]
    with pytest.raises(ValueError, match="stand in more than"):
        scree.Scene.from_dict({"scree": 1, "domain": deep})


def test_long_doubles_are_numbers():
    values = copy.deepcopy(SOFT)
    values["time"]["end"] = np.longdouble(0.4)
    values["domain"]["x"] = np.array([0, 1], dtype=np.longdouble)
    assert scree.Scene.from_dict(values) == scree.Scene.from_dict(SOFT)


def test_a_name_has_the_characters_that_it_was_given():
    for name in ("stöne", "\U0001f600", "a \"b\" \\n c", "silo (left) - 1", "1 - 2", "2 * (3)", "1e-3", "a-b/c", "-1 + 2", "1-"):
        values = copy.deepcopy(SOFT)
        values["title"] = name
        assert scree.Scene.from_dict(values).title == name
    for character in "\x7f\x85\u2028\u2029\ufeff\n":
        values = copy.deepcopy(SOFT)
        values["walls"][0]["name"] = f"a{character}b"
        with pytest.raises(scree.SceneError, match="without control characters"):
            scree.Scene.from_dict(values)


WITH_PARAMETERS = dict(copy.deepcopy(SOFT), parameters={"width": 1, "friction": "2 * width / 4"})
WITH_PARAMETERS["domain"]["x"] = [0, "width"]
WITH_PARAMETERS["materials"]["stone"]["friction"] = "friction"


def test_parameters_can_have_other_values(tmp_path):
    scene = scree.Scene.from_dict(WITH_PARAMETERS)
    assert scene == scree.Scene.from_dict(SOFT)
    other = scene.with_parameters(width=1.25)
    assert other.to_dict()["domain"]["x"] == [0, 1.25] and other.to_dict()["materials"]["stone"]["friction"] == 0.625
    assert other.with_parameters(friction=0.1, width=1) == scene.with_parameters(friction=0.1)
    file = tmp_path / "p.yaml"
    file.write_text(json.dumps(WITH_PARAMETERS).replace('"', ""))
    assert scree.Scene.load(file).with_parameters(width=1.25).hash == other.hash
    with pytest.raises(scree.SceneError, match="must be width or friction"):
        scene.with_parameters(length=1)
    with pytest.raises(scree.SceneError):
        scene.with_parameters(friction=-1)
    with pytest.raises(ValueError, match="from a file or a dict"):
        scree.Simulation(scene).run(until=0.01).scene.__class__(scene._core, None).with_parameters(width=2)


@pytest.mark.parametrize("values", [SOFT, HARD, WITH_PARAMETERS], ids=["soft", "hard", "parameters"])
def test_a_scene_is_pickled_and_copied(values, tmp_path):
    scene = scree.Scene.from_dict(values)
    for again in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene), copy.copy(scene), copy.deepcopy([scene])[0]):
        assert again == scene and again.hash == scene.hash
        assert scree.Simulation(again).hash == scree.Simulation(scene).hash
        if "parameters" in values:
            assert again.with_parameters(width=1.25) != scene
    (tmp_path / "s.yaml").write_text(scene.to_yaml())
    loaded = scree.Scene.load(tmp_path / "s.yaml")
    assert pickle.loads(pickle.dumps(loaded)) == loaded


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
