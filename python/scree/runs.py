"""Runs that the command line has written, or is writing."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any, overload

import numpy as np

from . import _scree
from .errors import FileError
from .measure import Fields, Measure
from .scene import Scene
from .simulation import Contacts, Particles, Walls, time_of


class Frame:
    """What a run wrote at one time: time [s], particles, contacts, walls, measure, as those of a Simulation, in single
    precision; particles without image and inertia. A contact across a periodic side is there twice."""

    def __init__(self, core: Any, run: Run):
        self._core = core
        self._run = run

    @property
    def time(self) -> float:
        return self._core.time()

    @property
    def particles(self) -> Particles:
        return Particles(self._core.particles)

    @property
    def contacts(self) -> Contacts:
        return Contacts(self._core.contacts)

    @property
    def walls(self) -> Walls:
        return Walls(self._wall_column)

    @property
    def measure(self) -> Measure:
        return Measure(self._core)

    @property
    def scene(self) -> Scene:
        return self._run.scene

    def _wall_column(self, name: str) -> Any:
        if name != "name":
            return self._core.walls(name)
        names = self._run._wall_names
        ids = self._core.walls("id").tolist()
        first = self._run._first_wall if ids else 1
        if any(not first <= each < first + len(names) for each in ids):
            raise FileError(f"a frame at {self.time:g} s has walls that the scene has not")
        return [names[each - first] for each in ids]

    def __repr__(self) -> str:
        return f"<scree.Frame t = {self.time:g} s, {len(self.particles)} particles>"


class Tables:
    """A directory with tables."""

    def __init__(self, directory: str | os.PathLike):
        self.directory = pathlib.Path(directory)

    def table(self, name: str) -> Any:
        """A table: "series", "measure", "texture" and so on (docs/conventions.md), as a pandas DataFrame if
        pandas is there, else as a dict of arrays; columns are named without their units. FileError if there is none."""
        file = self.directory / f"{name}.csv"
        if not file.is_file():
            there = ", ".join(sorted(each.stem for each in self.directory.glob("*.csv")))
            raise FileError(f"{file}: no such table; there are {there}")
        with file.open(encoding="utf-8") as lines:
            header = [word.split(" [")[0] for word in lines.readline().rstrip("\n").split(",")]
            rows = [line.rstrip("\n").split(",") for line in lines if line.endswith("\n")]  # none that is half written
        columns = {each: _numbers([row[k] for row in rows]) for k, each in enumerate(header)}
        try:
            import pandas
        except ImportError:
            return columns
        return pandas.DataFrame(columns)


class Run(Tables):
    """A directory of a run: `run[-1]` is its last frame, `run[-3:]` a list of the last three, `for frame in run` all of
    them; read when asked for, so a run that goes on has more of them each time."""

    def __init__(self, directory: str | os.PathLike):
        super().__init__(directory)
        if not (self.directory / "run.json").is_file():
            raise FileError(f"cannot open {self.directory}: it holds no run.json; needed: the output directory of a run")
        self._scene = Scene(_scree.Scene.parse_saved(self.info["scene"], "run.json"), None)

    @property
    def info(self) -> dict:
        """run.json: version, scene, hash, status and so on."""
        try:
            return json.loads((self.directory / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FileError(f"{self.directory / 'run.json'}: {error}") from None

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def is_running(self) -> bool:
        """Whether run.json says so; a run that was killed says it, too."""
        return self.info["status"] == "running"

    @property
    def times(self) -> np.ndarray:
        """Of the frames [s]."""
        return np.array([time for time, _ in self._frames()])

    def _frames(self) -> list[tuple[float, int]]:
        return _scree.list_frames(str(self.directory))

    def __len__(self) -> int:
        return len(self._frames())

    @overload
    def __getitem__(self, which: int) -> Frame: ...
    @overload
    def __getitem__(self, which: slice) -> list[Frame]: ...
    def __getitem__(self, which: int | slice) -> Frame | list[Frame]:
        frames = self._frames()
        if isinstance(which, slice):
            return [self._read(frame) for frame in frames[which]]
        return self._read(frames[_place(which, len(frames), "frame")])

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._frames():
            yield self._read(frame)

    def at(self, time: float) -> Frame:
        """The frame nearest to a time [s]. ValueError for a time farther from all of them than they are from each
        other."""
        frames = self._frames()
        if not frames:
            raise IndexError("the run has no frames yet")
        time = time_of(time, "time")
        first, last = frames[0][0], frames[-1][0]
        apart = (last - first) / max(len(frames) - 1, 1)
        if not first - apart <= time <= last + apart:
            raise ValueError(f"time: is {time:g}, must be from {first:g} to {last:g} [s]")
        return self._read(min(frames, key=lambda frame: abs(frame[0] - time)))

    def _read(self, frame: tuple[float, int]) -> Frame:
        return Frame(self._read_core(frame), self)

    def _read_core(self, frame: tuple[float, int]) -> Any:
        return _scree.read_frame(str(self.directory), *frame, self._scene._core)

    @functools.cached_property
    def _wall_names(self) -> list[str]:
        """Of the scene's walls and of those that its stages put in, in the order of their ids."""
        scene = self._scene.to_dict()
        parts = [scene, *(scene.get("stages") or [])]
        return [wall["name"] for part in parts for wall in part.get("walls") or []]

    @functools.cached_property
    def _first_wall(self) -> int:
        """The id of the scene's first wall. Walls of a run that began with the grains of another one come after these
        grains; its first frame has all walls that are there from the beginning."""
        if self._scene.to_dict().get("start") is None:
            return 1
        ids = (self._read_core(frame).walls("id").tolist() for frame in self._frames())
        return next((min(each) for each in ids if each), 1)

    @property
    def field_times(self) -> np.ndarray:
        """Of the images of fields that the scene measures [s]; empty if it measures none."""
        return np.array([time for time, _ in self._images()])

    def fields(self, which: int | str = "mean") -> Fields:
        """Fields that the scene measured, in single precision: the image of this number, -1 for the last, each the average
        over the samples since the one before; or "mean", that over all samples. With `time` of the last sample [s] and
        `states`, the number of samples. FileError if there are none."""
        if which == "mean":
            return Fields(**_scree.read_image(str(self.directory / "fields_mean.vti")))
        if isinstance(which, str):
            raise ValueError(f"which: is {which!r}, must be the number of an image or 'mean'")
        images = self._images()
        number = images[_place(which, len(images), "image")][1]
        return Fields(**_scree.read_image(str(self.directory / f"fields_{number:06d}.vti")))

    def _images(self) -> list[tuple[float, int]]:
        return _scree.list_images(str(self.directory)) if (self.directory / "fields.pvd").is_file() else []

    def __repr__(self) -> str:
        return f"<scree.Run {str(self.directory)!r}, {len(self)} frames, {self.info['status']}>"


def _place(which: int, count: int, what: str) -> int:
    if isinstance(which, bool) or not hasattr(which, "__index__"):
        raise TypeError(f"{what}: is {which!r}, must be a whole number or, of frames, a slice")
    which = which.__index__()
    if not -count <= which < count:
        allowed = f"must be from {-count} to {count - 1}" if count else "there are none"
        raise IndexError(f"{what}: is {which}, {allowed}")
    return which


def _numbers(words: list[str]) -> np.ndarray:
    for kind in (int, float):
        try:
            return np.array([kind(word) for word in words])
        except (ValueError, OverflowError):
            continue
    return np.array(words)


def open(directory: str | os.PathLike) -> Run:  # noqa: A001: as scree.open
    """The run in a directory that `scree run` wrote, or is writing. FileError if there is none."""
    return Run(directory)
