"""# Repose: polygons pile up steeper than disks

Grains are poured on the middle of a plate with teeth; what is too much runs off its ends. Disks roll down, polygons
do not, so at equal friction their heaps are steeper; by how much depends on the way of pouring. Measured is the slope
of both flanks, a line through the highest resting grains of columns a grain wide, between 20 and 80 % of the heap's
height, averaged over the second half of the pouring, in which avalanches run down. Squares pile up to where they are
poured from, and stand there. To see that it is neither the step's nor the stiffness's doing, disks and hexagons again
with four times the stiffness, which halves the automatic step.

Sizes 1 cm ± 20 %, 1000 kg/m², stiffness 3·10⁵ N/m, restitution 0.2; the plate is 30 grains wide; up to 900 grains,
250 a second if there is room, fall from 13 to 16 sizes above it. Four seeds.
"""

import math

from chart import Chart
from figure import Check, Figure
from fit import mean_and_error, slope_of
from runs import Frame, centroid

SIZE = 0.01  # m
COLUMNS = 30
HALF = COLUMNS * SIZE / 2
SHAPES = {"disk": "disk", "hexagon": {"regular_polygon": {"vertices": 6}}, "square": {"regular_polygon": {"vertices": 4}}}
COLOURS = {"disk": "blue", "hexagon": "green", "square": "orange"}
FRICTIONS = {"disk": (0.2, 0.5, 0.8), "hexagon": (0.2, 0.5, 0.8), "square": (0.2, 0.5)}
STIFFNESS = 3e5  # N/m
STIFFER = "disk", "hexagon"  # again with four times the stiffness
END = 3.6  # s
SEEDS = 1, 2, 3, 4


def scene(shape, friction, stiffness, seed):
    material = {"density": 1000, "stiffness": stiffness, "restitution": 0.2, "friction": friction}
    teeth = [
        {"name": f"tooth {k}", "material": "grain", "polygon": [[x - SIZE / 2, 0], [x + SIZE / 2, 0], [x, SIZE / 2]]}
        for k in range(COLUMNS // 2)
        for x in [(2 * k + 1) * SIZE - HALF]
    ]
    plate = {"name": "plate", "material": "grain", "box": {"x": [-HALF, HALF], "y": [-0.02, 0]}}
    region = {"x": [-2 * SIZE, 2 * SIZE], "y": [13 * SIZE, 16 * SIZE]}
    return {
        "scree": 1,
        "title": "A heap on a plate",
        "seed": seed,
        "domain": {"x": [-HALF - 0.05, HALF + 0.05], "y": [-0.04, 0.25]},
        "gravity": [0, -9.81],
        "materials": {"grain": material},
        "walls": [plate, *teeth],
        "particles": [
            {
                "pour": {"count": round(250 * END), "rate": 250, "region": region, "velocity": [0, -0.5]},
                "material": "grain",
                "shape": SHAPES[shape],
                "size": {"uniform": [0.8 * SIZE, 1.2 * SIZE]},
            }
        ],
        "time": {"end": END},
        "output": {"every": 0.05},
    }


def slope(frame):
    """Mean slope of both flanks [degrees]."""
    highest = [(0.0, 0.0)] * COLUMNS
    for outline, touching, velocity in zip(frame.outlines(), frame["coordination"], frame["velocity"]):
        x, y, _ = centroid(outline)
        if touching < 2 or math.hypot(*velocity) > 0.2 or abs(x) >= HALF or y < 0:
            continue  # on its way
        column = int((x + HALF) / SIZE)
        highest[column] = max(highest[column], (x, y), key=lambda p: p[1])
    top = max(y for _, y in highest)
    tangents = []
    for side in (-1, 1):
        flank = [(x * side, y) for x, y in highest if x * side > 0 and 0.2 * top <= y <= 0.8 * top]
        tangents.append(-slope_of(*zip(*flank)))
    return math.degrees(math.atan(sum(tangents) / 2))


def angle(program, shape, friction, stiffness, seed):
    run = program.run(f"{shape}_{friction:g}_{stiffness:g}_{seed}", scene(shape, friction, stiffness, seed))
    if run.table("series.csv")[-1]["particles_out"] < 5:
        raise RuntimeError(f"{run.directory}: the heap does not reach the plate's ends")
    frames = run.frames("particles")
    return sum(slope(Frame(file)) for file in frames[len(frames) // 2 :]) / (len(frames) - len(frames) // 2)


def measure(program, each):
    cases = [(shape, friction, STIFFNESS) for shape in SHAPES for friction in FRICTIONS[shape]]
    cases += [(shape, 0.5, 4 * STIFFNESS) for shape in STIFFER]
    runs = [(*case, seed) for case in cases for seed in SEEDS]
    rows = [[*run, found] for run, found in zip(runs, each(lambda run: angle(program, *run), runs))]
    means = {case: mean_and_error([row[4] for row in rows if tuple(row[:3]) == case]) for case in cases}

    checks = []
    for polygon in ("hexagon", "square"):
        checks += [steeper(means, polygon, friction, STIFFNESS) for friction in FRICTIONS[polygon]]
    checks.append(steeper(means, "hexagon", 0.5, 4 * STIFFNESS))
    return Figure(
        ["shape", "friction", "stiffness [N/m]", "seed", "slope [degrees]"], rows, {"repose": chart(means)}, checks
    )


def steeper(means, polygon, friction, stiffness):
    """A check that heaps of polygons are steeper than those of disks by more than two standard errors."""
    (disk, disk_error), (found, found_error) = means["disk", friction, stiffness], means[polygon, friction, stiffness]
    error = math.hypot(disk_error, found_error)
    return Check(
        f"{polygon}s less disks at friction {friction:g}, {stiffness:g} N/m [degrees]",
        f"{found:.1f} − {disk:.1f} = {found - disk:.1f} ± {error:.1f}",
        "above 2 σ",
        found - disk > 2 * error,
    )


def chart(means):
    picture = Chart(("friction", 0, 1), ("slope of the heap [degrees]", 0, 50))
    for shape, colour in COLOURS.items():
        found = [(friction, *means[shape, friction, STIFFNESS]) for friction in FRICTIONS[shape]]
        picture.points(f"{shape}s", colour, *zip(*found))
        picture.line("", colour, [f[0] for f in found], [f[1] for f in found])
    stiffer = [means[shape, 0.5, 4 * STIFFNESS] for shape in STIFFER]
    picture.points("disks, hexagons: stiffness × 4", "grey", [0.515] * len(stiffer), *zip(*stiffer))
    return picture.svg((0.5, 0.3))
