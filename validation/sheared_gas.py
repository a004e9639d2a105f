"""# The steady temperature of a sheared granular gas

Inelastic disks in a periodic cell that is sheared at a constant rate (`domain.cell`): shear heats the gas by η γ̇² A, collisions
cool it. In the steady state the temperature is that at which both are equal: with Enskog's viscosity η = η*√(m kT)/σ and his rate of
cooling ½Γ(1 − e²), kT/(m σ² γ̇²) = η*/(n* ζ*), ζ* = √π n* χ (1 − e²), k = 1. That holds to first order in the gradient, which is
small against the collision rate only if the disks are nearly elastic: (γ̇/Γ)² is proportional to 1 − e². So what is found
is compared as it is at e = 0.99, and where its departure, linear in 1 − e², ends at e = 1. Further on the gas is not
Newtonian: the temperature is not the same along both axes (J. T. Jenkins & M. W. Richman, J. Fluid Mech. 192, 313, 1988).

φ = 0.2, 196 disks, so that neither clusters nor vortices have room.
"""

import math

import numpy

import disk_gas
import picture
from estimate import mean_and_error
from figure import Check, Figure
from transport import chi, enskog

FRACTION = 0.2
SIDE = 14
RESTITUTIONS = [0.99, 0.98, 0.96, 0.93, 0.9]
SEEDS = [1, 2, 3, 4]
FROM, LENGTH, EVERY = 150, 3000, 3  # strains
DENSITY = FRACTION / (math.pi / 4)


def theory(restitution):
    """kT at a rate of 1."""
    cooling = math.sqrt(math.pi) * DENSITY * chi(FRACTION) * (1 - restitution**2)
    return enskog(FRACTION)[0] / (DENSITY * cooling)


def scene(restitution, seed):
    rate = 1 / math.sqrt(theory(restitution))  # so that kT is about 1
    made = disk_gas.scene(SIDE, FRACTION, seed, None, (FROM + LENGTH) / rate)
    del made["measure"]
    made["output"] = {"every": EVERY / rate}
    made["materials"]["disk"]["restitution"] = restitution
    made["domain"]["cell"] = {"xy": {"rate": rate}}
    return made


def measure(program, each):
    def found(job):
        restitution, seed = job
        run = program.run(f"sheared_{restitution}_{seed}", scene(restitution, seed))
        energy = run.columns("series.csv")["kinetic_energy"][FROM // EVERY :]
        return float(energy.mean()) / (SIDE * SIDE - 1)  # the flow is not in it

    jobs = [(restitution, seed) for restitution in RESTITUTIONS for seed in SEEDS]
    of_run = dict(zip(jobs, each(found, jobs)))
    rows, checks = [], []
    for restitution in RESTITUTIONS:
        ratio, error = mean_and_error([of_run[restitution, seed] for seed in SEEDS])  # kT would be 1
        rows.append([restitution, 1 - restitution**2, ratio * theory(restitution), theory(restitution), ratio, error])
    first = rows[0]
    checks.append(Check("kT over Enskog's at e = 0.99", f"{first[4]:.3f} ± {first[5]:.1g}", "1 within 5 %", abs(first[4] - 1) < 0.05))
    slope, limit = numpy.polyfit([row[1] for row in rows], [row[4] for row in rows], 1, w=[1 / row[5] for row in rows])
    checks.append(Check("where a line through all ends at e = 1", f"{limit:.3f}", "1 within 3 %", abs(limit - 1) < 0.03))
    return Figure(["e", "1 − e²", "kT/(m σ² γ̇²)", "Enskog", "ratio", "error"], rows, pictures(rows), checks)


def pictures(rows):
    plot = picture.axes(("1 − e²", 0, 0.2), ("kT / (m σ² γ̇²)", 5, 200), yscale="log")
    loss = numpy.linspace(0.01, 0.2, 60)
    picture.points(plot, "found", "blue", [row[1] for row in rows], [row[2] for row in rows])
    picture.line(plot, "Enskog, to first order", "grey", loss, [theory(math.sqrt(1 - x)) for x in loss])
    return {"sheared_gas": picture.svg(plot)}
