"""# Angularity: packing fraction and shear strength against the number of sides

Regular polygons of 3 to 60 sides, and disks, are compressed in a biaxial box with smooth walls. The right wall moves
inwards; a piston of constant weight that cannot rotate lies on the grains and rises with them. In the steady state the
shear strength is

    sin φ = (σ₁ − σ₃)/(σ₁ + σ₃)

of the mean stress σ of the grains that are further than two sizes from floor and piston, where σ is the sum of force
times branch vector over their contacts. The packing fraction is that of a box at a distance of two sizes from all
walls, since flat sides lie flush with walls.

Published results, by contact dynamics: the strength rises with angularity and saturates below six sides, and the
packing fraction decreases (Azéma, Estrada & Radjai, *Phys. Rev. E* **86** (2012) 041301). Disks with rolling resistance
are as strong as polygons with a certain number of sides (Estrada, Azéma, Radjai & Taboada, *Phys. Rev. E* **84** (2011)
011306, arXiv 1105.4418). Applied to our law, their argument is this. Let ψ = π/n. If two polygons roll on each other,
their distance increases by up to 2R(1 − cos ψ) in each rotation by 2ψ; a polygon that rolls on a plane rises by half of
that. The couple μ_r F R/2 between two disks takes the same energy if μ_r is between ψ/4 and ψ/2.

The strength agrees with the publication, except for squares, which are weaker than triangles and pentagons. **The
published decrease of the packing fraction to a plateau is not found**: the packing fraction decreases down to five
sides, but squares and triangles are packed as densely as grains of 60 sides.

Squares order. The order parameter is |⟨exp(i m θ)⟩| of the grains in that box, where θ is the direction of a side and m
the number of sides, or twice that number if it is odd. It is 0.06 for random directions, 0.22 and 0.32 for squares, and
at most 0.14 for others (in the variants below, up to 0.47 for squares and 0.20 for others). Squares form patches of
rows that differ from sample to sample, and so does their strength, from 0.36 to 0.49. Triangles order less, but lie
side on side: 38 % of their contacts are parallel to within 5°, where random directions would give 8 % (squares 55 and
11 %, pentagons 46 and 14 %).

The table shows the variants that were tried. In none of them are triangles packed as loosely as pentagons (strength,
packing fraction; one or two samples):

| | triangles | squares | pentagons | 60 sides |
|---|---|---|---|---|
| on this page | 0.467, 0.810; 0.489, 0.807 | 0.418, 0.794; 0.361, 0.806 | 0.503, 0.774; 0.484, 0.773 | 0.319, 0.813; 0.306, 0.795 |
| sizes 1 : 3 with equal areas, at random positions | 0.497, 0.805; 0.473, 0.802 | 0.494, 0.782; 0.392, 0.797 | 0.491, 0.793 | 0.352, 0.808 |
| the same at twice the speed | 0.521, 0.796 | | | |
| 800 grains in a box √2 times as wide | 0.484, 0.818 | 0.390, 0.801 | | 0.301, 0.806 |
| loose filling, with friction 2: initially 0.72 | 0.428, 0.800 | | | |
| teeth on the side walls, a quarter of a size deep | 0.363, 0.816 | | | |
| ten times the stiffness, up to 23 % (otherwise: 0.502, 0.810) | 0.442, 0.808 | | | |

Layers at the walls are not the cause either: in strips one size wide, from the side walls inwards, the packing fraction
of triangles is 0.75, 0.79, 0.79, 0.82, 0.82 and 0.82, that of squares 0.75, 0.76, 0.80, 0.79, 0.81 and 0.80. Triangles
reach 0.80 from 0.72 as well as from 0.82, so this is their steady state. A [periodic cell](simple_shear.md), which has no
walls at all, confirms it: triangles and squares are packed a hundredth less densely than grains of 60 sides there, but more
densely than pentagons, and squares are weaker. Of the publication only the abstract is known here. How its samples are
made, and whether that is the difference, is an open question.

Sizes are distributed over 1 cm ± 30 %, since equal squares and hexagons would tile the plane; friction 0.4, restitution
0.1; about 400 grains in a box that is 20 sizes wide at first and 14 at the end; g = 0.75 m/s², with which the piston
presses with 100 N/m and the weight of the grains adds twice that at the floor. The stiffness is 3·10⁶ N/m, 10⁴ times
the pressure, since the area law is soft for corners and for short sides. The piston starts with the speed at which it
will rise. If it starts from rest, or on softer grains, it keeps bouncing, and the packing fraction oscillates by a few
per cent.

Inertial number about 0.01. Averages are over compressions from 15 % to 30 %. Two seeds; the standard error is that of
all pairs of seeds.
"""

