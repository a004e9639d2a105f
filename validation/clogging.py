"""# Clogging: how many disks leave a silo until its opening clogs

Disks stand in a silo with a flat floor that has a narrow opening. They flow until an arch blocks the opening. The halves
of the floor then shake to and fro and break it; when they rest, disks flow again, up to the next clog. An avalanche is
what leaves from then on until all is at rest. If every disk that passes may be the last one with the same probability,
whatever happened before, sizes s are distributed exponentially: P(s) = p (1 − p)^(s − 1), with a standard deviation of
√(⟨s⟩ (⟨s⟩ − 1)). So it is found at every opening for disks of several sizes in simulations, in agreement with
experiments; the mean grows fast with the opening (Pérez, arXiv 0705.1744).

Breaks after which nothing flows are not counted, nor are avalanches that begin with fewer than 120 disks in the silo.
The chi-square test has six classes of about equal probability; since the law has the mean of the sizes, four degrees
of freedom.

400 disks of 1 cm ± 20 % in a silo 16 diameters wide, 1000 kg/m², stiffness 10⁵ N/m, friction 0.5, restitution 0.3.
"""

import math

import picture
from figure import Check, Figure, above, within
from scipy import stats

SIZE = 0.01  # m
GRAINS, LEAST = 400, 120
WIDTH = 16 * SIZE
OPENINGS = 2.6, 3.0  # diameters
SEEDS = range(1, 9)
BREAKS = 16
SHAKEN = 0.2  # s, two periods
FALL = 0.09  # s, from the opening to the domain's end
CLASSES = 6
GRAVITY = 9.81  # m/s^2


def scene(opening, seed, breaks=BREAKS, grains=GRAINS):
    height = grains * math.pi / 4 * SIZE**2 * 1.02 / 0.7 / WIDTH
    half, middle = opening * SIZE / 2, WIDTH / 2

    def wall(name, x, y):
        return {"name": name, "material": "grain", "box": {"x": x, "y": y}}

    floors = {"left floor": [-0.03, middle - half], "right floor": [middle + half, WIDTH + 0.03]}
    shake = {"oscillation": {"amplitude": [0.4 * SIZE, 0], "frequency": 2 / SHAKEN}}
    stages = [{"name": "settle", "time": {"end": 2.0, "until": {"unbalanced": 1e-3}}}]
    for k in range(breaks):
        opened = {"remove": ["plug"]} if k == 0 else {}
        stages += [
            {"name": f"break {k}", **opened, "motions": dict.fromkeys(floors, shake), "time": {"end": SHAKEN}},
            {"name": f"flow {k}", "motions": dict.fromkeys(floors, {}), "time": {"end": 6.0, "until": {"unbalanced": 1e-4}}},
        ]
    return {
        "scree": 1,
        "title": "A silo that clogs",
        "seed": seed,
        "domain": {"x": [-0.04, WIDTH + 0.04], "y": [-0.025, height + 0.02]},
        "gravity": [0, -GRAVITY],
        "materials": {"grain": {"density": 1000, "stiffness": 1e5, "restitution": 0.3, "friction": 0.5}},
        "walls": [
            *(wall(name, x, [-0.01, 0]) for name, x in floors.items()),
            wall("plug", [middle - half, middle + half], [-0.01, 0]),
            wall("left", [-0.02, 0], [0, height + 0.02]),
            wall("right", [WIDTH, WIDTH + 0.02], [0, height + 0.02]),
        ],
        "particles": [
            {
                "random": {"region": {"x": [0, WIDTH], "y": [0, height]}, "count": grains},
                "material": "grain",
                "shape": "disk",
                "size": {"uniform": [0.8 * SIZE, 1.2 * SIZE]},
            }
        ],
        "stages": stages,
        "output": {"every": 0.25},
    }


def avalanches(left, stages, grains=GRAINS, least=LEAST):
    """Sizes, from the times at which disks left, and begin, end and name of each stage."""
    sizes = []
    for name, begin, end in stages:
        if not name.startswith("flow") or grains - sum(t <= begin for t in left) < least:
            continue
        size = sum(begin + FALL < t <= end for t in left)
        if size > 0:
            sizes.append(size)
    return sizes


def stages_of(run):
    info = run.info()
    begins = [stage["begin"] for stage in info["stages"]]
    return [(stage["name"], *when) for stage, when in zip(info["stages"], zip(begins, [*begins[1:], info["end_time"]]))]


def drain(program, opening, seed):
    """Sizes of the avalanches of a silo."""
    run = program.run(f"opening_{opening:g}_seed_{seed}", scene(opening, seed))
    return avalanches([row["time"] for row in run.table("flow.csv")], stages_of(run))


def measure(program, each):
    runs = [(opening, seed) for opening in OPENINGS for seed in SEEDS]
    found = each(lambda run: drain(program, *run), runs)
    rows = [[*run, k, size] for run, sizes in zip(runs, found) for k, size in enumerate(sizes)]
    checks, means = [], []
    for opening in OPENINGS:
        sizes = sizes_of(rows, opening)
        mean = sum(sizes) / len(sizes)
        means.append((mean, mean / math.sqrt(len(sizes))))
        ratio, error = spread(sizes), 1 / math.sqrt(len(sizes))
        checks.append(within(f"{opening:g} diameters, {len(sizes)} avalanches: spread over that of the law", ratio, error, 0.8, 1.2))
        squares, bound = chi_square(sizes), stats.chi2.ppf(0.99, CLASSES - 2)
        checks.append(Check("chi-square of the sizes", f"{squares:.1f}", f"below {bound:.1f} (99 %)", squares < bound))
    (few, few_error), (many, many_error) = means
    checks.append(above("logarithm of the means' ratio", math.log(many / few), math.hypot(few_error / few, many_error / many)))
    return Figure(["opening over diameter", "seed", "avalanche", "size"], rows, pictures(rows), checks)


def sizes_of(rows, opening):
    return [row[3] for row in rows if row[0] == opening]


def spread(sizes):
    """Standard deviation over that of the geometric distribution of the same mean."""
    mean = sum(sizes) / len(sizes)
    return math.sqrt(sum((s - mean) ** 2 for s in sizes) / (len(sizes) - 1) / (mean * (mean - 1)))


def chi_square(sizes):
    """Against the geometric distribution of the same mean, in classes of about equal probability."""
    stop = len(sizes) / sum(sizes)
    ends = [stats.geom.ppf(k / CLASSES, stop) for k in range(1, CLASSES)]
    shares = [stats.geom.cdf(end, stop) for end in ends]
    classes = zip([0, *ends], [*ends, math.inf], [0, *shares], [*shares, 1])
    total = 0.0
    for low, high, below, up_to in classes:
        expected = (up_to - below) * len(sizes)
        if expected > 0:
            total += (sum(low < s <= high for s in sizes) - expected) ** 2 / expected
    return total


def pictures(rows):
    axes = picture.axes(("size over mean", 0, 5), ("share of larger avalanches", 0.008, 1.1), yscale="log")
    picture.line(axes, "exponential", "grey", [0, 4.8], [1, math.exp(-4.8)], dashed=True)
    for opening, colour in zip(OPENINGS, ("blue", "orange")):
        sizes = sorted(sizes_of(rows, opening))
        mean = sum(sizes) / len(sizes)
        x, y = [s / mean for s in sizes], [1 - (k + 0.5) / len(sizes) for k in range(len(sizes))]
        picture.points(axes, f"{opening:g} diameters: mean {mean:.1f}", colour, x, y)
    return {"clogging": picture.svg(axes)}
