"""Simulations that go on as Python says."""

from __future__ import annotations

import json
import math
import os
from collections import namedtuple
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np

from . import _scree
from .errors import WrongMoment
from .measure import Measure
from .scene import Scene


class _Columns:
    """Attributes that are numpy arrays, each a copy made when it is asked for."""

    _names: tuple[str, ...] = ()

    def __init__(self, get: Callable[[str], Any]):
        self._get = get

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self._names)}")
        return self._get(name)

    def __dir__(self) -> list[str]:
        return list(self._names)

    def __len__(self) -> int:
        return len(self._get(self._names[0]))

    def __iter__(self) -> Iterator[Any]:
        """Rows, as named tuples of numbers, of which pandas.DataFrame makes a table: x and y of a column are two, like
        position_x; outlines, and what frames have not, are left out."""
        count = len(self)
        columns: dict[str, list] = {}
        for name in self._names:
            values = self._get(name)
            if not isinstance(values, np.ndarray) or len(values) != count:
                continue
            if values.ndim == 1:
                columns[name] = values.tolist()
            else:
                columns.update({f"{name}_{axis}": values[:, k].tolist() for k, axis in enumerate("xy")})
        row = namedtuple("Row", columns)  # type: ignore[misc]
        return map(row._make, zip(*columns.values()))


class Particles(_Columns):
    """Particles in the order of their ids, N of them: arrays (N,), or (N, 2) for what has x and y.

    id; group and material, numbers of the scene's list; radius of the disk of equal area [m]; mass [kg]; inertia
    [kg m^2]; position [m]; image, periods by which it was wrapped back; angle [rad]; velocity [m/s]; angular_velocity
    [rad/s]; force [N] and torque [N m], weight included; coordination; outlines, a list of arrays (corners, 2) [m],
    without corners for disks.
    """

    id: np.ndarray
    group: np.ndarray
    material: np.ndarray
    radius: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    position: np.ndarray
    image: np.ndarray
    angle: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    coordination: np.ndarray
    outlines: list[np.ndarray]
    _names = ("id", "group", "material", "radius", "mass", "inertia", "position", "image", "angle", "velocity",
              "angular_velocity", "force", "torque", "coordination", "outlines")


class Contacts(_Columns):
    """Touching contacts, C of them, in the order of (id1, id2): arrays (C,), or (C, 2) for what has x and y.

    id1, a particle; id2, a particle of greater id or a wall; centre1, centre2 of the touching image, point [m];
    image_shift [m]; force of body 1 on body 2 [N]; force_normal >= 0 in compression; force_tangential, along the normal
    turned by +90 degrees; overlap [m^2]; depth [m]; sliding. Hard disks have none.
    """

    id1: np.ndarray
    id2: np.ndarray
    centre1: np.ndarray
    centre2: np.ndarray
    point: np.ndarray
    image_shift: np.ndarray
    force: np.ndarray
    force_normal: np.ndarray
    force_tangential: np.ndarray
    overlap: np.ndarray
    depth: np.ndarray
    sliding: np.ndarray
    _names = ("id1", "id2", "centre1", "centre2", "point", "image_shift", "force", "force_normal", "force_tangential",
              "overlap", "depth", "sliding")


class Wall:
    """One wall: name, id, material, velocity [m/s], angular_velocity [rad/s], force (2,) [N] and torque [N m] of the
    particles on it, outline (corners, 2) [m]."""

    name: str
    id: int
    material: int
    velocity: np.ndarray
    angular_velocity: float
    force: np.ndarray
    torque: float
    outline: np.ndarray

    def __init__(self, get: Callable[[str], Any], index: int):
        for name in ("name", "id", "material", "velocity", "angular_velocity", "force", "torque"):
            setattr(self, name, get(name)[index])
        self.outline = get("outlines")[index]

    def __repr__(self) -> str:
        return f"<scree.Wall {self.name!r}>"


class Walls(_Columns):
    """Walls in the order of the scene; `walls["lid"]` is one of them, `walls.force` all forces (W, 2) [N]."""

    id: np.ndarray
    name: list[str]
    material: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    outlines: list[np.ndarray]
    _names = ("id", "name", "material", "velocity", "angular_velocity", "force", "torque", "outlines")

    def __iter__(self) -> Iterator[Wall]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, which: str | int) -> Wall:
        names = self._get("name")
        if isinstance(which, str):
            if which not in names:
                raise KeyError(f"no wall is called {which!r}; there are {', '.join(map(repr, names)) or 'none'}")
            which = names.index(which)
        if not -len(names) <= which < len(names):
            raise IndexError(f"wall {which} of {len(names)}")
        return Wall(self._get, which)


