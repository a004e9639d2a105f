"""# Diffusion in a gas of hard disks, over the number of disks and time

Equal elastic disks between periodic sides, φ = 0.3. D(t) = (⟨r²⟩(t₂) − ⟨r²⟩(t₁)) / 4(t₂ − t₁), t the mean of t₁ and
t₂, in units of Enskog's D_E = √(kT/(π m)) / (2 n σ χ). After some mean free times it would be constant if disks forgot how they
came; but they set their neighbours in motion, which carry them on: velocities are correlated as 1/t (B. J. Alder & T. E.
Wainwright, Phys. Rev. A 1, 18, 1970), so that in two dimensions D grows as ln t, until sound has crossed the box; in larger
boxes longer. There is no limit, so no bound is set on D itself: only where it begins, and that it grows.
"""

import math

import numpy

import disk_gas
import picture
from estimate import mean_and_error
from figure import Check, Figure
from transport import chi, collision_rate

FRACTION = 0.3
SIDES = {10: 24, 20: 12, 40: 8, 80: 4}  # disks along a side: number of runs
LAGS = [1, 2, 4, 8, 16, 32, 64, 128]  # mean free times
FROM, LENGTH = 60, 2000  # mean free times
RATE = collision_rate(FRACTION)
ENSKOG = 1 / (2 * math.sqrt(math.pi) * FRACTION / (math.pi / 4) * chi(FRACTION))


def scene(side, seed):
    sampled = {"from": FROM / RATE, "every": 0.25 / RATE, "mean_square_displacement": {}}
    return disk_gas.scene(side, FRACTION, seed, sampled, (FROM + LAGS[-1] * 1.5) / RATE)


def measure(program, each):
    def found(job):
        side, seed = job
        run = program.run(f"gas_{side}_{seed}", scene(side, seed))
        moved = run.columns("mean_square_displacement.csv")
        temperature = run.columns("measure.csv")["temperature"].mean()
        time = (moved["time"] - FROM / RATE) * RATE
        square = numpy.interp([lag * part for lag in LAGS for part in (0.75, 1.25)], time, moved["mean_square_displacement"])
        slopes = (square[1::2] - square[::2]) / (4 * numpy.array(LAGS) * 0.5 / RATE)
        return slopes / math.sqrt(temperature) / ENSKOG * side * side / (side * side - 1)

    jobs = [(side, seed) for side, runs in SIDES.items() for seed in range(1, runs + 1)]
    of_run = dict(zip(jobs, each(found, jobs)))
    rows = []
    for side, runs in SIDES.items():
        all_of = numpy.array([of_run[side, seed] for seed in range(1, runs + 1)])
        for k, lag in enumerate(LAGS):
            rows.append([side * side, lag, *mean_and_error(all_of[:, k])])
    largest = [row for row in rows if row[0] == max(SIDES) ** 2]
    at = {row[1]: row for row in largest}
    checks = [
        Check(f"D/D_E of {largest[0][0]} disks after 4 mean free times", f"{at[4][2]:.3f} ± {at[4][3]:.1g}", "1 within 10 %", abs(at[4][2] - 1) < 0.1),
        Check("its growth until 64", f"{at[64][2] - at[4][2]:.3f} ± {math.hypot(at[64][3], at[4][3]):.1g}", "above 0", at[64][2] > at[4][2]),
    ]
    return Figure(["N", "t/free time", "D/D_E", "error"], rows, pictures(rows), checks)


def pictures(rows):
    plot = picture.axes(("time in mean free times", 0.8, 160), ("D / D of Enskog", 0.4, 1.7), xscale="log")
    for side, colour in zip(SIDES, ("green", "orange", "blue", "purple")):
        shown = [row for row in rows if int(row[0]) == side * side]
        picture.points(plot, f"N = {side * side}", colour, [row[1] for row in shown], [row[2] for row in shown], [row[3] for row in shown])
    return {"diffusion": picture.svg(plot)}