import cmath
import math

import picture
from figure import Check, Figure, above, within
from runs import Frame, centroid

SIZE, DENSITY = 0.01, 1000.0  # m, kg/m^2
SPREAD = 0.3  # sizes are drawn from SIZE times 1 - this to 1 + this
GRAVITY, PRESSURE, STIFFNESS = 0.75, 100.0, 3e6  # m/s^2, N/m, N/m
GRAINS, WIDTH = 400, 20 * SIZE
PISTON = 1.2  # m, its height; it reaches up between guides, and the right wall into it
FILLING_GRAVITY, SETTLED = 10.0, 0.55  # m/s^2, s
END = 1.0  # s
STEP = 2.6e-6  # s, the automatic one of triangles among themselves; for the big piston it would be a third
FRICTION = 0.4
SPEED = 0.3 * WIDTH / END  # m/s, of the right wall
STEADY = 0.15  # compression from which on is averaged
SIDES = 3, 4, 5, 6, 8, 12, 20, 60
ROLLING = 0.05, 0.15, 0.3
CASES = [(sides, 0.0) for sides in (*SIDES, 0)] + [(0, rolling) for rolling in ROLLING]
SEEDS = 1, 2


def common(title, seed, rolling, gravity=GRAVITY):
    """What both scenes of a run share."""
    return {
        "scree": 1,
        "title": title,
        "seed": seed,
        "domain": {"x": [-0.1, WIDTH + 0.1], "y": [-0.1, 2.0]},
        "gravity": [0, -gravity],
        "materials": {
            "grain": {
                "density": DENSITY,
                "stiffness": STIFFNESS,
                "restitution": 0.1,
                "friction": FRICTION,
                "rolling_friction": rolling,
            },
            "smooth": {"density": DENSITY, "stiffness": STIFFNESS, "restitution": 0.1},
            "piston": {"density": PRESSURE / GRAVITY / PISTON, "stiffness": STIFFNESS, "restitution": 0.1},
            "moving": {"density": DENSITY, "stiffness": STIFFNESS, "restitution": 0.1},
        },
        "contact": {
            "pairs": [{"between": ["grain", wall], "friction": 0} for wall in ("smooth", "piston", "moving")]
            + [{"between": ["piston", "moving"], "stiffness": 1e-3}]  # which slides in below it
        },
    }


def walls(speed):
    """Floor, left and right wall; above the right one, behind it, the piston's guide."""

    def wall(name, x, y, material="smooth", velocity=0.0):
        return {"name": name, "material": material, "box": {"x": x, "y": y}, "velocity": [velocity, 0]}

    return [
        wall("floor", [-0.02, WIDTH + 0.02], [-0.02, 0]),
        wall("left", [-0.02, 0], [0, 1.0]),
        wall("right", [WIDTH, WIDTH + 0.06], [0, 0.45], "moving", -speed),
        wall("guide", [WIDTH, WIDTH + 0.02], [0.25, 1.0]),
    ]


def filling(sides, rolling, seed):
    """The scene in which the grains settle in the upright box."""
    reach = 1.0 if sides == 0 else math.sqrt(2 * math.pi / sides / math.sin(2 * math.pi / sides))
    cell = 1.011 * (1 + SPREAD) * SIZE * reach  # of the lattice, a bit wider than the largest grain
    row = math.floor(WIDTH / cell)
    rows = round(GRAINS / row)
    grains = {
        "fill": {"count": rows * row, "region": {"x": [0, WIDTH], "y": [0, rows * cell]}, "jitter": 0.1},
        "material": "grain",
        "shape": {"regular_polygon": {"vertices": sides}} if sides else "disk",
        "size": {"uniform": [(1 - SPREAD) * SIZE, (1 + SPREAD) * SIZE]},
    }
    return common("A box is filled", seed, rolling, FILLING_GRAVITY) | {
        "walls": walls(0.0),
        "particles": [grains],
        "time": {"end": SETTLED},
        "output": {"every": SETTLED},
    }


