"""Several processes under mpirun write what one process writes, byte for byte; and end in order."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from scree_process import BAD_INPUT, GAS, INTERRUPTED, MEASURED, MPI_ENVIRONMENT, OK, PATIENCE, PHYSICS, SANITIZED, SCREE, STONES, AppTest

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
DIFFERENT = ("run.json", "state.previous.scree")  # times and threads; when it was saved

PERIODIC = """\
scree: 1
title: Stones on a periodic floor
seed: 5
domain: {x: [0, 0.2], y: [0, 0.2], periodic: [x]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 2e5, restitution: 0.3, friction: 0.5}
walls:
  - {name: floor, material: stone, box: {x: [0, 0.2], y: [0, 0.02]}}
particles:
  - fill: {region: {x: [0, 0.2], y: [0.02, 0.2]}, jitter: 0.5}
    material: stone
    shape: {random_polygon: {vertices: [4, 7], aspect: [1, 1.2]}}
    size: {uniform: [0.006, 0.008]}
time: {end: 0.01}
output: {every: 0.0025}
"""


CELL = """\
scree: 1
title: Stones in a cell that is pressed and sheared
seed: 5
domain: {x: [0, 0.1], y: [0, 0.08], periodic: [x, y], cell: {}}
materials:
  stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}
particles:
  - random: {region: {x: [0, 0.1], y: [0, 0.08]}, packing_fraction: 0.7}
    material: stone
    shape: {random_polygon: {vertices: [4, 7], aspect: [1, 1.2]}}
    size: {uniform: [0.006, 0.008]}
stages:
  - {name: wait, time: {end: 0.001}}
  - name: shear
    cell: {xx: {stress: 500, rate: 5}, yy: {stress: 500, rate: 5}, xy: {rate: 30}}
    time: {end: 0.01}
