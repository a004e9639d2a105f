"""# Repose: heaps of polygons are steeper than heaps of disks

Grains are poured on the middle of a plate with teeth; surplus grains fall off its ends. Disks roll down and polygons do
not, so at equal friction heaps of polygons are steeper. The difference depends on the way of pouring. The slope is that
of a line through the highest resting grains in columns one grain wide, between 20 and 80 % of the height of the heap,
for both flanks. It is averaged over the second half of the pouring, while avalanches run down. Squares pile up to the
height from which they are poured and stay there. Disks and hexagons are repeated with four times the stiffness, which
halves the automatic time step, to exclude that step or stiffness cause the difference.

Sizes 1 cm ± 20 %, 1000 kg/m², stiffness 3·10⁵ N/m, restitution 0.2; the plate is 30 grains wide; up to 900 grains fall
from 13 to 16 sizes above it, 250 per second if there is room. Four seeds.
"""

import math

import picture
from estimate import mean_and_error, slope_of
from figure import Check, Figure
from runs import Frame, centroid

SIZE = 0.01  # m
COLUMNS = 30
HALF = COLUMNS * SIZE / 2
SHAPES = {"disk": "disk", "hexagon": {"regular_polygon": {"vertices": 6}}, "square": {"regular_polygon": {"vertices": 4}}}
COLOURS = {"disk": "blue", "hexagon": "green", "square": "orange"}
FRICTIONS = {"disk": (0.2, 0.5, 0.8), "hexagon": (0.2, 0.5, 0.8), "square": (0.2, 0.5)}
STIFFNESS = 3e5  # N/m
STIFFER = "disk", "hexagon"  # again with four times the stiffness
CASES = [(shape, friction, STIFFNESS) for shape in SHAPES for friction in FRICTIONS[shape]]
CASES += [(shape, 0.5, 4 * STIFFNESS) for shape in STIFFER]
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
    runs = [(*case, seed) for case in CASES for seed in SEEDS]
    rows = [[*run, found] for run, found in zip(runs, each(lambda run: angle(program, *run), runs))]
    means = means_of(rows)
    checks = []
    for polygon in ("hexagon", "square"):
        checks += [steeper(means, polygon, friction, STIFFNESS) for friction in FRICTIONS[polygon]]
    checks.append(steeper(means, "hexagon", 0.5, 4 * STIFFNESS))
    return Figure(["shape", "friction", "stiffness [N/m]", "seed", "slope [degrees]"], rows, pictures(rows), checks)


def means_of(rows):
    """The mean slope of every case, and its standard error."""
    return {case: mean_and_error([row[4] for row in rows if tuple(row[:3]) == case]) for case in CASES}


def steeper(means, polygon, friction, stiffness):
    """A check that heaps of polygons are steeper than those of disks by more than two standard errors."""
    (disk, disk_error), (found, found_error) = means["disk", friction, stiffness], means[polygon, friction, stiffness]
    error = math.hypot(disk_error, found_error)
    return Check(
        f"{polygon}s minus disks at friction {friction:g}, {stiffness:g} N/m [degrees]",
        f"{found:.1f} − {disk:.1f} = {found - disk:.1f} ± {error:.1f}",
        "above 2 σ",
        found - disk > 2 * error,
    )


def pictures(rows):
    means = means_of(rows)
    axes = picture.axes(("friction", 0, 1), ("slope of the heap [degrees]", 0, 50))
    for shape, colour in COLOURS.items():
        found = [(friction, *means[shape, friction, STIFFNESS]) for friction in FRICTIONS[shape]]
        picture.points(axes, f"{shape}s", colour, *zip(*found))
        picture.line(axes, "", colour, [f[0] for f in found], [f[1] for f in found])
    stiffer = [means[shape, 0.5, 4 * STIFFNESS] for shape in STIFFER]
    picture.points(axes, "disks, hexagons: stiffness × 4", "grey", [0.515] * len(stiffer), *zip(*stiffer))
    return {"repose": picture.svg(axes, "lower right", columns=2)}
