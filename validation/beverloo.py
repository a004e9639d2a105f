"""# Beverloo: the flow out of a silo

Silos with a flat bottom are filled and then drained through an opening of width D. In two dimensions the mass flow
should be

    Q = C ρ √g (D − k d)^(3/2),

with k of 1 to 2 for round grains. It should not depend on the height of the filling, if this height is more than 1.2
widths W of the silo and W is more than 2.5 D (Beverloo, Leniger & van de Velde 1961; Mankoc et al., *Granular Matter*
**9** (2007) 407, arXiv 0707.4550). Mankoc et al. show that this law holds only for a small range of openings: with a
single k, the flow through small openings is less. Their law, with 3/2 instead of the 5/2 of three dimensions, has k = 1
and is Beverloo's law for wide openings:

    Q = C ρ √g (1 − e^(−b (D/d − 1))/2) (D − d)^(3/2).

Three fits are made to the flow of hexagons: C and k; C and b; C, k *and the exponent*. The k of hexagons is larger than
that of round grains.

**The flow of grains that roll freely depends on the height.** The flow of hexagons and that of disks with rolling
friction do not depend on it. Disks with the same friction that roll freely flow faster the higher the filling is. This
is not an error of the program: in LAMMPS (`gran/hooke/history`, the same silo, stiffness and friction, two runs) the
flow of the upper half exceeds that of the lower half by 9 and 11 %. Soft grains with little friction are known to
behave in this way (Pongó et al., *New J. Phys.* **23** (2021) 023001, arXiv 2104.08186), and disks that roll freely
also have a low strength: see the page on [angularity](angularity.md).

A lattice of grains collapses behind a gate. The gate is removed, and the flow is measured while the level sinks from
0.15 W to 1.2 W below its first height; the level is calculated from the mass in the silo at a packing fraction of 0.82.
Openings are 9 to 23 d wide. Silos are 2.5 D wide, but at least 27.5 d. Silos of 27.5 d are filled to 3.9 W, wider ones
so high that the same number of grains is counted, 2000. Two seeds each. Width and stiffness are varied with disks that
resist rolling, in one run each, whose two halves give the error.

Grains of 1 cm ± 10 % (the diameter of the disk of equal area), 1000 kg/m²; ρ is their density; friction 0.5,
restitution 0.2, also for the walls; rolling friction 0.2, if any; in the narrow silos 1.5·10⁶ N/m for hexagons, 3.5·10⁵
N/m for disks, in wider silos more, in proportion to W.
"""

import math
from typing import NamedTuple

import picture
from estimate import fit, mean_and_error
from figure import Figure, above, within

GRAVITY = 9.81  # m/s^2
SIZE, DENSITY = 0.01, 1000.0  # m, kg/m^2
PACKED = 0.82  # the packing fraction by which mass is given as a height
UNIT = DENSITY * math.sqrt(GRAVITY) * SIZE**1.5  # kg/s
FLOW_UNIT = r"$\rho\,\sqrt{g}\,d^{3/2}$"
RESISTING = "disks that resist rolling"
GRAINS = {  # shape, rolling friction, stiffness in a silo of the narrow width [N/m]
    "hexagons": ({"regular_polygon": {"vertices": 6}}, 0.0, 1.5e6),
    RESISTING: ("disk", 0.2, 3.5e5),
    "disks": ("disk", 0.0, 3.5e5),
    "stiffer " + RESISTING: ("disk", 0.2, 1.05e6),
}
COLOURS = {"hexagons": "blue", RESISTING: "green", "disks": "orange"}
OPENING, NARROW = 11.0, 27.5  # grain diameters, of the silos that are compared with one another
TALL = 3.9  # widths, how high silos of the narrow width are filled
FIRST, LAST = 0.15, 1.2  # widths: by how much the level sinks before counting begins, and where that ends


class Silo(NamedTuple):
    grains: str
    opening: float  # grain diameters
    width: float  # grain diameters
    filled: float  # widths
    seed: int


def silo_of(grains, opening, width, seed):
    """Filled so high that as many grains are counted as in the narrow ones."""
    filled = FIRST + LAST + (TALL - FIRST - LAST) * (NARROW / width) ** 2
    return Silo(grains, opening, width, round(filled, 3), seed)


SEEDS = 1, 2
OPENINGS = [
    silo_of("hexagons", opening, max(2.5 * opening, NARROW), seed)
    for opening in (9.0, OPENING, 14.0, 18.0, 23.0)
    for seed in SEEDS
]
DRAINED = [silo_of(grains, OPENING, NARROW, seed) for grains in COLOURS for seed in SEEDS]
WIDE = silo_of(RESISTING, OPENING, OPENING + 30, 1)
STIFFER = silo_of("stiffer " + RESISTING, OPENING, NARROW, 1)


def mass_at(level, silo):
    """Mass that fills a silo up to a level [kg]."""
    return DENSITY * PACKED * level * (silo.width * SIZE) ** 2