class View:
    """The particles' arrays without a copy, read-only, for as long as the `with` lasts.

    Soft mode: the memory of the simulation itself. Hard mode, and force, torque, coordination and inertia: one copy that
    all arrays of the view share. An array that outlives the `with` stays right; but as long as there is one the
    simulation refuses to go on, so that no array ever changes or dangles.
    """

    def __init__(self, simulation: "Simulation"):
        self._simulation = simulation
        self._open = False

    def __enter__(self) -> "View":
        self._simulation._views += 1
        self._open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._simulation._views -= 1
        self._open = False

    def __getattr__(self, name: str) -> Any:
        if name not in Particles._names or name == "outlines":
            raise AttributeError(f"a view has no {name!r}; it has {', '.join(Particles._names[:-1])}")
        if not self._open:
            raise WrongMoment("the view is closed: it lasts as long as its `with`")
        return self._simulation._core.particles(name, True)


class _Callback:
    def __init__(self, every: float, function: Callable[["Simulation"], Any], start: float):
        self.every, self.function, self.start = every, function, start
        self.done = 0

    def next(self) -> float:
        return self.start + self.done * self.every

    def note_reached(self, time: float, has_reached: Callable[[float], bool]) -> None:
        """However many calls would have been due up to now, they were one."""
        self.done = max(self.done, int((time - self.start) / self.every))
        while has_reached(self.next()):
            self.done += 1


