"""scree without VTK, cairo and MPI: it writes the bytes that a complete one writes, and says what it lacks.

usage: without_libraries.py PROGRAM COMPLETE
"""

import subprocess
import sys
import unittest
from pathlib import Path

from scree_process import BAD_INPUT, GAS, MEASURED, SCREE, STONES, AppTest, Run

COMPLETE = Path(sys.argv.pop(1)).resolve()
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class WithoutLibraries(AppTest):
    def check_same(self, scene, *arguments):
        """A run of either program, file by file. @return how many files are the same"""
        ours, other = Run(self.here / "ours"), Run(self.here / "other")
        self.scree("run", scene, "--quiet", "--threads", "1", "--output", ours.directory, *arguments)
        subprocess.run([COMPLETE, "run", scene, "--quiet", "--threads", "1", "--output", other.directory,
                        *map(str, arguments)], check=True, cwd=self.here)
        names = sorted(path.name for path in other.directory.iterdir())
        self.assertEqual(sorted(path.name for path in ours.directory.iterdir()), names)
        for name in names:
            if name not in ("run.json", "state.previous.scree"):  # which depend on how fast it is
                self.assertEqual((ours.directory / name).read_bytes(), (other.directory / name).read_bytes(), name)
        self.assertEqual(ours.state_hash, other.state_hash)
        return names

    def test_a_heap_is_the_same(self):
        names = self.check_same(EXAMPLES / "heap.yaml", "--until", 0.3)
        self.assertIn("particles_000015.vtp", names)

    def test_measurements_and_fields_are_the_same(self):
        names = self.check_same(self.write("stones.yaml", STONES + MEASURED))
        self.assertIn("fields_000003.vti", names)

    def test_disks_of_the_hard_mode_are_the_same(self):
        self.check_same(self.write("gas.yaml", GAS))

    def test_a_cell_that_deforms_is_the_same(self):
        self.check_same(EXAMPLES / "sheared_gas.yaml", "--until", 0.5)

    def test_a_run_is_resumed_from_frames_of_its_own(self):
        scene = self.write("stones.yaml", STONES)
        self.scree("run", scene, "--quiet", "--output", "whole")
        self.scree("run", scene, "--quiet", "--output", "parts", "--until", 0.04)
        self.scree("resume", "parts", "--quiet")
        for path in (self.here / "whole").glob("*.vtp"):
            self.assertEqual(path.read_bytes(), (self.here / "parts" / path.name).read_bytes(), path.name)

    def test_pictures_are_drawn_as_svg_and_what_needs_cairo_says_so(self):
        self.scree("run", self.write("stones.yaml", STONES), "--quiet", "--output", "run")
        self.scree("picture", "run", "--output", "picture.svg", "--quiet")
        self.assertIn("<svg", (self.here / "picture.svg").read_text())
        for command, output in (("picture", "picture.png"), ("film", "film.mp4")):
            said = self.scree(command, "run", "--output", output, code=BAD_INPUT).stderr
            self.assertIn("SCREE_CAIRO", said)
            self.assertIn(".svg", said)
            self.assertFalse((self.here / output).exists())
        self.scree("replay", "run", "--quiet")
        self.assertGreater((self.here / "run/replay.html").stat().st_size, 50_000)

    def test_it_needs_none_of_these_libraries(self):
        needed = subprocess.run(["ldd", SCREE], check=True, capture_output=True, text=True).stdout
        for library in ("libvtk", "libcairo", "libmpi", "libfontconfig"):
            self.assertNotIn(library, needed)


if __name__ == "__main__":
    unittest.main()
