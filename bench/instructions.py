"""What a step, or a collision, costs in instructions, which noise cannot blur: valgrind counts those of two runs of a
benchmark that differ in their length only. A test: the cost must not grow.

  instructions.py soft BENCH_SOFT
  instructions.py hard BENCH_HARD
  instructions.py exact BENCH_EXACT
  instructions.py lines BENCH_SOFT     what a step moves of memory, in lines of 64 bytes; a test likewise
  instructions.py bytes BENCH_SOFT     what the heap holds of a grain; a test likewise
  instructions.py shapes BENCH_SOFT    no test: shapes and flows beside 8-gons and beds at rest
  instructions.py measure BENCH_MEASURE
  instructions.py fields BENCH_MEASURE no test: a sample of fields by particle or contact and cell
"""

import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
TOLERANCE = 1.05
STEPS = 64  # as many as lie between two checks of the guards
# Instructions a particle-step, for polygons of 5 to 8 sides, for disks and for 1024-gons at rest, and lanes of four
MOST_OF_STEP = {"1000": 995, "1000:disks": 290, "100:1024": 2363}
MOST_BYTES = {"1000": 1187, "1000:disks": 1223}
BYTES_TOLERANCE = 1.1
# Lines a particle-step that come from beyond a second level of so many bytes, which keeps an eighth of the grains
LINES_GRAINS, LINES_LEVEL, MOST_LINES = "2000", 262144, 27.8
SHAPES = ("256:8", "256:64", "256:1024")
FLOWS = ("1000", "1000/falling", "1000/landing", "1000:disks", "1000:disks/falling", "1000:disks/landing")
COLLISIONS = 10  # of a disk
MOST_OF_COLLISION = {0.3: 2990, 0.7: 1890}  # instructions, by packing fraction, for 1024 equal disks and lanes of four
MOST_OF_SQUARES = {0.7: 43200}  # for 400 squares
SQUARES = 400

