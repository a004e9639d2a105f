"""# Janssen: the weight that the walls of a silo carry

Disks fall into a silo in several stages, while its side walls move upwards at 1 mm/s, so that friction acts upwards
everywhere (as if the floor sank slowly). The force on the floor after each stage, divided by g, is the *apparent mass*
M_a of the mass M in the silo. With σ_xx = K σ_yy and |σ_xy| = μ' σ_xx at both walls a slice is in equilibrium if

    dM_a/dM = 1 − M_a/M_∞, M_∞ = ρ W²/(2 K μ'),

where W is the width of the silo and ρ the density of the packing: when M_a has reached M_∞, the walls carry all
additional weight (Janssen 1895). This does not hold near the free surface, where the stress is hydrostatic (Vanel &
Clément, *Eur. Phys. J. B* **11** (1999) 525; Landry, Grest, Silbert & Plimpton, *Phys. Rev. E* **67** (2003) 041303,
cond-mat/0302115). Therefore the fit is M_a = M up to M₀ and M₀ + l (1 − exp(−(M − M₀)/l)) above.

Inside the full silo, in slices of height W/2, K is calculated from the contacts (sums of force times branch vector) and
μ' from the contacts with the side walls. Friction is hardly mobilised near the surface; this is why the stress is
hydrostatic there. Disks at a wall roll, so μ' is below the coefficient of friction. Janssen's equation is integrated
from slice to slice with the ρ, K and μ' of each slice; the result must be the force on the floor.

A silo 12 sizes wide; disks of 1 cm ± 15 %, 1000 kg/m²; friction 0.5, restitution 0.3; stiffness 10⁵ N/m, at which most
contacts at rest are 1 % of a diameter deep, the deepest 5 to 10 %; three seeds.
"""

import math

import picture
from estimate import fit, mean_and_error, slope_of
from figure import Figure, within
from runs import Frame, centroid

GRAVITY = 9.81  # m/s^2
SIZE = 0.01  # m
WIDTH = 12 * SIZE
SLICE = WIDTH / 2
FRICTION = 0.5
STAGES, GRAINS = 15, 50  # a stage
STAGE, REST = 0.3, 0.1  # s: a stage, and the end of it in which forces are averaged
RISE = 0.001  # m/s, of the side walls
SEEDS = 1, 2, 3
SIDES = 2, 3  # ids of the side walls


def scene(seed, stages=STAGES, rise=RISE):
    layer = GRAINS * math.pi / 4 * SIZE**2 / (0.8 * WIDTH)  # that a stage adds to the height
    top = stages * layer + 0.15

    def wall(name, x, y, velocity=0.0):
        return {"name": name, "material": "grain", "box": {"x": x, "y": y}, "velocity": [0, velocity]}

    def stage(k):
        region = {"x": [0.0005, WIDTH - 0.0005], "y": [k * layer + 0.02, k * layer + 0.1]}
        return {
            "pour": {"count": GRAINS, "rate": 1000, "from": k * STAGE, "region": region, "velocity": [0, -0.5]},
            "material": "grain",
            "shape": "disk",
            "size": {"uniform": [0.85 * SIZE, 1.15 * SIZE]},
        }

    return {
        "scree": 1,
        "title": "A silo is filled",
        "seed": seed,
        "domain": {"x": [-0.02, WIDTH + 0.02], "y": [-0.1, top + 0.1]},
        "gravity": [0, -GRAVITY],
        "materials": {"grain": {"density": 1000, "stiffness": 1e5, "restitution": 0.3, "friction": FRICTION}},
        "walls": [
            wall("floor", [-0.01, WIDTH + 0.01], [-0.02, 0]),
            wall("left", [-0.02, 0], [-0.09, top], rise),
            wall("right", [WIDTH, WIDTH + 0.02], [-0.09, top], rise),
        ],
        "particles": [stage(k) for k in range(stages)],
        "time": {"end": stages * STAGE},
        "output": {"every": 0.01},
    }


def stages_of(run):
    """Of every stage, averaged over its end: filled and apparent mass, what the side walls carry [kg]."""
    found = []
    frames = list(zip(run.frames("particles"), run.frames("walls"), run.table("series.csv")))
    for stage in range(1, round(frames[-1][2]["time"] / STAGE) + 1):
        looks = [look(Frame(p), Frame(w)) for p, w, row in frames if near_the_end(stage, row["time"])]
        found.append({key: sum(one[key] for one in looks) / len(looks) for key in looks[0]})
    return found


def near_the_end(stage, time):
    return stage * STAGE - REST < time < stage * STAGE + 0.005


def look(particles, walls):
    floor, left, right = walls["force"]
    return {
        "filled": sum(particles["mass"]),
        "apparent": -floor[1] / GRAVITY,
        "carried": -(left[1] + right[1]) / GRAVITY,
        "accelerated": sum(force[1] for force in particles["force"]) / GRAVITY,
    }


def slices_of(run):
    """Of the full silo, from the floor up: mean mass, and sums of stresses and of forces on the side walls."""
    rows = run.table("series.csv")
    stage = round(rows[-1]["time"] / STAGE)
    frames = zip(run.frames("particles"), run.frames("contacts"), rows)
    looks = [(Frame(p), Frame(c)) for p, c, row in frames if near_the_end(stage, row["time"])]
    slices = {}
    for particles, contacts in looks:
        add_slices(slices, particles, contacts, 1 / len(looks))
    return [slices[k] for k in sorted(slices)]


