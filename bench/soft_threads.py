"""Two threads beside two processes of one thread each, which share nothing, in one run: the ratio of their particle-steps a
second. Polygons of 5 to 8 sides at rest.

  soft_threads.py BENCH_SOFT [--rounds N] [--csv FILE] [GRAINS ...]     default: 10000 100000

They are measured in turn, and the ratio is that of the medians. It needs two quiet processors.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

from scenes import append_rows, printed_speed, processor, today

COLUMNS = ("date", "processor", "grains", "two threads: particle-steps/s", "two processes: particle-steps/s", "ratio")


def begin(program, threads, grains):
    return subprocess.Popen([program, "--speed", str(threads), grains], stdout=subprocess.PIPE, text=True)


def end(process):
    """Particle-steps a second."""
    out, _ = process.communicate()
    assert process.returncode == 0
    return printed_speed(out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("grains", nargs="*", default=["10000", "100000"])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--csv", type=pathlib.Path)
    given = arguments.parse_intermixed_args()
    csv = given.csv and given.csv.resolve()
    program = given.program.resolve()
    os.chdir(program.parent.parent)  # where it keeps its beds
    rows = []
    for grains in given.grains:
        end(begin(program, 1, grains))  # settles the bed, if that was not yet done
        threads, processes = [], []
        for _ in range(given.rounds):
            threads.append(end(begin(program, 2, grains)))
            processes.append(sum([end(each) for each in [begin(program, 1, grains) for _ in range(2)]]))
        both, apart = statistics.median(threads), statistics.median(processes)
        print(f"{grains} grains: two threads {1e-6 * both:.2f} M particle-steps/s, two processes {1e-6 * apart:.2f}, ratio {both / apart:.3f}")
        rows.append(dict(zip(COLUMNS, (today(), processor(), grains, f"{both:.3g}", f"{apart:.3g}", f"{both / apart:.3f}"))))
    if csv:
        append_rows(csv, COLUMNS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
