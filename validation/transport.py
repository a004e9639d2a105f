"""# Transport in a gas of hard disks: viscosity and conductivity against Enskog's theory

Equal elastic disks between periodic sides. `measure: {helfand_moments: {}}` has the currents of momentum and heat,
integrated over time. They diffuse: their mean squares over a lag t grow by 2 A kT η t and 2 A (kT)² λ t (k = 1), with
the area A, once t is longer than the currents remember. η is from xy and (xx − yy)/2, λ from both components of heat, each by the slope
between lags of 6 and 12 mean free times. Errors are those of the mean over independent runs.

Enskog's theory (D. M. Gass, J. Chem. Phys. 54, 1898, 1971) with b = 2φ and Henderson's
χ = (1 − 7φ/16)/(1 − φ)²: η/η₀ = 1/χ + b + 0.8729 b²χ, η₀ = 1.022 √(m kT/π) / (2σ); λ/λ₀ = 1/χ + 3b/2 + 0.8718 b²χ,
λ₀ = 2.058 √(kT/(π m)) / σ. Simulations of others agree within some per cent up to φ ≈ 0.4 (R. García-Rojo, S. Luding &
J. J. Brey, Phys. Rev. E 74, 061305, 2006). In two dimensions both grow slowly, as logarithms, with lag and size of the system.
"""

import math

import numpy

import disk_gas
import picture
from estimate import mean_and_error
from figure import Check, Figure

FRACTIONS = [0.1, 0.2, 0.3, 0.4]  # φ
SEEDS = [1, 2, 3, 4, 5, 6]
SIDE = 20  # disks along a side
SAMPLES = 2  # in a mean free time
LAGS = (6, 12)  # mean free times
FROM, LENGTH = 100, 25000  # mean free times


def chi(fraction):
    return (1 - 7 * fraction / 16) / (1 - fraction) ** 2


def collision_rate(fraction):
    """Of a disk of diameter 1 and mass 1 at kT = 1."""
    return 8 * fraction * chi(fraction) / math.sqrt(math.pi)


def enskog(fraction):
    """Viscosity and conductivity, likewise."""
    b, x = 2 * fraction, chi(fraction)
    viscosity = 1.022 / (2 * math.sqrt(math.pi)) * (1 / x + b + 0.8729 * b * b * x)
    conductivity = 2.058 / math.sqrt(math.pi) * (1 / x + 1.5 * b + 0.8718 * b * b * x)
    return viscosity, conductivity


def scene(fraction, seed):
    free_time = 1 / collision_rate(fraction)
    sampled = {"from": FROM * free_time, "every": free_time / SAMPLES, "helfand_moments": {}}
    return disk_gas.scene(SIDE, fraction, seed, sampled, (FROM + LENGTH) * free_time)


def growth(moment, step):
    """Of the mean square over a lag, between the lags."""
    first, last = (lag * SAMPLES for lag in LAGS)
    squares = [numpy.mean((moment[lag:] - moment[:-lag]) ** 2) for lag in (first, last)]
    return (squares[1] - squares[0]) / ((last - first) * step)


def measure(program, each):
    def found(job):
        fraction, seed = job
        run = program.run(f"gas_{fraction}_{seed}", scene(fraction, seed))
        moments = run.columns("helfand_moments.csv")
        temperature = run.columns("measure.csv")["temperature"].mean()
        area = disk_gas.length(SIDE, fraction) ** 2
        step = (moments["time"][-1] - moments["time"][0]) / (len(moments["time"]) - 1)
        shear = [0.5 * (moments["xy"] + moments["yx"]), 0.5 * (moments["xx"] - moments["yy"])]
        viscosity = numpy.mean([growth(each, step) for each in shear]) / (2 * area * temperature)
        heat = [moments["heat_x"], moments["heat_y"]]
        conductivity = numpy.mean([growth(each, step) for each in heat]) / (2 * area * temperature**2)
        # Both are proportional to the root of kT.
        return viscosity / math.sqrt(temperature), conductivity / math.sqrt(temperature)

    jobs = [(fraction, seed) for fraction in FRACTIONS for seed in SEEDS]
    of_run = dict(zip(jobs, each(found, jobs)))
    rows, checks = [], []
    for fraction in FRACTIONS:
        row = [fraction]
        for k, what in enumerate(("viscosity", "conductivity")):
            value, error = mean_and_error([of_run[fraction, seed][k] for seed in SEEDS])
            theory = enskog(fraction)[k]
            row += [value, error, theory]
            expected = f"{theory:.4g}, " + ("5 %" if fraction < 0.35 else "10 %")
            good = abs(value / theory - 1) < (0.05 if fraction < 0.35 else 0.1)
            checks.append(Check(f"{what} at φ = {fraction}", f"{value:.4g} ± {error:.1g} ({100 * (value / theory - 1):+.1f} %)", expected, good))
        rows.append(row)
    names = ["φ", "viscosity", "error", "Enskog", "conductivity", "error", "Enskog"]
    return Figure(names, rows, pictures(rows), checks)


def pictures(rows):
    drawn = {}
    fractions = numpy.linspace(0.05, 0.45, 60)
    for k, (name, label) in enumerate((("transport", "η σ / √(m kT)"), ("transport_heat", "λ σ / √(kT / m), k = 1"))):
        most = 1.15 * max(row[1 + 3 * k] for row in rows)
        plot = picture.axes(("packing fraction φ", 0.05, 0.45), (label, 0, most))
        picture.points(plot, "found", "blue", [row[0] for row in rows], [row[1 + 3 * k] for row in rows])
        picture.line(plot, "Enskog", "grey", fractions, [enskog(fraction)[k] for fraction in fractions])
        drawn[name] = picture.svg(plot)
    return drawn