output: {every: 0.0025}
"""


SHORT = STONES.replace("time: {end: 0.08}", "time: {end: 0.02}").replace("stiffness: 1e7", "stiffness: 1e6")


class Ranks(AppTest):
    def on(self, ranks, *arguments, status=OK):
        done = subprocess.run(
            ["mpirun", "-n", str(ranks), str(SCREE), *map(str, arguments)],
            cwd=self.here, env=MPI_ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def assert_same_as(self, first, second):
        names = {path.name for path in (self.here / first).iterdir()} - set(DIFFERENT)
        self.assertEqual(names, {path.name for path in (self.here / second).iterdir()} - set(DIFFERENT))
        for name in sorted(names):
            self.assertEqual((self.here / first / name).read_bytes(), (self.here / second / name).read_bytes(), name)
        self.assertEqual(self.run_of(first).state_hash, self.run_of(second).state_hash)

    def test_same_files_for_any_number_of_ranks(self):
        for name, scene in (("stones", SHORT + MEASURED), ("periodic", PERIODIC), ("cell", CELL)):
            self.write(f"{name}.yaml", scene)
            self.scree("run", f"{name}.yaml", "--output", f"{name}_alone", "--quiet")
            for ranks in (1, 2, 3):
                with self.subTest(scene=name, ranks=ranks):
                    directory = f"{name}_on_{ranks}"
                    self.on(ranks, "run", f"{name}.yaml", "--output", directory, "--quiet", "--threads", 1)
                    self.assert_same_as(f"{name}_alone", directory)
        rows = (self.here / "cell_on_3" / "cell.csv").read_text().splitlines()
        self.assertGreater(len({row.split(",")[1] for row in rows}), 3)  # its length followed the stress

    def test_a_golden_scene_has_its_hash_on_any_number_of_ranks(self):
        golden = re.search(r'kCrowdAtItsEnd = "([0-9a-f]{16})"', (GOLDEN / "golden.cpp").read_text())[1]
        for ranks in (1, 8) if SANITIZED else (1, 2, 3, 4, 8):
            with self.subTest(ranks=ranks):
                self.on(ranks, "run", GOLDEN / "crowd.yaml", "--output", f"on_{ranks}", "--quiet", "--threads", 1)
                self.assertEqual(self.run_of(f"on_{ranks}").state_hash, golden)

    def test_a_run_is_resumed_on_another_number_of_ranks(self):
        self.write("stones.yaml", SHORT + MEASURED)
        self.scree("run", "stones.yaml", "--output", "alone", "--quiet")
        self.on(3, "run", "stones.yaml", "--output", "moved", "--quiet", "--until", 0.007)
        self.on(2, "resume", "moved", "--quiet", "--until", 0.013)
        self.scree("resume", "moved", "--quiet")
        self.assert_same_as("alone", "moved")

    def test_errors_are_told_once(self):
        self.write("bad.yaml", STONES.replace("seed: 3", "sead: 3"))
        done = self.on(2, "run", "bad.yaml", "--output", "bad", status=BAD_INPUT)
        self.assertEqual(done.stderr.count("bad.yaml:"), 1, done.stderr)
        self.write("hard.yaml", GAS)
        done = self.on(2, "run", "hard.yaml", "--output", "hard", status=BAD_INPUT)
        self.assertEqual(done.stderr.count("several ranks cannot run"), 1, done.stderr)
        done = self.on(2, "check", "stones.yaml", status=BAD_INPUT)
        self.assertEqual(done.stderr.count("allowed with mpirun: run, resume"), 1, done.stderr)
        self.write("long.yaml", STONES.replace("time: {end: 0.08}", "time: {end: 0.08, step: 2e-4}"))
        alone = self.scree("run", "long.yaml", "--output", "long_alone", "--quiet", code=PHYSICS)
        done = self.on(2, "run", "long.yaml", "--output", "long", "--quiet", status=PHYSICS)
        self.assertIn(alone.stderr.strip(), done.stderr)

    def start_long_run(self, directory):
        """On three ranks; returns once it writes."""
        self.write("stones.yaml", STONES.replace("time: {end: 0.08}", "time: {end: 50}"))
        running = subprocess.Popen(
            ["mpirun", "-n", "3", str(SCREE), "run", "stones.yaml", "--output", directory, "--quiet"],
            cwd=self.here, env=MPI_ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while not (self.here / directory / "series.csv").exists():
            self.assertIsNone(running.poll())
            time.sleep(0.05)
        return running

    def test_ranks_with_different_command_lines_are_refused(self):
        self.write("stones.yaml", SHORT)
        self.write("others.yaml", SHORT)
        for one, other in (
            (["run", "stones.yaml"], ["run", "others.yaml"]),
            (["run", "stones.yaml"], ["run", "stones.yaml", "--threads", "1"]),
            (["run", "stones.yaml"], ["resume", "stones"]),
        ):
            with self.subTest(other=other):
                done = subprocess.run(
                    ["mpirun", "-n", "1", str(SCREE), *one, ":", "-n", "1", str(SCREE), *other],
                    cwd=self.here, env=MPI_ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE,
                )  # fmt: skip
                self.assertEqual(done.returncode, BAD_INPUT, done.stdout + done.stderr)
                said = f"mpirun has started rank 0 with '{' '.join(one)}' and rank 1 with '{' '.join(other)}'"
                self.assertEqual(done.stderr.count(said), 1, done.stderr)
                self.assertFalse((self.here / "out").exists())

    def test_a_signal_that_mpirun_passes_on_saves_the_whole(self):
        running = self.start_long_run("interrupted")
        running.send_signal(signal.SIGUSR1)
        self.assertEqual(running.wait(PATIENCE), INTERRUPTED)
        info = self.run_of("interrupted").info
        self.assertEqual(info["status"], "interrupted")
        self.scree("resume", "interrupted", "--quiet", "--until", info["end_time"] + 0.001)

    def test_after_sigint_mpirun_fails_and_the_run_goes_on_from_what_was_saved(self):
        running = self.start_long_run("stopped")
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(PATIENCE), 1)
        self.scree("resume", "stopped", "--quiet", "--until", self.run_of("stopped").info["end_time"] + 0.02)

    def test_a_rank_that_is_killed_leaves_nobody_hanging(self):
        running = self.start_long_run("killed")
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True)
        os.kill(int(children.stdout.split()[-1]), signal.SIGKILL)
        self.assertNotEqual(running.wait(PATIENCE), 0)
        self.scree("resume", "killed", "--quiet", "--until", 0.01)


if __name__ == "__main__":
    if shutil.which("mpirun") is None or not (SCREE.parent / "scree_mpi.so").exists():
        print("skipped: MPI is not there")
        sys.exit(77)
    unittest.main()