def squeezing(settled, sides, rolling, seed):
    """The scene in which the grains of a frame are squeezed below the piston."""
    groups = []
    for outline, radius in zip(settled.outlines(), settled["radius"]):
        x, y, _ = centroid(outline)
        shape = {"shape": {"polygon": [[px - x, py - y] for px, py in outline]}}
        if sides == 0:
            shape = {"shape": "disk", "size": 2 * radius}
        groups.append({"place": [{"position": [x, y]}], "material": "grain", **shape})
    top = max(y for outline in settled.outlines() for _, y in outline)
    wide = WIDTH - 0.01 * SIZE
    piston = {
        "place": [{"position": [WIDTH / 2, top + PISTON / 2], "velocity": [0, SPEED * top / WIDTH]}],
        "material": "piston",
        "shape": {"polygon": [[0, 0], [wide, 0], [wide, PISTON], [0, PISTON]]},
    }
    return common("A biaxial box", seed, rolling) | {
        "walls": walls(SPEED),
        "particles": [*groups, piston],
        "time": {"end": END, "step": STEP},
        "output": {"every": 0.02},
    }


def strength(contacts, low, high):
    """sin φ of the contacts between these heights."""
    xx = yy = xy = 0.0
    for line, force in zip(contacts.outlines(), contacts["force"]):
        if not low < line[1][1] < high:
            continue
        along = line[-1][0] - line[0][0], line[-1][1] - line[0][1]
        xx += force[0] * along[0]
        yy += force[1] * along[1]
        xy += (force[0] * along[1] + force[1] * along[0]) / 2
    return math.hypot(xx - yy, 2 * xy) / (xx + yy)


def state_of(particles, contacts, sides):
    """Strength, packing fraction and order of a frame."""
    *grains, piston = particles.outlines()  # the piston was born last
    height = sum(sorted(y for _, y in piston)[:2]) / 2
    lo, hi = (2 * SIZE, 2 * SIZE), (WIDTH - SPEED * particles.time - 2 * SIZE, height - 2 * SIZE)
    inside = sum(
        mass * area_within(outline, lo, hi) / centroid(outline)[2]  # the outline of a disk is a polygon in it
        for outline, mass in zip(grains, particles["mass"])
    )
    inner = [g for g in grains if all(a < c < b for a, c, b in zip(lo, centroid(g), hi))]
    packing = inside / DENSITY / ((hi[0] - lo[0]) * (hi[1] - lo[1]))
    return strength(contacts, lo[1], hi[1]), packing, order(inner, sides)


def order(grains, sides):
    """1 if the sides of all have the same directions, about 0.9/√N if N grains are turned at random; disks: 0."""
    if sides == 0:
        return 0.0
    directions = sides if sides % 2 == 0 else 2 * sides  # side on side a grain of odd sides is turned by half a turn
    turned = [math.atan2(q[1] - p[1], q[0] - p[0]) for p, q, *_ in grains]
    return abs(sum(cmath.exp(1j * directions * angle) for angle in turned)) / len(turned)


def area_within(outline, lo, hi):
    """Area of the part of a convex polygon that lies within a box."""
    for axis in (0, 1):
        for bound, sign in ((lo[axis], 1), (hi[axis], -1)):
            kept = []
            for p, q in zip(outline, outline[1:] + outline[:1]):
                inner_p, inner_q = sign * (p[axis] - bound), sign * (q[axis] - bound)
                if inner_p > 0:
                    kept.append(p)
                if inner_p * inner_q < 0:
                    share = inner_p / (inner_p - inner_q)
                    kept.append((p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])))
            if len(kept) < 3:
                return 0.0
            outline = kept
    return centroid(outline)[2]


