"""# Rheology: friction and packing fraction of disks in steady shear, against the inertial number

Disks in a periodic cell without walls are pressed to P = 100 N/m, then sheared at a constant rate, while the height
adjusts itself to that pressure and the width stays. In the steady state there is one number that counts if grains are
stiff, the inertial number I = γ̇ √(m/P), with m the mean mass. For disks with friction 0.4, sheared between rough walls,

    μ = −σ_xy/σ_yy ≈ 0.25 + 1.1 I,   ν ≈ 0.81 − 0.3 I

(da Cruz, Emam, Prochnow, Roux & Chevoir, *Phys. Rev. E* **72** (2005) 021309). The paper was not at hand when these
numbers were written down, and its disks have other sizes, stiffness and walls: so the bands below are wide.

A direct shear test measures tan φ_ds = −σ_xy/σ_yy on the plane of shear, a biaxial test sin φ = (σ₁ − σ₃)/(σ₁ + σ₃). If
stress and rate of strain have the same directions, and grains dilate by the angle ψ, the two are related by (Davis 1968)

    tan φ_ds = sin φ cos ψ/(1 − sin φ sin ψ).

In the steady state ψ = 0, and both are equal, as they are if σ_xx = σ_yy. One of the checks compares them.

300 disks of 1 cm ± 20 %, 1000 kg/m², stiffness 4000 P, tangential stiffness half of that, restitution 0.3, friction 0.4.
Stresses and packing fraction are means over samples, a hundred in each unit of shear strain, from a strain of 2 to one of
5 (I = 0.01) to 12 (0.1 and 0.2). The damping of the height is 0.05 of the critical one: with the default the height
needs a strain of several to get right at I = 0.2. The work of the drive is 1 to 4 % less than that of the shear stress:
the damping takes them. Two seeds; errors are those of the scatter about the lines.
"""

import math

import picture
from estimate import fit, mean_and_error
from figure import Figure, within
from runs import Frame

SIZE, DENSITY, SPREAD = 0.01, 1000.0, 0.2  # m, kg/m^2
PRESSURE = 100.0  # N/m
GRAIN = {"density": DENSITY, "stiffness": 4e5, "tangential_stiffness": 0.5, "restitution": 0.3, "friction": 0.4}
GRAINS = 300
PACKED = 0.76  # at the start
STRAINS = {0.01: 5.0, 0.02: 6.0, 0.05: 10.0, 0.1: 12.0, 0.2: 12.0}  # up to which is sheared, by inertial number
SEEDS = 1, 2
STEADY = 2.0  # shear strain from which on is averaged
SAMPLE = 0.01  # shear strain between two samples


def mass_of(spread):
    """Of a grain, on the average [kg]."""
    return DENSITY * math.pi / 4 * SIZE**2 * (1 + spread**2 / 3)


def scene(inertial, seed, shape="disk", grain=GRAIN, count=GRAINS, spread=SPREAD, end=None):
    """Grains in a cell: pressed, then sheared."""
    mass = mass_of(spread)
    side = math.sqrt(count * mass / DENSITY / PACKED)
    rate = inertial * math.sqrt(PRESSURE / mass)
    square = {"x": [0, side], "y": [0, side]}
    free = {"stress": PRESSURE, "rate": max(5.0, 2 * rate)}
    return {
        "scree": 1,
        "title": "Steady shear in a periodic cell",
        "seed": seed,
        "domain": {**square, "periodic": ["x", "y"], "cell": {"xx": free, "yy": free}},
        "materials": {"grain": grain},
        "particles": [
            {
                "random": {"region": square, "count": count, "jitter": 0.01},
                "material": "grain",
                "shape": shape,
                "size": {"uniform": [(1 - spread) * SIZE, (1 + spread) * SIZE]},
            }
        ],
        "stages": [
            {"name": "press", "time": {"end": 3.0, "until": {"unbalanced": 1e-2}}},
            {
                "name": "shear",
                "cell": {"yy": free, "xy": {"rate": rate}, "damping": 0.05},
                "time": {"end": (end or STRAINS[inertial]) / rate},
            },
        ],
        "output": {"every": SAMPLE / rate},
    }


