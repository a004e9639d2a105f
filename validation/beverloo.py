"""# Beverloo: what runs out of a silo

Disks run out of a silo with a flat bottom through an opening of width D. In two dimensions the mass that leaves in a
second should be

    Q = C ρ √g (D − k d)^(3/2),   k of 1 to 2,

whatever stands above the opening, if the silo is filled higher than 1.2 of its widths W and W > 2.5 D (Beverloo,
Leniger & van de Velde 1961; Mankoc et al., *Granular Matter* **9** (2007) 407, arXiv 0707.4550). C, k *and the
exponent* are fitted.

Openings of 5.5 to 20 grain diameters d, W = 2.7 D; ρ is the grains' density. Each run starts from a lattice that has
collapsed on the closed floor; 3 (D/d)² grains, but at least 600, leave while the silo is filled above 1.2 W, of which
the first half, at least 150, are not counted: the flow begins with a surge. For the second picture a silo with D =
6.5 d is filled up to 2.8 W and runs out until less than half is left. Disks of 1 cm ± 10 %, 1000 kg/m²; friction 0.5,
restitution 0.2; stiffness 3.5·10⁵ N/m, at which contacts are below 1 % of a diameter deep at rest, more than 10 % for
a moment while the lattice collapses. Three seeds, more where the opening is small.
"""

import math

from chart import Chart
from figure import Check, Figure, within
from fit import least_squares, mean_and_error, slope_of

GRAVITY = 9.81  # m/s^2
SIZE, DENSITY = 0.01, 1000.0  # m, kg/m^2
UNIT = DENSITY * math.sqrt(GRAVITY) * SIZE**1.5  # kg/s
FLOW_UNIT = "ρ √g d<tspan dy='-5' font-size='10'>3/2</tspan>"
OPENINGS = {5.5: 6, 7.0: 6, 9.0: 4, 12.0: 4, 16.0: 3, 20.0: 3}  # grain diameters: seeds, the more the less steady the flow is
OPENS = 0.35  # s
TALL = 6.5, 2.8  # opening, filling in widths
TALL_SEEDS = 1, 2
PER_GRAIN = math.pi / 4 / 0.82  # area of a packing over grains, in squares of diameters


def width_of(opening):
    return 2.7 * opening


def leaving_grains(opening):
    """Grains that leave while the silo stays filled high enough."""
    return max(600, round(3 * opening**2))


def skipped(opening):
    """Grains that leave before the flow is steady: what stood above the opening has fallen about 1.5 D."""
    return max(150, round(1.5 * opening**2))


def scene(seed, opening, grains, end):
    half, width = opening * SIZE / 2, width_of(opening) * SIZE
    rows = math.ceil(grains / math.floor(width / (1.111 * SIZE)))  # a cell is a bit wider than the largest grain
    top = (rows + 2) * 1.1 * SIZE

    def wall(name, x, y, **more):
        return {"name": name, "material": "grain", "box": {"x": x, "y": y}, **more}

    fill = {"count": grains, "region": {"x": [-width / 2, width / 2], "y": [0, top]}, "jitter": 0.2}
    return {
        "scree": 1,
        "title": "A silo runs empty",
        "seed": seed,
        "domain": {"x": [-width / 2 - 0.02, width / 2 + 0.02], "y": [-0.1, top + 0.05]},
        "gravity": [0, -GRAVITY],
        "materials": {"grain": {"density": DENSITY, "stiffness": 3.5e5, "restitution": 0.2, "friction": 0.5}},
        "walls": [
            wall("left", [-width / 2 - 0.02, -width / 2], [-0.005, top]),
            wall("right", [width / 2, width / 2 + 0.02], [-0.005, top]),
            wall("bottom left", [-width / 2 - 0.02, -half], [-0.005, 0]),
            wall("bottom right", [half, width / 2 + 0.02], [-0.005, 0]),
            wall("gate", [-half - 0.005, half + 0.005], [-0.015, -0.005], until=OPENS),
        ],
        "particles": [
            {"fill": fill, "material": "grain", "shape": "disk", "size": {"uniform": [0.9 * SIZE, 1.1 * SIZE]}}
        ],
        "time": {"end": end},
        "output": {"every": 0.1},
    }


def time_for(opening, grains):
    """An estimate of how long so many take to leave [s]."""
    return grains / (1.0 * (opening - 1.5) ** 1.5) * math.sqrt(SIZE / GRAVITY)


def rate(leaving):
    """Mass that leaves in a second, by a straight line through mass against time, in UNIT."""
    mass, total = [], 0.0
    for grain in leaving:
        total += grain["mass"]
        mass.append(total)
    return slope_of([grain["time"] for grain in leaving], mass) / UNIT


