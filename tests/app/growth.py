"""Disks that grow: how a run says whether they have jammed. The packings are tested in tests/hard/jamming.cpp."""

import re
import unittest

from scree_process import AppTest

# Grow at 0.0059 times the thermal speed, 1/sqrt(3) m/s.
SLOW = """\
scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1], periodic: [x, y]}
materials:
  ball: {density: 1000, restitution: 1}
particles:
  - fill: {region: {x: [0, 1], y: [0, 1]}, spacing: 0.1, jitter: 1}
    material: ball
    shape: disk
    size: 0.099
growth: {rate: 0.035, from: 0.5}
time: {end: 20}
output: {every: 20}
"""
FAST = SLOW.replace("rate: 0.035", "rate: 2, rescaling: 1")


class Growth(AppTest):
    def finished(self, scene, *options):
        self.write("scene.yaml", scene)
        return self.scree("run", "scene.yaml", "--output", "out", "--force", *options)

    def test_a_packing_is_described_at_the_end(self):
        done = self.finished(SLOW)
        self.assertRegex(done.stdout, r"\npacking fraction 0\.8\d+, pressure p A / \(N k T\) 1\.\d+e\+06\n")
        found = r"\n(\d+) of 100 grains bear load, with (\d+) contacts; the fewest that can jam these grains: (\d+)\n"
        bearing, contacts, least = (int(number) for number in re.search(found, done.stdout).groups())
        self.assertGreater(bearing, 50)
        self.assertEqual(least, 2 * bearing - 1)
        rows = self.run_of("out").table("series.csv")
        self.assertEqual(rows[-1][rows[0].index("contacts")], str(contacts))

    def test_disks_that_still_grow_have_no_packing(self):
        done = self.finished(SLOW, "--until", "2")
        self.assertRegex(done.stdout, r"packing fraction 0\.\d+, pressure .*; the grains still grow\n")
        self.assertNotIn("bear load", done.stdout)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.run_of("out").info["warnings"], [])

    def test_disks_that_outrun_their_motion_are_no_packing(self):
        done = self.finished(FAST, "--quiet")
        self.assertRegex(done.stderr, "^scree: warning: .* no grain bears load: this is no packing.* try a tenth of growth.rate")
        info = self.run_of("out").info
        self.assertEqual(info["status"], "finished")
        self.assertEqual("".join(f"scree: warning: {text}\n" for text in info["warnings"]), done.stderr)
        self.assertIn("\n0 of 100 grains bear load", self.finished(FAST).stdout)

    def test_check_compares_growth_with_the_thermal_speed(self):
        def check(scene):
            self.write("scene.yaml", scene)
            return self.scree("check", "scene.yaml").stdout

        self.assertRegex(check(SLOW), r"growth: diameters grow at 0\.0059 times the thermal speed\n")
        self.assertRegex(check(SLOW.replace("0.035", "0.3")), "thermal speed: fast, .*; try growth.rate: 0.06 or less")
        self.assertRegex(check(FAST), "thermal speed: too fast, .*; try growth.rate: 0.06 or less")


if __name__ == "__main__":
    unittest.main(verbosity=2)
