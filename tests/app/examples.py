"""The examples' first moments: they run, and where grains are soft the books balance in every row."""

import csv
import pathlib
import unittest

from scree_process import AppTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
UNTIL = "0.2"  # s


class Examples(AppTest):
    def test_balance(self):
        soft = [scene for scene in sorted(EXAMPLES.glob("*.yaml")) if "mode: hard" not in scene.read_text()]
        self.assertGreaterEqual(len(soft), 3)
        for scene in soft:
            with self.subTest(scene.name):
                self.scree("run", scene, "--until", UNTIL, "--output", scene.stem, "--quiet")
                with open(self.here / scene.stem / "series.csv", newline="") as file:
                    rows = list(csv.DictReader(file))
                self.assertGreater(len(rows), 3)
                self.assertGreater(float(rows[-1]["energy_turned_over [J]"]), 0.0)
                for row in rows:
                    self.assertLess(abs(float(row["energy_residual"])), 1e-3, row["time [s]"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
