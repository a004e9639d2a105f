"""What must not change a run does not change it: threads, how often it is looked at, how much is said."""

import os
import unittest

from scree_process import GAS, MEASURED, MEASURED_TABLES, SANITIZED, STONES, AppTest

# Enough grains for the loops over them to be shared between threads: they split above 512.
CROWD = """\
scree: 1
seed: 5
domain: {x: [0, 0.34], y: [0, 0.34], periodic: [x]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 2e5, restitution: 0.3, friction: 0.5}
walls:
  - {name: floor, material: stone, box: {x: [0, 0.34], y: [0, 0.02]}}
particles:
  - fill: {region: {x: [0, 0.34], y: [0.02, 0.34]}, jitter: 0.5}
    material: stone
    shape: {random_polygon: {vertices: [4, 7], aspect: [1, 1.2]}}
    size: {uniform: [0.006, 0.008]}
time: {end: 0.02}
output: {every: 0.01}
"""

# Long enough for four strips of the event-driven mode.
CHANNEL = """\
scree: 1
mode: hard
seed: 4
domain: {x: [0, 6], y: [0, 0.2], periodic: [x], sides: reflecting}
materials:
  ball: {density: 1, restitution: 0.99, friction: 0.1, tangential_restitution: 0.5}
particles:
  - {fill: {region: {x: [0, 6], y: [0, 0.2]}, jitter: 1}, material: ball, shape: disk, size: {uniform: [0.02, 0.03]}}
time: {end: 0.6}
output: {every: 0.2}
measure: {every: 0.05, free_flights: {}}
"""


