"""Grains of several parts, from the scene to everything that is written: one id, one outline, one cell each."""

import re
import unittest

from scree_process import OK, AppTest

SCENE = """\
scree: 1
title: Staples and dumbbells
seed: 4
domain: {x: [-0.1, 0.1], y: [-0.02, 0.3], periodic: [x]}
gravity: [0, -9.81]
materials:
  steel: {density: 2600, stiffness: 1e7, restitution: 0.2, friction: 0.5}
walls:
  - {name: floor, material: steel, box: {x: [-0.1, 0.1], y: [-0.02, 0]}}
particles:
  - fill: {region: {x: [-0.1, 0.1], y: [0, 0.15]}, count: 24, jitter: 0.5}
    material: steel
    shape: {polygon: [[0, 0], [5, 0], [5, 4], [4, 4], [4, 1], [1, 1], [1, 4], [0, 4]]}
    size: 0.014
  - pour: {count: 8, rate: 400, region: {x: [-0.08, 0.08], y: [0.2, 0.28]}}
    material: steel
    shape: {parts: [{disk: 1}, {disk: 0.8, position: [1.5, 0]}]}
    size: {uniform: [0.01, 0.014]}
time: {end: 0.06}
output: {every: 0.01, stress: true}
measure: {every: 0.02, texture: {}, height_profile: {bins: 4}}
"""


class Clumps(AppTest):
    def test_all_that_is_written_is_of_grains(self):
        self.write("s.yaml", SCENE)
        self.assertIn("24 at the start", self.scree("check", "s.yaml").stdout)
        self.scree("run", "s.yaml", "--quiet", "--threads", 1)
        whole = self.run_of("out/s")
        self.assertEqual(whole.info["status"], "finished")
        series = whole.table("series.csv")
        self.assertEqual(series[-1][1], "32")
        frame = sorted((self.here / "out/s").glob("particles_*.vtp"))[-1]
        self.assertIn('NumberOfPolys="32"', frame.read_text(errors="replace"))
        # Threads, broadphase and a stop on the way change no bit.
        self.scree("run", "s.yaml", "--quiet", "--threads", 2, "--output", "out/two")
        self.assertEqual(self.run_of("out/two").state_hash, whole.state_hash)
        self.scree("run", "s.yaml", "--quiet", "--until", 0.025, "--output", "out/part", "--threads", 1)
        self.scree("resume", "out/part", "--quiet", "--threads", 1)
        self.assert_same_files(self.run_of("out/part"), whole)
        # Pictures have the outlines, not convex hulls or parts: a staple has 8 corners.
        self.scree("picture", "out/s", "-o", "s.svg", "--quiet")
        corners = [len(points.split()) for points in re.findall('<polygon points="([^"]*)"', (self.here / "s.svg").read_text())]
        self.assertEqual(corners.count(8), 24)
        self.scree("replay", "out/s", "--quiet")
        self.scree("report", "out/s", "--quiet")

    def test_impacts_that_a_guard_will_end_are_told_before_the_run(self):
        warning = "warning: particles[0]: impacts at up to"
        for stiffness, is_told in (("1e7", False), ("2e5", True)):
            with self.subTest(stiffness):
                self.write("soft.yaml", SCENE.replace("stiffness: 1e7", f"stiffness: {stiffness}"))
                self.assertEqual(warning in self.scree("check", "soft.yaml").stdout, is_told)
                done = self.scree("run", "soft.yaml", "--until", 0.001, "--force")
                self.assertEqual(warning in done.stderr, is_told)

    def test_another_run_begins_with_them(self):
        self.write("s.yaml", SCENE)
        self.scree("run", "s.yaml", "--quiet")
        first = self.run_of("out/s")
        frame = sorted((self.here / "out/s").glob("particles_*.vtp"))[-1].relative_to(self.here)
        for start in ("out/s", str(frame)):
            with self.subTest(start):
                then = re.sub("particles:\n.*?\ntime:", f"start: {{from: {start}}}\ntime:", SCENE, flags=re.DOTALL)
                self.write("then.yaml", then)
                self.scree("run", "then.yaml", "--quiet", "--force", code=OK)
                last = self.run_of("out/then").table("series.csv")[-1]
                self.assertEqual(last[1], first.table("series.csv")[-1][1])


if __name__ == "__main__":
    unittest.main()
