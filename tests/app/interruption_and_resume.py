"""A run that was stopped, in any way, goes on in a fresh process as if nothing had happened: to the last bit."""

import resource
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from scree_process import (
    BAD_INPUT, GAS, GAS_FRAMES, INPUT_OUTPUT, INTERRUPTED, MEASURED, MEASURED_TABLES, SANITIZED, STONES, STONES_EVERY, STONES_FRAMES, AppTest, Run, arrays_of, default_signals,
)  # fmt: skip

# The red one leaves in the first hundredth of a second.
COLOURED = """\
scree: 1
mode: soft
domain: {x: [0, 1], y: [0, 1]}
materials: {ball: {density: 1000, stiffness: 1e5, restitution: 0.5, friction: 0.5}}
particles:
  - place:
      - {position: [0.95, 0.5], velocity: [20, 0], colour: [255, 0, 0]}
      - {position: [0.5, 0.5], colour: [0, 255, 0]}
      - {position: [0.2, 0.5], colour: [0, 0, 255]}
    material: ball
    shape: disk
    size: 0.05
time: {end: 0.04}
output: {every: 0.01}
"""


class Interruption(AppTest):
    @classmethod
    def setUpClass(cls):
        """The same scene without an interruption."""
        cls.reference_directory = Path(tempfile.mkdtemp(prefix="scree-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.reference_directory, ignore_errors=True)
        one = cls()
        one.here = cls.reference_directory
        one.write("stones.yaml", STONES + MEASURED)
        one.scree("run", "stones.yaml", "--quiet")
        cls.reference = Run(cls.reference_directory / "out/stones")

    def setUp(self):
        super().setUp()
        self.write("stones.yaml", STONES + MEASURED)
        self.stones = self.run_of("out/stones")

    def rows_written(self):
        """Rows of series.csv; 0 as long as there is none."""
        series = self.stones.directory / "series.csv"
        return series.read_text().count("\n") - 1 if series.exists() else 0

    def assert_same_as_uninterrupted(self):
        self.assert_readable(self.stones)
        self.assert_same_files(self.stones, self.reference)

    def test_the_uninterrupted_run_has_all_that_could_go_wrong(self):
        self.assert_readable(self.reference)
        self.assertEqual(len(self.reference.frames()), STONES_FRAMES)
        self.assertGreaterEqual(len(self.reference.table("flow.csv")), 3)
        self.assertGreater(self.reference.sliding_contacts(), 3)
        last = self.reference.table("series.csv")[-1]
        self.assertLess(int(last[2]), 63, "the pour is not over")
        self.assertGreater(int(last[4]), 0, "grains are owed")
        measured = self.reference.table("measure.csv")
        self.assertEqual(len(measured), 1 + 22, "from 0.0131 to 0.0782 s")
        self.assertGreater(sum(float(row[8]) for row in measured[1:]), 0, "grains collide")
        self.assertEqual(len(self.reference.table("wall_forces.csv")), 1 + 4 * 22)
        images = sorted(path.name for path in self.reference.directory.glob("fields*.vti"))
        self.assertEqual(images, [f"fields_{k:06d}.vti" for k in range(5)] + ["fields_mean.vti"])
        for table in MEASURED_TABLES:
            self.assertGreater(len(self.reference.table(table)), 10, table)

    def test_until_and_resume(self):
        self.scree("run", "stones.yaml", "--until", "0.0437", "--quiet")
        self.assert_readable(self.stones)
        self.assertEqual(self.stones.info["status"], "finished")
        self.assertGreater(self.stones.sliding_contacts(), 0)
        self.assertNotEqual(self.stones.state_hash, self.reference.state_hash)
        self.scree("resume", "out/stones")
        self.assert_same_as_uninterrupted()

    def test_until_before_the_first_frame(self):
        self.scree("run", "stones.yaml", "--until", "1e-4", "--quiet")
        self.scree("resume", "out/stones", "--until", "0.01", "--quiet")
        self.scree("run", "stones.yaml", "--until", "0.01", "--output", "whole", "--quiet")
        self.assert_same_files(self.stones, self.run_of("whole"))

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_resume_beyond_the_scenes_end(self):
        self.scree("run", "stones.yaml", "--until", "0.085", "--output", "longer", "--quiet")
        self.scree("run", "stones.yaml", "--quiet")
        message = self.scree("resume", "out/stones", code=BAD_INPUT).stderr
        self.assertRegex(message, r"out/stones has reached its end, t = 0\.08\d* s, already; allowed: --until with a ")
        self.scree("resume", "out/stones", "--until", "0.085", "--quiet")
        self.assert_same_files(self.stones, self.run_of("longer"))

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_colours_of_placed_grains_after_one_has_left(self):
        self.write("colours.yaml", COLOURED)
        self.scree("run", "colours.yaml", "--output", "whole", "--quiet")
        self.scree("run", "colours.yaml", "--until", 0.02, "--output", "part", "--quiet")
        self.scree("resume", "part", "--quiet")
        self.assert_same_files(self.run_of("part"), self.run_of("whole"))
        first, last = (arrays_of(self.run_of("part").frames()[k][1])["colour"] for k in (0, -1))
        self.assertEqual(list(first), [255, 0, 0, 0, 255, 0, 0, 0, 255])
        self.assertEqual(list(last), [0, 255, 0, 0, 0, 255])

    def interrupt_by(self, number):
        process = self.start("run", "stones.yaml")
        self.wait_until(lambda: self.rows_written() >= 9, process)
        process.send_signal(number)
        self.assertEqual(process.wait(), INTERRUPTED)
        self.assert_readable(self.stones)
        self.assertEqual(self.stones.info["status"], "interrupted")
        frames = self.stones.frames()
        self.assertLess(len(frames), STONES_FRAMES)
        self.assertEqual(frames[-1][0], self.stones.info["end_time"], "the last frame is where it stopped")

    def test_ctrl_c_and_resume(self):
        self.interrupt_by(signal.SIGINT)
        self.scree("resume", "out/stones")
        self.assert_same_as_uninterrupted()

    def test_sigterm_ends_it_in_order(self):
        self.interrupt_by(signal.SIGTERM)

    def test_a_terminal_that_is_closed_ends_it_in_order(self):
        self.interrupt_by(signal.SIGHUP)

    def test_a_second_ctrl_c_ends_it_at_once_and_loses_nothing_written(self):
        process = self.start("run", "stones.yaml")
        self.wait_until(lambda: self.rows_written() >= 5, process)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(), (INTERRUPTED, -signal.SIGINT))
        self.scree("resume", "out/stones", "--quiet")
        self.assert_same_as_uninterrupted()

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_a_crash_after_a_state_was_saved(self):
        # The state is that of 0.05 s, when a disk leaves: its row is written, and must not be written again.
        leaves = float(self.reference.table("flow.csv")[2][0])
        self.assertAlmostEqual(leaves, 0.05, places=5)
        self.scree("run", "stones.yaml", "--until", "0.05", "--quiet")
        self.assertEqual(self.stones.info["end_time"], leaves)
        process = self.start("resume", "out/stones")
        self.wait_until(lambda: self.rows_written() >= 13, process)
        process.kill()
        process.wait()
        self.assertEqual(self.stones.info["status"], "running")
        for _, file in self.stones.frames():
            self.assertTrue(file.exists())
        self.assertEqual(len(self.stones.table("flow.csv")), 3, "the disk's row is there")
        self.scree("resume", "out/stones", "--quiet")
        self.assert_same_as_uninterrupted()

    def test_a_crash_soon_after_the_start(self):
        process = self.start("run", "stones.yaml")
        self.wait_until((self.stones.directory / "state.scree").exists, process)
        process.kill()
        process.wait()
        self.scree("resume", "out/stones", "--quiet")
        self.assert_same_as_uninterrupted()

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_the_state_is_saved_again_and_again(self):
        state = self.stones.directory / "state.scree"
        process = self.start("run", "stones.yaml", "--until", "1000")
        self.wait_until(state.exists, process)
        first = state.read_bytes()
        self.wait_until(lambda: state.read_bytes() != first, process)
        self.wait_until(lambda: self.stones.info["end_time"] > 0, process)
        process.kill()
        process.wait()
        info = self.stones.info
        self.assertEqual((info["status"], info["until"]), ("running", 1000))
        self.assertEqual(info["progress"], info["end_time"] / 1000)
        self.assertGreater(info["steps"], 0)
        self.assertGreater(info["wall_time"], 0.5)
        end = (self.rows_written() + 1) * STONES_EVERY
        self.scree("resume", "out/stones", "--until", end, "--quiet")
        self.scree("run", "stones.yaml", "--until", end, "--output", "reference", "--quiet")
        self.assert_same_files(self.stones, self.run_of("reference"))
        self.assertGreater(self.stones.info["wall_time"], info["wall_time"], "of all its parts")
        self.assertEqual(self.stones.info["progress"], 1)

    def test_a_full_disk(self):
        # As near as one comes without being root: no file may grow beyond a limit.
        self.scree("run", "stones.yaml", "--until", "0.02", "--quiet")
        limit = 2 + max(path.stat().st_size for path in self.stones.directory.iterdir())

        def limited():
            default_signals()
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        message = self.scree("resume", "out/stones", code=INPUT_OUTPUT, before=limited).stderr
        self.assertRegex(message, r"scree: cannot write out/stones/\S+: File too large")
        self.assertEqual(self.stones.info["status"], "stopped: input or output failed")
        for _, file in self.stones.frames():
            self.assertTrue(file.exists())
        self.scree("resume", "out/stones", "--quiet")
        self.assert_same_as_uninterrupted()

    def test_only_one_program_writes_to_a_directory(self):
        process = self.start("run", "stones.yaml", "--until", "1000")
        self.wait_until((self.stones.directory / "state.scree").exists, process)
        message = self.scree("resume", "out/stones", code=BAD_INPUT).stderr
        self.assertIn("another scree is writing to out/stones", message)
        message = self.scree("run", "stones.yaml", "--force", code=BAD_INPUT).stderr
        self.assertIn("another scree is writing to out/stones", message)
        self.assertIsNone(process.poll())


MEASURED_GAS = "measure: {every: 0.11, from: 0.05, radial_distribution: {to: 0.2}, free_flights: {}, collisions: {}}\n"


class HardDisks(AppTest):
    def setUp(self):
        super().setUp()
        self.write("gas.yaml", GAS + MEASURED_GAS)
        self.scree("run", "gas.yaml", "--output", "reference", "--quiet")
        self.reference = self.run_of("reference")
        self.gas = self.run_of("out/gas")

    def assert_same_as_uninterrupted(self):
        self.assert_readable(self.gas)
        self.assert_same_files(self.gas, self.reference)

    def frames_written(self):
        return len(list(self.gas.directory.glob("particles_*.vtp"))) if self.gas.directory.exists() else 0

    def test_the_uninterrupted_run(self):
        self.assert_readable(self.reference)
        self.assertEqual(len(self.reference.frames()), GAS_FRAMES)
        self.assertEqual(self.reference.info["mode"], "hard")
        self.assertGreater(self.reference.info["events"]["collisions"], 5000)
        self.assertGreater(len(self.reference.table("flow.csv")), 200)
        for table in ("measure.csv", "radial_distribution.csv", "free_paths.csv", "free_times.csv"):
            self.assertGreater(len(self.reference.table(table)), 10, table)
        last = self.reference.table("series.csv")[-1]
        self.assertGreater(int(last[4]), 0, "disks are owed")
        self.assertEqual(int(last[2]), int(last[1]) + int(last[3]), "all are present or left")
        self.assertEqual(int(last[3]), len(self.reference.table("flow.csv")) - 1)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_until_in_pieces(self):
        self.scree("run", "gas.yaml", "--until", "0.1234", "--quiet")
        self.assertNotEqual(self.gas.state_hash, self.reference.state_hash)
        for until in ("1", "1.0001", "1.7"):
            self.scree("resume", "out/gas", "--until", until, "--quiet")
            self.assertEqual(self.gas.info["end_time"], float(until))
        self.scree("resume", "out/gas", "--quiet")
        self.assert_same_as_uninterrupted()

    def test_ctrl_c_and_resume(self):
        process = self.start("run", "gas.yaml")
        self.wait_until(lambda: self.frames_written() >= 3, process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), INTERRUPTED)
        self.assert_readable(self.gas)
        self.assertLess(self.gas.info["end_time"], 2)
        self.scree("resume", "out/gas", "--quiet")
        self.assert_same_as_uninterrupted()

    def test_a_crash_and_resume(self):
        process = self.start("run", "gas.yaml")
        self.wait_until(lambda: self.frames_written() >= 3, process)
        process.kill()
        process.wait()
        self.scree("resume", "out/gas", "--quiet")
        self.assert_same_as_uninterrupted()


if __name__ == "__main__":
    unittest.main(verbosity=2)
