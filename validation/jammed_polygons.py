"""# Jammed polygons: densities and contacts over the rate of growth

Smooth hard polygons of one shape and size grow between periodic sides (Lubachevsky & Stillinger) until pA/NkT = 10⁸.
The rate is γ = Ḋ/√(kT/m) with the diameter D of the disk of equal area. The slower they grow, the more they order and the denser they
jam: squares, triangles and hexagons, which tile the plane, more than pentagons, of which no packing is denser than 0.9213
(Hales & Kusner 2016).

The last row has 1000 isosceles triangles of equal area, of which each has another angle at its apex, uniform from 30° to
120°. Of as many random isosceles triangles in a periodic square a packing fraction of 0.8776 is told, without their
distribution (Wikipedia, *Random sequential packing and jamming*, caption of a figure).

Contacts are counted up to a gap of 2 p^(−2/3) of the distance at which the bounding circles touch, edges that touch twice.
A grain with fewer than three is a rattler. N grains that are no rattlers have 3N − 2 freedoms, and jam by 3N − 1 contacts at
least: z = 6 of a grain where edges count twice.
"""

import math

import numpy

import picture
from estimate import mean_and_error
from figure import Check, Figure

AREA = 1e-4  # of a grain [m^2]
FROM = 0.35  # of the sizes at which they would fill the plane
RATES = [0.3, 0.1, 0.03, 0.01]  # γ
SEEDS = [1, 2]
SIDE = 20  # grains along a side
TRIANGLES = 1000


def regular(vertices):
    return [[math.cos(2 * math.pi * k / vertices), math.sin(2 * math.pi * k / vertices)] for k in range(vertices)]


def isosceles(apex):
    half = math.tan(apex / 2)
    return [[-half, 0.0], [half, 0.0], [0.0, 1.0]]


def scene(shapes, rate, seed):
    """A grain of each shape, on a square lattice, turned anyhow; at size 1 they have the area of the domain."""
    count = len(shapes)
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    pitch = math.sqrt(count * AREA / (columns * rows))
    draw = numpy.random.default_rng(seed)
    velocity = draw.normal(size=(count, 2))
    velocity -= velocity.mean(axis=0)
    angle = draw.uniform(0, 2 * math.pi, size=count)
    order = draw.permutation(count)
    groups = {}
    for k, shape in enumerate(shapes):
        cell = int(order[k])
        entry = {
            "position": [(cell % columns + 0.5) * pitch, (cell // columns + 0.5) * pitch],
            "angle": float(angle[k]),
            "velocity": velocity[k].tolist(),
        }
        groups.setdefault(str(shape), (shape, []))[1].append(entry)
    diameter = math.sqrt(4 * AREA / math.pi)
    growth = rate / diameter
    end = 1.02 * (1 - FROM) / growth
    return {
        "scree": 1,
        "mode": "hard",
        "domain": {"x": [0, columns * pitch], "y": [0, rows * pitch], "periodic": ["x", "y"]},
        "materials": {"ice": {"density": 1, "restitution": 1}},
        "particles": [
            {"place": place, "material": "ice", "shape": {"polygon": shape}, "size": diameter} for shape, place in groups.values()
        ],
        "growth": {"rate": growth, "from": FROM, "pressure": 1e8},
        "time": {"end": end},
        "output": {"every": end / 4},
    }


def shapes_of(name, seed):
    if name == "isosceles triangles":
        draw = numpy.random.default_rng(1000 + seed)
        return [isosceles(apex) for apex in numpy.radians(draw.uniform(30, 120, size=TRIANGLES))]
    return [regular({"triangles": 3, "squares": 4, "pentagons": 5, "hexagons": 6}[name])] * SIDE**2


NAMES = ["triangles", "squares", "pentagons", "hexagons", "isosceles triangles"]


def measure(program, each):
    def jam(job):
        name, rate, seed = job
        run = program.run(f"{name.replace(' ', '_')}_{rate}_{seed}", scene(shapes_of(name, seed), rate, seed))
        last = run.table("series.csv")[-1]
        return last["packing_fraction"], last["coordination"], last["contacts"]

    jobs = [(name, rate, seed) for name in NAMES for rate in RATES for seed in SEEDS]
    rows = [[*job, *found] for job, found in zip(jobs, each(jam, jobs))]

    def of(name, rate, column=3):
        return mean_and_error([r[column] for r in rows if r[0] == name and r[1] == rate])

    checks = []
    slow = min(RATES)
    for name, least, greatest in (("pentagons", 0.84, 0.9213), ("isosceles triangles", 0.8576, 0.8976)):
        found, error = of(name, slow)
        checks.append(Check(f"packing fraction of {name}, γ = {slow}", f"{found:.4f} ± {error:.4f}", f"{least} to {greatest}", least <= found <= greatest + 1e-9))
    densest = max(NAMES, key=lambda name: of(name, slow)[0])
    checks.append(Check(f"the densest, γ = {slow}", f"{densest}, {of(densest, slow)[0]:.4f}", "squares", densest == "squares"))
    for name in NAMES:
        fast, slower = of(name, max(RATES))[0], of(name, slow)[0]
        checks.append(Check(f"{name}: denser in slow growth", f"{fast:.4f} to {slower:.4f}", "rises", slower > fast))
    z, error = of("pentagons", slow, 4)
    checks.append(Check(f"contacts of a pentagon, γ = {slow}", f"{z:.2f} ± {error:.2f}", "6, 5 %", abs(z / 6 - 1) < 0.05))
    return Figure(["shape", "γ", "seed", "packing fraction", "contacts of a grain", "contacts"], rows, pictures(rows), checks)


def pictures(rows):
    plot = picture.axes(("γ", 0.008, 0.4), ("packing fraction", 0.75, 1.01), xscale="log")
    for name, colour in zip(NAMES, ("green", "blue", "orange", "purple", "grey")):
        own = [r for r in rows if r[0] == name]
        rates = sorted({r[1] for r in own})
        picture.points(plot, name, colour, [r[1] for r in own], [r[3] for r in own])
        picture.line(plot, None, colour, rates, [numpy.mean([r[3] for r in own if r[1] == rate]) for rate in rates])
    return {"jammed_polygons": picture.svg(plot)}
