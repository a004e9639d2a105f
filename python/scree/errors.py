"""What goes wrong, as exceptions. All are Errors; each is also of the kind that Python has for it."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Error(Exception):
    """Anything that scree refuses or cannot do."""


class Mistake(NamedTuple):
    """One mistake in a scene. `line` and `column` count from 1; None where the scene is a dict."""

    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    key: str
    problem: str


class SceneError(Error, ValueError):
    """A scene with mistakes, all of them: `mistakes`. `key`, `line`, `column`, `file` and `message` are the first one's."""

    def __init__(self, text, mistakes):
        super().__init__(text)
        self.mistakes = [Mistake(*mistake) for mistake in mistakes]
        first = self.mistakes[0]
        self.key, self.line, self.column, self.file, self.message = (
            first.key, first.line, first.column, first.file, first.problem)

    def __reduce__(self):
        return SceneError, (self.args[0], [tuple(mistake) for mistake in self.mistakes])

    def without_places(self) -> "SceneError":
        mistakes = [Mistake(None, None, None, m.key, m.problem) for m in self.mistakes]
        return SceneError("\n".join(f"{m.key}: {m.problem}" if m.key else m.problem for m in mistakes), mistakes)


class PhysicsError(Error, ArithmeticError):
    """The run cannot go on: a value that is no number, an overlap too deep. It names time, grains and advice."""


class FileError(Error, OSError):
    """A file that cannot be read, written or understood."""


class WrongMoment(Error, RuntimeError):
    """Not now: the simulation runs, a callback looks at it, or an array of a view is in use."""
