"""# Beverloo: what runs out of a silo

Disks run out of a silo with a flat bottom through an opening of width D. In two dimensions the mass that leaves in a
second should be

    Q = C ρ √g (D − k d)^(3/2),   k of 1 to 2,

whatever stands above the opening, if the silo is filled higher than 1.2 of its widths W and W is more than 2.5 D and
D + 30 d (Beverloo, Leniger & van de Velde 1961; Mankoc et al., *Granular Matter* **9** (2007) 407, arXiv 0707.4550).
Mankoc et al. show that this is good for a small range of openings: with one k small openings give less. Their law, with
3/2 in place of the 5/2 of three dimensions, has k = 1 and is Beverloo's for wide openings:

    Q = C ρ √g (1 − e^(−b (D/d − 1))/2) (D − d)^(3/2).

Fitted are C and k, C and b, and C, k *and the exponent*. Because of the small openings the last is above 3/2, by as
much as when it is fitted to Mankoc's law, and k is at the upper end of what is published.

Openings of 6 to 20 d. Each silo is filled up again while it runs: grains appear wherever there is room in a layer
three diameters deep, 1.3 W high, and move down at 1.5 m/s, as fast as if they had fallen a tenth of a metre; from
rest they would make room too slowly for wide openings. W = D + 30 d. A run begins with a lattice that collapses and
flows at once; 6 (D/d)² grains leave before counting begins, the first two or three of them too fast, and then 8
(D/d)², but 2000 at least. That the flow is steady is seen from both halves of what is counted.

Silos of D = 11 d are compared with one that is only 2.5 D wide, with three times the stiffness, and filled twice and
four times as high. **That the flow does not depend on the height is not found**: with every doubling it grows by 6 to
12 %, where that of a liquid grows by 41 %. Teeth on the side walls, on which grains cannot roll, lessen that: the
pressure is part of it. By K and μ' of the page on [Janssen's law](janssen.md) the pressure saturates over 1.8 W only,
as walls carry half as much in two dimensions as in three, so that twice the height presses up to half as much again.
Soft contacts are not the reason: with nine times the stiffness the narrow silo, filled twice as high, gives 8 % more
(one run each, not in the table). Whether that is all is not known. Openings are compared at the same height in
widths.

Disks of 1 cm ± 10 %, 1000 kg/m²; ρ is their density; friction 0.5, restitution 0.2, of the walls too; stiffness 3.5·10⁵
N/m. One to three seeds.
"""

import math

from chart import Chart
from figure import Figure, within
from fit import least_squares, mean_and_error

GRAVITY = 9.81  # m/s^2
SIZE, DENSITY = 0.01, 1000.0  # m, kg/m^2
UNIT = DENSITY * math.sqrt(GRAVITY) * SIZE**1.5  # kg/s
FLOW_UNIT = "ρ √g d<tspan dy='-5' font-size='10'>3/2</tspan>"
OPENINGS = {6.0: (1,), 8.0: (1,), 11.0: (1, 2), 15.0: (1, 2), 20.0: (1, 2)}  # grain diameters: seeds
STIFFNESS = 3.5e5  # N/m
HELD = 1.3  # widths, the height at which the filling is held
OPENING, WIDE, NARROW = 11.0, 41.0, 27.5  # of the silos that differ otherwise; and widths [d]
HEIGHTS = {  # width, whether the walls have teeth: height of the filling [W]: seeds
    (WIDE, False): {HELD: (1, 2), 2 * HELD: (1,)},
    (NARROW, False): {HELD: (1, 2, 3), 2 * HELD: (1, 2, 3), 4 * HELD: (1,)},
    (NARROW, True): {HELD: (1,), 2 * HELD: (1,), 4 * HELD: (1,)},
}
TOOTH = 0.4  # grain diameters, how far teeth stand out from the side walls; they are 1 high
POURED = 1.5  # m/s, how fast grains appear; from rest they would make room too slowly for wide openings


def skipped(opening):
    """Grains that leave before the flow is steady."""
    return round(6 * opening**2)


def counted(opening):
    return max(2000, round(8 * opening**2))


def time_for(opening, grains):
    """An estimate of how long so many take to leave [s]."""
    return grains * math.pi / 4 / (0.95 * (opening - 1.7) ** 1.5) * math.sqrt(SIZE / GRAVITY)


