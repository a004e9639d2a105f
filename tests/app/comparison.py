"""scree compare: one scene in both modes, what it writes, and what it refuses."""

import json
import math
import re
import shutil
import signal
import subprocess
import unittest
import xml.etree.ElementTree

from scree_process import BAD_INPUT, INTERRUPTED, PATIENCE, PEBBLE, SANITIZED, STONES, AppTest, Run

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

# Twelve disks of 10 cm that lose a little energy in each collision.
GAS = """\
scree: 1
mode: hard
domain: {x: [0, 0.5], y: [0, 0.5], periodic: [x, y]}
materials:
  ball: {density: 1, stiffness: 1e4, restitution: 0.9}
particles:
  - fill: {region: {x: [0, 0.5], y: [0, 0.5]}, count: 12, jitter: 1}
    material: ball
    shape: disk
    size: 0.1
time: {end: 1}
output: {every: 0.05}
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
        report = (directory / "report.md").read_text()
        text, pictures = report.split("## Pictures")
        self.assertIn(text, done.stdout)
        pictures = re.findall(r"!\[[^]]*\]\((.*)\)", pictures)
        tables = ["compare.csv", "height_profile.csv", "radial_distribution.csv"]
        tables += ["replay.html", "report.html", "report.md"]
        self.assertEqual(sorted(path.name for path in directory.iterdir()), sorted(tables + pictures))
        for row in ("| Wall time of a run [s] |", "| Kinetic energy, mean [J] |", "| Height profile |  |  |"):
            self.assertIn(row, report)
        self.assertIn("not diverged", report)
        # All disks are placed: there are no independent runs, and so no standard errors.
        self.assertIn("1 soft run and 8 hard runs. Seeds change nothing in this scene", report)
        self.assertIn("they are not independent, standard errors are unknown", report)
        self.assertRegex(report, r"\| Kinetic energy, mean \[J\] \|[^|]*\|[^|]*\| [-0-9.e]+ % \| unknown \| unknown \|")
        # In gravity: what cannot be compared says so in its row.
        self.assertRegex(report, r"\| Contacts begun, collisions, at the end \(not comparable where disks rest")
        self.assertRegex(report, r"\| Collisions of a disk with others, mean \[1/s\] \(not comparable where disks rest")
        self.assertIn("This is no measure of a bed at rest", report)

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
        for mode in ("soft", "hard"):  # three disks in 1 m^2
            area = sum(profile[mode]) / len(profile["y"])
            self.assertAlmostEqual(area, 0.75 * math.pi * 0.01, delta=1e-9)
        total = [k + p for k, p in zip(moments["hard_kinetic_energy"], moments["hard_potential_energy"])]
        self.assertLess(max(total) - min(total), 1e-9 * total[0])
        self.assertAlmostEqual(moments["soft_kinetic_energy"][-1], moments["hard_kinetic_energy"][-1], delta=1e-4)

    def test_differences_are_multiples_of_standard_errors_from_other_seeds(self):
        self.write("gas.yaml", GAS)
        self.scree("compare", "gas.yaml", "--runs", "2", "--quiet")
        directory = self.here / "out/gas_compare"
        report = (directory / "report.md").read_text()
        self.assertIn("2 soft runs and 8 hard runs, each with its own seed", report)
        number = r"[-0-9.e+]+"
        row = rf"\| Kinetic energy, mean \[J\] \| {number} ± {number} \| {number} ± {number} \| ({number}) ± ({number}) % \| ({number}) % \| ({number}), by chance \|"
        self.assertRegex(report, row)
        difference, error, chance, multiple = (float(text) for text in re.search(row, report).groups())
        self.assertAlmostEqual(multiple, difference / error, delta=0.05 * abs(multiple) + 0.1)
        self.assertAlmostEqual(chance, 3.355 * error, delta=0.05 * chance)  # Student's t with 2 + 8 - 2 degrees of freedom
        theory = report[report.index("## Theory") : report.index("## What the hard mode used")]
        for name, omits in (("Haff's law", "t_c (with it collisions lose less"), ("Enskog", "sides, near which")):
            beside = rf"which leaves out {re.escape(omits)}[^|]*"
            self.assertRegex(theory, rf"\| {name}: {number} ± {number}, {beside} \| {number} ± {number} % \|")
        moments = columns(Run(directory).table("compare.csv"))
        self.assertGreater(moments["soft_kinetic_energy_error"][0], 0)  # seeds draw other velocities
        self.assertAlmostEqual(moments["hard_kinetic_energy"][0], 12 * 0.785 * 0.01 / 3, delta=12 * 0.785 * 0.01 / 3 * 0.5)
        for table in ("radial_distribution.csv", "velocity_distribution.csv"):
            self.assertLessEqual({"soft", "soft_error", "hard", "hard_error", "chance"}, set(columns(Run(directory).table(table))))
        for picture in ("kinetic_energy.svg", "radial_distribution.svg"):
            self.assertIn("soft by chance (99 %)", (directory / picture).read_text())

    def test_what_the_hard_mode_used_stands_in_the_report(self):
        rough = GAS.replace("restitution: 0.9", "restitution: 0.9, friction: 0.3")
        self.write("rough.yaml", rough)
        self.scree("compare", "rough.yaml", "--quiet")
        report = (self.here / "out/rough_compare/report.md").read_text()
        beta, source = re.search(r"\| ball, ball \| 0\.9 \| 0\.3 \| ([-0-9.]+) \| (.*?) \|", report).groups()
        self.assertEqual(source, "that of the soft mode's springs")
        self.assertTrue(0.5 < float(beta) < 1)
        duration = float(re.search(r"t_c = ([-0-9.e]+) s, the contact time of the soft mode", report)[1])
        # 2 A / omega of two disks of 10 cm and 1 kg/m^2, with the damping ratio 0.0342652 of e = 0.9 (docs/theory.md)
        omega = math.sqrt(2 * 1e4 / (math.pi / 4 * 0.01))
        self.assertAlmostEqual(duration, 2 * math.acos(0.0342652) / math.sqrt(1 - 0.0342652**2) / omega, delta=1e-6)
        for difference in ("another model than scree run of the same file with mode: hard, which has t_c = 0", "it has β₀ = 0 there"):
            self.assertIn(difference, report)
        given = rough.replace("friction: 0.3", "friction: 0.3, tangential_restitution: 0.4")
        self.write("given.yaml", given.replace("time:", "contact: {duration: 1e-5}\ntime:"))
        self.scree("compare", "given.yaml", "--quiet")
        report = (self.here / "out/given_compare/report.md").read_text()
        self.assertIn("| ball, ball | 0.9 | 0.3 | 0.4 | the scene's |", report)
        self.assertIn("t_c = 1e-05 s, the scene's contact.duration", report)
        self.assertNotIn("another model", report)

    def test_warns_of_samples_at_one_phase_of_an_oscillation(self):
        wall = "walls:\n  - {name: plate, material: ball, box: {x: [0.1, 0.9], y: [0.01, 0.05]}, oscillation: {amplitude: [0, 0.005], frequency: 20}}\n"
        self.write("shaken.yaml", DISKS.replace("particles:", wall + "particles:").replace("end: 0.8", "end: 0.2"))
        warning = "output.every is 0.1 s, 2 periods of 0.05 s of the wall 'plate'"
        self.scree("compare", "shaken.yaml", "--quiet")
        self.assertIn("Warning: " + warning, (self.here / "out/shaken_compare/report.md").read_text())
        self.assertIn("warning: " + warning, self.scree("check", "shaken.yaml").stdout)

    def test_pictures_of_tall_and_of_wide_domains_show_where_disks_are(self):
        shapes = {"tall": ("y: [0, 1]", "y: [0, 40]"), "wide": ("x: [0, 1]", "x: [0, 40]")}
        for name, (old, new) in shapes.items():
            self.write(f"{name}.yaml", DISKS.replace(old, new).replace("end: 0.8", "end: 0.2"))
            self.scree("compare", f"{name}.yaml", "--quiet")
            picture = (self.here / f"out/{name}_compare/disks_2.svg").read_text()
            radii = [float(r) for r in re.findall(r'<circle [^>]* r="([-0-9.]+)"', picture)]
            self.assertEqual(len(radii), 6)
            self.assertGreater(min(radii), 5, name)  # pixels
            width, height = (float(x) for x in re.search(r'width="([0-9.]+)" height="([0-9.]+)"', picture).groups())
            self.assertLess(width, 660)
            self.assertLess(height, 720)

    def test_what_is_no_number_of_runs(self):
        for text in ("0", "-1", "1.5", "many", "101"):
            self.assert_refuses("disks.yaml", f"--runs={text}", says=[f"--runs: is '{text}', must be a whole number from 1 to 100"])

    def test_the_page_stands_alone_and_its_pictures_are_well_formed(self):
        self.scree("compare", "disks.yaml", "--output", "there", "--stiffness", "1e4,1e5", "--quiet")
        page = (self.here / "there/report.html").read_text()
        self.assertIn("Three &lt;elastic&gt; disks", page)
        self.assertEqual(set(re.findall(r"https?://[^\"]*", page)), {"http://www.w3.org/2000/svg"})
        self.assertNotRegex(page, r"<(script|link|img|iframe)|\bnan\b|\binf\b")
        pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        self.assertEqual(len(pictures), 12)  # three of errors, six of quantities, divergence, two of disks
        for picture in pictures:
            xml.etree.ElementTree.fromstring(picture)
        last = (self.here / "there/disks_2.svg").read_text()
        self.assertEqual(last.count("<circle"), 6)
        self.assertIn(last.strip(), page)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not there")
    @unittest.skipIf(SANITIZED, "a minute or more")
    def test_a_browser_shows_the_page_without_a_word(self):
        self.scree("compare", "disks.yaml", "--output", "there", "--stiffness", "1e4,2e4,4e4,8e4,1e5", "--quiet")
        page = (self.here / "there/report.html").read_text()
        probe = """<script>
          const shown = [...document.querySelectorAll("svg")].map(svg => ({
            width: svg.getBoundingClientRect().width, height: svg.getBoundingClientRect().height,
            lengths: [...svg.querySelectorAll("polyline")].map(line => line.getTotalLength()),
            disks: [...svg.querySelectorAll("circle")].filter(disk => disk.getBBox().width > 0).length}));
          const loaded = performance.getEntriesByType("resource").map(entry => entry.name);
          const page = document.documentElement;
          const wide = [...document.querySelectorAll("table")].map(table => table.getBoundingClientRect().right);
          const room = {page: page.clientWidth, needed: page.scrollWidth, tables: Math.max(...wide)};
          document.body.innerHTML = "<pre>" + JSON.stringify({shown, loaded, room}) + "</pre>";
        </script></body>"""
        self.write("probe.html", page.replace("</body>", probe))
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,800", f"--user-data-dir={self.here}/profile",
             "--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", f"file://{self.here}/probe.html"],
            capture_output=True, text=True, timeout=PATIENCE, cwd=self.here,
        )  # fmt: skip
        self.assertNotIn("CONSOLE", done.stderr)
        found = json.loads(re.search(r"<pre>(.*)</pre>", done.stdout)[1])
        self.assertEqual([name for name in found["loaded"] if not name.startswith("data:")], [])
        self.assertEqual(len(found["shown"]), 12)
        self.assertLessEqual(found["room"]["needed"], found["room"]["page"])
        self.assertLessEqual(found["room"]["tables"], 1100)
        for picture in found["shown"]:
            self.assertGreater(picture["width"], 200)
            self.assertGreater(picture["height"], 100)
            self.assertTrue(any(length > 100 for length in picture["lengths"]) or picture["disks"] == 6, picture)

    @unittest.skipIf(SANITIZED, "a minute or more")
    def test_the_limit_of_hard_disks(self):
        self.scree("compare", "disks.yaml", "--stiffness", "1e5,1e6,1e7", "--output", "there")
        limit = columns(Run(self.here / "there").table("stiffness.csv"))
        self.assertEqual(limit["stiffness"], [1e5, 1e6, 1e7])
        exponent = math.log(limit["position_error"][2] / limit["position_error"][0]) / math.log(100)
        self.assertAlmostEqual(exponent, -0.5, delta=0.03)
        report = (self.here / "there/report.md").read_text()
        self.assertRegex(report, r"\| error of position \|.*\| -0\.[45]\d* ± [-0-9.e]+ \(3 points\) \|")
        self.scree("compare", "disks.yaml", "--stiffness", "1e5,1e6", "--output", "two")
        report = (self.here / "two/report.md").read_text()
        self.assertRegex(report, r"\| error of position \|.*\| none \(2 points\) \|")

    def test_the_same_for_any_number_of_threads(self):
        tables = []
        for threads in (1, 2):
            self.scree("compare", "disks.yaml", "--threads", threads, "--output", f"with{threads}", "--quiet")
            tables.append((self.here / f"with{threads}/compare.csv").read_text())
        self.assertEqual(tables[0], tables[1])

    def test_what_is_no_scene_for_both_modes(self):
        self.write("stones.yaml", STONES)
        self.assert_refuses("stones.yaml", says=["stones.yaml:14:", "particles[0].pour", "must be fill or place in a comparison"])
        place = ["bad.yaml:7:", "materials.ball"]
        for key in ("cohesion: 1", "rolling_friction: 0.1", "dynamic_friction: 0"):
            says = [*place, key.split(":")[0], "in hard mode"]
            self.assert_refuses_scene("restitution: 1}", f"restitution: 1, {key}}}", says)
        self.assert_refuses_scene("restitution: 1}", "damping: 0.1}", [*place, "damping", "in hard mode"])
        self.assert_refuses_scene("restitution: 1}", "restitution: 0}", [*place, "restitution: is 0, must be a number in (0, 1]"])
        self.assert_refuses_scene("stiffness: 1e5, ", "", [*place, "stiffness: is missing, must be a number > 0"])
        law = ["bad.yaml:16:", "contact.disks", "is 'hertz', must be linear"]
        self.assert_refuses_scene("time:", "contact: {disks: hertz}\ntime:", law)
        pour = "- {pour: {count: 1, rate: 1, region: {x: [0, 1], y: [0, 1]}}, material: ball, shape: disk, size: 0.1}"
        self.assert_refuses_scene("time:", f"  {pour}\ntime:", ["bad.yaml:16:", "particles[1].pour", "must be fill or place"])

    def test_pictures_at_chosen_times(self):
        self.scree("compare", "disks.yaml", "--output", "there", "--at", "0.15,0.3,0.8", "--quiet")
        pictures = sorted((self.here / "there").glob("disks_*.svg"))
        self.assertEqual(len(pictures), 3)
        for picture, time in zip(pictures, ("0.2", "0.3", "0.8")):  # the first frame from then on
            self.assertIn(f"hard, t = {time}", picture.read_text())
        for text in ("0.3,0.1", "soon", "0"):
            says = [f"--at: is '{text}', must be a list of increasing numbers > 0 [s]"]
            self.assert_refuses("disks.yaml", f"--at={text}", says=says)
        self.assert_refuses("disks.yaml", "--at=0.9", says=["--at: is 0.9, must be at most 0.8 [s]"])

    def test_one_disk_and_none(self):
        one = DISKS.replace(DISKS[DISKS.index("      - {position: [0.55") : DISKS.index("    material")], "")
        self.write("one.yaml", one)
        self.scree("compare", "one.yaml", "--stiffness", "1e5,1e6", "--quiet")
        page = (self.here / "out/one_compare/report.html").read_text()
        self.assertIn("1 disk, from t = 0", page)
        self.assertNotRegex(page, r"\bnan\b|\binf\b")
        begin, end = one.index("particles:"), one.index("time:")
        self.write("none.yaml", one[:begin] + "particles: []\n" + one[end:])
        self.assert_refuses("none.yaml", says=["none.yaml:8:", "particles: are none, must be some in a comparison"])

    def test_replaces_a_comparison_and_nothing_else(self):
        self.scree("compare", "disks.yaml", "--output", "there", "--stiffness", "1e4,1e5", "--at", "0.1,0.2,0.3", "--quiet")
        self.write("there/mine.txt", "mine")
        self.assert_refuses("disks.yaml", "--output", "there", says=["there already contains a comparison", "allowed: --force"])
        gas = DISKS.replace("sides: reflecting", "periodic: [x, y]").replace("gravity: [0, -1]", "gravity: [0, 0]")
        self.write("gas.yaml", gas)
        self.scree("compare", "gas.yaml", "--output", "there", "--force", "--quiet")
        self.scree("compare", "gas.yaml", "--output", "new", "--quiet")
        names = {name: {path.name for path in (self.here / name).iterdir()} for name in ("there", "new")}
        self.assertEqual(names["there"], names["new"] | {"mine.txt"})
        self.write("pebble.yaml", PEBBLE)
        self.scree("run", "pebble.yaml", "--output", "run", "--quiet")
        self.assert_refuses("disks.yaml", "--output", "run", "--force", says=["run contains other files than a comparison"])

    def test_ends_in_order_when_interrupted(self):
        self.write("long.yaml", DISKS.replace("end: 0.8", "end: 1000"))
        process = self.start("compare", "long.yaml", "--output", "there", stderr=subprocess.PIPE)
        table = self.here / "there/compare.csv"
        self.wait_until(lambda: table.is_file() and table.read_text().count("\n") > 3, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn("interrupted; the report ends at this time", said.decode())
        report = (self.here / "there/report.md").read_text()
        self.assertIn("Interrupted: the results end at this time.", report)
        last = columns(Run(self.here / "there").table("compare.csv"))["time"][-1]
        self.assertLess(last, 1000)
        self.assertIn(f"from t = 0 to {last:.4g} s", report)

    def test_what_is_no_list_of_stiffnesses(self):
        for text in ("1e5", "1e5,", "1e5;1e6", "1e6,1e5", "1e5,1e5", "0,1e5", "-1,1", "soft,hard", "1e5,nan", "1e5,inf"):
            with self.subTest(text=text):
                says = [f"--stiffness: is '{text}', must be a list of at least two increasing numbers > 0 [N/m]"]
                self.assert_refuses("disks.yaml", f"--stiffness={text}", says=says)

    def test_a_directory_that_holds_something_is_not_touched(self):
        (self.here / "full").mkdir()
        self.write("full/mine", "mine")
        self.assert_refuses("disks.yaml", "--output", "full", says=["full contains other files", "allowed: an empty or"])


if __name__ == "__main__":
    unittest.main()
