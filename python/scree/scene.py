"""Scenes: what is simulated, as docs/scene.md describes it."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import numpy as np

from . import _scree
from .errors import Error, SceneError

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NOT_A_WORD = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
# Arithmetic, which is none in quotes.
_EXPRESSION = re.compile(r"(?=.*[-+*/^(])[A-Za-z0-9_.(][A-Za-z0-9_.+*/^() -]*[A-Za-z0-9_.)]\Z")
# What a YAML file may not have as it is: it would end a line there, or be refused.
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_MOST_NESTED = 300  # Python itself ends at some 500


def _text(value: Any, within: tuple[int, ...] = ()) -> str:
    """A value as YAML in one line. What numpy gives for a number or a list counts as one.

    within: dicts and lists in which it stands."""
    if id(value) in within:
        raise ValueError(f"a scene's {type(value).__name__} holds itself")
    if len(within) > _MOST_NESTED:
        raise ValueError(f"a scene's lists and dicts stand in more than {_MOST_NESTED} others")
    inside = (*within, id(value))
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"a scene's keys must be str, not {type(key).__name__}: {key!r}")
        return "{" + ", ".join(f"{_text(key)}: {_text(item, inside)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_text(item, inside) for item in value) + "]"
    if isinstance(value, str):
        if _WORD.match(value) and value.lower() not in _NOT_A_WORD:
            return value
        if _EXPRESSION.match(value) and not _is_number(value):
            return value
        return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
    if value is None or isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if hasattr(value, "tolist"):
        return _text(value.tolist(), inside)
    raise TypeError(f"a scene holds dict, list, str, numbers, bool and None, not {type(value).__name__}: {value!r}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class Scene:
    """A scene, complete and checked; it never changes. Made by `Scene.load` or `Scene.from_dict`."""

    def __init__(self, core: _scree.Scene, file: str | None, source: tuple[str, str] | None = None):
        if not isinstance(core, _scree.Scene):
            raise TypeError("a scene is made by Scene.load(path) or Scene.from_dict(values)")
        self._core = core
        self._file = file
        self._source = source  # text and name of a dict, which has its parameters; None of a scene that has none any more

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
            text = _text(values)
            return cls(_scree.Scene.parse(text, name), None, (text, name))
        except SceneError as error:
            raise error.without_places() from None

    def with_parameters(self, **values: float) -> "Scene":
        """The same scene with other values of its `parameters`, as `scree run --set NAME=VALUE` has it: the file or dict
        from which it was made is read again.

        Raises SceneError for a name that is none of its parameters, and for what makes no scene.
        """
        settings = [f"parameters.{name}={_text(value)}" for name, value in values.items()]
        if self._file is not None:
            return Scene(_scree.Scene.read(self._file, settings), self._file)
        if self._source is None:
            raise ValueError("parameters: the scene of a run or a simulation has none, must be one from a file or a dict")
        try:
            return Scene(_scree.Scene.parse(*self._source, settings), None, self._source)
        except SceneError as error:
            raise error.without_places() from None

    def to_dict(self) -> dict:
        """All keys with every default filled in, and values in place of `parameters`; `Scene.from_dict` makes the same
        scene of them."""
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

    def __copy__(self) -> "Scene":
        return self

    def __deepcopy__(self, memo: dict) -> "Scene":
        return self

    def __reduce__(self) -> tuple:
        return _restored, (self.to_yaml(), self._file, self._source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<scree.Scene {self.title!r}, {self.mode} mode, {self.end:g} s>"


def _restored(text: str, file: str | None, source: tuple[str, str] | None) -> Scene:
    """Of a pickle. A scene that begins with an earlier run looks for that; if it is there no more the scene can only be
    looked at, as that of a run."""
    core = _scree.Scene.parse_saved(text, "scene")
    if "start" in core.to_values():
        try:
            core = _scree.Scene.parse(text, "scene")
        except Error:
            pass
    return Scene(core, file, source)