class Simulation:
    """A scene that runs.

    The result is the same to the last bit for any number of threads, any way of cutting the time into calls of run, and
    any callbacks, and the same as the command line's.
    """

    def __init__(self, scene: Scene, threads: int = 0):
        """`threads`: 0 for all cores, in hard mode for one. Raises SceneError if the scene cannot be set up."""
        if not isinstance(scene, Scene):
            raise TypeError(f"a simulation needs a scree.Scene, not {type(scene).__name__}")
        self._begin(scene, scene._engine(count_of(threads, "threads")))

    def _begin(self, scene: Scene, core: _scree.Engine) -> None:
        self._scene = scene
        self._core = core
        self._views = 0
        self._looking = False
        self._callbacks: list[_Callback] = []

    @classmethod
    def load(cls, path: str | os.PathLike, threads: int = 0) -> "Simulation":
        """The simulation that `save` wrote, or a run's state.scree; it goes on as if it had never stopped.

        Raises FileError if the file is missing, damaged or of another version.
        """
        core = _scree.Engine.load(os.fsdecode(path), count_of(threads, "threads"))
        simulation = cls.__new__(cls)
        simulation._begin(Scene(core.scene(), None), core)
        return simulation

    def save(self, path: str | os.PathLike) -> None:
        """Writes the whole state, atomically. Raises FileError."""
        self._core.save(os.fsdecode(path))

    # --- going on ---------------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the scene's own end holds, its grains at rest (time.until) or its last stage over: nothing goes on
        any more."""
        return self._core.is_over()

    def run(self, until: float | None = None) -> "Simulation":
        """Goes on to the first moment not before `until` [s] (default: the scene's time.end), or until it `is_over`.

        Other threads of Python go on meanwhile. Ctrl-C raises KeyboardInterrupt between two steps; the simulation is
        sound then and may go on. Raises PhysicsError if a guard ends the run; ValueError for a time before that which is
        reached.
        """
        self._may_go_on()
        until = self._scene.end if until is None else self._not_before_now(until)
        while True:
            self._look()
            target = min([until, *(callback.next() for callback in self._callbacks)])
            if self.is_over or (target >= until and self._core.has_reached(until)):
                break
            self._core.advance(target, _ALL)
        self._core.check_all()
        return self

    def _not_before_now(self, until: float) -> float:
        until = time_of(until, "until")
        step = self.dt or 0.0
        if until < self.time - 2.0 * step:  # a run ends beyond what was asked for, by a step that may have been longer
            raise ValueError(f"until: is {until:g}, must be a time >= {self.time:g} [s], which is reached")
        return until

    def step(self, count: int = 1) -> "Simulation":
        """Goes on by so many time steps; in hard mode by so many events, at most to the scene's time.end. Callbacks that
        are due in between come after."""
        self._may_go_on()
        self._core.advance(math.inf if self._scene.mode == "soft" else self._scene.end, count_of(count, "count"))
        self._look()
        return self

    def every(self, interval: float) -> Callable[[Callable[["Simulation"], Any]], Callable[["Simulation"], Any]]:
        """Decorator: the function is called with the simulation now (when run begins) and every `interval` [s].

        It sees everything and can alter nothing: run, step and edits raise WrongMoment in it. ValueError for an interval
        of which there are more than a million until the scene's end.
        """
        interval = time_of(interval, "interval")
        least = self._scene.end / _MOST_CALLS
        if interval < least:
            raise ValueError(f"interval: is {interval:g}, must be >= {least:g} [s], a millionth of the scene's time")

        def register(function: Callable[["Simulation"], Any]) -> Callable[["Simulation"], Any]:
            if not callable(function):
                raise TypeError("sim.every(dt) decorates a function")
            self._callbacks.append(_Callback(interval, function, self.time))
            return function

        return register

    def _look(self) -> None:
        for callback in self._callbacks:
            if not self._core.has_reached(callback.next()):
                continue
            callback.note_reached(self.time, self._core.has_reached)
            self._looking = True
            try:
                callback.function(self)
            finally:
                self._looking = False

    def _may_go_on(self) -> None:
        if self._looking:
            raise WrongMoment("a callback sees and cannot alter: the simulation goes on after it")
        if self._views:
            raise WrongMoment("the simulation cannot go on inside `with sim.view()`")

    def take_collisions(self) -> SimpleNamespace:
        """Collisions of the hard mode since the last call, if the scene has `measure: {collisions: {}}`: arrays time [s],
        id1, id2, kind, position [m], branch [m], impulse [N s], lost [J], as in collisions.csv (docs/conventions.md). They
        stay in memory until they are taken: 100 bytes each.
        """
        return SimpleNamespace(**self._core.take_collisions())

    # --- edits ------------------------------------------------------------------------------------------------------

    def set_velocity(self, ids: Any, velocity: Any = None, angular_velocity: Any = None) -> None:
        """Gives particles other velocities from now on. ids: one, or (n,); velocity: (2,) for all, or (n, 2) [m/s];
        angular_velocity: one number, or (n,) [rad/s]; what is None stays. What the scene fixes stays, too.

        The energy that this brings counts as energy_in. Hard disks fly on from where they are, as after a collision, but
        none is counted. ValueError for an id that is not there; SceneError with `arithmetic: exact`, while disks grow,
        and for a run that goes back.
        """
        ids = np.atleast_1d(np.asarray(ids))
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            raise ValueError("ids: must be whole numbers, one or (n,)")
        now = self.particles
        there = now.id
        unknown = ids[~np.isin(ids, there)]
        if unknown.size:
            raise ValueError(f"ids: there is no particle {unknown[0]}; there are {len(there)}"
                             + (f", with ids from {there[0]} to {there[-1]}" if len(there) else ""))
        rows = np.searchsorted(there, ids.astype(np.uint64))
        both = np.column_stack([now.velocity[rows], now.angular_velocity[rows]])
        if velocity is not None:
            both[:, :2] = np.broadcast_to(_numbers(velocity, "velocity"), (len(ids), 2))
        if angular_velocity is not None:
            both[:, 2] = np.broadcast_to(_numbers(angular_velocity, "angular_velocity"), (len(ids),))
        self._edit("velocity", lambda: self._core.set_velocities(ids.astype(np.uint64), both),
                   ids=ids.tolist(), velocity=both[:, :2].tolist(), angular_velocity=both[:, 2].tolist())

    def set_wall_velocity(self, name: str, velocity: Any) -> None:
        """The wall moves with this constant velocity (2,) [m/s] from now on, from where it is; that it turns or
        oscillates stays. ValueError for a wall that is not there, that forces move or that has several motions, and in a
        scene with stages; SceneError for what no scene of the mode may have: in hard mode a wall that moves beside
        time.reverse, or along a periodic axis that it does not span."""
        x, y = _numbers(velocity, "velocity").reshape(-1).tolist()
        self._edit("wall_velocity", lambda: self._core.set_wall_velocity(name, x, y), wall=name, velocity=[x, y])
        self._scene = Scene(self._core.scene(), None)

    def set_material(self, name: str, **values: Any) -> None:
        """Values of a material from now on, as the scene has them: sim.set_material("stone", friction=0.1). Not density:
        grains have their masses. Not in a scene with stages, which change it. None takes a key away. SceneError for what
        no scene may have."""
        scene = self._scene.to_dict()
        if name not in scene["materials"]:
            raise ValueError(f"name: there is no material {name!r}; there are {', '.join(scene['materials'])}")
        if "density" in values:
            raise ValueError("density: cannot change, since grains have their masses")
        for key, value in values.items():
            if value is None:
                scene["materials"][name].pop(key, None)
            else:
                scene["materials"][name][key] = value
        changed = Scene.from_dict(scene)
        self._edit("material", lambda: self._core.replace_scene(changed._core), material=name, values=values)
        self._scene = changed

    @property
    def edits(self) -> list[dict]:
        """What was changed so far, in order: time [s], step, what, and the values; run.json has them, too."""
        return json.loads(self._core.edits() or "[]")

    def _edit(self, what: str, change: Callable[[], None], **values: Any) -> None:
        self._may_go_on()
        edit = json.dumps({"time": self.time, "step": self.steps, "what": what, **values}, default=_plain)
        change()
        self._core.set_edits(json.dumps([*self.edits, json.loads(edit)]))

    def write(self, directory: str | os.PathLike) -> None:
        """Appends this moment as a frame to a run's directory, with view.py and run.json, which lists the edits:
        `scree.open(directory)` reads it, `scree replay` shows it. The first time the directory must be new or empty.
        Raises FileError."""
        self._core.write(os.fsdecode(directory))

    # --- looking ----------------------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def time(self) -> float:
        """[s]"""
        return self._core.time()

    @property
    def dt(self) -> float | None:
        """The next time step [s]; None in hard mode."""
        return self._core.dt()

    @property
    def steps(self) -> int:
        """Soft: time steps so far. Hard: changes of velocity so far."""
        return self._core.steps()

    @property
    def threads(self) -> int:
        return self._core.threads()

    @property
    def hash(self) -> str:
        """Of the whole state, 16 hexadecimal digits: what the command line writes into run.json."""
        return self._core.hash()

    @property
    def summary(self) -> dict:
        """A row of series.csv and sums since the start, as docs/conventions.md describes them."""
        return self._core.summary()

    @property
    def particles(self) -> Particles:
        return Particles(lambda name: self._core.particles(name, False))

    @property
    def contacts(self) -> Contacts:
        return Contacts(self._core.contacts)

    @property
    def walls(self) -> Walls:
        return Walls(self._core.walls)

    @property
    def measure(self) -> Measure:
        """What this moment's contacts and motions are like: texture, fields, stress of grains; see Measure."""
        return Measure(self._core.frozen())

    def view(self) -> View:
        """`with sim.view() as v:` then `v.position` and so on are arrays without a copy; see View."""
        return View(self)

    def __getattr__(self, name: str) -> Any:
        places = [f"sim.{place}.{name}" for place, columns in
                  (("particles", Particles), ("contacts", Contacts), ("walls", Walls)) if name in columns._names]
        hint = f"; did you mean {' or '.join(places)}?" if places else ""
        raise AttributeError(f"a Simulation has no {name!r}{hint}")

    def __repr__(self) -> str:
        return f"<scree.Simulation {self._scene.mode}, {self._core.count()} particles, t = {self.time:g} s>"


_ALL = 2**64 - 1
_MOST_CALLS = 1_000_000  # of a callback until the scene's end


def _plain(value: Any) -> Any:
    """What numpy gives for a number or a list, for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"must be numbers, text or lists, not {type(value).__name__}: {value!r}")


def time_of(value: float, name: str) -> float:
    if isinstance(value, (str, bytes)) or not math.isfinite(float(value)) or float(value) < 0.0:
        raise ValueError(f"{name}: is {value!r}, must be a number >= 0 [s]")
    return float(value)


def _numbers(values: Any, name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name}: is {values!r}, must be numbers [m/s, rad/s]")
    return array.astype(float)


def count_of(value: int, name: str, least: int = 0) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: is {value!r}, must be a whole number")
    value = value.__index__()
    if not least <= value < 2**31:
        raise ValueError(f"{name}: is {value}, must be a whole number >= {least}")
    return value
