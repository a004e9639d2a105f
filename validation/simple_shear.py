"""# Simple shear: angularity without walls

[Angularity](angularity.md) finds squares and triangles more densely packed, and squares weaker, than published. Its
biaxial box has walls, a piston, and strains of some tenths. Here regular polygons, and disks, are sheared in a periodic
cell without walls, as in [rheology](rheology.md), up to a strain of 3.5, while its height keeps σ_yy. Estrada, Azéma, Radjai
& Taboada (*Phys. Rev. E* **84** (2011) 011306, arXiv 1105.4418) shear polygons and disks in steady simple shear, too.
The strength is sin φ = (σ₁ − σ₃)/(σ₁ + σ₃) of the mean stress, the packing fraction that of the whole cell, both averaged
from a strain of 1.5 on; the order parameter is that of [angularity](angularity.md).

**Walls are not the cause.** Strengths are those of the biaxial box to within 0.02, packing fractions to within 0.012.
Nor is softness: with eight times the stiffness (strength, packing fraction; one sample) triangles have 0.468, 0.793,
pentagons 0.488, 0.769, grains of 60 sides 0.328, 0.806. What becomes better: triangles and squares are packed less densely
than grains of 60 sides, by 0.01. What remains:

- There is no plateau below six sides, but a dip at pentagons: triangles and squares are packed more densely, by 0.02.
- Squares are weaker than triangles and pentagons. In the pictures they slide in rows, side on side.

Order is our best guess at the reason: triangles, squares and hexagons, which can tile the plane if they are equal, reach
order parameters of 0.2, pentagons 0.1, and 0.06 is that of random directions. A spread of sizes of ± 30 % does not prevent
it. Whether the samples of the publication do is open.

200 grains of 1 cm ± 30 %, friction 0.4, restitution 0.3, stiffness 4000 times the pressure, I = 0.02. Two seeds; the
standard error is that of all pairs of seeds.
"""

import math

import picture
import rheology
from angularity import order
from estimate import mean_and_error
from figure import Figure, above, within
from runs import Frame

SIDES = 3, 4, 5, 6, 8, 60, 0  # 0: disks
SEEDS = 1, 2
GRAINS, SPREAD = 200, 0.3
INERTIAL = 0.02
STEADY, END = 1.5, 3.5  # shear strains
GRAIN = {"density": rheology.DENSITY, "stiffness": 4e5, "restitution": 0.3, "friction": 0.4}


def scene(sides, seed, grain=GRAIN, inertial=INERTIAL):
    shape = {"regular_polygon": {"vertices": sides}} if sides else "disk"
    return rheology.scene(inertial, seed, shape, grain, GRAINS, SPREAD, END)


def shear(program, sides, seed):
    """Strength, packing fraction, order, and σ_xx over σ_yy."""
    run = program.run(f"sides_{sides}_seed_{seed}", scene(sides, seed))
    _, xy, xx, yy, packing = rheology.steady(run, STEADY)
    frames = run.frames("particles")
    late = [order(Frame(f).outlines(), sides) for f in frames[len(frames) // 2 :: 10]]
    return [math.hypot(xx - yy, 2 * xy) / (xx + yy), packing, sum(late) / len(late), xx / yy]


def measure(program, each):
    runs = [(sides, seed) for sides in SIDES for seed in SEEDS]
    rows = [[*run, *found] for run, found in zip(runs, each(lambda run: shear(program, *run), runs))]
    strength, strength_error = means(rows, 2)
    packing, packing_error = means(rows, 3)
    few = [strength[n] for n in (3, 4, 5)]
    saturated, squares = sum(few) / 3, 2 * few[1] / (few[0] + few[2])
    checks = [
        above("strength of 3 to 5 sides minus that of 60", saturated - strength[60], 1.2 * strength_error),
        within("strength of 60 sides minus that of disks", strength[60] - strength[0], 1.5 * strength_error, -0.05, 0.05),
        within("strength of 3 to 5 sides over that of 6", saturated / strength[6], strength_error / saturated, 0.8, 1.2),
        within("strength of 4 sides over that of 3 and 5", squares, 1.2 * strength_error / saturated, 0.9, 1.1),
        *(
            above(f"packing fraction of 60 sides minus that of {n}", packing[60] - packing[n], 1.5 * packing_error)
            for n in (3, 4, 5)
        ),
        within(
            "packing fraction of 3 and 4 sides minus that of 5",
            (packing[3] + packing[4]) / 2 - packing[5], 1.2 * packing_error, -0.01, 0.01,
        ),  # fmt: skip
        within("σ_xx over σ_yy", *mean_and_error([row[5] for row in rows]), 0.9, 1.1),
    ]
    columns = ["sides (0: disks)", "seed", "strength", "packing fraction", "order", "stress xx over stress yy"]
    return Figure(columns, rows, pictures(rows), checks)


def means(rows, column):
    """Mean of every number of sides, and the standard error of each, from the scatter within all."""
    values = {sides: [row[column] for row in rows if row[0] == sides] for sides in SIDES}
    mean = {sides: sum(v) / len(v) for sides, v in values.items()}
    scatter = sum((v - mean[sides]) ** 2 for sides in SIDES for v in values[sides])
    return mean, math.sqrt(scatter / (len(SIDES) * (len(SEEDS) - 1)) / len(SEEDS))


def pictures(rows):
    drawn = {}
    for name, label, least, greatest, column in (
        ("simple_shear_strength", "shear strength sin φ", 0, 0.7, 2),
        ("simple_shear_packing", "packing fraction", 0.74, 0.86, 3),
    ):
        mean_of, error = means(rows, column)
        axes = picture.axes(("number of sides", 2.5, 70), (label, least, greatest), xscale="log")
        polygons = [n for n in SIDES if n]
        axes.set_xticks(polygons, labels=polygons)
        axes.set_xticks([], minor=True)
        found = [mean_of[n] for n in polygons]
        picture.line(axes, "", "blue", polygons, found)
        picture.points(axes, "polygons", "blue", polygons, found, error)
        picture.line(axes, "disks", "grey", [2.5, 70], [mean_of[0]] * 2, dashed=True)
        drawn[name] = picture.svg(axes, "upper right")
    return drawn
