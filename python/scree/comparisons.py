"""One scene in both modes: what docs/compare.md describes."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

from .errors import Error
from .runs import Tables
from .scene import Scene
from .sweeps import find_program


class Comparison(Tables):
    """A directory that `scree compare` wrote: table("compare"), table("height_profile") and so on, as those of a Run;
    `report`, the text of report.md."""

    @property
    def report(self) -> str:
        return (self.directory / "report.md").read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"<scree.Comparison {str(self.directory)!r}>"


def compare(scene: Scene, directory: str | os.PathLike, runs: int = 1, stiffness: Sequence[float] = (),
            at: Sequence[float] = (), threads: int = 0, force: bool = False) -> Comparison:
    """Runs a scene of disks in both modes, by the command line, and writes how they differ to a directory.

    runs: of the soft mode; stiffness: rising [N/m], for the limit of hard disks; at: when disks are drawn, rising [s];
    threads: of the soft mode, 0 for all cores; force: replaces an earlier comparison. Error with the program's words if
    the scene cannot be compared, KeyboardInterrupt ends it.
    """
    program = find_program()
    directory = pathlib.Path(directory)
    if not isinstance(scene, Scene):
        raise TypeError(f"a comparison needs a scree.Scene, not {type(scene).__name__}")
    options: list[Any] = ["--output", directory, "--runs", runs, "--quiet"]
    if threads:
        options += ["--threads", threads]
    if stiffness:
        options += ["--stiffness", ",".join(f"{value:.17g}" for value in stiffness)]
    if at:
        options += ["--at", ",".join(f"{value:.17g}" for value in at)]
    if force:
        options += ["--force"]
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "scene.yaml"
        file.write_text(scene.to_yaml(), encoding="utf-8")
        command = [program, "compare", str(file), *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip())
    return Comparison(directory)
