"""The examples' first moments: they run, and the books balance in every row. And what they promise of their end."""

import csv
import math
import pathlib
import re
import unittest

from scree_process import AppTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCENES = sorted(EXAMPLES.glob("**/*.yaml"))


def is_hard(scene):
    return re.search("^mode: hard", scene.read_text(), re.MULTILINE)


def mean(rows, column):
    return sum(float(row[column]) for row in rows) / len(rows)


class Examples(AppTest):
    def table(self, scene, name):
        with open(self.here / scene.stem / name, newline="") as file:
            return list(csv.DictReader(file))

    def run_until(self, scene, until):
        self.scree("run", scene, "--until", until, "--output", scene.stem, "--quiet")
        return self.table(scene, "series.csv")

    def check_balance(self, rows, rounding):
        self.assertGreater(len(rows), 1)
        self.assertGreater(float(rows[-1]["energy_turned_over [J]"]), 0.0)
        for row in rows:
            self.assertLess(abs(float(row["energy_residual"])), rounding, row["time [s]"])

    def test_soft_grains_balance(self):
        soft = [scene for scene in SCENES if not is_hard(scene)]
        self.assertGreaterEqual(len(soft), 3)
        for scene in soft:
            with self.subTest(scene.name):
                self.check_balance(self.run_until(scene, 0.2), 1e-3)

    def test_hard_disks_collide_and_balance(self):
        hard = [scene for scene in SCENES if is_hard(scene)]
        self.assertGreaterEqual(len(hard), 8)
        for scene in hard:
            with self.subTest(scene.name):
                until = 0.9 if scene.stem == "break" else 0.2  # the cue ball comes first at 0.82 s
                self.check_balance(self.run_until(scene, until), 1e-12)
                self.assertGreater(self.run_of(scene.stem).info["events"]["collisions"], 10)

    def test_time_reversal_leads_back(self):
        scene = EXAMPLES / "time_reversal.yaml"
        self.run_until(scene, 4)
        rows = self.table(scene, "mean_square_displacement.csv")
        ways = [float(row["mean_square_displacement [m^2]"]) for row in rows]
        self.assertGreater(max(ways), 0.3)
        self.assertLess(ways[-1], (1e-6 * 0.04) ** 2)  # a millionth of a diameter
        for there, back in zip(ways, reversed(ways[:-1])):
            self.assertAlmostEqual(there, back, delta=1e-6)

    def test_diffusion_is_as_fast_as_kinetic_theory_says_or_a_little_faster(self):
        scene = EXAMPLES / "diffusion.yaml"
        self.run_until(scene, 10)
        mass = 1000 * math.pi * 0.005**2
        gas = self.table(scene, "measure.csv")
        enskog = mean(gas, "temperature [J]") / (mass * mean(gas, "collision_rate [1/s]"))
        last = {key: float(value) for key, value in self.table(scene, "mean_square_displacement.csv")[-1].items()}
        drift = last["displacement_x [m]"] ** 2 + last["displacement_y [m]"] ** 2
        measured = (last["mean_square_displacement [m^2]"] - drift) / (4 * (last["time [s]"] - 1))
        self.assertGreater(measured, 0.95 * enskog)  # 900 disks: 3 %
        self.assertLess(measured, 1.15 * enskog)

    def test_free_paths_are_those_of_kinetic_theory(self):
        scene = EXAMPLES / "free_path.yaml"
        self.run_until(scene, 5)
        eta = 625 * math.pi * 0.01**2
        expected = (1 - eta) ** 2 / (1 - 7 / 16 * eta) / (2 * math.sqrt(2) * 625 * 0.02)
        gas = self.table(scene, "measure.csv")
        path = mean(gas, "mean_speed [m/s]") / mean(gas, "collision_rate [1/s]")
        self.assertAlmostEqual(path, expected, delta=0.01 * expected)
        bins = self.table(scene, "free_paths.csv")
        flights = [float(row["flights"]) for row in bins]
        middles = [0.5 * (float(row["from [m]"]) + float(row["to [m]"])) for row in bins]
        path = sum(n * x for n, x in zip(flights, middles)) / sum(flights)
        self.assertAlmostEqual(path, expected, delta=0.02 * expected)

    def test_energy_of_one_disk_becomes_a_temperature(self):
        scene = EXAMPLES / "maxwell_boltzmann.yaml"
        self.run_until(scene, 10)
        expected = 1000 * math.pi * 0.01**2 * (20**2 + 3**2) / 2 / 400
        temperature = mean(self.table(scene, "measure.csv"), "temperature [J]")
        self.assertAlmostEqual(temperature, expected, delta=0.01 * expected)
        for row in self.table(scene, "velocity_distribution.csv"):
            c = float(row["velocity"])
            normal = math.exp(-(c**2) / 2) / math.sqrt(2 * math.pi)
            self.assertAlmostEqual(float(row["density_x"]), normal, delta=0.03)
            self.assertAlmostEqual(float(row["density_y"]), normal, delta=0.03)
            self.assertAlmostEqual(float(row["speed_density"]), max(c, 0) * math.exp(-(c**2) / 2), delta=0.03)


if __name__ == "__main__":
    unittest.main(verbosity=2)