def steady(run, first=STEADY):
    """Of the steady state: shear stress of the work, mean of σ_xy, σ_xx and σ_yy over the pressure, packing fraction."""
    rows = [row for row in run.table("cell.csv") if row["strain_xy"] >= first]
    area = [row["length_x"] * row["length_y"] for row in rows]
    strain = rows[-1]["strain_xy"] - rows[0]["strain_xy"]
    work = (rows[-1]["work"] - rows[0]["work"]) / (strain * sum(area) / len(area))
    mean = {name: sum(row[f"stress_{name}"] for row in rows) / len(rows) / PRESSURE for name in ("xy", "xx", "yy")}
    solid = sum(Frame(run.frames("particles")[0])["mass"]) / DENSITY
    packing = sum(solid / one for one in area) / len(area)
    return [work / PRESSURE, -mean["xy"], mean["xx"], mean["yy"], packing]


def shear(program, inertial, seed):
    return steady(program.run(f"inertial_{inertial:g}_seed_{seed}", scene(inertial, seed)))


def measure(program, each):
    runs = [(inertial, seed) for inertial in STRAINS for seed in SEEDS]
    rows = [[*run, *found] for run, found in zip(runs, each(lambda run: shear(program, *run), runs))]
    friction, packing = laws(rows)
    slow = [row for row in rows if row[0] <= 0.02]
    ratios = [friction_of(row) / strength(row) for row in slow]
    checks = [
        within("friction at I → 0", friction.values[0], friction.errors[0], 0.22, 0.30),
        within("its increase with I", friction.values[1], friction.errors[1], 0.7, 1.5),
        within("packing fraction at I → 0", packing.values[0], packing.errors[0], 0.79, 0.83),
        within("its decrease with I", -packing.values[1], packing.errors[1], 0.15, 0.45),
        within("tan φ_ds over sin φ, I up to 0.02 (Davis: 1)", *mean_and_error(ratios), 0.97, 1.03),
        within("σ_yy held, over that asked", *mean_and_error([row[5] for row in rows]), 0.97, 1.03),
    ]
    columns = ["inertial number", "seed", "shear stress by work over P", "-stress xy over P", "stress xx over P"]
    columns += ["stress yy over P", "packing fraction"]
    return Figure(columns, rows, pictures(rows), checks)


def friction_of(row):
    return row[3] / row[5]


def strength(row):
    """sin φ of the mean stress."""
    xy, xx, yy = row[3:6]
    return math.hypot(xx - yy, 2 * xy) / (xx + yy)


def straight(inertial, least, slope):
    return least + slope * inertial


def laws(rows):
    """Straight lines: friction and packing fraction against the inertial number."""
    x = [row[0] for row in rows]
    friction = fit(straight, (0.25, 1.0), x, [friction_of(row) for row in rows])
    return friction, fit(straight, (0.8, -0.3), x, [row[6] for row in rows])


def pictures(rows):
    friction, packing = laws(rows)
    drawn = {}
    for name, label, least, greatest, found, cruz, value in (
        ("rheology", "friction −σ_xy/σ_yy", 0.2, 0.6, friction, (0.25, 1.1), friction_of),
        ("rheology_packing", "packing fraction", 0.72, 0.84, packing, (0.81, -0.3), lambda row: row[6]),
    ):
        axes = picture.axes(("inertial number I", 0, 0.21), (label, least, greatest))
        ends = [0, 0.21]
        picture.line(axes, "da Cruz et al.", "grey", ends, [straight(i, *cruz) for i in ends], dashed=True)
        text = f"{found.values[0]:.3f} {'+' if found.values[1] > 0 else '−'} {abs(found.values[1]):.2f} I"
        picture.line(axes, text, "orange", ends, [straight(i, *found.values) for i in ends])
        for seed, colour in zip(SEEDS, ("blue", "purple")):
            own = [row for row in rows if row[1] == seed]
            picture.points(axes, f"seed {seed}", colour, [row[0] for row in own], [value(row) for row in own])
        drawn[name] = picture.svg(axes)
    return drawn
