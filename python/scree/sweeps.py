"""Many runs of one scene with other values."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _scree
from .errors import Error, FileError
from .runs import Run
from .scene import Scene


def find_program() -> str:
    """The program scree: $SCREE_PROGRAM, that of the build this package is in, or the first in $PATH."""
    beside = pathlib.Path(__file__).absolute().parents[2] / "app" / "scree"
    for program in (os.environ.get("SCREE_PROGRAM"), str(beside), shutil.which("scree")):
        if program and os.access(program, os.X_OK):
            return program
    raise FileError("there is no program scree; set SCREE_PROGRAM or PATH")


def _with(values: dict, key: str, value: Any) -> None:
    """Sets what a key path like particles[0].size leads to. KeyError if its owner is not there."""
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", key)]
    owner = values
    for step in steps[:-1]:
        try:
            owner = owner[step]
        except (KeyError, IndexError, TypeError):
            raise KeyError(f"{key}: the scene has no {step!r} there") from None
    owner[steps[-1]] = value


def sweep(scene: Scene, values: Mapping[str, Sequence[Any]], jobs: int = 1,
          directory: str | os.PathLike = "out/sweep") -> list[Run]:
    """Runs a scene with every combination of values, `jobs` at a time, by the command line, one thread each.

    sweep(scene, {"materials.grain.friction": [0.1, 0.3]}, jobs=2); {"parameters.radius": [0.01, 0.02]} for a parameter of
    the scene's file or dict, set before the other values. Each run has a directory in `directory`, named after
    its values' number; what is finished there already is not run again, what was interrupted goes on.
    @return the runs in the order of the combinations, each with `parameters`, a dict. SceneError before anything runs if
    a combination makes no valid scene; Error with the program's words if runs fail, after all others have ended.
    """
    if jobs < 1:
        raise ValueError(f"jobs: is {jobs}, must be >= 1")
    program = find_program()
    keys = list(values)
    combinations = [dict(zip(keys, each)) for each in itertools.product(*values.values())]
    scenes = []
    for chosen in combinations:
        own = {key.removeprefix("parameters."): value for key, value in chosen.items() if key.startswith("parameters.")}
        changed = (scene.with_parameters(**own) if own else scene).to_dict()
        for key, value in chosen.items():
            if not key.startswith("parameters."):
                _with(changed, key, value)
        scenes.append(Scene.from_dict(changed))
    places = [pathlib.Path(directory) / f"{each.hash}-{each.end:g}s" for each in scenes]

    def run(number: int) -> str | None:
        place = places[number]
        if (place / "run.json").is_file():
            info = json.loads((place / "run.json").read_text(encoding="utf-8"))
            if info["status"] == "finished" and info["until"] >= scenes[number].end * (1 - 1e-9):
                return None
        if (place / "state.scree").is_file():
            command = [program, "resume", str(place)]
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            file = place.parent / f"{place.name}.yaml"
            _scree.write_file(str(file), scenes[number].to_yaml())
            command = [program, "run", str(file), "--output", str(place), "--force"]
        done = subprocess.run([*command, "--quiet", "--threads", "1"], capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode != 0 else None

    with ThreadPoolExecutor(jobs) as pool:
        failures = list(pool.map(run, range(len(scenes))))
    told = [f"{parameters}: {failure}" for parameters, failure in zip(combinations, failures) if failure]
    if told:
        raise Error("\n".join(told))
    runs = [Run(place) for place in places]
    for each, parameters in zip(runs, combinations):
        each.parameters = parameters
    return runs