def scene(silo):
    """A silo is filled by a lattice that collapses, and drained."""
    shape, rolling, stiffness = GRAINS[silo.grains]
    half, width = silo.opening * SIZE / 2, silo.width * SIZE
    top = 1.9 * silo.filled * width  # of the lattice
    stiffness *= silo.width / NARROW  # wide silos press more
    material = {"density": DENSITY, "stiffness": stiffness, "restitution": 0.2, "friction": 0.5, "rolling_friction": rolling}
    settled = 0.1 + 1.5 * math.sqrt(silo.filled * width / GRAVITY)
    slowly = 0.75 * max(silo.opening - 2, 0.1) ** 1.5 * UNIT
    lost = mass_at(silo.filled, silo) - mass_at(LAST, silo)

    def wall(name, x, y, until="never"):
        return {"name": name, "material": "grain", "box": {"x": x, "y": y}, "until": until}

    grains = {
        "fill": {
            "count": round(mass_at(silo.filled, silo) / (DENSITY * math.pi / 4 * SIZE**2)),
            "region": {"x": [-width / 2, width / 2], "y": [0, top]},
            "jitter": 0.2,
        },
        "material": "grain",
        "shape": shape,
        "size": {"uniform": [0.9 * SIZE, 1.1 * SIZE]},
    }
    end = settled + lost / slowly + 0.2
    return {
        "scree": 1,
        "title": "A silo is drained",
        "seed": silo.seed,
        "domain": {"x": [-width / 2 - 0.02, width / 2 + 0.02], "y": [-0.1, top + 0.01]},
        "gravity": [0, -GRAVITY],
        "materials": {"grain": material},
        "walls": [
            wall("left", [-width / 2 - 0.02, -width / 2], [-0.005, top]),
            wall("right", [width / 2, width / 2 + 0.02], [-0.005, top]),
            wall("bottom left", [-width / 2 - 0.02, -half], [-0.005, 0]),
            wall("bottom right", [half, width / 2 + 0.02], [-0.005, 0]),
            wall("gate", [-half, half], [-0.005, 0], settled),
        ],
        "particles": [grains],
        "time": {"end": end},
        "output": {"every": end / 20},
    }


def drain(program, silo):
    """Times and levels of a silo as grains leave it."""
    name = f"{silo.grains.replace(' ', '_')}_opening_{silo.opening:g}_width_{silo.width:g}_filled_{silo.filled:g}"
    run = program.run(f"{name}_seed_{silo.seed}", scene(silo))
    left, falls = mass_at(silo.filled, silo), []
    for grain in run.table("flow.csv"):
        left -= grain["mass"]
        falls.append((grain["time"], left / mass_at(1.0, silo)))
    if not falls or falls[-1][1] > LAST:
        raise RuntimeError(f"{name}: clogged")
    return falls


def flow(silo, falls, upper, lower):
    """Mass that leaves in a second while the level sinks from upper to lower, in UNIT."""
    (begin, high), (end, low) = (next(fall for fall in falls if fall[1] <= level) for level in (upper, lower))
    return mass_at(high - low, silo) / (end - begin) / UNIT


def bounds(silo, parts):
    """Levels that part what is counted."""
    first = silo.filled - FIRST
    return [first + (LAST - first) * k / parts for k in range(parts + 1)]


def flows_of(silo, falls, parts):
    """The flow while the level sinks through each part of what is counted."""
    cuts = bounds(silo, parts)
    return [flow(silo, falls, *part) for part in zip(cuts, cuts[1:])]


def beverloo(opening, factor, k, exponent):
    return factor * max(opening - k, 1e-9) ** exponent


def mankoc(opening, factor, b):
    return factor * (1 - math.exp(-b * (opening - 1)) / 2) * (opening - 1) ** 1.5


def measure(program, each):
    silos = list(dict.fromkeys([*OPENINGS, *DRAINED, WIDE, STIFFER]))
    falls = dict(zip(silos, each(lambda silo: drain(program, silo), silos)))
    flows = {silo: flows_of(silo, falls[silo], 2) for silo in silos}

    def fallen(grains):
        """By how much the flow of the upper half of a tall silo exceeds that of the lower one."""
        return mean_and_error([flows[silo][0] / flows[silo][1] - 1 for silo in DRAINED if silo.grains == grains])

    rows = [[*silo, *flows[silo]] for silo in silos]
    free, fixed, curved = laws(*flows_over_openings(rows))
    narrow = [sum(flows[silo]) / 2 for silo in DRAINED if silo.grains == RESISTING]
    upper, middle, last = bounds(DRAINED[0], 2)
    levels = f"flow from {upper:.2f} to {middle:.2f} W over that from there to {last:.1f} W, minus 1: "
    checks = [
        within("exponent, fitted with C and k", free.values[2], free.errors[2], 1.4, 1.6),
        scatter(f"scatter about Beverloo's law, k = {fixed.values[1]:.2f} ± {fixed.errors[1]:.2f}", fixed, len(OPENINGS)),
        scatter(f"scatter about Mankoc's law, b = {curved.values[1]:.3f} ± {curved.errors[1]:.3f}", curved, len(OPENINGS)),
        within(levels + "hexagons", *fallen("hexagons"), -0.05, 0.05),
        within(levels + RESISTING, *fallen(RESISTING), -0.05, 0.05),
        above(levels + "disks", *fallen("disks")),
        ratio(f"flow at W = {WIDE.width:g} d over that at {NARROW:g} d, minus 1", flows[WIDE], narrow),
        ratio("flow with three times the stiffness over that of the usual one, minus 1", flows[STIFFER], narrow),
    ]
    columns = ["grains", "opening [d]", "width W [d]", "filled [W]", "seed"]
    columns += ["flow [ρ √g d^1.5], upper half of what is counted", "lower half"]
    return Figure(columns, rows, pictures(rows) | {"beverloo_level": level_picture(levels_of(falls))}, checks)


