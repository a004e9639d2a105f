"""# The equation of state of hard disks

Equal elastic disks between periodic sides, from a gas to the density at which disks begin to order. Z = pA/NkT comes from
the rate Γ of collisions of a disk, Z = 1 + Γσ√(πm/kT)/4, and from the momentum that collisions carry, measured apart. Each is
a mean of runs with different seeds; errors are those of the mean.

Expected: up to φ = 0.67 the [4/5] Padé approximant of the virial series with ten coefficients (N. Clisby & B. M. McCoy,
J. Stat. Phys. 122, 15, 2006). Ten coefficients do not know that the pressure levels off where disks begin to order
(J. Kolafa & M. Rottner, Mol. Phys. 104, 3435, 2006): there the series is too high, whichever approximant is taken. At φ = 0.70,
where liquid and hexatic coexist, βp(2r)² = 9.185 (E. P. Bernard & W. Krauth, Phys. Rev. Lett. 107, 155704, 2011, for up to 10⁶
disks; here are 1024).
"""

import math

import numpy
from scipy.interpolate import pade

import disk_gas
import picture
from estimate import mean_and_error
from figure import Check, Figure

# B_k / B_2^(k - 1), k = 1 to 10
VIRIAL = [1, 1, 0.782004436, 0.53223180, 0.33355604, 0.1988425, 0.1148673, 0.0649930, 0.0362193, 0.0199537]
COEXISTENCE = 9.185  # β p (2 r)^2
FRACTIONS = {0.1: 0.003, 0.3: 0.003, 0.45: 0.003, 0.6: 0.003, 0.67: 0.02, 0.7: 0.03}  # φ and what Z may be off
SEEDS = [1, 2, 3, 4]
SIDE = 32  # disks along a side
LENGTH = 4000  # mean free times
FROM = {0.67: 4000, 0.7: 20000}  # likewise; else 500


def series(fraction):
    above, below = pade(VIRIAL, 5)
    return above(2 * fraction) / below(2 * fraction)


def expected(fraction):
    return COEXISTENCE * math.pi / (4 * fraction) if fraction > 0.695 else series(fraction)


def scene(fraction, seed):
    free_time = math.sqrt(math.pi) / (4 * (expected(fraction) - 1))
    begin = FROM.get(fraction, 500) * free_time
    sampled = {"from": begin, "every": 20 * free_time}
    return disk_gas.scene(SIDE, fraction, seed, sampled, begin + LENGTH * free_time)


def measure(program, each):
    def found(job):
        fraction, seed = job
        run = program.run(f"gas_{fraction}_{seed}", scene(fraction, seed))
        mean = {name: values.mean() for name, values in run.columns("measure.csv").items()}
        temperature = mean["temperature"]
        by_rate = 1 + mean["collision_rate"] * math.sqrt(math.pi / temperature) / 4
        by_momentum = 1 + mean["contact_pressure"] * math.pi / (4 * fraction) / temperature
        return by_rate, by_momentum

    jobs = [(fraction, seed) for fraction in FRACTIONS for seed in SEEDS]
    of_run = dict(zip(jobs, each(found, jobs)))
    rows, checks = [], []
    for fraction, tolerance in FRACTIONS.items():
        theory = expected(fraction)
        row = [fraction]
        for k, how in enumerate(("rate of collisions", "momentum")):
            value, error = mean_and_error([of_run[fraction, seed][k] for seed in SEEDS])
            row += [value, error]
            good = abs(value / theory - 1) < tolerance
            text = f"{value:.4f} ± {error:.4f} ({100 * (value / theory - 1):+.2f} %)"
            checks.append(Check(f"Z at φ = {fraction}, by the {how}", text, f"{theory:.4f}, {100 * tolerance:g} %", good))
        rows.append([*row, theory])
    return Figure(["φ", "Z by rate", "error", "Z by momentum", "error", "expected"], rows, pictures(rows), checks)


def pictures(rows):
    plot = picture.axes(("packing fraction φ", 0, 0.75), ("Z = pA / NkT", 0, 12))
    fractions = numpy.linspace(0.0, 0.71, 100)
    picture.points(plot, "found", "blue", [row[0] for row in rows], [row[1] for row in rows])
    picture.line(plot, "virial series", "grey", fractions, [series(fraction) for fraction in fractions])
    plateau = numpy.linspace(0.7, 0.716, 10)
    picture.line(plot, "coexistence", "orange", plateau, [expected(fraction) for fraction in plateau])
    return {"equation_of_state": picture.svg(plot)}
