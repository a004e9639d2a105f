"""Settle, then test: stages in one file, or a run that begins with the grains of an earlier one."""

import re
import shutil
import struct
import unittest
import zlib

from scree_process import BAD_INPUT, AppTest

HEAD = """\
scree: 1
title: Stones settle in a box
seed: 2
domain: {x: [-0.2, 0.2], y: [-0.05, 0.3]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e6, restitution: 0.2, friction: 0.5}
walls:
  - {name: floor, material: stone, half_plane: {point: [0, 0], normal: [0, 1]}}
  - {name: left, material: stone, box: {x: [-0.07, -0.05], y: [0, 0.2]}}
  - {name: gate, material: stone, box: {x: [0.05, 0.07], y: [0, 0.2]}}
particles:
  - random: {region: {x: [-0.05, 0.05], y: [0, 0.05]}, packing_fraction: 0.6}
    material: stone
    shape: {random_polygon: {vertices: [5, 7]}}
    size: 0.012
"""
SETTLE = HEAD + "time: {end: 3, until: {unbalanced: 1e-3}}\noutput: {every: 0.1}\n"
STAGES = HEAD + """\
stages:
  - {name: settle, time: {end: 3, until: {unbalanced: 1e-3}}}
  - name: collapse
    remove: [gate]
    motions: {left: {velocity: [0.05, 0]}}
    time: {end: 0.1}
  - name: tilt
    gravity: [{time: 0, gravity: [0, -9.81]}, {time: 0.05, gravity: [2, -9.6]}]
    materials: {stone: {friction: 0.2}}
    walls:
      - {name: stop, material: stone, box: {x: [0.15, 0.17], y: [0, 0.1]}, motions: [{from: 0, until: 0.05, velocity: [-0.1, 0]}]}
    time: {end: 0.1}
output: {every: 0.02}
"""
THEN = HEAD.replace("  - {name: gate, material: stone, box: {x: [0.05, 0.07], y: [0, 0.2]}}\n", "").split("particles:")[0]
THEN += """\
start: {from: out/settle}
time: {end: 0.1}
output: {every: 0.02}
"""


def with_number(file, name, index, code, number):
    """The bytes of a frame's file in whose first array of this name one number is another: deflated as it must be."""
    data = file.read_bytes()
    begin = data.index(b"_", data.index(b"<AppendedData")) + 1
    offset = re.search(rb'Name="%s"[^>]* offset="(\d+)"' % name.encode(), data)
    at = begin + int(offset[1])
    blocks = struct.unpack_from("<I", data, at)[0]
    sizes = struct.unpack_from(f"<{blocks}I", data, at + 12)
    ends = [at + 12 + 4 * blocks + sum(sizes[: k + 1]) for k in range(blocks)]
    raw = bytearray(b"".join(zlib.decompress(data[end - size : end]) for end, size in zip(ends, sizes)))
    struct.pack_into(code, raw, index * struct.calcsize(code), number)
    deflated = zlib.compress(bytes(raw))
    end = data.rindex(b"\n  </AppendedData>")
    data = data[:end] + struct.pack("<4I", 1, len(raw), 0, len(deflated)) + deflated + data[end:]
    return data[: offset.start(1)] + str(end - begin).encode() + data[offset.end(1) :]


class HalfPlane(AppTest):
    def test_it_goes_on_beyond_periodic_sides(self):
        # An L slides on a corner that is beyond the side x = 0.2 while its centre is inside.
        self.write("slide.yaml", """\
scree: 1
domain: {x: [0, 0.2], y: [-0.1, 0.4], periodic: [x]}
gravity: [0, -9.81]
materials: {stone: {density: 2600, stiffness: 2e6, restitution: 0.3}}
walls:
  - {name: floor, material: stone, half_plane: {point: [0, 0], normal: [0, 1]}}
particles:
  - place: [{position: [0.17, 0.03], angle: 3, velocity: [0.2, 0]}]
    material: stone
    shape: {polygon: [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]]}
    size: 0.02
time: {end: 0.3}
output: {every: 0.05}
""")
        self.scree("run", "slide.yaml", "--quiet")
        names, *rows = self.run_of("out/slide").table("series.csv")
        depth = names.index("max_depth_ratio")
        self.assertLess(max(float(row[depth]) for row in rows), 0.05)


class Stages(AppTest):
    def test_one_file_settles_and_tests(self):
        self.write("stages.yaml", STAGES)
        said = self.scree("check", "stages.yaml").stdout
        self.assertIn("stage collapse: at most 0.1 s, other motions of a wall, without a wall", said)
        said = self.scree("run", "stages.yaml").stdout
        inspected = self.scree("inspect", "stages.yaml").stdout
        self.assertIn("\nstage settle: at most 3 s\nstage collapse: at most 0.1 s\n", inspected)
        self.assertRegex(said, r"(?m)^stage 1 of 3, settle: from t = 0 s\nstage 2 of 3, collapse: from t = 0\.[0-9]+ s$")
        whole = self.run_of("out/stages")
        info = whole.info
        self.assertEqual(info["status"], "finished")
        self.assertEqual([stage["name"] for stage in info["stages"]], ["settle", "collapse", "tilt"])
        settled = info["stages"][1]["begin"]
        self.assertGreater(settled, 0.05)
        self.assertLess(settled, 3)
        self.assertAlmostEqual(info["end_time"], settled + 0.2, places=3)
        times = [float(row[0]) for row in whole.table("series.csv")[1:]]
        self.assertEqual(times, sorted(times))
        # Stopped in each of the stages and resumed: the same bytes.
        for share in (0.5 * settled, settled + 0.05, settled + 0.15):
            with self.subTest(share):
                name = f"out/part{share:.3f}"
                self.scree("run", "stages.yaml", "--quiet", "--until", share, "--output", name, "--threads", 1)
                self.scree("resume", name, "--quiet", "--threads", 2)
                self.assertEqual(self.run_of(name).state_hash, info["state_hash"])
        refused = self.scree("resume", "out/stages", code=BAD_INPUT).stderr
        self.assertIn("the last of its stages has ended", refused)

    def test_a_mistake_in_a_stage_is_told_with_its_key(self):
        for line, key, words in (
            ("remove: [gat]", "stages[1].remove[0]", "is 'gat', must be the name of a wall that there is"),
            ("motions: {lift: {}}", "stages[1].motions.lift", "is the name of no wall that there is"),
            ("materials: {sand: {friction: 1}}", "stages[1].materials.sand", "none of the scene's materials"),
        ):
            with self.subTest(line):
                self.write("bad.yaml", STAGES.replace("remove: [gate]", line, 1).replace("    motions: {left", "    gravity: [0, -9]\n    #", 1))
                said = self.scree("check", "bad.yaml", code=BAD_INPUT).stderr
                self.assertIn(key, said)
                self.assertIn(words, said)


