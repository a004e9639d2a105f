"""# Energy of two kinds of disks that a thermostat feeds

Disks of one size and two masses, half of each, inelastic, in a homogeneous state: kicks (`thermostat: {kind: kicks}`) give the
velocities of all the same variance in a time, a heavy disk more energy. There is no equipartition. A disk of kind i gains
m_i s a second and loses Σ_j ζ_ij T_i, with the rates of Garzó & Dufty (Phys. Rev. E 60, 5706, 1999) for normally
distributed velocities in two dimensions: ζ_ij = 2√π n_j σ χ μ_ji (1 + e) √(2T_i/m_i + 2T_j/m_j) [1 − ½ μ_ji (1 + e)(1 + m_i T_j/(m_j T_i))],
μ_ji = m_j/(m_i + m_j), k = 1 (A. Barrat & E. Trizac, Granular Matter 4, 57, 2002, for a driven mixture). φ = 0.05, so that
neighbours hardly come to move together; χ is Henderson's.
"""

import math

import numpy
from scipy import optimize

import picture
from estimate import mean_and_error
from figure import Check, Figure
from runs import Frame
from transport import chi, collision_rate

FRACTION = 0.05
COUNT = 400
MASSES = [1, 2, 5, 10, 20]  # of the heavy disks
RESTITUTIONS = [0.9, 0.7]
SEEDS = [1, 2, 3]
FROM, LENGTH, EVERY = 300, 4000, 10  # mean free times at kT = 1
RATE = collision_rate(FRACTION)


def strength(restitution):
    """With which light disks alone would have kT = 1."""
    return 0.5 * RATE * (1 - restitution**2)


def scene(mass, restitution, seed):
    side = math.sqrt(COUNT * math.pi / 4 / FRACTION)
    sides = {axis: [0, side] for axis in "xy"}
    groups = []
    for name, half in (("light", [0, side / 2]), ("heavy", [side / 2, side])):
        spacing = math.sqrt(side * side / COUNT)
        lattice = {"region": {"x": half, "y": [0, side]}, "kind": "square", "spacing": spacing, "temperature": 1}
        groups.append({"lattice": lattice, "material": name, "shape": "disk", "size": 1})
    return {
        "scree": 1,
        "mode": "hard",
        "seed": seed,
        "domain": {**sides, "periodic": ["x", "y"]},
        "materials": {
            "light": {"density": 4 / math.pi, "restitution": restitution},
            "heavy": {"density": 4 / math.pi * mass, "restitution": restitution},
        },
        "particles": groups,
        "thermostat": {"kind": "kicks", "every": 0.2 / RATE, "strength": strength(restitution)},
        "time": {"end": (FROM + LENGTH) / RATE},
        "output": {"every": EVERY / RATE},
    }


def theory(mass, restitution):
    """Temperatures of light and heavy disks."""
    masses = (1.0, float(mass))
    density = 0.5 * FRACTION / (math.pi / 4)

    def loss_with(i, j, temperature):
        share = masses[j] / (masses[0] + masses[1]) if i != j else 0.5
        speed = math.sqrt(2 * temperature[i] / masses[i] + 2 * temperature[j] / masses[j])
        back = 1 - 0.5 * share * (1 + restitution) * (1 + masses[i] * temperature[j] / (masses[j] * temperature[i]))
        return 2 * math.sqrt(math.pi) * density * chi(FRACTION) * share * (1 + restitution) * speed * back * temperature[i]

    def loss(i, ratio):
        return sum(loss_with(i, j, (1.0, ratio)) for j in (0, 1))

    # Losses grow as T^1.5 if the ratio of both temperatures stays, so that this follows from the gains alone.
    ratio = optimize.brentq(lambda r: loss(1, r) - mass * loss(0, r), 0.5, 4.0 * mass)
    light = (strength(restitution) / loss(0, ratio)) ** (2 / 3)
    return light, light * ratio


def temperatures(frame):
    velocity = numpy.array(frame["velocity"])[:, :2]
    mass = numpy.array(frame["mass"])
    kind = numpy.array(frame["type"])
    velocity -= numpy.average(velocity, axis=0, weights=mass)
    energy = 0.5 * mass * numpy.sum(velocity**2, axis=1)
    return [energy[kind == k].mean() for k in (0, 1)]


def measure(program, each):
    def found(job):
        mass, restitution, seed = job
        run = program.run(f"mixture_{mass}_{restitution}_{seed}", scene(mass, restitution, seed))
        return numpy.mean([temperatures(Frame(frame)) for frame in run.frames("particles")[FROM // EVERY :]], axis=0)

    jobs = [(mass, restitution, seed) for restitution in RESTITUTIONS for mass in MASSES for seed in SEEDS]
    of_run = dict(zip(jobs, each(found, jobs)))
    rows, checks = [], []
    for restitution in RESTITUTIONS:
        for mass in MASSES:
            light, heavy = theory(mass, restitution)
            ratios = [of_run[mass, restitution, seed][1] / of_run[mass, restitution, seed][0] for seed in SEEDS]
            ratio, error = mean_and_error(ratios)
            of_light, _ = mean_and_error([of_run[mass, restitution, seed][0] for seed in SEEDS])
            rows.append([restitution, mass, of_light, light, ratio, error, heavy / light])
            good = abs(ratio / (heavy / light) - 1) < 0.05
            checks.append(
                Check(f"T_heavy/T_light at e = {restitution}, masses 1 : {mass}", f"{ratio:.3f} ± {error:.1g}", f"{heavy / light:.3f}, 5 %", good)
            )
    return Figure(["e", "mass", "T light", "theory", "ratio", "error", "theory"], rows, pictures(rows), checks)


def pictures(rows):
    plot = picture.axes(("mass of the heavy disks over that of the light ones", 0.9, 25), ("T of heavy over T of light disks", 0.5, 12), xscale="log", yscale="log")
    masses = numpy.geomspace(1, 22, 40)
    for restitution, colour in zip(RESTITUTIONS, ("blue", "orange")):
        shown = [row for row in rows if float(row[0]) == restitution]
        picture.points(plot, f"e = {restitution}", colour, [row[1] for row in shown], [row[4] for row in shown])
        curve = [theory(mass, restitution) for mass in masses]
        picture.line(plot, "theory", colour, masses, [heavy / light for light, heavy in curve])
    return {"mixture": picture.svg(plot)}
