"""What a step costs in instructions, which noise cannot blur: valgrind counts those of two runs of bench_soft that differ
in their number of steps only. A test: the cost must not grow.

  instructions.py BENCH_SOFT [GRAINS]
"""

import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
STEPS = 64  # as many as lie between two checks of the guards
MOST = 1200  # instructions a particle-step, for polygons of 5 to 8 sides at rest and lanes of four
TOLERANCE = 1.05


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def counted(program, steps, grains):
    """Instructions of a whole run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--advance", str(steps), str(grains)]
    done = subprocess.run(command, env=dict(os.environ, SCREE_LANES="4"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main(program, grains=1000):
    if shutil.which("valgrind") is None:
        skip("valgrind is not there (Debian package valgrind)")
    with open("/proc/cpuinfo") as cpu:
        if " avx2 " not in cpu.read().replace("\n", " "):
            skip("this processor has not got lanes of four (AVX2)")
    subprocess.run([program, "--advance", "0", str(grains)], check=True)  # settles the bed, if that was not yet done
    cost = (counted(program, 2 * STEPS, grains) - counted(program, STEPS, grains)) / (STEPS * grains)
    print(f"{cost:.0f} instructions a particle-step, {grains} grains at rest; at most {MOST * TOLERANCE:.0f} are allowed")
    return cost > MOST * TOLERANCE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
