"""Two ranks (processes under mpirun) beside two independent processes with half of the grains each, and beside LAMMPS'
disks on one rank and two (Debian packages openmpi-bin, lammps), in one run: particle-steps a second.

  soft_ranks.py BENCH_SOFT [--rounds N] [--csv FILE] [GRAINS ...]     default: 100000 100000:disks

All are measured in turn, several times; ratios are those of the medians. "One rank" is the code of several ranks, with
one, over a simulation without ranks; the program itself takes the latter when mpirun starts one process. It needs two
quiet processors.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from scenes import append_rows, printed_speed, processor, today
from soft_peers import DISKS, SKIPPED

COLUMNS = ("date", "processor", "grains", "what", "particle-steps/s", "over", "ratio")
ENVIRONMENT = dict(
    os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1"
)


def speeds(*commands):
    """Sum of the particle-steps a second of programs that run at the same time."""
    running = [subprocess.Popen(list(map(str, each)), stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) for each in commands]
    outputs = [each.communicate()[0] for each in running]
    assert all(each.returncode == 0 for each in running), outputs
    return sum(printed_speed(re.search(r"^\S+ particle-steps/s.*", out, re.MULTILINE)[0]) for out in outputs)


def lammps(ranks, grains):
    rows = 20
    steps = max(20, 4_000_000 // grains)
    script = DISKS.format(width=max(4, grains / rows) * 0.0135, height=rows * 0.0135, settling=10_000) + f"run {steps}\n"
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "in.bed").write_text(script.replace("units si", f"units si\nprocessors {ranks} 1 1", 1))
        command = ["mpirun", "-n", str(ranks), "lmp", "-in", "in.bed", "-log", "none"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    seconds, count, atoms = re.findall(r"Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+) atoms", done.stdout)[-1]
    return int(atoms) * int(count) / float(seconds)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("grains", nargs="*", default=["100000", "100000:disks"])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--csv", type=pathlib.Path)
    given = arguments.parse_intermixed_args()
    csv = given.csv and given.csv.resolve()
    program = given.program.resolve()
    if shutil.which("mpirun") is None:
        print("mpirun is not there (Debian package openmpi-bin)")
        return SKIPPED
    os.chdir(program.parent.parent)  # where it keeps its beds
    rows = []
    for grains in given.grains:
        count, colon, shape = grains.partition(":")
        half = f"{int(count) // 2}{colon}{shape}"
        alone = [program, "--speed", 1, grains]
        halves = [program, "--speed", 1, half]
        measures = {
            "without ranks": lambda: speeds(alone),
            "one rank": lambda: speeds([program, "--ranks", 1, grains]),
            "two halves, apart": lambda: speeds(halves, halves),
            "two ranks": lambda: speeds(["mpirun", "-n", "2", program, "--mpi", grains]),
        }
        if shape == "disks" and shutil.which("lmp"):
            measures["LAMMPS, one rank"] = lambda: lammps(1, int(count))
            measures["LAMMPS, two ranks"] = lambda: lammps(2, int(count))
        for prepare in (alone, halves):  # settles the beds, if that was not yet done
            speeds(prepare)
        found = {what: [] for what in measures}
        for _ in range(given.rounds):
            for what, measure in measures.items():
                found[what].append(measure())
        median = {what: statistics.median(values) for what, values in found.items()}
        over = {
            "one rank": "without ranks", "two ranks": "two halves, apart", "LAMMPS, one rank": "without ranks",
            "LAMMPS, two ranks": "two ranks",
        }  # fmt: skip
        for what, value in median.items():
            other = over.get(what, "")
            ratio = f"{value / median[other]:.3f}" if other else ""
            print(f"{grains} grains, {what}: {1e-6 * value:.2f} M particle-steps/s" + (f", {ratio} of {other}" if other else ""), flush=True)
            rows.append(dict(zip(COLUMNS, (today(), processor(), grains, what, f"{value:.3g}", other, ratio))))
    if csv:
        append_rows(csv, COLUMNS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
