"""What a step, or a collision, costs in instructions, which noise cannot blur: valgrind counts those of two runs of a
benchmark that differ in their length only. A test: the cost must not grow.

  instructions.py soft BENCH_SOFT
  instructions.py hard BENCH_HARD
  instructions.py measure BENCH_MEASURE
"""

import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
TOLERANCE = 1.05
STEPS = 64  # as many as lie between two checks of the guards
# Instructions a particle-step, for polygons of 5 to 8 sides and for disks at rest, and lanes of four
MOST_OF_STEP = {"1000": 1200, "1000:disks": 860}
COLLISIONS = 10  # of a disk
MOST_OF_COLLISION = {0.3: 4600, 0.7: 2850}  # instructions, by packing fraction, for 1024 equal disks and lanes of four

STEPS_MEASURED = 400
MOST_OF_SAMPLES = 0.03  # of the steps between them
MOST_OF_SUMS = 0.11


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def counted(program, *arguments):
    """Instructions of a whole run, and what it printed."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *map(str, arguments)]
    done = subprocess.run(command, env=dict(os.environ, SCREE_LANES="4"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]), done.stdout


def is_too_much(cost, most, what):
    print(f"{cost:.0f} instructions {what}; at most {most * TOLERANCE:.0f} are allowed")
    return cost > most * TOLERANCE


def soft(program):
    too_much = False
    for grains, most in MOST_OF_STEP.items():
        subprocess.run([program, "--advance", "0", grains], check=True)  # settles the bed, if that was not yet done
        short, long = (counted(program, "--advance", steps, grains)[0] for steps in (STEPS, 2 * STEPS))
        cost = (long - short) / (STEPS * int(grains.split(":")[0]))
        too_much |= is_too_much(cost, most, f"a particle-step, {grains} grains at rest")
    return too_much


def hard(program):
    too_much = False
    for packing, most in MOST_OF_COLLISION.items():
        run = ("1000", "--packing", packing, "--collisions")
        short, _ = counted(program, *run, COLLISIONS)
        long, printed = counted(program, *run, 2 * COLLISIONS)
        disks = int(printed.splitlines()[-1].split()[0])
        cost = (long - short) / (0.5 * COLLISIONS * disks)
        too_much |= is_too_much(cost, most, f"a collision, {disks} disks at packing fraction {packing}")
    return too_much


def measure(program):
    """Sums in each step and samples every 100 steps, as shares of the steps; a sample of fields by particle or contact
    and cell."""
    costs = {}
    for what in ("steps", "sums", "scalars"):
        short, long = (counted(program, what, steps)[0] for steps in (STEPS_MEASURED, 2 * STEPS_MEASURED))
        costs[what] = long - short
    samples = (costs["scalars"] - costs["sums"]) / costs["steps"]
    sums = costs["sums"] / costs["steps"] - 1
    print(f"a sample of measure, texture and forces every 100 steps costs {100 * samples:.2f} % of the steps; at most "
          f"{100 * MOST_OF_SAMPLES:.0f} % are allowed")
    print(f"sums in each step, for averages of pressure and forces on walls, cost {100 * sums:.2f} %; at most "
          f"{100 * MOST_OF_SUMS:.0f} % are allowed")
    for spacing in (0.5, 0.25):
        short, _ = counted(program, "fields", 1, spacing)
        long, printed = counted(program, "fields", 3, spacing)
        particles, contacts, cells = map(float, printed.splitlines()[-1].split())
        cost = (long - short) / 2
        print(f"fields at {spacing} widths: {cost / (particles + contacts):.0f} instructions a sample and particle or "
              f"contact ({particles:.0f} and {contacts:.0f}), {cost / ((particles + contacts) * cells):.1f} a cell")
    return samples > MOST_OF_SAMPLES or sums > MOST_OF_SUMS


def main(mode, program):
    if shutil.which("valgrind") is None:
        skip("valgrind is not there (Debian package valgrind)")
    with open("/proc/cpuinfo") as cpu:
        if " avx2 " not in cpu.read().replace("\n", " "):
            skip("this processor has not got lanes of four (AVX2)")
    return {"soft": soft, "hard": hard, "measure": measure}[mode](program)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
