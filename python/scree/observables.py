"""Statistics of grains: of one moment (a Simulation or a Frame), or along frames (a Run, or any list of moments).

Grains that are there at all of several moments count, matched by their ids. Velocities are relative to the mean velocity
of all grains that count, weighted by mass. In periodic domains distances are those to the nearest image, and grains are
followed around the domain: none may move half a period from one frame to the next. A cell that deforms is refused with
ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from .simulation import count_of

__all__ = ["bond_order", "by_phase", "contact_edges", "cumulants", "intermediate_scattering", "mean_square_displacement", "non_affine",
           "order_correlation", "shear_profile", "structure_factor", "temperatures", "transport", "velocity_autocorrelation"]

_ROWS = 256  # of a table of pairs at a time


# --- one moment -----------------------------------------------------------------------------------------------------


def temperatures(source: Any, by: str = "group") -> dict[int, SimpleNamespace]:
    """Temperatures of the grains of each group, or with by="material" of each material, by its number.

    Each has count, translation = half the mean of m (v - u)^2 and rotation = the mean of I w^2 [J], u the mean velocity
    of all grains. A simulation knows I; in frames, which have none, I is that of a disk of the same area, m r^2 / 2.
    Equal in equilibrium; docs/theory.md, section 12. O(N).
    """
    if by not in ("group", "material"):
        raise ValueError(f"by: is {by!r}, must be 'group' or 'material'")
    p = source.particles
    mass, spin = p.mass, p.angular_velocity
    square = (_thermal(p.velocity, mass) ** 2).sum(axis=1)
    inertia = getattr(p, "inertia", None)
    if inertia is None or len(inertia) != len(mass):
        inertia = 0.5 * mass * p.radius**2
    species = getattr(p, by)
    found = {}
    for number in np.unique(species):
        own = species == number
        found[int(number)] = SimpleNamespace(count=int(own.sum()), translation=0.5 * (mass * square)[own].mean(),
                                             rotation=(inertia * spin**2)[own].mean())
    return found


def cumulants(source: Any) -> SimpleNamespace:
    """Sonine coefficients a2, a3, a4 of the velocities: how far they are from Maxwell's distribution, which has 0.

    With x = m (v - u)^2 / (2 T) and T = half the mean of m (v - u)^2: <x^2> = 2 (1 + a2), <x^3> = 6 (1 + 3 a2 - a3),
    <x^4> = 24 (1 + 6 a2 - 4 a3 + a4), the moments of two dimensions (N. V. Brilliantov & T. Poeschel, Europhys. Lett. 74,
    424, 2006). Of N grains in equilibrium a2 scatters by about 1 / sqrt(N). `source` may be several moments: the mean
    of the moments is taken, each with its own T. O(N).
    """
    moments = []
    for moment in _moments(source):
        p = moment.particles
        energy = p.mass * (_thermal(p.velocity, p.mass) ** 2).sum(axis=1)
        if not energy.any():
            raise ValueError(f"at {moment.time:g} s all grains have one velocity: there is no distribution")
        x = energy / energy.mean()
        moments.append([(x**k).mean() for k in (2, 3, 4)])
    second, third, fourth = np.mean(moments, axis=0)
    a2 = second / 2 - 1
    a3 = 1 + 3 * a2 - third / 6
    return SimpleNamespace(a2=a2, a3=a3, a4=fourth / 24 - 1 - 6 * a2 + 4 * a3)


def bond_order(source: Any, symmetry: int) -> np.ndarray:
    """psi_n of each grain, complex (N,): the mean of exp(i n angle) over the directions to its n = `symmetry` nearest
    neighbours. abs(psi.mean()) is the order of the whole, abs(psi).mean() that of neighbourhoods. O(N^2)."""
    n = count_of(symmetry, "symmetry", 1)
    position = source.particles.position
    if len(position) <= n:
        raise ValueError(f"symmetry: is {n}, but there are {len(position)} grains, must be less")
    psi = np.empty(len(position), dtype=complex)
    for begin, between, square in _rows(position, _periods(source)):
        nearest = np.argpartition(square, n, axis=1)[:, :n]
        towards = np.take_along_axis(between, nearest[:, :, None], axis=1)
        angle = np.arctan2(towards[..., 1], towards[..., 0])
        psi[begin:begin + len(square)] = np.exp(1j * n * angle).mean(axis=1)
    return psi


def order_correlation(source: Any, values: np.ndarray, to: float, bins: int = 100) -> SimpleNamespace:
    """How values of two grains, such as bond_order's, go together at a distance: `r`, middles of bins up to `to` [m];
    `correlation`, the mean of Re(conj(value_i) value_j) over pairs of a bin, nan without pairs; `pairs`. For
    exp(i n angle) of grains themselves this is their order of orientation. O(N^2)."""
    to, bins = _positive(to, "to"), count_of(bins, "bins", 1)
    position = source.particles.position
    values = np.asarray(values)
    if values.shape != (len(position),):
        raise ValueError(f"values: has the shape {values.shape}, must be ({len(position)},), one a grain")
    total, pairs = np.zeros(bins), np.zeros(bins)
    for begin, _, square in _rows(position, _periods(source)):
        distance = np.sqrt(square)
        near = distance < to
        at = (distance[near] * (bins / to)).astype(int).clip(max=bins - 1)
        product = (values[begin:begin + len(square), None].conj() * values[None, :]).real
        total += np.bincount(at, product[near], bins)
        pairs += np.bincount(at, minlength=bins)
    mean = np.divide(total, pairs, out=np.full(bins, np.nan), where=pairs > 0)
    return SimpleNamespace(r=(np.arange(bins) + 0.5) * (to / bins), correlation=mean, pairs=pairs / 2)


def structure_factor(source: Any, to: float, bins: int = 50) -> SimpleNamespace:
    """Static structure factor S(q) = |sum_j exp(i q r_j)|^2 / N: `q`, mean of each shell up to `to` [1/m], and `s`, mean
    over the wave vectors of the shell that fit the domain, both without empty shells; `vectors`, how many. The domain is
    periodic along x and y. `source` may be several moments. O(N * vectors)."""
    to, bins = _positive(to, "to"), count_of(bins, "bins", 1)
    total, moments, vectors = np.zeros(0), 0, np.zeros((0, 2))
    for moment in _moments(source):
        if not moments:
            vectors = _wave_vectors(moment, to)
            total = np.zeros(len(vectors))
        position = moment.particles.position
        total += np.array([abs(_density(position, q)) ** 2 for q in vectors]) / len(position)
        moments += 1
    length = np.hypot(vectors[:, 0], vectors[:, 1])
    shell = (length * (bins / to)).astype(int).clip(max=bins - 1)
    count = np.bincount(shell, minlength=bins)
    used = count > 0
    return SimpleNamespace(q=np.bincount(shell, length, bins)[used] / count[used],
                           s=np.bincount(shell, total / moments, bins)[used] / count[used], vectors=count[used])


def contact_edges(source: Any, walls: bool = False) -> list[tuple[int, int, dict]]:
    """The network of contacts as edges (id1, id2, attributes), as networkx.MultiGraph(edges) takes them: force [N],
    force_normal, force_tangential, depth [m], sliding. With `walls` those with walls, too. Soft mode. In a frame a
    contact across a periodic side is there twice: it is one edge. O(contacts)."""
    c = source.contacts
    wall = np.isin(c.id2, source.walls.id)
    names = ("force_normal", "force_tangential", "depth", "sliding")
    columns = {name: getattr(c, name).tolist() for name in names}
    columns["force"] = np.hypot(c.force[:, 0], c.force[:, 1]).tolist()
    edges, seen = [], set()
    for k, (a, b) in enumerate(zip(c.id1.tolist(), c.id2.tolist())):
        if wall[k] and not walls:
            continue
        attributes = {name: column[k] for name, column in columns.items()}
        twin = (a, b, *(attributes[name] for name in names))
        if twin not in seen:
            seen.add(twin)
            edges.append((a, b, attributes))
    return edges


def by_phase(table: Any, frequency: float, bins: int = 20, since: float = 0.0) -> SimpleNamespace:
    """Averages of a table over the phase of an oscillation of this frequency [1/s], or of taps: `phase`, the middles of
    `bins` equal parts of a period that begins at time 0, 0 to 1; `count`, the rows in each; `mean` and `error`, by the
    names of the columns, the standard error as if periods did not depend on each other (nan of one row). `table` is a
    run.table(...); rows before `since` [s] do not count. ValueError where a part of the period has no row: samples that
    strobe with the oscillation say nothing about it. O(rows)."""
    frequency, bins = _positive(frequency, "frequency"), count_of(bins, "bins", 1)
    columns = {str(name): np.asarray(table[name]) for name in table}
    chosen = columns["time"] >= since
    # A row's time is rounded: the beginning of a period must not be the end of the one before.
    place = np.floor((columns["time"][chosen] * frequency + 1e-9) % 1.0 * bins).astype(int) % bins
    count = np.bincount(place, minlength=bins)
    if (count == 0).any():
        raise ValueError(f"bins: are {bins}, of which {int((count == 0).sum())} have no row: must be fewer, or samples at other "
                         f"times, which do not strobe with {frequency:g} 1/s")
    mean, error = {}, {}
    for name, values in columns.items():
        if name == "time" or values.dtype.kind not in "fiu":
            continue
        of_all = values[chosen].astype(float)
        mean[name] = np.bincount(place, of_all, bins) / count
        squares = np.bincount(place, (of_all - mean[name][place]) ** 2, bins)
        with np.errstate(invalid="ignore", divide="ignore"):
            error[name] = np.sqrt(squares / (count - 1) / count)
    return SimpleNamespace(phase=(np.arange(bins) + 0.5) / bins, count=count, mean=mean, error=error)


def transport(run: Any, least: float, most: float) -> SimpleNamespace:
    """Viscosity [N s/m] and thermal conductivity over Boltzmann's constant [1/s] of a gas in equilibrium between periodic
    sides, whose scene has `measure: {helfand_moments: {}}`: the mean squares of the moments' changes over a lag t grow by
    2 A kT viscosity t and 2 A (kT)^2 conductivity t; here between the lags `least` and `most` [s], some 5 and 10 mean
    free times. Of T seconds the error is about sqrt(2 most / T). docs/theory.md, section 12. O(samples)."""
    least, most = _positive(least, "least"), _positive(most, "most")
    moments = run.table("helfand_moments")
    value = {name: np.asarray(moments[name]) for name in ("time", "xx", "xy", "yy", "heat_x", "heat_y")}
    if len(value["time"]) < 2:
        raise ValueError("helfand_moments.csv has less than two samples")
    step = (value["time"][-1] - value["time"][0]) / (len(value["time"]) - 1)
    first, last = round(least / step), round(most / step)
    if not 0 < first < last < len(value["time"]):
        raise ValueError(f"lags: are {least:g} and {most:g} s, must be from {step:g} s, between two samples, to "
                         f"{step * (len(value['time']) - 1):g} s, and the second greater")

    def growth(moment: np.ndarray) -> float:
        squares = [((moment[lag:] - moment[:-lag]) ** 2).mean() for lag in (first, last)]
        return (squares[1] - squares[0]) / ((last - first) * step)

    temperature = np.asarray(run.table("measure")["temperature"]).mean()
    area = np.prod(_both_periods(run[0]))
    shear = 0.5 * (growth(value["xy"]) + growth(0.5 * (value["xx"] - value["yy"])))
    heat = 0.5 * (growth(value["heat_x"]) + growth(value["heat_y"]))
    return SimpleNamespace(viscosity=shear / (2 * area * temperature), conductivity=heat / (2 * area * temperature**2))


# --- along frames ---------------------------------------------------------------------------------------------------


def velocity_autocorrelation(run: Iterable[Any], to: float | None = None) -> SimpleNamespace:
    """<v(t0) v(t0 + t)> / <v^2> of the frames of a run that are equally far apart: `time` t up to `to` [s], by default
    half of the run, and `value`, 1 at t = 0, the mean over grains and all beginnings t0. O(frames^2 N)."""
    moments = _moments(run)
    times, ids = _shared(moments)
    velocity = np.array([_thermal(_column(m, "velocity", ids), _column(m, "mass", ids)) for m in moments])
    norm = (velocity**2).sum(axis=2).mean()
    if norm == 0.0:
        raise ValueError("all grains have one velocity: there is no correlation")
    return _over_lags(times, to, lambda k: (velocity[:len(times) - k] * velocity[k:]).sum(axis=2).mean() / norm)


def mean_square_displacement(run: Iterable[Any], to: float | None = None) -> SimpleNamespace:
    """Mean of (r(t0 + t) - r(t0))^2 [m^2], the displacement of the centre of mass taken away: `time`, `value` as of
    velocity_autocorrelation. The scene's own `measure.mean_square_displacement` has one beginning; here each frame is one.
    O(frames^2 N)."""
    moments = _moments(run)
    times, ids = _shared(moments)
    path = _paths(moments, ids)
    return _over_lags(times, to, lambda k: ((path[k:] - path[:len(times) - k]) ** 2).sum(axis=2).mean())


def intermediate_scattering(run: Iterable[Any], q: float, to: float | None = None,
                            vectors: int = 24) -> SimpleNamespace:
    """Intermediate scattering functions at a wave number: `time`, `own` = <exp(i q (r_j(t) - r_j(0)))> and `all` =
    <rho_q(t) rho_q*(0)> / N, both real parts, means over all beginnings and the `vectors` wave vectors that fit the
    domain, periodic along x and y, and are nearest to q [1/m]; `q`, the mean length of these. all[0] is S(q).
    O(frames^2 N vectors)."""
    q, vectors = _positive(q, "q"), count_of(vectors, "vectors", 1)
    moments = _moments(run)
    times, ids = _shared(moments)
    lengths = _both_periods(moments[0])
    around = _wave_vectors(moments[0], q + 2 * np.pi / lengths.min() * max(2.0, vectors**0.5))
    chosen = around[np.argsort(abs(np.hypot(around[:, 0], around[:, 1]) - q), kind="stable")[:vectors]]
    phase = np.exp(1j * _paths(moments, ids) @ chosen.T)  # (frames, N, vectors)
    density = phase.sum(axis=1)

    def own(k: int) -> float:
        return (phase[k:] * phase[:len(times) - k].conj()).real.mean()

    def collective(k: int) -> float:
        return (density[k:] * density[:len(times) - k].conj()).real.mean() / len(ids)

    found = _over_lags(times, to, own)
    return SimpleNamespace(time=found.time, own=found.value, all=_over_lags(times, to, collective).value,
                           q=np.hypot(chosen[:, 0], chosen[:, 1]).mean())


def non_affine(before: Any, after: Any, radius: float) -> SimpleNamespace:
    """Local deformation between two moments: of each grain's neighbours within `radius` [m] before, the linear map that
    fits their motion best (M. L. Falk & J. S. Langer, Phys. Rev. E 57, 7192, 1998).

    `id` (N,); `gradient` (N, 2, 2), displacement gradient F - 1; `d2min` (N,) [m^2], the mean square of what the map
    leaves, theirs divided by the number of neighbours; `shear` (N,), half the difference of the principal strains of
    the symmetric gradient; `neighbours` (N,). nan where fewer than two neighbours, or all on a line, give no map.
    O(N^2).
    """
    radius = _positive(radius, "radius")
    _, ids = _shared([before, after])
    start, end = _paths([before, after], ids)
    moved = end - start
    count = len(ids)
    gradient = np.full((count, 2, 2), np.nan)
    left = np.full(count, np.nan)
    neighbours = np.zeros(count, dtype=int)
    for begin, between, square in _rows(start, _periods(before)):
        near = square < radius**2
        for row, own in enumerate(near):
            i = begin + row
            neighbours[i] = own.sum()
            d = between[row, own]
            later = d + moved[own] - moved[i]
            size = d.T @ d
            if neighbours[i] < 2 or np.linalg.det(size) <= 1e-9 * np.trace(size) ** 2:
                continue
            f = np.linalg.solve(size, d.T @ later).T
            gradient[i] = f - np.eye(2)
            left[i] = ((later - d @ f.T) ** 2).sum() / neighbours[i]
    symmetric = 0.5 * (gradient + gradient.transpose(0, 2, 1))
    shear = np.hypot(0.5 * (symmetric[:, 0, 0] - symmetric[:, 1, 1]), symmetric[:, 0, 1])
    return SimpleNamespace(id=ids, gradient=gradient, d2min=left, shear=shear, neighbours=neighbours)


def shear_profile(before: Any, after: Any, over: str = "y", bins: int = 20) -> SimpleNamespace:
    """Displacement along one axis in layers over the other one between two moments, as of a shear band: with over="y"
    `y`, the layers' middles [m], `displacement` along x, mean of each layer's grains by where they were before, less that of the
    centre of mass [m], nan in an empty one, `strain`, its slope over y, and `count`. O(N)."""
    if over not in ("x", "y"):
        raise ValueError(f"over: is {over!r}, must be 'x' or 'y'")
    bins = count_of(bins, "bins", 2)
    _, ids = _shared([before, after])
    start, end = _paths([before, after], ids)
    axis = "xy".index(over)
    at, moved = start[:, axis], (end - start)[:, 1 - axis]
    lo, hi = at.min(), at.max()
    if not lo < hi:
        raise ValueError(f"over: is {over!r}, but all grains are at {lo:g} m there: there are no layers")
    layer = ((at - lo) * (bins / (hi - lo))).astype(int).clip(max=bins - 1)
    count = np.bincount(layer, minlength=bins)
    mean = np.divide(np.bincount(layer, moved, bins), count, out=np.full(bins, np.nan), where=count > 0)
    middle = lo + (np.arange(bins) + 0.5) * ((hi - lo) / bins)
    return SimpleNamespace(**{over: middle}, displacement=mean, strain=np.gradient(mean, middle), count=count)


# --- what these share -----------------------------------------------------------------------------------------------


def _moments(source: Any) -> list[Any]:
    """A moment by itself, or all of a run or list."""
    moments = [source] if hasattr(source, "particles") else list(source)
    if not moments:
        raise ValueError("there are no frames")
    return moments


def _positive(value: float, name: str) -> float:
    if not value > 0.0:
        raise ValueError(f"{name}: is {value!r}, must be > 0")
    return float(value)


def _thermal(velocity: np.ndarray, mass: np.ndarray) -> np.ndarray:
    return velocity - (mass[:, None] * velocity).sum(axis=0) / mass.sum()


def _periods(source: Any) -> np.ndarray:
    """Along x and y [m]; infinite where the domain is not periodic."""
    scene = source.scene.to_dict()
    domain = scene["domain"]
    if any(part.get("cell") is not None for part in (domain, *(scene.get("stages") or []))):
        raise ValueError("the scene has a cell that deforms: where images are is not known here")
    periodic = domain.get("periodic") or []
    return np.array([domain[axis][1] - domain[axis][0] if axis in periodic else np.inf for axis in "xy"])


def _both_periods(source: Any) -> np.ndarray:
    periods = _periods(source)
    if not np.isfinite(periods).all():
        raise ValueError("the domain must be periodic along x and y: wave vectors are those that fit it")
    return periods


def _nearest(between: np.ndarray, periods: np.ndarray) -> np.ndarray:
    for axis in range(2):
        if np.isfinite(periods[axis]):
            between[..., axis] -= periods[axis] * np.rint(between[..., axis] / periods[axis])
    return between


def _rows(position: np.ndarray, periods: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The table of pairs, some rows at a time: (first row, vectors from it to all grains, squares of their lengths;
    infinite from a grain to itself)."""
    position = np.asarray(position, dtype=float)
    for begin in range(0, len(position), _ROWS):
        some = position[begin:begin + _ROWS]
        between = _nearest(position[None, :, :] - some[:, None, :], periods)
        square = (between**2).sum(axis=2)
        square[np.arange(len(some)), np.arange(begin, begin + len(some))] = np.inf
        yield begin, between, square


