"""# Column: how far a column of grains runs out

Disks settle in a column of width L₀ and height H, on the left a wall, on the right a gate. The gate vanishes, and the
column spreads over a rough floor until it is at rest. With a = H/L₀ the run-out is found to be

    (L∞ − L₀)/L₀ = λ₁ a for low columns, λ₂ aᵏ for tall ones,

where k is 0.65 to 0.75 and the change is at a = 2 to 3: 2.5 a and 3.25 a^0.7 in simulations of disks by contact
dynamics (Staron & Hinch, *J. Fluid Mech.* **545** (2005) 1), 3.25 a^0.96 and 3.80 a^0.73 in experiments with rods (arXiv
1512.05180). The prefactors depend on friction and shape of the grains, the exponents hardly.

The front is that of what hangs together: from the wall on, up to the first gap of more than two diameters between
neighbours, counted along the floor. Single disks roll on; they do not count.

800 disks of 4 mm ± 20 %, 2600 kg/m², in all columns; friction 0.5, restitution 0.5, stiffness 5·10⁵ N/m; side wall and gate
are smooth; on the floor a row of fixed disks, 1.2 diameters apart. Two seeds.
"""

import math

import picture
from estimate import fit
from figure import Figure, within
from runs import Frame, centroid

SIZE = 0.004  # m
GRAINS = 800
PACKED = 0.8  # share of the column that the disks take once they have settled, about
LOW, TALL = (0.5, 0.7, 1.0, 1.5, 2.0), (4.0, 5.5, 8.0, 11.0)
RATIOS = *LOW, *TALL
SEEDS = 1, 2
GRAVITY = 9.81  # m/s^2


def sizes_of(ratio):
    """Width and height of a column [m]."""
    area = GRAINS * math.pi / 4 * SIZE**2 * (1 + 0.2**2 / 3) / PACKED
    width = math.sqrt(area / ratio)
    return width, ratio * width


def scene(ratio, seed):
    width, height = sizes_of(ratio)
    filled = height * PACKED / 0.72  # of the random packing at the start
    reach = width + 6 * width * ratio ** (1 if ratio < 2 else 0.7) + 0.05
    spacing = 1.2 * SIZE
    base = [k * spacing for k in range(-4, math.ceil(reach / spacing))]

    def wall(name, x):
        return {"name": name, "material": "smooth", "box": {"x": x, "y": [0, filled + 0.01]}}

    return {
        "scree": 1,
        "title": "A column collapses",
        "seed": seed,
        "domain": {"x": [-0.03, reach + 0.02], "y": [-0.05, filled + 0.02]},
        "gravity": [0, -GRAVITY],
        "materials": {
            "grain": {"density": 2600, "stiffness": 5e5, "restitution": 0.5, "friction": 0.5},
            "smooth": {"density": 2600, "stiffness": 5e5, "restitution": 0.5, "friction": 0},
        },
        "walls": [
            {"name": "floor", "material": "grain", "box": {"x": [-0.02, reach], "y": [-0.03, -1.01 * SIZE]}},
            wall("left", [-0.02, 0]),
            wall("gate", [width, width + 0.02]),
        ],
        "particles": [
            {
                "place": [{"position": [x, -0.501 * SIZE]} for x in base],
                "material": "grain",
                "shape": "disk",
                "size": SIZE,
                "fixed": ["x", "y", "angle"],
            },
            {
                "random": {"region": {"x": [0, width], "y": [0, filled]}, "count": GRAINS},
                "material": "grain",
                "shape": "disk",
                "size": {"uniform": [0.8 * SIZE, 1.2 * SIZE]},
            },
        ],
        "stages": [
            {"name": "settle", "time": {"end": 1.0, "until": {"unbalanced": 1e-3}}},
            {"name": "collapse", "remove": ["gate"], "time": {"end": 3.0, "until": {"unbalanced": 2e-3}}},
        ],
        "output": {"every": 0.05},
    }


def front(places):
    """Of what hangs together: its rightmost grain, from their (x, radius), before the first gap of two diameters."""
    places = sorted(places)
    reach = places[0]
    for x, radius in places[1:]:
        if x - reach[0] > 2 * SIZE + SIZE:
            break
        reach = (x, radius)
    return reach[0] + reach[1]


def grains_of(frame):
    """(x, y, radius) of the disks that are not fixed."""
    found = []
    for outline, radius, kind in zip(frame.outlines(), frame["radius"], frame["type"]):
        if kind == 1:
            x, y, _ = centroid(outline)
            found.append((x, y, radius))
    return found


def collapse(program, ratio, seed):
    """Height over width before, run-out and height after over the width."""
    run = program.run(f"ratio_{ratio:g}_seed_{seed}", scene(ratio, seed))
    begin = run.info()["stages"][1]["begin"]
    width, _ = sizes_of(ratio)
    frames = run.frames("particles")
    settled = next(grains_of(Frame(f)) for f in frames if Frame(f).time >= begin - 1e-9)
    rested = grains_of(Frame(frames[-1]))
    return [top(settled) / width, (front([(x, r) for x, _, r in rested]) - width) / width, top(rested) / width]


def top(grains):
    """Mean height of the upper ends of the highest two per cent of the grains."""
    ends = sorted(y + r for _, y, r in grains)
    ends = ends[-max(1, len(ends) // 50) :]
    return sum(ends) / len(ends)


def measure(program, each):
    runs = [(ratio, seed) for ratio in RATIOS for seed in SEEDS]
    rows = [[*run, *found] for run, found in zip(runs, each(lambda run: collapse(program, *run), runs))]
    low, tall = laws(rows)
    checks = [
        within("exponent of low columns, a up to 2", low.values[1], low.errors[1], 0.85, 1.15),
        within("their prefactor", low.values[0], low.errors[0], 1.2, 2.7),
        within("exponent of tall columns, a from 4", tall.values[1], tall.errors[1], 0.6, 0.8),
        within("their prefactor", tall.values[0], tall.errors[0], 1.9, 3.8),
    ]
    columns = ["height over width asked", "seed", "height over width", "run-out over width", "height at rest over width"]
    return Figure(columns, rows, pictures(rows), checks)


def law(ratio, prefactor, exponent):
    return prefactor * ratio**exponent


def laws(rows):
    """Fits to low and to tall columns, with equal relative errors."""
    found = []
    for ratios in (LOW, TALL):
        own = [row for row in rows if row[0] in ratios]
        x, y = [row[2] for row in own], [row[3] for row in own]
        found.append(fit(law, (2.0, 0.9), x, y, y))
    return found


def pictures(rows):
    low, tall = laws(rows)
    axes = picture.axes(("a = H/L₀", 0.4, 15), ("run-out (L∞ − L₀)/L₀", 0.6, 30), xscale="log", yscale="log")
    for name, found, colour, ends in (("low", low, "orange", (0.4, 3.0)), ("tall", tall, "green", (2.0, 14.0))):
        text = f"{name}: {found.values[0]:.2f} a^{found.values[1]:.2f}"
        picture.line(axes, text, colour, list(ends), [law(a, *found.values) for a in ends])
    for seed, colour in zip(SEEDS, ("blue", "purple")):
        own = [row for row in rows if row[1] == seed]
        picture.points(axes, f"seed {seed}", colour, [row[2] for row in own], [row[3] for row in own])
    return {"column": picture.svg(axes, "upper left")}