def scene(seed, opening, width, height, stiffness, toothed, end):
    """A silo that is held filled up to this height, in widths."""
    half, width = opening * SIZE / 2, width * SIZE
    level = height * width
    top = level + 3 * SIZE
    disks = {"material": "grain", "shape": "disk", "size": {"uniform": [0.9 * SIZE, 1.1 * SIZE]}}
    layer = {"x": [-width / 2, width / 2], "y": [level, top]}

    def wall(name, x, y):
        return {"name": name, "material": "grain", "box": {"x": x, "y": y}}

    fill = {"region": {"x": [-width / 2, width / 2], "y": [0, level]}, "jitter": 0.2}
    pour = {"count": 10**6, "rate": 1e5, "region": layer, "velocity": [0, -POURED]}  # there is never room for so many
    made = {
        "scree": 1,
        "title": "A silo runs",
        "seed": seed,
        "domain": {"x": [-width / 2 - 0.02, width / 2 + 0.02], "y": [-0.1, top + 0.01]},
        "gravity": [0, -GRAVITY],
        "materials": {"grain": {"density": DENSITY, "stiffness": stiffness, "restitution": 0.2, "friction": 0.5}},
        "walls": [
            wall("left", [-width / 2 - 0.02, -width / 2], [-0.005, top]),
            wall("right", [width / 2, width / 2 + 0.02], [-0.005, top]),
            wall("bottom left", [-width / 2 - 0.02, -half], [-0.005, 0]),
            wall("bottom right", [half, width / 2 + 0.02], [-0.005, 0]),
        ],
        "particles": [{"fill": fill, **disks}, {"pour": pour, **disks}],
        "time": {"end": end},
        "output": {"every": end / 4},
    }
    if toothed:
        fill["region"]["x"] = [-width / 2 + 0.45 * SIZE, width / 2 - 0.45 * SIZE]
        made["walls"] += teeth(width / 2, round(level / SIZE))
    return made


def teeth(half, count):
    """Triangles on the side walls, from above the opening's edges upwards."""

    def tooth(name, side, y):
        corners = [[side * half, y - 0.5 * SIZE], [side * (half - TOOTH * SIZE), y], [side * half, y + 0.5 * SIZE]]
        return {"name": name, "material": "grain", "polygon": corners}

    return [tooth(f"tooth {name}{k}", side, k * SIZE) for k in range(1, count) for name, side in (("l", -1), ("r", 1))]


def rate(leaving):
    """Mass that leaves in a second, in UNIT."""
    return sum(grain["mass"] for grain in leaving[1:]) / (leaving[-1]["time"] - leaving[0]["time"]) / UNIT


def discharge(program, seed, opening, width, height, stiffness, toothed):
    """Flow through an opening, of the first and second half of what is counted."""
    first, grains = skipped(opening), counted(opening)
    name = f"opening_{opening:g}_width_{width:g}_height_{height:g}_stiffness_{stiffness:g}_seed_{seed}"
    name += "_toothed" if toothed else ""
    run = program.run(name, scene(seed, opening, width, height, stiffness, toothed, time_for(opening, first + grains)))
    leaving = run.table("flow.csv")[first:]
    half = len(leaving) // 2
    if half < grains / 4:
        raise RuntimeError(f"{name}: clogged")
    return rate(leaving[:half]), rate(leaving[half:])


def beverloo(opening, factor, k, exponent):
    return factor * max(opening - k, 1e-9) ** exponent


def mankoc(opening, factor, b):
    return factor * (1 - math.exp(-b * (opening - 1)) / 2) * (opening - 1) ** 1.5


