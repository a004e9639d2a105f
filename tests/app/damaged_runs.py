"""A directory whose files do not belong together, or are not all there, is told by name before anything is written; what
can be written again is."""

import os
import re
import unittest

from scree_process import BAD_INPUT, INPUT_OUTPUT, MEASURED, OK, SANITIZED, STONES, AppTest

END_AGAIN = "scree run --force to begin again"


class DamagedRuns(AppTest):
    def setUp(self):
        super().setUp()
        self.write("stones.yaml", STONES + MEASURED)
        self.scree("run", "stones.yaml", "--until", "0.035", "--quiet")
        self.stones = self.run_of("out/stones")

    def file(self, name):
        return self.stones.directory / name

    def assert_refused(self, *says, code=INPUT_OUTPUT):
        before = self.tree()
        done = self.scree("resume", "out/stones", "--quiet", code=code)
        self.assertEqual(self.tree(), before, "nothing is written")
        for part in says:
            self.assertIn(part, done.stderr)

    def assert_resumes(self):
        self.scree("resume", "out/stones", "--until", "0.04", "--quiet")
        self.scree("run", "stones.yaml", "--until", "0.04", "--output", "whole", "--quiet")
        self.assert_same_files(self.stones, self.run_of("whole"))

    # --- whose state it is

    def state_of_another(self, *changes, **options):
        text = STONES + MEASURED
        for part, other in changes:
            self.assertIn(part, text)
            text = text.replace(part, other)
        self.write("other.yaml", text)
        self.scree("run", "other.yaml", "--until", "0.035", "--output", "other", "--quiet")
        self.file("state.scree").write_bytes((self.here / "other/state.scree").read_bytes())

    def test_the_state_of_another_scene(self):
        self.state_of_another(("friction: 0.5", "friction: 0.4"))
        self.assert_refused(
            "cannot resume out/stones: materials.stone.friction is 0.4 in state.scree, but 0.5 in run.json; allowed: ",
            "the saved state of this run", END_AGAIN,
        )  # fmt: skip
        self.file("run.json").unlink()  # the tables still tell
        self.assert_refused("cannot resume: out/stones/", " is not the one that was written")

    def test_the_state_of_the_same_motion_may_come_from_elsewhere(self):
        self.state_of_another(("title: Stones", "title: Other stones"), ("end: 0.08", "end: 0.09"))
        self.scree("resume", "out/stones", "--until", "0.04", "--quiet")
        self.assert_readable(self.stones)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_the_state_of_the_same_scene_at_another_time(self):
        earlier = self.file("state.scree").read_bytes()
        self.scree("resume", "out/stones", "--until", "0.05", "--quiet")
        later = self.file("state.scree").read_bytes()
        self.file("state.scree").write_bytes(earlier)
        self.assert_resumes()
        self.file("state.scree").write_bytes(later)
        self.assert_refused("cannot resume: out/stones/hashes.csv: row ", END_AGAIN)

    def test_an_older_format(self):
        state = self.file("state.scree")
        state.write_bytes(re.sub(rb"^scree state \d+", b"scree state 6", state.read_bytes()))
        self.assert_refused("out/stones/state.scree: it is a state of format 6, which an older version", END_AGAIN)

    # --- what is in the directory

    def test_what_is_no_file_is_refused_at_once(self):
        for name in ("series.csv", "hashes.csv", "particles_000001.vtp"):
            with self.subTest(name=name):
                good = self.file(name).read_bytes()
                self.file(name).unlink()
                os.mkfifo(self.file(name))
                self.scree("diverge", "out/stones", "out/stones", "--no-repeat", "--quiet",
                           code=INPUT_OUTPUT if name == "hashes.csv" else OK)  # fmt: skip
                done = self.scree("resume", "out/stones", "--quiet", code=INPUT_OUTPUT)
                self.assertIn(f"out/stones/{name}: it is a pipe or a device, must be a file", done.stderr)
                self.file(name).unlink()
                self.file(name).write_bytes(good)
        self.file("state.scree").unlink()
        os.mkfifo(self.file("state.scree"))  # the state before it would be used, but not in place of a pipe
        said = self.scree("resume", "out/stones", "--quiet", code=INPUT_OUTPUT).stderr
        self.assertEqual(said, "scree: cannot write out/stones/state.scree: it is a pipe, must be a file or a new name\n")
        self.assertTrue(self.file("state.scree").is_fifo())
        self.file("state.scree").unlink()
        self.assert_resumes()

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_rows_that_are_missing_or_changed(self):
        tables = sorted(path.name for path in self.stones.directory.glob("*.csv"))
        averages = (
            "radial_distribution.csv", "velocity_distribution.csv", "height_profile.csv", "force_distribution.csv",
            "pair_orientation.csv", "fields_mean.csv", "fields_over_x.csv", "fields_over_y.csv",
        )  # fmt: skip
        self.assertGreater(len(tables), 7)
        for name in set(tables) - set(averages):
            with self.subTest(name):
                whole = self.file(name).read_bytes()
                rows = whole.splitlines(keepends=True)
                self.file(name).write_bytes(b"".join(rows[:2]))
                if len(rows) > 3:
                    self.assert_refused(f"cannot resume: out/stones/{name}: row 2 is missing or cut off", END_AGAIN)
                digit = rows[1].replace(b"1", b"2", 1) if b"1" in rows[1] else rows[1].replace(b"0", b"2", 1)
                self.file(name).write_bytes(b"".join([rows[0], digit, *rows[2:]]))
                self.assert_refused(f"out/stones/{name}: row 1 is not the one that was written")
                self.file(name).write_bytes(b"".join(rows[1:]))
                self.assert_refused(f"out/stones/{name}: its first line is not the one that was written")
                self.file(name).unlink()
                self.assert_refused(f"out/stones/{name}: it is missing; the saved state counts ")
                self.file(name).write_bytes(whole)
        self.assert_resumes()

    def test_frames_that_are_missing_or_changed(self):
        for name in ("particles_000003.vtp", "contacts_000003.vtp", "walls_000003.vtp", "fields_000001.vti"):
            file = self.file(name)
            whole = file.read_bytes()
            file.write_bytes(whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:])
            self.assert_refused(f"cannot resume: {file.relative_to(self.here)}: its contents are not what was written")
            file.unlink()
            self.assert_refused(f"cannot resume: {file.relative_to(self.here)}: it is missing", END_AGAIN)
            file.write_bytes(whole)
        self.assert_resumes()

    def test_what_can_be_written_again_is(self):
        for name in ("particles.pvd", "view.py", "radial_distribution.csv", "run.json"):
            self.file(name).unlink()
        self.file("walls.pvd").write_text("<VTKFile")
        self.file("fields.pvd").unlink()
        self.file("fields_mean.vti").unlink()
        self.file("height_profile.csv").write_text("y")
        with self.file("series.csv").open("a") as table:
            table.write("0.036,nonsense\n0.0")
        self.assert_resumes()

    def test_what_a_killed_run_did_not_put_in_place_is_removed(self):
        for name in ("state.scree.tmp", "particles_000001.vtp.2.tmp", "notes.tmp"):
            self.write(f"out/stones/{name}", "half")
        self.scree("resume", "out/stones", "--until", "0.036", "--quiet")
        self.assertEqual([path.name for path in (self.here / "out/stones").glob("*.tmp")], ["notes.tmp"])
        self.file("notes.tmp").unlink()
        self.assert_resumes()

    # --- killed before it saved anything

    def test_a_run_without_a_saved_state(self):
        self.file("state.scree").unlink()
        self.file("state.previous.scree").unlink()
        self.assert_refused("it contains no saved state, state.scree; allowed: scree run --force to begin the run in")
        said = self.scree("run", "stones.yaml", "--until", "0.035", "--quiet", code=BAD_INPUT).stderr
        self.assertIn("already contains a run without a saved state, which is not overwritten; allowed: --force", said)
        self.assertNotIn("resume", said)
        self.scree("run", "stones.yaml", "--until", "0.035", "--force", "--quiet")
        self.assert_resumes()

    def test_a_run_that_was_killed_before_it_saved_anything(self):
        self.stones.directory.rename(self.here / "earlier")
        self.stones.directory.mkdir()
        self.write("out/stones/state.scree.tmp", "scree state")
        self.assert_refused("the run in it was killed before it saved one; allowed: scree run to begin it again")
        self.scree("run", "stones.yaml", "--until", "0.035", "--quiet")
        self.assert_same_files(self.stones, self.run_of("earlier"))

    def test_the_state_is_there_before_anything_else(self):
        """Whatever is there at any moment: one of run and resume goes on, and both say which."""
        self.write("other.yaml", STONES)
        process = self.start("run", "other.yaml", "--output", "other", "--quiet")
        directory = self.here / "other"
        self.wait_until(lambda: directory.exists() and any(directory.iterdir()), process)
        process.kill()
        process.wait()
        names = {path.name for path in directory.iterdir()}
        if names == {"state.scree.tmp"}:
            self.scree("run", "other.yaml", "--output", "other", "--until", "0.01", "--quiet")
        else:
            self.assertIn("state.scree", names)
            self.scree("resume", "other", "--until", "0.01", "--quiet")


if __name__ == "__main__":
    unittest.main(verbosity=2)