def squeeze(program, sides, rolling, seed):
    """Means over the steady state."""
    name = f"sides_{sides}_rolling_{rolling:g}_seed_{seed}"
    settled = Frame(program.run(f"{name}_filling", filling(sides, rolling, seed)).frames("particles")[-1])
    run = program.run(name, squeezing(settled, sides, rolling, seed))
    frames = zip(run.frames("particles"), run.frames("contacts"), run.table("series.csv"))
    steady = [state_of(Frame(p), Frame(c), sides) for p, c, row in frames if row["time"] * SPEED > STEADY * WIDTH]
    return [sum(values) / len(steady) for values in zip(*steady)]


def measure(program, each):
    runs = [(*case, seed) for case in CASES for seed in SEEDS]
    rows = [[*run, *found] for run, found in zip(runs, each(lambda run: squeeze(program, *run), runs))]
    strength_of, strength_error = means(rows, 3)
    packing_of, packing_error = means(rows, 4)

    disks, few, many = strength_of[0, 0.0], [strength_of[n, 0.0] for n in (3, 4, 5)], strength_of[60, 0.0]
    rolling = [strength_of[0, r] for r in (0.0, *ROLLING)]
    packed = packing_of[60, 0.0]
    saturated, squares = sum(few) / len(few), 2 * few[1] / (few[0] + few[2])
    checks = [
        above("strength of 3 to 5 sides minus that of 60", saturated - many, 1.2 * strength_error),
        within("strength of 60 sides minus that of disks", many - disks, 1.5 * strength_error, -0.05, 0.05),
        within("strength of 3 to 5 sides over that of 6", saturated / strength_of[6, 0.0], strength_error / saturated, 0.8, 1.2),
        within("strength of 4 sides over that of 3 and 5", squares, 1.2 * strength_error / saturated, 0.9, 1.1),
        *(
            above(f"packing fraction of 60 sides minus that of {n}", packed - packing_of[n, 0.0], 1.5 * packing_error)
            for n in (3, 4, 5)
        ),
        above("strength of disks, largest rolling friction minus none", rolling[-1] - rolling[0], 1.5 * strength_error),
        Check(
            "disks with some rolling friction are as strong as octagons and dodecagons",
            ", ".join(f"{v:.3f}" for v in rolling),
            f"around {strength_of[8, 0.0]:.3f} and {strength_of[12, 0.0]:.3f}",
            all(min(rolling) < strength_of[n, 0.0] < max(rolling) for n in (8, 12)),
        ),
    ]
    columns = ["sides (0: disks)", "rolling friction", "seed", "strength", "packing fraction", "order"]
    return Figure(columns, rows, pictures(rows), checks)


def means(rows, column):
    """Mean of every case, and the standard error of each such mean, from the scatter within all cases."""
    values = {case: [row[column] for row in rows if tuple(row[:2]) == case] for case in CASES}
    mean = {case: sum(v) / len(v) for case, v in values.items()}
    scatter = sum((v - mean[case]) ** 2 for case in CASES for v in values[case])
    return mean, math.sqrt(scatter / (len(CASES) * (len(SEEDS) - 1)) / len(SEEDS))


def pictures(rows):
    strength_of, strength_error = means(rows, 3)
    strength_axes = against_sides("shear strength sin φ", 0, 0.7, strength_of, strength_error)
    for k, rolling in enumerate(ROLLING):
        name = "" if k else "disks, rolling friction from ψ/4 to ψ/2"
        strengths = [strength_of[0, rolling]] * 2
        picture.line(strength_axes, name, "orange", [math.pi / (4 * rolling), math.pi / (2 * rolling)], strengths)
    return {
        "angularity_strength": picture.svg(strength_axes, "upper right"),
        "angularity_packing": picture.svg(against_sides("packing fraction", 0.74, 0.86, *means(rows, 4)), "lower right"),
    }


def against_sides(label, least, greatest, mean_of, error):
    axes = picture.axes(("number of sides", 2.5, 70), (label, least, greatest), xscale="log")
    axes.set_xticks(SIDES, labels=SIDES)
    axes.set_xticks([], minor=True)
    polygons = [mean_of[n, 0.0] for n in SIDES]
    picture.line(axes, "", "blue", SIDES, polygons)
    picture.points(axes, "polygons", "blue", SIDES, polygons, error)
    picture.line(axes, "disks", "grey", [2.5, 70], [mean_of[0, 0.0]] * 2, dashed=True)
    return axes
