"""scree new: each template is a valid scene that runs. scree inspect: what it says of each kind of file. And the bad
scenes of tests/bad_scenes: what is said of each is beside it."""

import re
import subprocess
import unittest
from pathlib import Path

from scree_process import BAD_INPUT, OK, PATIENCE, SANITIZED, SCREE, AppTest

BAD_SCENES = Path(__file__).resolve().parents[1] / "bad_scenes"
KINDS = ["heap", "hopper", "drum", "shaker", "silo", "arch", "gas", "biaxial", "shear"]
SMALL_KINDS = ["heap", "hopper", "drum", "arch", "gas"]


class New(AppTest):
    def test_each_template_is_a_commented_scene_that_runs(self):
        for kind in SMALL_KINDS if SANITIZED else KINDS:
            with self.subTest(kind):
                self.scree("new", kind, f"{kind}.yaml", code=OK)
                self.assertIn("# ", (self.here / f"{kind}.yaml").read_text())
                said = self.scree("check", f"{kind}.yaml", code=OK)
                self.assertIn("a valid scene", str(said))
                self.scree("run", f"{kind}.yaml", "--until", "0.02", "--quiet", "--output", kind, code=OK)
                rows = self.run_of(kind).table("series.csv")
                self.assertGreater(len(rows), 1)

    @unittest.skipIf(SANITIZED, "minutes")
    def test_servo_walls_hold_their_stress_while_they_move(self):
        for kind, wall, quicker in (("biaxial", "3", "strain=0.03"), ("shear", "6", "way=0.003")):
            with self.subTest(kind):
                self.scree("new", kind, f"{kind}.yaml", code=OK)
                within = int(re.search("to within ([0-9]+) %", (self.here / f"{kind}.yaml").read_text())[1]) / 100
                self.scree("run", f"{kind}.yaml", "--set", "grain=0.01", "--set", quicker, "--quiet", "--output", kind, code=OK)
                run = self.run_of(kind)
                begin = run.info["stages"][1]["begin"]
                names, *rows = run.table("drives.csv")
                time, stress = names.index("time [s]"), names.index("stress [N/m]")
                held = [float(row[stress]) for row in rows if row[1] == wall and float(row[time]) >= begin]
                self.assertGreater(len(held), 10)
                for each in held:
                    self.assertAlmostEqual(each, 1000, delta=1000 * within)

    @unittest.skipIf(SANITIZED, "minutes")
    def test_a_shear_box_has_a_peak_and_its_sides_bear_no_weight(self):
        self.scree("new", "shear", "shear.yaml", code=OK)
        peak = float(re.search("a peak of about ([0-9.]+)[.]", (self.here / "shear.yaml").read_text())[1])
        self.scree("run", "shear.yaml", "--quiet", "--output", "shear", code=OK)
        run = self.run_of("shear")
        names, *rows = run.table("wall_forces.csv")
        time, wall, x, y = (names.index(name) for name in ("time [s]", "id", "force_x [N]", "force_y [N]"))
        ratios = []
        on_side = {k: [] for k in (2, 3, 4, 5)}
        samples = {}
        for row in rows:
            samples.setdefault(float(row[time]), {})[int(row[wall])] = float(row[x]), float(row[y])
        for when, forces in samples.items():
            if when < run.info["stages"][1]["begin"]:
                continue
            ratios.append(-sum(forces[k][0] for k in (1, 2, 3)) / forces[6][1])
            for k in (2, 3, 4, 5):
                on_side[k].append(abs(forces[k][1]) / forces[6][1])
        for k in (2, 3, 4, 5):
            self.assertLess(sum(on_side[k]) / len(ratios), 0.03)
            self.assertLess(max(on_side[k]), 0.1)  # a grain at the lower end of a side
        smooth = [sum(ratios[k : k + 10]) / 10 for k in range(len(ratios) - 9)]
        self.assertAlmostEqual(max(smooth), peak, delta=0.1)
        self.assertLess(smooth[-1], max(smooth))

    def test_a_file_that_is_there_stays(self):
        self.write("mine.yaml", "mine")
        self.scree("new", "heap", "mine.yaml", code=BAD_INPUT)
        self.assertEqual((self.here / "mine.yaml").read_text(), "mine")
        self.scree("new", "haep", "other.yaml", code=BAD_INPUT)
        self.assertFalse((self.here / "other.yaml").exists())


class Inspect(AppTest):
    def test_every_file_of_a_run_is_known(self):
        self.scree("new", "gas", "gas.yaml", code=OK)
        self.scree("run", "gas.yaml", "--until", "0.05", "--quiet", "--output", "out", code=OK)
        for name, words in (
            ("gas.yaml", "a scene, hard mode: A granular gas"),
            ("out", "a run, finished at t = 0.05 s"),
            ("out/run.json", "a run, finished at t = 0.05 s"),
            ("out/state.scree", "a saved state of a run of gas.yaml"),
            ("out/particles.pvd", "a list of 2 frames, from t = 0 to 0.05 s"),
            ("out/series.csv", "a table of 2 rows and"),
        ):
            with self.subTest(name):
                done = subprocess.run([SCREE, "inspect", name], cwd=self.here, capture_output=True, text=True)
                self.assertEqual(done.returncode, OK, done.stderr)
                self.assertIn(words, done.stdout)
        frame = next((self.here / "out").glob("**/particles*.vtp"))
        done = subprocess.run([SCREE, "inspect", frame], cwd=self.here, capture_output=True, text=True)
        self.assertRegex(done.stdout, "a frame, [0-9]+ points")
        # A list is read itself, not that of the particles.
        self.scree("run", "gas.yaml", "--until", "0.5", "--quiet", "--output", "fields", "--set", "measure.every=0.1",
                   "--set", "measure.fields={width: 0.05, every: 0.2}", code=OK)  # fmt: skip
        for name, words in (("fields.pvd", "a list of 2 frames"), ("fields_000001.vti", "a frame of fields, cells 0 ")):
            done = subprocess.run([SCREE, "inspect", self.here / "fields" / name], capture_output=True, text=True)
            self.assertIn(words, done.stdout, done.stderr)
        self.write("what.doc", "?")
        self.scree("inspect", "what.doc", code=BAD_INPUT)


class BadScenes(unittest.TestCase):
    def test_each_is_refused_in_the_words_beside_it(self):
        scenes = sorted(BAD_SCENES.glob("*.yaml"))
        self.assertGreaterEqual(len(scenes), 100)
        for scene in scenes:
            with self.subTest(scene.name):
                settings = re.findall("^# --set (.*)$", scene.read_text(errors="replace"), re.MULTILINE)
                command = [SCREE, "check", scene.name]
                for setting in settings:
                    command += ["--set", setting]
                done = subprocess.run(command, cwd=BAD_SCENES, capture_output=True, text=True, timeout=PATIENCE)
                self.assertIn(done.returncode, (2, 4))
                expected = scene.with_suffix(".expected").read_text()
                self.assertEqual(done.stderr, expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