def scatter(what, fit, points):
    return within(what, fit.rms, fit.rms / math.sqrt(2 * points), 0.0, 0.05)


def ratio(what, these, those):
    """That the means of these and of those are the same within 5 %."""
    (one, one_error), (other, other_error) = mean_and_error(these), mean_and_error(those)
    return within(what, one / other - 1, math.hypot(one_error / one, other_error / other), -0.05, 0.05)


def flows_over_openings(rows):
    """Openings and mean flows of the silos that the laws are fitted to."""
    flows = {Silo(*row[:5]): row[5:] for row in rows}
    return [silo.opening for silo in OPENINGS], [sum(flows[silo]) / 2 for silo in OPENINGS]


def laws(x, y):
    """Beverloo's law with a free exponent, the same with 3/2, and Mankoc's, fitted to flows with equal relative errors."""
    return (
        fit(beverloo, (1.0, 1.5, 1.5), x, y, y),
        fit(lambda d, factor, k: beverloo(d, factor, k, 1.5), (1.0, 1.5), x, y, y),
        fit(mankoc, (1.0, 0.1), x, y, y),
    )


def pictures(rows):
    """Those that follow from the table."""
    x, y = flows_over_openings(rows)
    free, fixed, curved = laws(x, y)
    return {"beverloo": flow_picture(x, y, fixed, curved, free), "beverloo_scatter": scatter_picture(x, y, fixed, curved)}


def flow_picture(x, y, fixed, curved, free):
    axes = picture.axes(("opening D/d", 0, 25), (f"flow Q to the power of 2/3, Q in {FLOW_UNIT}", 0, 20))
    at = [fixed.values[1] + 0.01 + 0.1 * k for k in range(240)]
    law = [beverloo(d, *fixed.values, 1.5) ** (2 / 3) for d in at]
    picture.line(axes, f"Beverloo, C = {fixed.values[0]:.3f}, k = {fixed.values[1]:.2f}", "orange", at, law)
    at = [1 + 0.1 * k for k in range(240)]
    law = [mankoc(d, *curved.values) ** (2 / 3) for d in at]
    name = f"Mankoc et al., C = {curved.values[0]:.3f}, b = {curved.values[1]:.3f}"
    picture.line(axes, name, "green", at, law, dashed=True)
    exponent = f"runs; free exponent: {free.values[2]:.2f} ± {free.errors[2]:.2f}"
    picture.points(axes, exponent, "blue", x, [flow ** (2 / 3) for flow in y])
    return picture.svg(axes, "upper left")


def scatter_picture(x, y, fixed, curved):
    axes = picture.axes(("opening D/d", 8, 24), ("flow over Beverloo's law with 3/2", 0.9, 1.1))
    picture.line(axes, "Beverloo", "orange", [8, 24], [1, 1])
    at = [8 + 0.1 * k for k in range(161)]
    over = [mankoc(d, *curved.values) / beverloo(d, *fixed.values, 1.5) for d in at]
    picture.line(axes, "Mankoc et al.", "green", at, over, dashed=True)
    picture.points(axes, "runs", "blue", x, [flow / beverloo(d, *fixed.values, 1.5) for d, flow in zip(x, y)])
    return picture.svg(axes, "upper left")


def levels_of(falls):
    """Of each kind of grains in tall silos: levels, and mean flows while these are passed with their standard errors."""
    found = {}
    for grains in COLOURS:
        same = [silo for silo in DRAINED if silo.grains == grains]
        cuts = bounds(same[0], 10)
        middles = [(upper + lower) / 2 for upper, lower in zip(cuts, cuts[1:])]
        flows = zip(*(flows_of(silo, falls[silo], 10) for silo in same))
        found[grains] = middles, *zip(*map(mean_and_error, flows))
    return found


def level_picture(levels):
    """The flow from tall silos as the level sinks."""
    axes = picture.axes(("level/W", 1, 4), (f"flow Q [{FLOW_UNIT}]", 15, 40))
    for grains, colour in COLOURS.items():
        picture.points(axes, grains, colour, *levels[grains])
    return picture.svg(axes, "upper left")