class Start(AppTest):
    def setUp(self):
        super().setUp()
        self.write("settle.yaml", SETTLE)
        self.scree("run", "settle.yaml", "--quiet")

    def test_a_run_begins_with_the_grains_of_another(self):
        settled = self.run_of("out/settle")
        self.assertEqual(settled.info["status"], "finished")
        self.assertLess(settled.info["end_time"], 3)
        self.write("then.yaml", THEN)
        self.assertIn("of them those of out/settle", self.scree("check", "then.yaml").stdout)
        self.scree("run", "then.yaml", "--quiet")
        then = self.run_of("out/then")
        self.assertEqual(then.info["start"]["from"], "out/settle")
        first, last = then.table("series.csv")[1], then.table("series.csv")[-1]
        self.assertEqual(first[1], settled.table("series.csv")[-1][1])  # as many grains
        self.assertLess(float(last[6]), float(first[6]))  # which spread out, now that the gate is gone
        # It resumes where the earlier run is gone.
        self.scree("run", "then.yaml", "--quiet", "--until", 0.05, "--output", "out/part")
        shutil.rmtree(self.here / "out/settle")
        self.scree("resume", "out/part", "--quiet")
        self.assertIn("walls: 2\nparticles: those of out/settle\n", self.scree("inspect", "out/part").stdout)
        self.assertEqual(self.run_of("out/part").state_hash, then.state_hash)
        self.scree("check", "then.yaml", code=BAD_INPUT)

    def test_a_frame_or_a_state_will_do(self):
        frame = sorted((self.here / "out/settle").glob("particles_*.vtp"))[-1]
        for file in ("out/settle/state.scree", frame.relative_to(self.here)):
            with self.subTest(file):
                self.write("then.yaml", THEN.replace("out/settle", str(file)))
                self.scree("run", "then.yaml", "--quiet", "--until", 0.01, "--force")

    def test_a_frame_with_numbers_that_no_grain_has_is_refused(self):
        frame = sorted((self.here / "out/settle").glob("particles_*.vtp"))[-1]
        first_id = with_number(frame, "id", 0, "<q", 1)  # that of a wall
        self.write("then.yaml", THEN.replace("out/settle", str(frame.relative_to(self.here))))
        whole = frame.read_bytes()
        for forged, words in (
            (with_number(frame, "mass", 0, "<f", -1), "its array mass has a number that is not > 0"),
            (with_number(frame, "type", 0, "<i", 7), "its array type has 7, must be numbers from 0 below 1"),
            (with_number(frame, "type", 0, "<i", -1), "its array type has -1"),
            (with_number(frame, "material", 1, "<i", 99), "its array material has 99"),
            (with_number(frame, "id", 0, "<q", 0), "it has an id that nobody has"),
            (with_number(frame, "id", 0, "<q", 5), "it has the id 5 twice"),
            (first_id, "1 is the id of a particle and of a wall"),
            (with_number(frame, "velocity", 0, "<f", float("nan")), "its array velocity has a number that is not finite"),
        ):
            with self.subTest(words):
                frame.write_bytes(forged)
                said = self.scree("run", "then.yaml", code=BAD_INPUT).stderr
                self.assertRegex(said, r"^scree: then\.yaml:\d+:\d+: start\.from: cannot be used: cannot read .*\.vtp: ")
                self.assertIn(words, said)
                self.assertFalse((self.here / "out/then").exists())
        frame.write_bytes(whole)
        frame.write_bytes(with_number(frame, "angular_velocity", 0, "<f", 0.25))
        self.assertNotEqual(frame.read_bytes(), whole)
        self.scree("check", "then.yaml")

    def test_what_does_not_suit_is_refused_by_its_key(self):
        for old, new, words in (
            ("  stone: {", "  sand: {", "has grains of the material 'stone'"),
            ("y: [-0.05, 0.3]}", "y: [-0.05, 0.3], periodic: [x]}", "not periodic along x"),
            ("x: [-0.2, 0.2]", "x: [-0.2, 0]", "grains outside this scene's domain"),
            ("box: {x: [-0.07, -0.05]", "box: {x: [-0.07, -0.02]", "overlaps the wall 'left'"),
            ("from: out/settle", "from: out/nothing", "there is no such file"),
        ):
            with self.subTest(new):
                text = THEN.replace(old, new)
                self.write("bad.yaml", text.replace("material: stone", "material: sand") if "sand" in new else text)
                self.assertIn(words, self.scree("check", "bad.yaml", code=BAD_INPUT).stderr)


if __name__ == "__main__":
    unittest.main()
