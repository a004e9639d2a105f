"""scree ensemble: runs with other seeds and values, each with the bits of scree run, and their means."""

import csv
import json
import math
import signal
import statistics
import unittest

from scree_process import BAD_INPUT, INTERRUPTED, PHYSICS, SANITIZED, STONES, AppTest, Run

# Disks that fall: done in a moment. The seed decides their sizes and places.
BALLS = """\
scree: 1
title: Balls that fall
seed: 5
parameters: {gap: 0.1}
domain: {x: [-1, 1], y: [-1, 1]}
gravity: [0, -9.81]
materials:
  ball: {density: 2600, stiffness: 1e5, restitution: 0.3, friction: 0.2}
particles:
  - fill: {region: {x: [0, 4 * gap], y: [0, 0.3]}, jitter: 0.5}
    material: ball
    shape: disk
    size: {uniform: [0.05, 0.1]}
time: {end: 0.05}
output: {every: 0.01}
"""
GAPS = "gap=0.1,0.15"
FRICTIONS = "materials.ball.friction=0.1,0.3"
DIRECTORY = "out/balls_ensemble"


def rows_of(file):
    with open(file, newline="") as text:
        return list(csv.DictReader(text))


class Ensembles(AppTest):
    def setUp(self):
        super().setUp()
        self.write("balls.yaml", BALLS)
        self.directory = self.here / DIRECTORY

    def ensemble(self, *arguments, scene="balls.yaml", **options):
        return self.scree("ensemble", scene, *arguments, **options)

    def assert_refuses(self, *arguments, says, **options):
        before = self.tree()
        done = self.ensemble(*arguments, code=BAD_INPUT, **options)
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(self.tree(), before)

    def series(self, path):
        return rows_of(self.directory / path / "series.csv")

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_each_run_has_the_bits_of_scree_run(self):
        self.ensemble("--runs", "2", "--jobs", "2", "--vary", GAPS, "--vary", FRICTIONS, "--quiet")
        for gap in ("0.1", "0.15"):
            for friction in ("0.1", "0.3"):
                for seed in (5, 6):
                    one = f"one_{gap}_{friction}_{seed}"
                    self.scree("run", "balls.yaml", "--set", f"seed={seed}", "--set", f"gap={gap}", "--set",
                               f"materials.ball.friction={friction}", "--output", one, "--threads", "1", "--quiet")
                    run = Run(self.directory / f"gap={gap}_friction={friction}/seed_{seed}")
                    self.assert_same_files(run, self.run_of(one))
        hashes = {Run(path.parent).state_hash for path in self.directory.glob("*/*/run.json")}
        self.assertGreater(len(hashes), 4, "seeds, gaps and, for balls that meet, friction matter")

    def test_tables_are_means_with_standard_errors(self):
        self.ensemble("--runs", "3", "--quiet")
        means = self.series("")
        runs = [self.series(f"seed_{seed}") for seed in (5, 6, 7)]
        self.assertEqual(len(means), len(runs[0]))
        for k, row in enumerate(means):
            self.assertEqual(row["runs"], "3")
            for name, error in (("kinetic_energy [J]", "kinetic_energy_error [J]"), ("contacts", "contacts_error")):
                values = [float(run[k][name]) for run in runs]
                self.assertAlmostEqual(float(row[name]), statistics.mean(values), delta=1e-12)
                self.assertAlmostEqual(float(row[error]), statistics.stdev(values) / math.sqrt(3), delta=1e-12)
        self.assertGreater(float(means[-1]["kinetic_energy_error [J]"]), 0)
        self.assertFalse((self.directory / "flow.csv").exists(), "a row of flow.csv is a grain")
        (end,) = rows_of(self.directory / "ensemble.csv")
        self.assertEqual(end["kinetic_energy [J]"], means[-1]["kinetic_energy [J]"])
        self.assertEqual((end["runs"], end["failed"]), ("3", "0"))

    def test_numbers_by_parameter_and_a_report(self):
        done = self.ensemble("--runs", "2", "--vary", GAPS, "--table", "series.kinetic_energy@end / series.particles@end",
                             "--table", "mean=series.kinetic_energy@mean(0.01,0.03) - 2 * series.kinetic_energy@0.02")
        rows = rows_of(self.directory / "table_1.csv")
        self.assertEqual([row["gap"] for row in rows], ["0.1", "0.15"])
        for row in rows:
            runs = [self.series(f"gap={row['gap']}/seed_{seed}") for seed in (5, 6)]
            values = [float(run[-1]["kinetic_energy [J]"]) / float(run[-1]["particles"]) for run in runs]
            self.assertAlmostEqual(float(row["mean"]), statistics.mean(values), delta=1e-12)
            self.assertAlmostEqual(float(row["error"]), abs(values[0] - values[1]) / 2, delta=1e-12)
            self.assertEqual(row["runs"], "2")
        for row in rows_of(self.directory / "table_mean.csv"):
            values = []
            for seed in (5, 6):
                run = [(float(r["time [s]"]), float(r["kinetic_energy [J]"])) for r in self.series(f"gap={row['gap']}/seed_{seed}")]
                (t0, e0), (t1, e1) = run[1:3]
                self.assertTrue(t0 < 0.02 < t1)
                values.append(statistics.mean(e for _, e in run[1:4]) - 2 * (e0 + (0.02 - t0) / (t1 - t0) * (e1 - e0)))
            self.assertAlmostEqual(float(row["mean"]), statistics.mean(values), delta=1e-9)
        self.assertIn("gap,mean,error,runs", done.stdout)
        report = (self.directory / "report.md").read_text()
        self.assertIn("| Runs | 4 finished, 0 failed |", report)
        self.assertIn("(table_mean.svg)", report)
        chart = (self.directory / "table_1.svg").read_text()
        self.assertEqual(chart.count("<circle"), 2)
        self.assertIn(chart, (self.directory / "report.html").read_text())
        before = self.tree()
        self.ensemble("--runs", "2", "--vary", GAPS, "--quiet", "--table", "series.contacts@end")
        runs = [name for name in before if "seed_" in name]
        self.assertEqual({name: self.tree()[name] for name in runs}, {name: before[name] for name in runs})

    def test_what_numbers_cannot_be(self):
        for text, says in (
            ("series.contacts", "there is no @"),
            ("series.contacts@soon", "neither a time nor end nor mean"),
            ("series.contacts@mean(2,1)", "is not followed by (FROM,TO)"),
            ("series.contacts@end + more", "'more' is not a parameter"),
            ("(series.contacts@end", "a ')' is missing"),
            ("7", "names no column"),
            ("a b=series.contacts@end", "has a name that is not of letters"),
        ):
            self.assert_refuses("--table", text, says=["--table", says])
        self.assertFalse(self.directory.exists())
        self.ensemble("--runs", "1", "--quiet")
        self.assert_refuses("--runs", "1", "--table", "seres.contacts@end", says=["did you mean 'series'?", "there are flow, hashes, series"])
        self.assert_refuses("--runs", "1", "--table", "series.contact@end", says=["did you mean 'contacts'?", "coordination"])
        done = self.ensemble("--runs", "1", "--table", "series.contacts@9")
        self.assertIn("left out: seed 5: series.contacts@9: series.csv goes from 0 to 0.05", done.stderr)
        self.assertEqual(rows_of(self.directory / "table_1.csv"), [{"mean": "nan", "error": "nan", "runs": "0"}])

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_refuses_what_was_not_begun(self):
        self.ensemble("--runs", "2", "--vary", GAPS, "--quiet")
        for arguments, says in (
            (["--vary", "gap=0.1,0.2"], ["--vary gap=0.1,0.15", "--vary gap=0.1,0.2"]),
            ([], ["--vary gap=0.1,0.15", "no --vary"]),
            (["--vary", GAPS, "--set", "seed=6"], ["no --set", "--set seed=6"]),
            (["--vary", GAPS, "--until", "0.04"], ["no --until", "--until 0.04"]),
        ):
            self.assert_refuses("--runs", "2", *arguments, says=says)
        self.assert_refuses("--runs", "1", "--vary", GAPS, says=["--runs 2", "--runs 1, which are fewer"])
        self.write("balls.yaml", BALLS.replace("restitution: 0.3", "restitution: 0.4"))
        self.assert_refuses("--runs", "2", "--vary", GAPS, says=["materials.ball.restitution = 0.3", "0.4"])
        self.write("balls.yaml", BALLS)
        (self.here / "other").mkdir()
        self.write("other/file", "")
        self.assert_refuses("-o", "other", says=["contains other files"])

    def test_more_runs_go_on(self):
        self.ensemble("--runs", "1", "--quiet")
        first = (self.directory / "seed_5/run.json").read_bytes()
        self.ensemble("--runs", "2", "--quiet")
        self.assertEqual((self.directory / "seed_5/run.json").read_bytes(), first)
        self.assertEqual(self.series("")[-1]["runs"], "2")

    def test_refuses_variations_that_are_none(self):
        for text, says in (
            ("gap", "has no key or no ="),
            ("gap=0.1,,0.2", "has an empty value"),
            ("gap=0.1,0.1", "has the value 0.1 twice"),
            ("seed=1,2", "varies by itself"),
            ("materials.ball.frction=1", "did you mean 'friction'?"),
        ):
            self.assert_refuses("--vary", text, says=[says])
        self.assert_refuses("--vary", GAPS, "--vary", GAPS, says=["given twice"])
        self.assert_refuses("--runs", "0", says=["--runs"])

    def test_discards_all_but_tables(self):
        self.ensemble("--runs", "2", "--discard", "--quiet")
        for seed in (5, 6):
            names = sorted(path.name for path in (self.directory / f"seed_{seed}").iterdir())
            self.assertEqual(names, ["flow.csv", "hashes.csv", "run.json", "series.csv"])
        before = self.tree()
        self.ensemble("--runs", "2", "--discard", "--quiet")
        self.assertEqual(self.tree(), before)

    def test_a_list_as_a_value(self):
        self.ensemble("--runs", "1", "--vary", "gravity=[0,-9.81],[0, -1]", "--table", "series.kinetic_energy@end", "--quiet")
        rows = rows_of(self.directory / "table_1.csv")
        self.assertEqual([row["gravity"] for row in rows], ["[0,-9.81]", "[0, -1]"])
        self.assertGreater(float(rows[0]["mean"]), float(rows[1]["mean"]))
        self.assertFalse(list(self.directory.glob("table_*.svg")), "there are no numbers to draw against")

    def test_says_that_seeds_change_nothing(self):
        self.write("one.yaml", BALLS[: BALLS.index("  - fill")] + (
            "  - {place: [{position: [0, 0]}], material: ball, shape: disk, size: 0.1}\n" + BALLS[BALLS.index("time:") :]))
        done = self.ensemble("--runs", "2", scene="one.yaml")
        self.assertIn("Seeds change nothing in this scene", done.stderr)
        self.assertNotIn("Seeds change nothing", self.ensemble("--runs", "2").stderr)

    def test_failed_runs_are_told_and_left_out(self):
        # So soft that stones sink into one another: exit code 3.
        stones = STONES.replace("stiffness: 1e7", "stiffness: k").replace("seed: 3", "seed: 3\nparameters: {k: 1e7}")
        self.write("stones.yaml", stones)
        arguments = ["--runs", "2", "--vary", "k=1e7,30", "--until", "0.06", "--table", "series.contacts@end"]
        done = self.ensemble(*arguments, scene="stones.yaml", code=PHYSICS)
        for seed in (3, 4):
            self.assertIn(f"k=30, seed {seed} failed: ", done.stderr)
        self.assertIn("2 runs finished, 2 failed", done.stdout)
        directory = self.here / "out/stones_ensemble"
        rows = rows_of(directory / "table_1.csv")
        self.assertEqual([(row["k"], row["runs"]) for row in rows], [("1e7", "2"), ("30", "0")])
        self.assertEqual([row["failed"] for row in rows_of(directory / "ensemble.csv")], ["0", "2"])
        report = (directory / "report.md").read_text()
        self.assertIn("## Runs that failed", report)
        self.assertIn("k=30, seed 4: ", report)
        failed = (directory / "k=30/seed_3/run.json").read_bytes()
        again = self.ensemble(*arguments, scene="stones.yaml", code=PHYSICS)
        self.assertIn("k=30, seed 3 failed: ", again.stderr)
        self.assertEqual((directory / "k=30/seed_3/run.json").read_bytes(), failed, "it was run again")

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_a_run_that_cannot_write_is_tried_again(self):
        self.ensemble("--runs", "1", "--quiet")
        (self.directory / "seed_6").write_text("")
        done = self.ensemble("--runs", "2", code=BAD_INPUT)
        self.assertIn("seed 6 failed: the output directory", done.stderr)
        (self.directory / "seed_6").unlink()
        self.ensemble("--runs", "2", "--quiet")
        self.assertEqual(self.series("")[-1]["runs"], "2")

    def test_an_interrupted_ensemble_goes_on(self):
        self.write("stones.yaml", STONES)
        arguments = ["--runs", "2", "--jobs", "2", "-o", "e"]
        process = self.start("ensemble", "stones.yaml", *arguments)
        series = [self.here / f"e/seed_{seed}/series.csv" for seed in (3, 4)]
        self.wait_until(lambda: all(s.exists() and s.read_text().count("\n") > 3 for s in series), process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), INTERRUPTED)
        for seed in (3, 4):
            info = json.loads((self.here / f"e/seed_{seed}/run.json").read_text())
            self.assertEqual(info["status"], "interrupted")
        self.assertFalse((self.here / "e/series.csv").exists())
        self.ensemble(*arguments, "--quiet", scene="stones.yaml")
        for seed in (3, 4):
            self.scree("run", "stones.yaml", "--set", f"seed={seed}", "--output", f"one_{seed}", "--threads", "1", "--quiet")
            self.assert_same_files(Run(self.here / f"e/seed_{seed}"), self.run_of(f"one_{seed}"))

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_ctrl_c_on_a_terminal_saves(self):
        self.write("stones.yaml", STONES)
        code, text = self.on_terminal(100, "ensemble", "stones.yaml", "--runs", "400", "--jobs", "2", "-o", "e", stop_at=b"1 of 400 runs")
        self.assertEqual(code, INTERRUPTED)
        self.assertRegex(text, r"\d+ of 400 runs, now \d+ %")
        self.assertIn("to continue: the same command again", text)
        stati = [json.loads(path.read_text())["status"] for path in self.here.glob("e/*/run.json")]
        self.assertIn("finished", stati)
        self.assertLess(stati.count("finished"), 400)
        self.assertLessEqual(set(stati), {"interrupted", "finished"})


if __name__ == "__main__":
    unittest.main()
