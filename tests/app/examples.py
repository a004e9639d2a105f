"""The examples' first moments: they run, and the books balance in every row. And what they promise of their end."""

import csv
import pathlib
import re
import unittest

from scree_process import AppTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCENES = sorted(EXAMPLES.glob("**/*.yaml"))


def is_hard(scene):
    return re.search("^mode: hard", scene.read_text(), re.MULTILINE)


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
        ways = [float(row["mean_square_displacement [m^2]"]) for row in self.table(scene, "mean_square_displacement.csv")]
        self.assertGreater(max(ways), 0.3)
        self.assertLess(ways[-1], (1e-6 * 0.04) ** 2)  # a millionth of a diameter
        for there, back in zip(ways, reversed(ways[:-1])):
            self.assertAlmostEqual(there, back, delta=1e-6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
