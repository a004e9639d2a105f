"""# Where an inelastic gas ceases to be homogeneous: vortices against the width of the box

Inelastic disks that cool lose their random motion sooner than waves of shear, where these are long: in units of the thermal
speed a wave of shear grows with the rate γ₀ω − νk², with ω the collision rate of a disk, γ₀ = (1 − e²)/4 and the
kinematic viscosity ν. So waves longer than 2π/k* grow into vortices, k*² = γ₀ω/ν, and the gas clusters behind them; in a
periodic box that is narrower than L* = 2π/k* it stays homogeneous for ever (S. McNamara & W. R. Young, Phys. Rev. E 50,
R28, 1994; T. P. C. van Noije, M. H. Ernst, R. Brito & J. A. G. Orza, Phys. Rev. Lett. 79, 411, 1997).

A thermostat that rescales velocities (`thermostat: {kind: rescaling}`) holds the temperature, which is the same gas on another
clock. The structure factor S⊥(k) = ⟨|Σ m v⊥ exp(ikr)|²⟩/(N m kT) is 1 in equilibrium. Fluctuating hydrodynamics has
1/S⊥ = 1 − (k*/k)² in a box that stays homogeneous: the straight line of the picture. Its zero is where the gas ceases to be. ν is
Enskog's of elastic disks, φ = 0.2, e = 0.9.
"""

import math

import numpy

import disk_gas
import picture
from estimate import mean_and_error
from figure import Check, Figure
from runs import Frame
from transport import collision_rate, enskog

FRACTION, RESTITUTION = 0.2, 0.9
SEEDS = [1, 2, 3, 4]
SIDES = [6, 8, 9, 10, 11, 12, 13, 18, 24]  # disks along a side
FROM, LENGTH = 300, 6000  # mean free times
EVERY = 6  # mean free times between frames

RATE = collision_rate(FRACTION)
VISCOSITY = enskog(FRACTION)[0] / (4 * FRACTION / math.pi)
CRITICAL = 2 * math.pi / math.sqrt(0.25 * (1 - RESTITUTION**2) * RATE / VISCOSITY)  # width of the box


def scene(side, seed):
    end = (FROM + LENGTH) / RATE
    made = disk_gas.scene(side, FRACTION, seed, None, end)
    del made["measure"]
    made["materials"]["disk"]["restitution"] = RESTITUTION
    made["thermostat"] = {"kind": "rescaling", "every": 0.2 / RATE, "temperature": 1}
    made["output"] = {"every": EVERY / RATE}
    return made


def shear(frame, length):
    """|Σ m v⊥ exp(ikr)|²/(N m kT) of the longest waves along x and y."""
    place = numpy.array(frame["centroid"])[:, :2]
    velocity = numpy.array(frame["velocity"])[:, :2]
    temperature = 0.5 * numpy.mean(numpy.sum((velocity - velocity.mean(axis=0)) ** 2, axis=1))
    waves = numpy.exp(2j * math.pi * place / length)
    modes = [abs(numpy.sum(velocity[:, 1 - axis] * waves[:, axis])) ** 2 for axis in (0, 1)]
    return numpy.mean(modes) / (len(place) * temperature)


def measure(program, each):
    def found(job):
        side, seed = job
        run = program.run(f"gas_{side}_{seed}", scene(side, seed))
        length = disk_gas.length(side, FRACTION)
        frames = [f for f in run.frames("particles")][FROM // EVERY :]
        return float(numpy.mean([shear(Frame(frame), length) for frame in frames]))

    jobs = [(side, seed) for side in SIDES for seed in SEEDS]
    of_run = dict(zip(jobs, each(found, jobs)))
    rows = []
    for side in SIDES:
        length = disk_gas.length(side, FRACTION)
        values = [of_run[side, seed] for seed in SEEDS]
        mean, error = mean_and_error(values)
        rows.append([side * side, length / CRITICAL, mean, error, 1 / mean, error / mean**2])
    narrow = [row for row in rows if row[1] < 0.9]
    square = numpy.array([row[1] ** 2 for row in narrow])
    weight = 1 / numpy.array([row[5] for row in narrow])
    # 1/S = 1 - (L/L')², with one parameter
    slope = numpy.sum(weight**2 * square * (1 - numpy.array([row[4] for row in narrow]))) / numpy.sum((weight * square) ** 2)
    onset = 1 / math.sqrt(slope)
    error = 0.5 * onset / slope / math.sqrt(numpy.sum((weight * square) ** 2))
    checks = [Check("width at which 1/S⊥ is 0, over L*", f"{onset:.3f} ± {error:.1g}", "1 within 10 %", abs(onset - 1) < 0.1)]
    for row in rows:
        if row[1] < 0.7:
            theory = 1 / (1 - row[1] ** 2)
            good = abs(row[2] / theory - 1) < 0.12
            checks.append(Check(f"S⊥ at L = {row[1]:.2f} L*", f"{row[2]:.3f} ± {row[3]:.1g}", f"{theory:.3f}, 12 %", good))
        if row[1] > 1.3:
            checks.append(Check(f"S⊥ at L = {row[1]:.2f} L*", f"{row[2]:.0f} ± {row[3]:.1g}", "more than 20: vortices", row[2] > 20))
    return Figure(["N", "L/L*", "S⊥", "error", "1/S⊥", "error"], rows, pictures(rows), checks)


def pictures(rows):
    plot = picture.axes(("(L/L*)²", 0, 2.2), ("1/S⊥ of the longest wave of shear", -0.05, 1.05))
    shown = [row for row in rows if row[1] ** 2 < 2.2]
    picture.points(plot, "found", "blue", [row[1] ** 2 for row in shown], [row[4] for row in shown], [row[5] for row in shown])
    picture.line(plot, "fluctuating hydrodynamics", "grey", [0, 1], [1, 0])
    return {"cooling_onset": picture.svg(plot)}
