"""# Jammed disks: density, backbone and rigidity over the rate of growth

Equal disks grow between periodic sides (Lubachevsky & Stillinger) until pA/NkT = 10⁶: 2025 of them, about as many as in Fig. 9.2 of
Lubachevsky's paper of 1991, at five rates γ = Ḋ/√(kT/m) and from three seeds each. The slower they grow, the more they
order, and the denser they jam; the crystal has φ = π/√12 = 0.9069, a random packing about 0.826 (S. Atkinson, F. H.
Stillinger & S. Torquato, PNAS 111, 18436, 2014: maximally random, with 0.83 to 0.84 where single crystallites begin).
Disks with fewer than three contacts are rattlers; the others bear load.

The picture is the packing of the slowest run of the first seed: circles are rattlers, as the dots are in Fig. 9.2.

**Rigidity** is not counted but tried: a linear program (A. Donev, S. Torquato, F. H. Stillinger & R. Connelly, J. Comput. Phys.
197, 139, 2004) looks for motions of all disks at once that let none overlap and go furthest along a
random load, each disk by a tenth of a diameter at most. In a jammed packing only rattlers can go anywhere; the others move by
their gaps, which frames round to 10⁻⁶ diameters, times what the softest motions make of them, some hundreds. So are packings of 100 disks of sizes 1 : 1.4 tried, which grew ever more slowly (`slow_beyond`),
and, so that the trial can fail, gases of them with a packing fraction of 0.75.
"""

import math

import numpy
from scipy import optimize, sparse

import picture
from estimate import mean_and_error
from figure import Check, Figure
from runs import Frame

RATES = [0.1, 0.03, 0.01, 0.003, 0.0007]  # γ
SEEDS = [1, 2, 3]
DISKS = 2025
CRYSTAL = math.pi / math.sqrt(12)
SMALL, SMALL_SEEDS = 100, [1, 2, 3, 4, 5, 6]
LOADS = 4  # of a packing
FURTHEST = 0.1  # diameters
RIGID = 0.01  # diameters, by which no disk of a jammed packing moves; see above


def scene(count, grains, seed, growth, end):
    """Disks of diameter 1, or sizes about it, in a domain of an area of their number; kT/m = 1. grains: of the one group."""
    sides = {axis: [0, math.sqrt(count)] for axis in "xy"}
    return {
        "scree": 1,
        "mode": "hard",
        "seed": seed,
        "domain": {**sides, "periodic": ["x", "y"]},
        "materials": {"disk": {"density": 1, "restitution": 1}},
        "particles": [{**grains(sides), "material": "disk", "shape": "disk", "size": 1}],
        "growth": growth,
        "time": {"end": end},
        "output": {"every": end},
    }


def slow(rate, seed):
    def lattice(sides):
        return {"lattice": {"region": sides, "kind": "square", "spacing": math.sqrt(DISKS) / 45, "temperature": math.pi / 4}}

    return scene(DISKS, lattice, seed, {"rate": rate, "from": 0.5}, 0.6 / rate)