class SameHash(AppTest):
    def test_any_number_of_threads(self):
        self.write("crowd.yaml", CROWD)
        hashes = {}
        for threads in (1, 2, 3, 4):
            directory = f"on_{threads}"
            self.scree("run", "crowd.yaml", "--threads", threads, "--output", directory, "--quiet")
            run = self.run_of(directory)
            self.assertEqual(run.info["threads"], threads)
            last = run.table("series.csv")[-1]
            self.assertGreater(int(last[1]), 600, "enough grains to share")
            self.assertGreater(int(last[5]), 60, "and contacts")
            hashes[threads] = run.state_hash
            for path in (self.here / "on_1").iterdir():
                if path.name not in ("run.json", "state.previous.scree"):
                    self.assertEqual((run.directory / path.name).read_bytes(), path.read_bytes(), path.name)
        self.assertEqual(len(set(hashes.values())), 1, hashes)

    def test_any_number_of_threads_in_hard_mode(self):
        self.write("channel.yaml", CHANNEL)
        for threads in (1, 2, 3, 4):
            directory = f"channel_on_{threads}"
            printed = self.scree("run", "channel.yaml", "--threads", threads, "--output", directory).stdout
            run = self.run_of(directory)
            self.assertEqual(run.info["threads"], threads)
            self.assertGreater(run.info["events"]["collisions"], 2000)
            if threads > 1:
                self.assertRegex(printed, f"threads: {threads}; [1-9][0-9]* windows")
            for path in (self.here / "channel_on_1").iterdir():
                if path.name not in ("run.json", "state.previous.scree"):
                    self.assertEqual((run.directory / path.name).read_bytes(), path.read_bytes(), path.name)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_a_hard_run_says_why_it_uses_only_one_of_its_threads(self):
        fixed = "material: ball, shape: disk, size: 0.02"
        exact = CHANNEL.replace("restitution: 0.99, friction: 0.1, tangential_restitution: 0.5", "restitution: 1")
        exact = exact.replace(", free_flights: {}", "").replace("material: ball, shape: disk, size: {uniform: [0.02, 0.03]}", fixed)
        short = CHANNEL.replace("x: [0, 6]", "x: [0, 0.5]")
        narrow = "the half of the domain that has half of its disks is narrower than 20 of the greatest disk"
        wall = "walls: [{name: gate, material: ball, segment: [[3, 0], [3, 0.2]], until: 0.5}]\n"
        for name, scene, why in (
            ("wide", CHANNEL, None),
            ("exact", exact + "arithmetic: exact\n", "whole numbers are reckoned in one order (arithmetic: exact)"),
            ("pour", GAS.replace("from: 0.3", "from: 0"), "disks are poured (pour)"),
            ("open", CHANNEL.replace("sides: reflecting", "sides: open"), "disks can leave through open sides (domain.sides)"),
            ("gate", CHANNEL + wall, "a wall moves, or is removed"),
            ("named", CHANNEL + "broadphase: sorted_strips\n", "the search for neighbours is not linked_cells, but sorted_strips"),
            ("short", short, narrow),
        ):  # fmt: skip
            with self.subTest(name):
                self.write(f"{name}.yaml", scene)
                for threads in (1, 3):
                    arguments = ("run", f"{name}.yaml", "--until", 0.002, "--threads", threads, "--force")
                    lines = self.scree(*arguments).stdout.splitlines()
                    told = [line for line in lines if "threads is used" in line]
                    if why is None or threads == 1:
                        self.assertEqual(told, [])
                        continue
                    self.assertEqual(len(told), 1, lines)
                    self.assertTrue(told[0].startswith(f"only one of {threads} threads is used: {why}"), told[0])
                    finished = next(k for k, line in enumerate(lines) if line.startswith("finished at "))
                    self.assertLess(lines.index(told[0]), finished, "before it computes")
                    self.assertIn(f"threads: {threads}; 0 windows, 0 cut short, 0 serial", lines)
                    self.assertEqual(self.scree(*arguments, "--quiet").stdout, "")

    def test_no_file_tells_the_broadphase(self):
        """But run.json, which tells it, and the saved state, in which the scene names it: here by equally long words."""
        names = ("sorted_strips", "distance_sort")
        for name in names:
            self.write("crowd.yaml", CROWD + f"broadphase: {name}\n" + MEASURED.replace("x: [-0.04, 0.04]", "x: [0, 0.1]"))
            self.scree("run", "crowd.yaml", "--until", 0.012, "--output", name, "--quiet")
        first, second = (self.run_of(name) for name in names)
        for path in first.directory.iterdir():
            one, other = path.read_bytes(), (second.directory / path.name).read_bytes()
            if path.name in ("run.json", "state.previous.scree"):
                continue
            if path.name == "state.scree":
                self.assertEqual(one.count(names[0].encode()), 1)
                head = one.index(b"\n") + 1 + 8  # behind the checksum
                one, other = one[head:], other[head:].replace(names[1].encode(), names[0].encode())
            self.assertEqual(one, other, path.name)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_any_output_interval(self):
        end = 0.04
        hashes = {}
        for every in ("0.04", "0.01", "0.0031", "0.0004"):
            self.write("stones.yaml", STONES.replace("every: 0.005", f"every: {every}"))
            directory = f"every_{every}"
            self.scree("run", "stones.yaml", "--until", end, "--output", directory, "--quiet")
            hashes[every] = self.run_of(directory).state_hash
        self.assertEqual(len(set(hashes.values())), 1, hashes)
        self.assertEqual(len(self.run_of("every_0.0004").frames()), 101)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_hard_disks_at_any_output_interval_with_any_broadphase(self):
        hashes = {}
        for every, broadphase in (("1", "auto"), ("0.011", "sorted_strips"), ("0.3", "sort_and_update"),
                                  ("0.7", "hierarchical_grid"), ("0.9", "all_pairs")):  # fmt: skip
            scene = GAS.replace("every: 0.125", f"every: {every}") + f"broadphase: {broadphase}\n"
            self.write("gas.yaml", scene)
            self.scree("run", "gas.yaml", "--until", 1, "--output", broadphase, "--quiet")
            run = self.run_of(broadphase)
            self.assertTrue(run.info["broadphase"].startswith("linked" if broadphase == "auto" else broadphase))
            self.assertGreater(run.info["events"]["collisions"], 5000)
            hashes[every, broadphase] = run.state_hash
        self.assertEqual(len(set(hashes.values())), 1, hashes)
        self.assertEqual(len(self.run_of("sorted_strips").frames()), 92)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_measuring_changes_nothing_and_does_not_depend_on_output(self):
        self.write("stones.yaml", STONES)
        self.write("often.yaml", STONES.replace("every: 0.005", "every: 0.0004") + MEASURED)
        self.write("measured.yaml", STONES + MEASURED)
        for scene in ("stones", "often", "measured"):
            self.scree("run", f"{scene}.yaml", "--until", 0.04, "--quiet")
        plain, often, measured = (self.run_of(f"out/{scene}") for scene in ("stones", "often", "measured"))
        self.assertEqual(plain.state_hash, measured.state_hash)
        self.assertEqual(plain.table("series.csv"), measured.table("series.csv"))
        self.assertFalse((plain.directory / "measure.csv").exists())
        for table in MEASURED_TABLES:
            self.assertEqual(measured.table(table), often.table(table), table)
            self.assertGreater(len(measured.table(table)), 8, table)
        self.scree("run", "stones.yaml", "--until", 0.01, "--output", "out/measured", "--force", "--quiet")
        for table in MEASURED_TABLES:
            self.assertFalse((measured.directory / table).exists(), table)

    def test_no_byte_depends_on_what_was_in_memory_before(self):
        # glibc fills memory with this byte, and with its complement when it is given back.
        for name, scene, until in (("stones", STONES + MEASURED, 0.04), ("gas", GAS + "measure: {free_flights: {}, collisions: {}}\n", 0.5)):
            self.write(f"{name}.yaml", scene)
            for byte in (1, 255):
                self.scree(
                    "run", f"{name}.yaml", "--until", until, "--output", f"{name}_{byte}", "--quiet",
                    env={**os.environ, "MALLOC_PERTURB_": str(byte)},
                )  # fmt: skip
            one, other = (sorted((self.here / f"{name}_{byte}").iterdir()) for byte in (1, 255))
            self.assertEqual([path.name for path in one], [path.name for path in other])
            for a, b in zip(one, other):
                if a.name not in ("run.json", "state.previous.scree"):  # they know the time of day
                    self.assertEqual(a.read_bytes(), b.read_bytes(), a)

    def test_another_seed_is_another_run(self):
        hashes = set()
        for seed in (1, 2):
            self.write("stones.yaml", STONES.replace("seed: 3", f"seed: {seed}"))
            self.scree("run", "stones.yaml", "--until", 0.01, "--output", f"seed_{seed}", "--quiet")
            hashes.add(self.run_of(f"seed_{seed}").state_hash)
        self.assertEqual(len(hashes), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