def measure(program, each):
    wide = [(seed, d, d + 30, HELD, STIFFNESS, False) for d, seeds in OPENINGS.items() for seed in seeds]
    filled = {
        (width, height, toothed): [(seed, OPENING, width, height, STIFFNESS, toothed) for seed in seeds]
        for (width, toothed), heights in HEIGHTS.items()
        for height, seeds in heights.items()
    }
    stiffer = (1, OPENING, NARROW, HELD, 3 * STIFFNESS, False)
    runs = list(dict.fromkeys([*wide, *sum(filled.values(), []), stiffer]))
    halves = dict(zip(runs, each(lambda run: discharge(program, *run), runs)))
    flows = {silo: [flow for run in same for flow in halves[run]] for silo, same in filled.items()}
    rows = [[*run[:-1], int(run[-1]), *both] for run, both in halves.items()]

    x, y = [run[1] for run in wide], [sum(halves[run]) / 2 for run in wide]
    later = [halves[run][1] / halves[run][0] - 1 for run in wide]
    free = least_squares(beverloo, (1.0, 1.5, 1.5), x, y, y)
    fixed = least_squares(lambda d, factor, k: beverloo(d, factor, k, 1.5), (1.0, 1.5), x, y, y)
    k = min(max(fixed.values[1], 1.0), 2.0)
    usual = least_squares(lambda d, factor: beverloo(d, factor, k, 1.5), (1.0,), x, y, y)
    curved = least_squares(mankoc, (1.0, 0.1), x, y, y)
    law = [mankoc(d, *curved.values) for d in x]
    of_law = least_squares(beverloo, (1.0, 1.5, 1.5), x, law, law)

    def pair(one, other, toothed=False):
        return flows[(*one, toothed)], flows[(*other, toothed)]

    checks = [
        within("second half of what is counted over the first, less 1", *mean_and_error(later), -0.03, 0.03),
        scatter(f"scatter about Beverloo's law, k = {fixed.values[1]:.2f} ± {fixed.errors[1]:.2f}", fixed, len(x)),
        scatter(f"scatter about it with the best k of 1 to 2, {k:.2f}", usual, len(x)),
        scatter(f"scatter about Mankoc's law, b = {curved.values[1]:.3f} ± {curved.errors[1]:.3f}", curved, len(x)),
        within(
            f"exponent fitted with C and k, {free.values[2]:.2f}, less that of Mankoc's law, {of_law.values[2]:.2f}",
            free.values[2] - of_law.values[2],
            free.errors[2],
            -0.1,
            0.1,
        ),
        ratio("flow from a silo 2.5 D wide over that from wide ones, less 1", *pair((NARROW, HELD), (WIDE, HELD))),
        ratio("flow with three times the stiffness over that, less 1", halves[stiffer], flows[NARROW, HELD, False]),
        *(
            ratio(
                f"flow at a height of {2 * height:g} W over {height:g} W, W = {width:g} d{', teeth' * toothed}, less 1",
                *pair((width, 2 * height), (width, height), toothed),
            )
            for width, height, toothed in flows
            if (width, 2 * height, toothed) in flows
        ),
    ]
    columns = ["seed", "opening [d]", "width W [d]", "height [W]", "stiffness [N/m]", "toothed walls"]
    columns += ["flow [ρ √g d^1.5], first half of what is counted", "second half"]
    charts = {
        "beverloo": flow_chart(x, y, fixed, curved, free),
        "beverloo_scatter": scatter_chart(x, y, fixed, curved),
    }
    return Figure(columns, rows, charts, checks)


def scatter(what, fit, points):
    return within(what, fit.rms, fit.rms / math.sqrt(2 * points), 0.0, 0.05)


def ratio(what, these, those):
    """That the means of these and of those are the same within 5 %."""
    (one, one_error), (other, other_error) = mean_and_error(these), mean_and_error(those)
    return within(what, one / other - 1, math.hypot(one_error / one, other_error / other), -0.05, 0.05)


def flow_chart(x, y, fixed, curved, free):
    picture = Chart(("opening D/d", 0, 21), (f"flow Q to the power of 2/3, Q in {FLOW_UNIT}", 0, 20))
    at = [fixed.values[1] + 0.01 + 0.1 * k for k in range(200)]
    law = [beverloo(d, *fixed.values, 1.5) ** (2 / 3) for d in at]
    picture.line(f"Beverloo, C = {fixed.values[0]:.3f}, k = {fixed.values[1]:.2f}", "orange", at, law)
    at = [1 + 0.1 * k for k in range(200)]
    law = [mankoc(d, *curved.values) ** (2 / 3) for d in at]
    picture.line(f"Mankoc et al., C = {curved.values[0]:.3f}, b = {curved.values[1]:.3f}", "green", at, law, dashed=True)
    exponent = f"runs; free exponent: {free.values[2]:.2f} ± {free.errors[2]:.2f}"
    picture.points(exponent, "blue", x, [flow ** (2 / 3) for flow in y])
    return picture.svg()


def scatter_chart(x, y, fixed, curved):
    picture = Chart(("opening D/d", 5, 21), ("flow over Beverloo's law with 3/2", 0.9, 1.1))
    picture.line("Beverloo", "orange", [5, 21], [1, 1])
    at = [5 + 0.1 * k for k in range(160)]
    law = [beverloo(d, *fixed.values, 1.5) for d in at]
    picture.line("Mankoc et al.", "green", at, [mankoc(d, *curved.values) / q for d, q in zip(at, law)], dashed=True)
    picture.points("runs", "blue", x, [flow / beverloo(d, *fixed.values, 1.5) for d, flow in zip(x, y)])
    return picture.svg()