# Whole numbers, and how many times what floats take; for 1024 disks in a periodic box
MOST_OF_EXACT_COLLISION = {0.1: (12340, 1.94), 0.4: (7540, 2.85), 0.7: (6450, 3.33)}
EXACT_COLLISIONS = 4000
STEPS_MEASURED = 400
MOST_OF_SAMPLES, MOST_OF_SUMS = 11_700, 11_500  # instructions a step of that bed


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def under_valgrind(tool, program, *arguments):
    """What a whole run printed, and what the tool did."""
    command = ["valgrind", *tool, program, *map(str, arguments)]
    done = subprocess.run(command, env=dict(os.environ, SCREE_LANES="4"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def counted(program, *arguments):
    """Instructions of a whole run, and what it printed."""
    printed, told = under_valgrind(("--tool=callgrind", "--callgrind-out-file=/dev/null"), program, *arguments)
    return int(re.search(r"Collected : (\d+)", told)[1]), printed


def missed(program, *arguments):
    """Lines of a whole run that come from beyond the second level."""
    caches = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", f"--LL={LINES_LEVEL},8,64")
    _, told = under_valgrind(("--tool=cachegrind", "--cachegrind-out-file=/dev/null", *caches), program, *arguments)
    return int(re.search(r"LLd misses: *([\d,]+)", told)[1].replace(",", ""))


def is_too_much(cost, most, what, unit="instructions", digits=0):
    print(f"{cost:.{digits}f} {unit} {what}; at most {most * TOLERANCE:.{digits}f} are allowed")
    return cost > most * TOLERANCE


def of_step(program, grains, count=lambda *run: counted(*run)[0]):
    """Instructions, or what else is counted, a particle-step."""
    subprocess.run([program, "--advance", "0", grains], check=True)  # settles the bed, if that was not yet done
    short, long = (count(program, "--advance", steps, grains) for steps in (STEPS, 2 * STEPS))
    return (long - short) / (STEPS * int(re.match(r"\d+", grains)[0]))


def soft(program):
    too_much = False
    for grains, most in MOST_OF_STEP.items():
        too_much |= is_too_much(of_step(program, grains), most, f"a particle-step, {grains} grains at rest")
    return too_much


def shapes(program):
    for grains in SHAPES, FLOWS[:3], FLOWS[3:]:
        first = None
        for each in grains:
            cost = of_step(program, each)
            first = first or cost
            print(f"{each}: {cost:.0f} instructions a particle-step, {cost / first:.2f} of {grains[0]}", flush=True)
    return False


def lines(program):
    cost = of_step(program, LINES_GRAINS, missed)
    return is_too_much(cost, MOST_LINES, f"a particle-step, {LINES_GRAINS} grains at rest", "lines", digits=1)


def bytes_of_grains(program):
    too_much = False
    for grains, most in MOST_BYTES.items():
        done = subprocess.run([program, "--bytes", grains], capture_output=True, text=True, check=True)
        held = float(done.stdout.split()[0])
        print(f"{grains}: {done.stdout.strip()}; at most {most * BYTES_TOLERANCE:.0f} are allowed")
        too_much |= held > most * BYTES_TOLERANCE
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
    for packing, most in MOST_OF_SQUARES.items():
        run = ("squares", SQUARES, "--packing", packing, "--collisions")
        short, long = (counted(program, *run, count)[0] for count in (COLLISIONS, 2 * COLLISIONS))
        cost = (long - short) / (0.5 * COLLISIONS * SQUARES)
        too_much |= is_too_much(cost, most, f"a collision, {SQUARES} squares at packing fraction {packing}")
    return too_much


def exact(program):
    too_much = False
    for packing, (most, most_times) in MOST_OF_EXACT_COLLISION.items():
        cost = {}
        for arithmetic in ("--exact", "--float"):
            run = ("cost", arithmetic, "--packing", packing, "--collisions")
            short, long = (counted(program, *run, count)[0] for count in (EXACT_COLLISIONS, 2 * EXACT_COLLISIONS))
            cost[arithmetic] = (long - short) / EXACT_COLLISIONS
        too_much |= is_too_much(cost["--exact"], most, f"a collision in whole numbers, packing fraction {packing}")
        times = cost["--exact"] / cost["--float"]
        print(f"{times:.2f} times those of floats ({cost['--float']:.0f}); at most {most_times * TOLERANCE:.2f} are allowed")
        too_much |= times > most_times * TOLERANCE
    return too_much


def measure(program):
    """Sums in each step and samples every 100 steps: what they cost a step."""
    costs = {}
    for what in ("steps", "sums", "scalars"):
        short, long = (counted(program, what, steps)[0] for steps in (STEPS_MEASURED, 2 * STEPS_MEASURED))
        costs[what] = (long - short) / STEPS_MEASURED
    samples = costs["scalars"] - costs["sums"]
    sums = costs["sums"] - costs["steps"]
    print(f"samples cost {100 * samples / costs['steps']:.2f} % of a step without them, sums {100 * sums / costs['steps']:.2f} %")
    too_much = is_too_much(samples, MOST_OF_SAMPLES, "a step for a sample of measure, texture and forces every 100 steps")
    too_much |= is_too_much(sums, MOST_OF_SUMS, "a step for sums, of which averages of pressure and forces on walls are made")
    return too_much


def fields(program):
    for spacing in (0.5, 0.25):
        short, _ = counted(program, "fields", 1, spacing)
        long, printed = counted(program, "fields", 3, spacing)
        particles, contacts, cells = map(float, printed.splitlines()[-1].split())
        cost = (long - short) / 2
        print(f"fields at {spacing} widths: {cost / (particles + contacts):.0f} instructions a sample and particle or "
              f"contact ({particles:.0f} and {contacts:.0f}), {cost / ((particles + contacts) * cells):.1f} a cell")
    return False


def main(mode, program):
    program = os.path.abspath(program)
    if mode == "shapes":
        os.chdir(os.path.dirname(os.path.dirname(program)))  # where it keeps its beds
    if mode == "bytes":
        return bytes_of_grains(program)
    if shutil.which("valgrind") is None:
        skip("valgrind is not there (Debian package valgrind)")
    with open("/proc/cpuinfo") as cpu:
        if " avx2 " not in cpu.read().replace("\n", " "):
            skip("this processor has not got lanes of four (AVX2)")
    return {"soft": soft, "lines": lines, "hard": hard, "exact": exact, "shapes": shapes, "measure": measure, "fields": fields}[mode](program)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
