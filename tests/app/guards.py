"""A run that goes wrong ends in order: exit status 3, a message with time, ids and what to try, and the last good frame
and state. What the guards watch is tested in tests/soft/guards.cpp; here, what the program makes of them."""

import csv
import math
import unittest

from scree_process import PEBBLE, PHYSICS, STONES, AppTest

FLOOR = "walls:\n  - {name: floor, material: stone, box: {x: [-1, 1], y: [-0.2, -0.1]}}\nparticles:"
DROP = PEBBLE.replace("particles:", FLOOR).replace("[0, 0]}", "[0, 0], velocity: [0, -9]}")
TWICE = DROP.replace("restitution: 0.3", "restitution: 1").replace("[0, -9]", "[0, 0]").replace("end: 0.05", "end: 60")
TWICE = TWICE.replace("every: 0.01", "every: 1")


class Guards(AppTest):
    def assert_ends_in_order(self, scene, *says):
        """@return the run, whose last frame and state are good"""
        self.write("bad.yaml", scene)
        message = self.scree("run", "bad.yaml", "--quiet", "--output", "out", "--force", code=PHYSICS).stderr
        self.assertTrue(message.startswith("scree: at t = "), message)
        for part in says:
            self.assertIn(part, message)
        run = self.run_of("out")
        self.assert_readable(run)
        self.assertEqual(run.info["status"], "stopped: " + message.removeprefix("scree: ").rstrip("\n"))

        went_wrong_at = float(message.split("at t = ")[1].split(" s")[0])
        times = [time for time, _ in run.frames()]
        self.assertEqual(times, sorted(set(times)))
        self.assertEqual(times[-1], run.info["end_time"])
        self.assertAlmostEqual(times[-1] + run.info["step"], went_wrong_at, delta=1e-5, msg="the step before")
        rows = self.table_of_numbers("series.csv")
        self.assertEqual([row["time [s]"] for row in rows], times)
        self.assertTrue(all(math.isfinite(value) for row in rows for value in row.values()))

        # The state is that of the step before, too: going on leads to the same trouble at once.
        again = self.scree("resume", "out", "--quiet", code=PHYSICS).stderr
        self.assertEqual(again, message)
        self.assertEqual([time for time, _ in self.run_of("out").frames()], times)
        return run

    def table_of_numbers(self, name):
        with open(self.here / "out" / name, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_hard_disks_whose_run_would_never_end(self):
        fast = PEBBLE.replace("scree: 1", "scree: 1\nmode: hard").replace("y: [-1, 1]}", "y: [-1, 1], sides: reflecting}")
        self.write("bad.yaml", fast.replace("[0, 0]}", "[0, 0], velocity: [1e90, 0]}"))
        message = self.scree("run", "bad.yaml", "--quiet", "--output", "out", code=PHYSICS).stderr
        self.assertRegex(message, r"^scree: at \S+ s: time stands still, or nearly so: .* disk 1, at 1e\+90 m/s; check for")
        run = self.run_of("out")
        self.assert_readable(run)
        self.assertEqual(run.info["status"], "stopped: " + message.removeprefix("scree: ").rstrip("\n"))

    def test_an_overlap_too_deep(self):
        self.assert_ends_in_order(
            DROP.replace("1e5", "3e3"), "particle 2 and wall 'floor' overlap by ", "allowed: 20 %", "try a greater material"
        )

    def test_a_step_too_long(self):
        self.assert_ends_in_order(
            DROP.replace("[0, -9]", "[0, -1]").replace("end: 0.05", "end: 0.5, step: 0.005"), "particle 2 and wall 'floor' touch with a stiffness", "try time.step: "
        )

    def test_a_particle_too_fast(self):
        scene = DROP.replace("end: 0.05", "end: 0.05, step: 1e-4").replace("[0, -9]", "[-501, 0]")
        self.assert_ends_in_order(scene, "particle 2 is so fast", "try a smaller time.step")

    def test_energy_gained_or_lost(self):
        self.assert_ends_in_order(
            TWICE.replace("end: 60", "end: 60, step: 0.003"), "energy does not balance", "allowed: 5 %", "try time.step: "
        )

    def test_energy_gained_or_lost_at_the_end(self):
        """Between two checks, which come every 512 steps."""
        scene = TWICE.replace("end: 60", "end: 27.3, step: 0.003")
        run = self.assert_ends_in_order(scene, "at t = 27.300000 s", "energy does not balance")
        self.assertNotEqual(run.info["steps"] % 512, 511)

    def test_who_left_before_is_told_once(self):
        """Three disks have left when a stone is shot into the box; the last state that was saved is older."""
        bullet = (
            "  - {pour: {count: 1, rate: 100, from: 0.06, region: {x: [-0.03, 0.03], y: [0.2, 0.25]},"
            " velocity: [0, -60]}, material: stone, shape: disk, size: 0.01}\ntime:"
        )
        run = self.assert_ends_in_order(STONES.replace("time:", bullet), "overlap by", "try ")
        self.assertGreater(run.info["end_time"], 0.06)
        ids = [row["id"] for row in self.table_of_numbers("flow.csv")]
        self.assertGreaterEqual(len(ids), 2)
        self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
