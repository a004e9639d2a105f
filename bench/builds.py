"""How long it takes to build scree, in a copy of its sources with a ccache of its own: builds.py SOURCE [--tests] [--csv FILE].

Prints a table of seconds and of seconds of processor time. Packages must be there. Nothing else should run meanwhile."""

import argparse
import csv
import os
import resource
import shutil
import subprocess
import tempfile
import time
from datetime import date
from pathlib import Path


def copy_sources(source, to):
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    for name in filter(None, files):
        if (source / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, to / name)
    subprocess.run("git init -q && git add -A && git -c user.name=x -c user.email=x commit -qm copy", shell=True, cwd=to, check=True)


def change(path):
    """A change that ccache takes for one, too, which sees past comments."""
    with path.open("a") as file:
        file.write(f"\nstruct Changed{time.time_ns()};\n")


class Builds:
    def __init__(self, source, work):
        self.tree = work / "scree"
        self.tree.mkdir()
        copy_sources(source, self.tree)
        self.environment = dict(os.environ, CCACHE_DIR=str(work / "ccache"), SCREE_BUILD_ROOT=str(work / "build"))
        self.rows = []

    def measure(self, what, *command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        subprocess.run(command, cwd=self.tree, env=self.environment, check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.rows.append((what, round(seconds, 1), round(processor, 1)))
        print(f"| {what} | {seconds:.0f} | {processor:.0f} |", flush=True)

    def without_build(self):
        shutil.rmtree(self.environment["SCREE_BUILD_ROOT"], ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--tests", action="store_true", help="build and run the tests, too")
    parser.add_argument("--csv", type=Path, help="append the rows to this table")
    arguments = parser.parse_args()
    print("| what | s | processor s |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        builds = Builds(arguments.source.resolve(), Path(work))
        app = ("./dev", "build", "release", "scree_app")
        builds.measure("the program, from nothing", *app)
        builds.measure("nothing changed", *app)
        builds.without_build()
        builds.measure("the program, all of it in ccache", *app)
        change(builds.tree / "dem/soft/forces/pair_finder.cpp")
        builds.measure("`dem/soft/forces/pair_finder.cpp` changed", *app)
        change(builds.tree / "dem/hard/disk/predictor.cpp")
        builds.measure("`dem/hard/disk/predictor.cpp` changed", *app)
        change(builds.tree / "dem/scene.hpp")
        builds.measure("`dem/scene.hpp` changed", *app)
        if arguments.tests:
            builds.measure("tests, benchmarks and Python module, after the program", "./dev", "build", "release")
            builds.measure("tests, run", "./dev", "test")
    if arguments.csv:
        is_new = not arguments.csv.exists()
        with arguments.csv.open("a", newline="") as file:
            table = csv.writer(file)
            if is_new:
                table.writerow(["date", "processors", "what", "seconds", "processor_seconds"])
            table.writerows([date.today(), os.cpu_count(), *row] for row in builds.rows)


if __name__ == "__main__":
    main()
