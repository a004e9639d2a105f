"""What the tests of the Python package share."""

import json
import os
import pathlib
import subprocess

PROGRAM = os.environ["SCREE_PROGRAM"]
EXAMPLES = pathlib.Path(os.environ["SCREE_EXAMPLES"])

SOFT = {
    "scree": 1,
    "title": "some grains in a box",
    "seed": 7,
    "domain": {"x": [0, 1], "y": [0, 1]},
    "gravity": [0, -9.81],
    "materials": {"stone": {"density": 2600, "stiffness": 1e7, "restitution": 0.4, "friction": 0.5}},
    "walls": [
        {"name": "floor", "material": "stone", "box": {"x": [0, 1], "y": [0, 0.05]}},
        {"name": "left", "material": "stone", "box": {"x": [0, 0.05], "y": [0.05, 1]}},
        {"name": "right", "material": "stone", "box": {"x": [0.95, 1], "y": [0.05, 1]}},
    ],
    "particles": [
        {"fill": {"region": {"x": [0.06, 0.94], "y": [0.06, 0.6]}, "jitter": 0.2}, "material": "stone",
         "shape": {"regular_polygon": {"vertices": 6}}, "size": {"uniform": [0.05, 0.07]}},
        {"fill": {"region": {"x": [0.06, 0.94], "y": [0.65, 0.9]}}, "material": "stone", "shape": "disk", "size": 0.06},
    ],
    "time": {"end": 0.4},
    "output": {"every": 0.1},
}

# A block that is at rest long before the end.
SOON_AT_REST = {
    **SOFT,
    "particles": [{"place": [{"position": [0.5, 0.101]}], "material": "stone",
                   "shape": {"polygon": [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]]}}],
    "time": {"end": 100, "until": {"unbalanced": 1e-3}},
    "output": {"every": 1},
}

HARD = {
    "scree": 1,
    "mode": "hard",
    "seed": 3,
    "domain": {"x": [0, 1], "y": [0, 1], "periodic": ["x"], "sides": "reflecting"},
    "materials": {"steel": {"density": 1000, "restitution": 0.98, "friction": 0.1}},
    "particles": [{"fill": {"region": {"x": [0, 1], "y": [0, 1]}, "jitter": 1.0, "spacing": 0.05}, "material": "steel",
                   "shape": "disk", "size": 0.03}],
    "time": {"end": 0.5},
    "output": {"every": 0.1},
}


def command_line(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, done.stderr
    return done


def run_by_command_line(scene, directory):
    """Runs a scree.Scene by the program; @return what run.json says."""
    directory.mkdir(exist_ok=True)
    file = directory / "scene.yaml"
    file.write_text(scene.to_yaml())
    command_line("run", file, "--output", directory / "out", "--quiet")
    return json.loads((directory / "out" / "run.json").read_text())
