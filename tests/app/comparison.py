"""scree compare: one scene in both modes, what it writes, and what it refuses."""

import math
import re
import unittest
import xml.etree.ElementTree

from scree_process import BAD_INPUT, OK, STONES, AppTest, Run

# Three elastic disks between reflecting sides, under gravity, that meet a few times.
DISKS = """\
scree: 1
title: Three <elastic> disks
mode: hard
domain: {x: [0, 1], y: [0, 1], sides: reflecting}
gravity: [0, -1]
materials:
  ball: {density: 1, stiffness: 1e5, restitution: 1}
particles:
  - place:
      - {position: [0.2, 0.5], velocity: [1, 0.05]}
      - {position: [0.55, 0.52], velocity: [-0.3, 0.1]}
      - {position: [0.8, 0.45], velocity: [-0.9, 0]}
    material: ball
    shape: disk
    size: 0.1
time: {end: 0.8}
output: {every: 0.1}
"""


def columns(table):
    """Name without unit to numbers."""
    names = [re.sub(r" \[.*\]", "", name) for name in table[0]]
    return {name: [float(row[k]) for row in table[1:]] for k, name in enumerate(names)}


class Comparison(AppTest):
    def setUp(self):
        super().setUp()
        self.write("disks.yaml", DISKS)

    def assert_refuses(self, *arguments, says):
        before = self.tree()
        done = self.scree("compare", *arguments, code=BAD_INPUT)
        self.assertEqual(self.tree(), before)
        for part in says:
            self.assertIn(part, done.stderr)

    def assert_refuses_scene(self, old, new, says):
        self.assertIn(old, DISKS)
        self.write("bad.yaml", DISKS.replace(old, new))
        self.assert_refuses("bad.yaml", says=says)

    def test_writes_tables_and_reports(self):
        done = self.scree("compare", "disks.yaml")
        directory = self.here / "out/disks_compare"
        self.assertEqual(
            sorted(path.name for path in directory.iterdir()),
            ["compare.csv", "height_profile.csv", "radial_distribution.csv", "report.html", "report.md"],
        )
        report = (directory / "report.md").read_text()
        self.assertIn(report, done.stdout)
        for row in ("| Wall time [s] |", "| Kinetic energy, mean [J] |", "| Height profile |  |  |"):
            self.assertIn(row, report)
        self.assertIn("not parted", report)

        moments = columns(Run(directory).table("compare.csv"))
        self.assertEqual(len(moments["time"]), 9)
        self.assertEqual(moments["position_difference_largest"][0], 0)
        self.assertLess(moments["position_difference_largest"][-1], 0.01)
        self.assertGreater(moments["position_difference_largest"][-1], 0)
        self.assertEqual(moments["soft_contacts"], moments["hard_contacts"])
        self.assertGreater(moments["hard_contacts"][-1], 3)
        for name in ("hard_collision_rate", "soft_collision_rate", "hard_pressure", "soft_pressure", "hard_wall_pressure"):
            self.assertGreater(max(moments[name]), 0, name)
        profile = columns(Run(directory).table("height_profile.csv"))
        for mode in ("soft", "hard", "hard_again"):  # three disks in 1 m^2
            area = sum(profile[mode]) / len(profile["y"])
            self.assertAlmostEqual(area, 0.75 * math.pi * 0.01, delta=1e-9)
        total = [k + p for k, p in zip(moments["hard_kinetic_energy"], moments["hard_potential_energy"])]
        self.assertLess(max(total) - min(total), 1e-9 * total[0])
        self.assertAlmostEqual(moments["soft_kinetic_energy"][-1], moments["hard_kinetic_energy"][-1], delta=1e-4)

    def test_the_page_stands_alone_and_its_pictures_are_well_formed(self):
        self.scree("compare", "disks.yaml", "--output", "there", "--stiffness", "1e4,1e5", "--quiet")
        page = (self.here / "there/report.html").read_text()
        self.assertIn("Three &lt;elastic&gt; disks", page)
        self.assertEqual(set(re.findall(r"https?://[^\"]*", page)), {"http://www.w3.org/2000/svg"})
        self.assertNotRegex(page, r"<(script|link|img|iframe)|\bnan\b|\binf\b")
        pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        self.assertEqual(len(pictures), 11)  # two of errors, six of quantities, how they part, two of disks
        for picture in pictures:
            xml.etree.ElementTree.fromstring(picture)
        self.assertEqual(pictures[-1].count("<circle"), 6)

    def test_the_limit_of_hard_disks(self):
        self.scree("compare", "disks.yaml", "--stiffness", "1e5,1e6,1e7", "--output", "there")
        limit = columns(Run(self.here / "there").table("stiffness.csv"))
        self.assertEqual(limit["stiffness"], [1e5, 1e6, 1e7])
        exponent = math.log(limit["position_error"][2] / limit["position_error"][0]) / math.log(100)
        self.assertAlmostEqual(exponent, -0.5, delta=0.03)
        self.assertIn("fitted exponent", (self.here / "there/report.md").read_text())

    def test_the_same_for_any_number_of_threads(self):
        tables = []
        for threads in (1, 2):
            self.scree("compare", "disks.yaml", "--threads", threads, "--output", f"with{threads}", "--quiet")
            tables.append((self.here / f"with{threads}/compare.csv").read_text())
        self.assertEqual(tables[0], tables[1])

    def test_what_is_no_scene_for_both_modes(self):
        self.write("stones.yaml", STONES)
        self.assert_refuses("stones.yaml", says=["stones.yaml:16:", "particles[0].shape", "must be disk in hard mode"])
        place = ["bad.yaml:7:", "materials.ball"]
        for key in ("cohesion: 1", "rolling_friction: 0.1", "dynamic_friction: 0"):
            says = [*place, key.split(":")[0], "in hard mode"]
            self.assert_refuses_scene("restitution: 1}", f"restitution: 1, {key}}}", says)
        self.assert_refuses_scene("restitution: 1}", "damping: 0.1}", [*place, "damping", "in hard mode"])
        self.assert_refuses_scene("restitution: 1}", "restitution: 0}", [*place, "restitution: is 0, must be a number in (0, 1]"])
        self.assert_refuses_scene("stiffness: 1e5, ", "", [*place, "stiffness: is missing, must be a number > 0"])
        law = ["contact.disks", "is 'hertz', must be linear"]
        self.assert_refuses_scene("time:", "contact: {disks: hertz}\ntime:", law)
        pour = "- {pour: {count: 1, rate: 1, region: {x: [0, 1], y: [0, 1]}}, material: ball, shape: disk, size: 0.1}"
        self.assert_refuses_scene("time:", f"  {pour}\ntime:", ["particles[1].pour", "must be fill or place"])

    def test_what_is_no_list_of_stiffnesses(self):
        for text in ("1e5", "1e5,", "1e5;1e6", "1e6,1e5", "1e5,1e5", "0,1e5", "-1,1", "soft,hard", "1e5,nan", "1e5,inf"):
            with self.subTest(text=text):
                says = [f"--stiffness: is '{text}', must be a list of at least two rising numbers > 0 [N/m]"]
                self.assert_refuses("disks.yaml", f"--stiffness={text}", says=says)

    def test_a_directory_that_holds_something_is_not_touched(self):
        (self.here / "full").mkdir()
        self.write("full/mine", "mine")
        self.assert_refuses("disks.yaml", "--output", "full", says=["full holds other things", "allowed: an empty or"])


if __name__ == "__main__":
    unittest.main()