def discharge(program, seed, opening):
    """Flow through an opening; None if it clogged."""
    first, last = skipped(opening), leaving_grains(opening)
    grains = round(1.2 * width_of(opening) ** 2 / PER_GRAIN) + last
    end = OPENS + 0.1 + time_for(opening, 1.1 * last)
    run = program.run(f"opening_{opening:g}_seed_{seed}", scene(seed, opening, grains, end))
    leaving = run.table("flow.csv")[first:last]
    return rate(leaving) if len(leaving) > (last - first) / 2 else None


def emptying(program, seed):
    """Height of the filling over the silo's width, and flow, of every hundred grains that leave a tall silo."""
    opening, filling = TALL
    width = width_of(opening)
    grains = round(filling * width**2 / PER_GRAIN)
    run = program.run(f"tall_seed_{seed}", scene(seed, opening, grains, OPENS + 0.1 + time_for(opening, 0.55 * grains)))
    leaving, first = run.table("flow.csv"), skipped(opening)
    lots = [leaving[k : k + 100] for k in range(first, len(leaving) - 99, 100)]
    return [((grains - first - 100 * k - 50) * PER_GRAIN / width**2, rate(lot)) for k, lot in enumerate(lots)]


def beverloo(opening, factor, k, exponent):
    return factor * max(opening - k, 1e-9) ** exponent


def measure(program, each):
    runs = [(opening, seed + 1) for opening, seeds in OPENINGS.items() for seed in range(seeds)]
    flows = list(each(lambda run: (*run, discharge(program, run[1], run[0])), runs))
    heights = list(each(lambda seed: emptying(program, seed), TALL_SEEDS))
    rows = [["opening", seed, opening, flow] for opening, seed, flow in flows if flow]
    rows += [["height", seed, height, flow] for seed, lots in zip(TALL_SEEDS, heights) for height, flow in lots]

    x, y = zip(*((opening, flow) for opening, _, flow in flows if flow))
    free = least_squares(beverloo, (1.0, 1.5, 1.5), x, y, y)
    fixed = least_squares(lambda d, factor, k: beverloo(d, factor, k, 1.5), (1.0, 1.5), x, y, y)
    high = [flow for lots in heights for height, flow in lots if height > 2.0]
    low = [flow for lots in heights for height, flow in lots if 1.2 < height < 2.0]
    (high_mean, high_error), (low_mean, low_error) = mean_and_error(high), mean_and_error(low)
    checks = [
        Check("runs that clogged", str(sum(flow is None for *_, flow in flows)), "0", all(flow for *_, flow in flows)),
        within("exponent, fitted with C and k", free.values[2], free.errors[2], 1.4, 1.6),
        within("k at the exponent 3/2", fixed.values[1], fixed.errors[1], 1.0, 2.0),
        within("scatter about the law with 3/2", fixed.rms, fixed.rms / math.sqrt(2 * len(x)), 0.0, 0.05),
        within(
            "flow at heights of 1.2 to 2 W, less that above, relative",
            low_mean / high_mean - 1,
            math.hypot(high_error, low_error) / high_mean,
            -0.05,
            0.05,
        ),
    ]
    return Figure(
        ["series", "seed", "opening [d] or height [W]", "flow [ρ √g d^1.5]"],
        rows,
        {"beverloo": flow_chart(x, y, fixed, free), "beverloo_height": height_chart(heights)},
        checks,
    )


def flow_chart(x, y, fixed, free):
    picture = Chart(("opening D/d", 0, 21), (f"flow Q to the power of 2/3, Q in {FLOW_UNIT}", 0, 20))
    at = [fixed.values[1] + 0.01 + 0.1 * k for k in range(200)]
    law = [beverloo(d, *fixed.values, 1.5) ** (2 / 3) for d in at]
    picture.line(f"Beverloo, C = {fixed.values[0]:.3f}, k = {fixed.values[1]:.2f}", "orange", at, law)
    exponent = f"runs; free exponent: {free.values[2]:.2f} ± {free.errors[2]:.2f}"
    picture.points(exponent, "blue", x, [flow ** (2 / 3) for flow in y])
    return picture.svg()


def height_chart(heights):
    most = max(flow for lots in heights for _, flow in lots)
    picture = Chart(("height of the filling over W", 0, TALL[1]), (f"flow [{FLOW_UNIT}]", 0, 1.3 * most))
    picture.line("1.2 W", "grey", [1.2, 1.2], [0, most], dashed=True)
    for seed, lots, colour in zip(TALL_SEEDS, heights, ("blue", "green", "purple")):
        picture.points(f"a hundred grains each, seed {seed}", colour, *zip(*lots))
    return picture.svg((0.3, 0.4))