def add_slices(slices, particles, contacts, share):
    def slice_at(y):
        empty = dict.fromkeys(("mass", "xx", "yy", "pressed", "dragged"), 0.0)
        return slices.setdefault(int(y // SLICE), empty)

    for outline, mass in zip(particles.outlines(), particles["mass"]):
        slice_at(centroid(outline)[1])["mass"] += share * mass
    for line, force, partner in zip(contacts.outlines(), contacts["force"], contacts["id2"]):
        at = slice_at(max(line[1][1], 0.0))
        at["xx"] += force[0] * (line[-1][0] - line[0][0])  # a contact with a wall ends at the point of attack
        at["yy"] += force[1] * (line[-1][1] - line[0][1])
        if partner in SIDES:
            at["pressed"] += abs(force[0])
            at["dragged"] -= force[1]


def janssen_through(slices):
    """The apparent mass at the floor by Janssen's equation with every slice's own density, K and μ' [kg]."""
    apparent = 0.0
    for one in reversed(slices):
        if one["yy"] <= 0 or one["pressed"] <= 0:
            apparent += one["mass"]
            continue
        carried = 2 * one["xx"] / one["yy"] * one["dragged"] / one["pressed"] * SLICE / WIDTH  # of M_a, by a thin slice
        apparent = apparent * math.exp(-carried) + one["mass"] * (1 - math.exp(-carried)) / carried
    return apparent


def law(filled, hydrostatic, length):
    if filled < hydrostatic:
        return filled
    return hydrostatic + length * (1 - math.exp(-(filled - hydrostatic) / length))


def measure(program, each):
    """each: maps a function over arguments, as map does, perhaps several at a time."""
    runs = list(each(lambda seed: program.run(f"seed_{seed}", scene(seed)), SEEDS))
    stages = [stages_of(run) for run in runs]
    slices = [slices_of(run) for run in runs]
    rows = [
        [seed, stage, s["filled"], s["apparent"], s["carried"]]
        for seed, own in zip(SEEDS, stages)
        for stage, s in enumerate(own, 1)
    ]
    found = saturating(rows)
    saturation = sum(found.values)
    last = [own[-4:] for own in stages]
    balance = [(s["apparent"] + s["carried"] - s["accelerated"]) / s["filled"] for own in last for s in own]
    growth = [slope_of([s["filled"] for s in own], [s["apparent"] for s in own]) for own in last]
    predicted = [janssen_through(one) / own[-1]["apparent"] for one, own in zip(slices, stages)]
    deep = [one for own in slices for one in own[1:5]]
    ratio = sum(s["xx"] for s in deep) / sum(s["yy"] for s in deep)
    friction = sum(s["dragged"] for s in deep) / sum(s["pressed"] for s in deep)
    checks = [
        within("force on all walls minus mass times acceleration, over the weight", *mean_and_error(balance), 0.999, 1.001),
        within("dM_a/dM, the last four stages", *mean_and_error(growth), -0.1, 0.1),
        within(
            f"scatter about the fit over M₀ + l (M₀ = {found.values[0]:.1f} ± {found.errors[0]:.1f} kg,"
            f" l = {found.values[1]:.1f} ± {found.errors[1]:.1f} kg)",
            found.rms / saturation,
            found.rms / saturation / math.sqrt(2 * len(rows)),
            0.0,
            0.05,
        ),
        within(
            f"Janssen through the slices over the force on the floor (K = {ratio:.2f}, μ' = {friction:.2f} deep down)",
            *mean_and_error(predicted),
            0.95,
            1.05,
        ),
    ]
    names = ["seed", "stage", "filled mass [kg]", "apparent mass [kg]", "carried by the side walls [kg]"]
    return Figure(names, rows, pictures(rows), checks)


def saturating(rows):
    """The law, fitted to a table of stages."""
    return fit(law, (10.0, 15.0), [row[2] for row in rows], [row[3] for row in rows])


def pictures(rows):
    hydrostatic, length = saturating(rows).values
    most, saturation = max(row[2] for row in rows), hydrostatic + length
    axes = picture.axes(("filled mass M [kg]", 0, 1.05 * most), ("apparent mass $M_a$ [kg]", 0, 1.5 * saturation))
    x = [k / 200 * most for k in range(1, 201)]
    picture.line(axes, "all on the floor", "grey", [0, most], [0, most], dashed=True)
    picture.line(axes, "Janssen 1895, same saturation", "orange", x, [law(v, 0.0, saturation) for v in x], dashed=True)
    picture.line(axes, "hydrostatic, then Janssen: fit", "orange", x, [law(v, hydrostatic, length) for v in x])
    for seed, colour in zip(SEEDS, ("blue", "green", "purple")):
        own = [row for row in rows if row[0] == seed]
        picture.points(axes, f"seed {seed}", colour, [row[2] for row in own], [row[3] for row in own])
    return {"janssen": picture.svg(axes, "lower right")}
