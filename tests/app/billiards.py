"""Data files of Algorithms, 6.1, as scenes: our own, and, if SCREE_BILLIARDS names their folder, the real ones."""

import os
import shutil
import unittest
from pathlib import Path

from scree_process import AppTest, arrays_of

OURS = Path(__file__).resolve().parents[2] / "examples" / "billiards"

SCENE = """\
scree: 1
mode: hard
domain: {x: [0, 1], y: [0, 1], sides: reflecting}
materials:
  ball: {density: 1, restitution: 1}
particles:
  - {billiards: disks.txt, material: ball}
time: {end: 20}
output: {every: 10}
"""


class Billiards(AppTest):
    def run_file(self, file):
        shutil.copy(file, self.here / "disks.txt")
        self.write("billiards.yaml", SCENE)
        self.scree("run", "billiards.yaml", "--force", "--quiet")
        run = self.run_of("out/billiards")
        disks = int(file.read_text().split()[0])
        rows = run.table("series.csv")
        column = rows[0].index("kinetic_energy [J]")
        energies = [float(row[column]) for row in rows[1:]]
        self.assertEqual([int(row[1]) for row in rows[1:]], [disks] * 3)
        self.assertAlmostEqual(energies[-1], energies[0], delta=1e-12 * energies[0])
        return run

    def test_our_own_keep_their_energy_and_colours(self):
        for name in ("break", "brownian"):
            with self.subTest(name=name):
                run = self.run_file(OURS / f"{name}.txt")
                self.assertGreater(run.info["events"]["wall_hits"], 20)
                lines = (OURS / f"{name}.txt").read_text().splitlines()[1:]
                given = [tuple(map(int, line.split()[6:])) for line in lines]
                for _, file in run.frames():
                    colours = arrays_of(file)["colour"]
                    self.assertEqual(list(zip(colours[0::3], colours[1::3], colours[2::3])), given)

    def test_a_resumed_run_keeps_sizes_masses_and_colours_without_the_file(self):
        whole = self.run_file(OURS / "break.txt")
        self.scree("run", "billiards.yaml", "--until", 7, "--output", "part", "--quiet")
        (self.here / "disks.txt").unlink()
        self.scree("resume", "part", "--quiet")
        part = self.run_of("part")
        self.assertEqual(part.state_hash, whole.state_hash)
        self.assertEqual(arrays_of(part.frames()[-1][1]), arrays_of(whole.frames()[-1][1]))

    def test_the_real_files(self):
        folder = os.environ.get("SCREE_BILLIARDS")
        if folder is None:
            self.skipTest("SCREE_BILLIARDS does not name the folder with the data files")
        files = sorted(Path(folder).glob("*.txt"))
        self.assertGreater(len(files), 0)
        for file in files:
            with self.subTest(file=file.name):
                self.run_file(file)


if __name__ == "__main__":
    unittest.main(verbosity=2)
