"""Scenes: what is simulated, as docs/scene.md describes it."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from . import _scree
from .errors import SceneError

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NOT_A_WORD = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def _text(value: Any) -> str:
    """A value as YAML in one line. What numpy gives for a number or a list counts as one."""
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a scene's keys must be str, not {type(key).__name__}: {key!r}")
        return "{" + ", ".join(f"{_text(key)}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, str):
        if _WORD.match(value) and value.lower() not in _NOT_A_WORD:
            return value
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, (bool, int, float)):
        return json.dumps(value) if not isinstance(value, float) else repr(float(value))
    if hasattr(value, "tolist"):
        return _text(value.tolist())
    raise TypeError(f"a scene holds dict, list, str, numbers, bool and None, not {type(value).__name__}: {value!r}")


class Scene:
    """A scene, complete and checked; it never changes. Made by `Scene.load` or `Scene.from_dict`."""

    def __init__(self, core: _scree.Scene, file: str | None):
        if not isinstance(core, _scree.Scene):
            raise TypeError("a scene is made by Scene.load(path) or Scene.from_dict(values)")
        self._core = core
        self._file = file

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Scene":
        """The scene in a YAML file.

        Raises SceneError with all its mistakes, the same as `scree check` tells; FileError if it cannot be read.
        """
        path = os.fsdecode(path)
        return cls(_scree.Scene.read(path), path)

    @classmethod
    def from_dict(cls, values: dict, name: str = "scene") -> "Scene":
        """The scene that a YAML file with these keys would have; numpy numbers and arrays are welcome.

        Raises SceneError with all mistakes; they have keys, and None for lines. TypeError for what YAML cannot hold.
        """
        if not isinstance(values, dict):
            raise TypeError(f"a scene is a dict, not {type(values).__name__}")
        try:
            return cls(_scree.Scene.parse(_text(values), name), None)
        except SceneError as error:
            raise error.without_places() from None

    def to_dict(self) -> dict:
        """All keys with every default filled in; `Scene.from_dict` makes the same scene of them."""
        return self._core.to_values()

    def to_yaml(self) -> str:
        """The same as a file for the command line."""
        return self._core.to_yaml()

    def check(self, threads: int = 1) -> dict:
        """Sets up the scene as a run would, and says what came of it: `particles` at the start, `step` [s] of the soft
        mode, `broadphase`, and `warnings`, a list: what is valid and yet looks wrong, as `scree check` tells it.

        Raises SceneError for what shows only then, such as grains that overlap.
        """
        engine = self._engine(threads)
        return {"mode": self.mode, "particles": engine.count(), "step": engine.dt(), "broadphase": engine.broadphase(),
                "warnings": engine.warnings()}

    def _engine(self, threads: int) -> _scree.Engine:
        try:
            return _scree.Engine(self._core, threads)
        except SceneError as error:
            if self._file is not None:
                for mistake in error.mistakes:
                    _scree.place_of(mistake.key, mistake.problem, self._file)
            raise

    @property
    def mode(self) -> str:
        """"soft" or "hard"."""
        return self._core.mode

    @property
    def title(self) -> str:
        return self._core.title

    @property
    def end(self) -> float:
        """time.end, or that of all stages together [s]."""
        return self._core.end

    @property
    def hash(self) -> str:
        """Of all that determines the motion: equal hashes, equal runs."""
        return self._core.hash()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<scree.Scene {self.title!r}, {self.mode} mode, {self.end:g} s>"