def _wave_vectors(source: Any, to: float) -> np.ndarray:
    """Those that fit the domain, up to a length; one of q and -q, which give the same."""
    step = 2 * np.pi / _both_periods(source)
    most = (to / step).astype(int)
    x, y = np.meshgrid(np.arange(0, most[0] + 1), np.arange(-most[1], most[1] + 1), indexing="ij")
    chosen = ((x > 0) | (y > 0)) & (np.hypot(x * step[0], y * step[1]) <= to)
    if not chosen.any():
        raise ValueError(f"to: is {to:g} [1/m], must be at least {step.min():g}, the least that fits the domain")
    return np.stack([x[chosen] * step[0], y[chosen] * step[1]], axis=1)


def _density(position: np.ndarray, q: np.ndarray) -> complex:
    return np.exp(1j * (position @ q)).sum()


def _shared(moments: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the ids that all moments have, ascending."""
    ids = moments[0].particles.id
    for moment in moments[1:]:
        ids = np.intersect1d(ids, moment.particles.id, assume_unique=True)
    if len(ids) == 0:
        raise ValueError("there is no grain that all of the frames have")
    return np.array([moment.time for moment in moments]), ids


def _column(moment: Any, name: str, ids: np.ndarray) -> np.ndarray:
    own = moment.particles.id
    return np.asarray(getattr(moment.particles, name), dtype=float)[np.searchsorted(own, ids)]


def _paths(moments: list[Any], ids: np.ndarray) -> np.ndarray:
    """Positions (frames, N, 2) [m], followed around the domain from one frame to the next by the nearest image, relative to
    the way of the centre of mass."""
    position = np.array([_column(moment, "position", ids) for moment in moments])
    mass = _column(moments[0], "mass", ids)
    step = _nearest(np.diff(position, axis=0), _periods(moments[0]))
    path = np.concatenate([position[:1], position[:1] + step.cumsum(axis=0)])
    centre = (mass[:, None] * path).sum(axis=1) / mass.sum()
    return path - (centre - centre[0])[:, None, :]


def _over_lags(times: np.ndarray, to: float | None, value: Callable[[int], float]) -> SimpleNamespace:
    """value(k) for k frames' distance, 0, 1, ..."""
    if len(times) < 2:
        raise ValueError(f"there is {len(times)} frame, must be at least 2")
    apart = (times[-1] - times[0]) / (len(times) - 1)
    if abs(np.diff(times) - apart).max() > 0.02 * apart:
        raise ValueError(f"the frames are {np.diff(times).min():g} to {np.diff(times).max():g} s apart, must be equally far")
    longest = 0.5 * (times[-1] - times[0]) if to is None else _positive(to, "to")
    lags = range(min(int(longest / apart + 1e-9), len(times) - 1) + 1)
    return SimpleNamespace(time=np.array(lags) * apart, value=np.array([value(k) for k in lags]))


