"""scree rewind: a run goes back in time, in whole numbers bit for bit, is interrupted and goes on; what it refuses."""

import re
import signal
import unittest

from scree_process import BAD_INPUT, INPUT_OUTPUT, INTERRUPTED, OK, PEBBLE, AppTest, arrays_of

GAS = """\
scree: 1
title: A gas that goes back
mode: hard
arithmetic: exact
seed: 2
domain: {x: [0, 1], y: [0, 1], periodic: [x], sides: reflecting}
materials:
  ball: {density: 1000, restitution: 1}
particles:
  - {fill: {region: {x: [0, 1], y: [0, 1]}, jitter: 0.5, count: 60}, material: ball, shape: disk, size: 0.06}
time: {end: 2}
output: {every: 0.25}
"""
CROWD = GAS.replace("restitution: 1}", "restitution: 0.5}").replace("count: 60", "count: 160").replace("end: 2", "end: 0.2")
CROWD = CROWD.replace("every: 0.25", "every: 0.02")
FLOAT = GAS.replace("arithmetic: exact\n", "").replace("end: 2", "end: 0.5").replace("0.25}", "0.125}")


class Rewinding(AppTest):
    def ran(self, text, name="run"):
        self.write(f"{name}.yaml", text)
        self.scree("run", f"{name}.yaml", "--output", name, "--quiet")
        return self.run_of(name)

    def rows_by_time(self, run):
        return {row[0]: row for row in run.table("hashes.csv")[1:]}

    def test_every_state_comes_back_to_the_last_bit(self):
        for what, text in (
            ("elastic", GAS),
            ("inelastic", GAS.replace("restitution: 1}", "restitution: 0.9}")),
            ("reversed", GAS.replace("end: 2", "end: 2, reverse: 1.1")),
        ):
            with self.subTest(what):
                run = self.ran(text, what)
                said = self.scree("rewind", what, "--to", 0).stdout
                self.assertRegex(said, r"back from t = 2[\d.]* s at t = 0 s, [1-9]\d+ collisions undone\n")
                self.assertIn("every disk is to the last bit as it was at this time", said)
                back = self.run_of(f"{what}_rewind")
                there, here = self.rows_by_time(run), self.rows_by_time(back)
                self.assertEqual(len(there), 9)
                self.assertEqual(there, here)
                # The list has frames in the order of time, as all that shows a run expects.
                frames, frames_back = run.frames(), back.frames()
                self.assertEqual([time for time, _ in frames], [time for time, _ in frames_back])
                for (_, file), (_, file_back) in zip(frames, frames_back):
                    self.assertEqual(arrays_of(file), arrays_of(file_back))
                self.assertEqual(back.info["status"], "finished")
                self.scree("picture", f"{what}_rewind", "--time", 1, "-o", "then.svg")

    def test_to_any_time_with_finer_frames_and_further_back_later(self):
        run = self.ran(GAS)
        self.scree("rewind", "run", "--to", 1.5, "--every", 0.05, "--output", "back", "--quiet")
        back = self.run_of("back")
        self.assertEqual(len(back.frames()), 11)
        self.assertAlmostEqual(back.info["end_time"], 1.5, places=6)
        self.assertEqual(self.rows_by_time(run)[run.table("hashes.csv")[7][0]], back.table("hashes.csv")[-1])
        self.scree("rewind", "back", "--to", 0.25, "--quiet")
        self.assertEqual(len(back.frames()), 36)
        self.assertEqual(run.table("hashes.csv")[2], back.table("hashes.csv")[-1])

    def test_interrupted_in_mid_rewind_it_goes_on(self):
        run = self.ran(GAS.replace("end: 2", "end: 10"))
        self.scree("rewind", "run", "--to", 0, "--output", "whole", "--quiet")
        process = self.start("rewind", "run", "--to", 0, "--every", 0.05, "--output", "back", "--quiet")
        table = self.here / "back/series.csv"
        self.wait_until(lambda: table.exists() and table.read_text().count("\n") > 5, process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), INTERRUPTED)
        back = self.run_of("back")
        self.assertEqual(back.info["status"], "interrupted")
        self.assertGreater(back.info["end_time"], 0)
        done = self.scree("resume", "back", code=BAD_INPUT)
        self.assertIn("goes back in time; allowed: scree rewind with --to", done.stderr)
        self.assertIn("goes back already", self.scree("rewind", "back", "--to", 0, "--every", 1, code=BAD_INPUT).stderr)
        self.scree("rewind", "back", "--to", 0, "--quiet")
        self.assertEqual(back.state_hash, self.run_of("whole").state_hash)
        self.assertEqual(back.table("hashes.csv")[-1], run.table("hashes.csv")[1])
        times = [time for time, _ in back.frames()]
        self.assertEqual(times, sorted(set(times)))

    def test_it_shows_how_far_it_is(self):
        self.ran(GAS.replace("end: 2", "end: 4"))
        code, text = self.on_terminal(120, "rewind", "run", "--to", "1", "--every", "0.02", "--output", "back")
        self.assertEqual(code, OK, text)
        lines = re.findall(r"\r\x1b\[K([^\r\n]*)", text)
        self.assertRegex(lines[-1], r"^\[#{24}\] 100 %  t = 1\S* s, 60 particles, .* events/s, [\d.]+ s left$")
        info = self.run_of("back").info
        self.assertAlmostEqual(info["turned"], 4, places=6)
        self.assertEqual((info["until"], info["progress"]), (1, 1))
        self.assertGreater(info["wall_time"], 0)
        watched = self.scree("watch", "back").stdout
        self.assertRegex(watched, r"^t = 1 s, back from 4 to 1 s, 100 %, 151 frames, 60 grains, finished\n$")

        # Half of the way later: the way from where it turned.
        self.ran(GAS.replace("end: 2", "end: 100").replace("every: 0.25", "every: 25"), "long")
        process = self.start("rewind", "long", "--to", 0, "--every", 0.05, "--output", "half")
        table = self.here / "half/series.csv"
        self.wait_until(lambda: table.exists() and table.read_text().count("\n") > 50, process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), INTERRUPTED)
        half = self.run_of("half")
        spent = half.info["wall_time"]
        share = 1 - half.info["end_time"] / half.info["turned"]
        self.assertAlmostEqual(half.info["progress"], share, places=6)
        self.scree("rewind", "half", "--to", 0.9 * half.info["end_time"], "--quiet")
        self.assertAlmostEqual(half.info["turned"], 100, places=6)
        self.assertEqual(half.info["progress"], 1)
        self.assertGreater(half.info["wall_time"], spent)

    def test_floats_come_back_up_to_rounding_which_is_measured(self):
        self.ran(FLOAT)
        said = self.scree("rewind", "run", "--to", 0).stdout
        error = re.search(r"restored to (\S+) m and (\S+) m/s, the largest error of a disk", said)
        self.assertLess(float(error[1]), 1e-9)
        self.assertLess(float(error[2]), 1e-9)
        self.ran(FLOAT.replace("end: 0.5", "end: 8"), "long")
        said = self.scree("rewind", "long", "--to", 0).stdout
        self.assertGreater(float(re.search(r"restored to (\S+) m", said)[1]), 1e-3, "chaos has come")

    def test_a_run_warns_if_many_clusters_went_back(self):
        self.write("crowd.yaml", CROWD)  # dense disks that lose much: soon three are within a tick of each other for good
        done = self.scree("run", "crowd.yaml", "--quiet")
        info = self.run_of("out/crowd").info
        self.assertEqual("".join(f"scree: warning: {text}\n" for text in info["warnings"]), done.stderr)
        told = re.match(r"scree: warning: arithmetic: exact sent (\d+) of (\d+) clusters that met \((\S+) %\) back", done.stderr)
        self.assertTrue(told, done.stderr)
        back, met = int(told[1]), int(told[2])
        events = info["events"]
        self.assertEqual((back, met), (events["retraces"], events["retraces"] + events["collisions"]))
        self.assertGreater(back, 0.01 * met)
        self.assertEqual(told[3], f"{100 * back / met:.3g}")
        self.assertIn("This is not the motion of the scene's disks; try a higher restitution", done.stderr)

        for name, scene in (("early", CROWD.replace("end: 0.2", "end: 0.01").replace("every: 0.02", "every: 0.005")), ("elastic", GAS)):
            with self.subTest(name):
                self.write(f"{name}.yaml", scene)
                self.assertEqual(self.scree("run", f"{name}.yaml", "--quiet").stderr, "")
                info = self.run_of(f"out/{name}").info
                self.assertEqual(info["warnings"], [])
                self.assertGreater(info["events"]["collisions"], 100)

    def test_what_cannot_go_back_is_refused_by_key(self):
        for name, text, says in (
            ("soft", PEBBLE, "mode: is soft: springs and dashpots advance in steps that have no way back, must be hard"),
            ("lossy", FLOAT.replace("restitution: 1}", "restitution: 0.9}"), "materials.ball.restitution: is 0.9"),
            ("there", FLOAT.replace("end: 0.5", "end: 0.5, reverse: 0.2"), "time.reverse: reverses velocities"),
        ):
            with self.subTest(name):
                self.ran(text, name)
                before = self.tree()
                said = self.scree("rewind", name, "--to", 0, code=BAD_INPUT).stderr
                self.assertIn(f"cannot rewind {name}: {says}", said)
                self.assertEqual(self.tree(), before)

    def test_mistakes_in_the_command_are_told_and_nothing_is_written(self):
        self.ran(GAS)
        self.scree("rewind", "run", "--to", 1.9, "--quiet")
        before = self.tree()
        for arguments, code, says in (
            (("run",), BAD_INPUT, "--to"),
            (("run", "--to", "-1"), BAD_INPUT, "--to: is '-1', must be a number >= 0 [s]"),
            (("run", "--to", "3"), BAD_INPUT, "--to: is 3, must be a number >= 0 and < 2"),
            (("run", "--to", "1"), BAD_INPUT, "run_rewind already contains a run"),
            (("run", "--to", "1", "--every", "1e-7", "--output", "o"), BAD_INPUT, "--every: is too short"),
            (("none", "--to", "1"), INPUT_OUTPUT, "there is no such directory"),
        ):
            with self.subTest(arguments):
                self.assertIn(says, self.scree("rewind", *arguments, code=code).stderr)
                self.assertEqual(self.tree(), before)
        self.scree("rewind", "run", "--to", 1, "--force", "--quiet")


if __name__ == "__main__":
    unittest.main()