def small(seed, growth=None):
    """Disks of sizes 1 : 1.4 in any order on a lattice."""

    def place(sides):
        columns = math.isqrt(SMALL)
        pitch = sides["x"][1] / columns
        draw = numpy.random.default_rng(seed)
        sizes = draw.permutation([1.0, 1.4] * (SMALL // 2)) / math.sqrt((1 + 1.4**2) / 2)
        velocity = draw.normal(size=(SMALL, 2))
        velocity -= velocity.mean(axis=0)
        entries = []
        for k in range(SMALL):
            position = [(k % columns + 0.5) * pitch, (k // columns + 0.5) * pitch]
            entries.append({"position": position, "velocity": velocity[k].tolist(), "size": float(sizes[k])})
        return {"place": entries}

    growth = growth or {"rate": 0.03, "from": 0.5, "pressure": 1e8, "slow_beyond": 30, "least_rate": 5e-4}
    return scene(SMALL, place, seed, growth, 0.6 / growth.get("least_rate", growth["rate"]))


def furthest(frame, side, seed):
    """How far disks of the backbone go along random loads, in mean diameters; of a gas all disks."""
    position = numpy.array(frame["centroid"])[:, :2]
    radius = numpy.array(frame["radius"])
    bears = numpy.array(frame["coordination"]) > 0
    if not bears.any():
        bears[:] = True
    place, radius = position[bears], radius[bears]
    diameter = 2 * radius.mean()
    count = len(place)
    rows, gaps = [], []
    for i in range(count):
        way = place[i + 1 :] - place[i]
        way -= side * numpy.rint(way / side)
        distance = numpy.hypot(way[:, 0], way[:, 1])
        gap = distance - radius[i] - radius[i + 1 :]
        for k in numpy.flatnonzero(gap < 3 * FURTHEST * diameter):
            rows.append((i, i + 1 + k, *(way[k] / distance[k])))
            gaps.append(max(gap[k], 0.0))
    first, second, along_x, along_y = (numpy.array(column) for column in zip(*rows))
    number = numpy.arange(len(gaps))
    closing = sparse.csr_matrix(
        (
            numpy.concatenate([along_x, along_y, -along_x, -along_y]),
            (
                numpy.concatenate([number] * 4),
                numpy.concatenate([2 * first, 2 * first + 1, 2 * second, 2 * second + 1]).astype(int),
            ),
        ),
        shape=(len(gaps), 2 * count),
    )
    bounds = [(0, 0)] * 2 + [(-FURTHEST * diameter, FURTHEST * diameter)] * (2 * count - 2)  # one stays: no translation
    draw = numpy.random.default_rng(seed)
    most = 0.0
    for _ in range(LOADS):
        load = draw.normal(size=2 * count)
        moved = optimize.linprog(-load, closing, gaps, bounds=bounds, method="highs")
        most = max(most, numpy.abs(moved.x).max() / diameter)
    return most


def measure(program, each):
    def grown(job):
        rate, seed = job
        run = program.run(f"disks_{rate}_{seed}", slow(rate, seed))
        last = run.table("series.csv")[-1]
        bearing = numpy.mean(numpy.array(Frame(run.frames("particles")[-1])["coordination"]) > 0)
        return last["packing_fraction"], bearing, last["contacts"] / (2 * bearing * DISKS - 1)

    jobs = [(rate, seed) for rate in RATES for seed in SEEDS]
    of_run = dict(zip(jobs, each(grown, jobs)))

    def tried(job):
        name, seed = job
        gas = {"rate": 0.03, "from": 0.5, "packing_fraction": 0.75} if name == "gas" else None
        scene_of = small(seed, gas)
        run = program.run(f"{name}_{seed}", scene_of)
        return furthest(Frame(run.frames("particles")[-1]), scene_of["domain"]["x"][1], seed)

    trials = [(name, seed) for name in ("packing", "gas") for seed in SMALL_SEEDS]
    moves = dict(zip(trials, each(tried, trials)))

    rows = [[rate, seed, *of_run[rate, seed], math.nan] for rate, seed in jobs]
    rows += [[math.nan, seed, math.nan, math.nan, math.nan, moves["packing", seed]] for seed in SMALL_SEEDS]
    checks = []
    means = [mean_and_error([of_run[rate, seed][0] for seed in SEEDS]) for rate in RATES]
    for rate, (mean, error) in zip(RATES, means):
        bearing = numpy.mean([of_run[rate, seed][1] for seed in SEEDS])
        good = 0.82 < mean < CRYSTAL
        checks.append(Check(f"φ at γ = {rate}; {100 * bearing:.0f} % bear load", f"{mean:.4f} ± {error:.1g}", "0.82 to 0.9069", good))
    rising = all(b[0] > a[0] for a, b in zip(means, means[1:]))
    checks.append(Check("φ, the slower they grow", "rises" if rising else "does not rise", "rises", rising))
    worst = max(moves["packing", seed] for seed in SMALL_SEEDS)
    checks.append(Check("furthest move of 6 packings' backbones", f"{worst:.1g} diameters", f"below {RIGID:g}", worst < RIGID))
    least = min(moves["gas", seed] for seed in SMALL_SEEDS)
    checks.append(Check("least of the furthest moves of 6 gases", f"{least:.1g} diameters", f"{FURTHEST:g}", least > 0.99 * FURTHEST))
    slowest = program.run(f"disks_{RATES[-1]}_{SEEDS[0]}", slow(RATES[-1], SEEDS[0]))
    drawn = pictures(rows)
    drawn["jammed_disks_packing"] = packing(Frame(slowest.frames("particles")[-1]))
    return Figure(["γ", "seed", "φ", "bearing", "contacts/(2n−1)", "furthest move"], rows, drawn, checks)


def pictures(rows):
    shown = [row for row in rows if not math.isnan(float(row[0]))]
    plot = picture.axes(("rate of growth γ", 5e-4, 0.15), ("packing fraction φ", 0.82, 0.91), xscale="log")
    picture.points(plot, "found", "blue", [row[0] for row in shown], [row[2] for row in shown])
    picture.line(plot, "crystal", "grey", [5e-4, 0.15], [CRYSTAL, CRYSTAL], dashed=True)
    return {"jammed_disks": picture.svg(plot)}


def packing(frame):
    """Centres of the disks: those that bear load as points, rattlers as circles."""
    place = numpy.round(numpy.array(frame["centroid"])[:, :2], 2)
    bears = numpy.array(frame["coordination"]) > 0
    side = math.sqrt(DISKS)
    plot = picture.axes(("", 0, side), ("", 0, side), aspect="equal", xticks=[], yticks=[])
    plot.grid(False)
    plot.figure.set_size_inches(6.4, 6.4)
    plot.plot(*place[bears].T, ".", markersize=2.2, color=picture.COLOURS["grey"])
    plot.plot(*place[~bears].T, "o", markersize=5, fillstyle="none", markeredgewidth=0.8, color=picture.COLOURS["blue"])
    return picture.text(plot.figure)
