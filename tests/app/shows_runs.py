"""scree report, picture, film and watch: what they write of a run, and what they refuse."""

import os
import re
import shutil
import struct
import unittest
import xml.etree.ElementTree
import zlib

from scree_process import BAD_INPUT, GAS, INPUT_OUTPUT, STONES, AppTest


def pixels(png):
    """Width and height of a PNG, after a look whether it is whole."""
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and data.endswith(b"IEND\xaeB`\x82")
    contents = b"".join(
        data[at + 4 : at + 4 + struct.unpack_from(">I", data, at - 4)[0]]
        for at in (match.start() for match in re.finditer(rb"IDAT", data))
    )
    width, height = struct.unpack_from(">II", data, 16)
    assert len(zlib.decompress(contents)) >= 3 * width * height
    return width, height


STANDS = """\
scree: 1
domain: {x: [-0.2, 0.2], y: [-0.05, 0.5]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}
walls:
  - {name: plate, material: stone, box: {x: [-0.1, 0.05], y: [-0.02, 0]}}
particles:
  - {place: [FALLING], material: stone, shape: disk, size: 0.01}
  - {place: [{position: [-0.05, 0.006]}, {position: [0, 0.006]}], material: stone, shape: disk, size: 0.01}
time: {end: 0.5}
output: {every: 0.05}
"""


class ShowsRuns(AppTest):
    def setUp(self):
        super().setUp()
        self.write("stones.yaml", STONES)
        self.scree("run", "stones.yaml", "--output", "stones", "--quiet")

    def test_a_report_has_pictures_and_charts_in_one_page(self):
        said = self.scree("report", "stones").stdout
        self.assertIn("report.html", said)
        run = self.run_of("stones")
        page = (run.directory / "report.html").read_text()
        for text in ("Stones poured into a box", run.info["step_reason"], run.info["state_hash"], "To cite"):
            self.assertIn(text, page)
        self.assertGreaterEqual(page.count("<svg"), 3 + 4)
        self.assertNotRegex(page, r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)")
        markdown = (run.directory / "report.md").read_text()
        linked = re.findall(r"!\[.*?\]\((.*?)\)", markdown)
        self.assertEqual(len(linked), page.count("<svg"))
        for name in linked:
            xml.etree.ElementTree.parse(run.directory / name)
        self.scree("run", "stones.yaml", "--output", "stones", "--quiet", "--force", "--until", "0.01")
        self.assertEqual([f for f in run.directory.iterdir() if f.suffix in (".svg", ".html", ".md")], [])

    def test_a_flow_that_stands_is_told(self):
        falling = ", ".join(f"{{position: [0.1, {0.05 + 0.02 * k}]}}" for k in range(8))
        self.write("stands.yaml", STANDS.replace("FALLING", falling))
        stands = r"Nothing has left since t = 0\.2\d+ s, 0\.2\d* s before the end; 2 grains remain: a clog"
        said = self.scree("run", "stands.yaml", "--output", "stands").stdout
        self.assertRegex(said, "8 particles left the domain.*\n" + stands)
        self.scree("report", "stands", "--quiet")
        self.assertRegex((self.here / "stands" / "report.md").read_text(), stands)
        said = self.scree("run", "stands.yaml", "--output", "flows", "--until", 0.24).stdout
        self.assertRegex(said, r"\d particles left the domain.*\n(?!Nothing)")

    def test_a_picture_is_svg_or_png(self):
        said = self.scree("picture", "stones", "-o", "a.svg", "--time", "0.0401").stdout
        self.assertRegex(said, r"a\.svg: t = 0\.04\d* s, \d+ grains, 1200 x \d+ pixels")
        root = xml.etree.ElementTree.parse(self.here / "a.svg").getroot()
        grains = int(re.search(r"(\d+) grains", said)[1])
        self.assertGreaterEqual(sum(1 for e in root.iter() if e.tag.endswith(("polygon", "circle"))), grains)
        self.scree("picture", "stones", "-o", "b.png", "--width", "300", "--no-words", "--quiet")
        width, height = pixels(self.here / "b.png")
        self.assertEqual(width, 300)
        self.assertGreater(height, 100)

    def test_a_picture_has_the_colours_that_are_asked_for(self):
        drawn = {}
        for colour, legend in (("speed", "speed [m/s]"), ("coordination", "contacts"), ("size", "radius [m]"),
                               ("angular_velocity", "angular velocity [rad/s]"), ("force", "total force [N]"),
                               ("torque", "torque [N m]"), ("group", "poured random polygons"), ("none", "t = ")):  # fmt: skip
            self.scree("picture", "stones", "-o", "a.svg", "--colour", colour, "--quiet")
            drawn[colour] = (self.here / "a.svg").read_text()
            self.assertIn(legend, drawn[colour])
        self.assertEqual(len(set(drawn.values())), len(drawn))
        self.assertNotIn("m/s", drawn["none"])
        self.scree("picture", "stones", "-o", "a.svg", "--quiet")
        self.assertEqual((self.here / "a.svg").read_text(), drawn["speed"])

    def test_a_film_says_how_fast_it_is(self):
        (self.here / "bin").mkdir()
        ffmpeg = self.here / "bin" / "ffmpeg"  # it only keeps what it reads
        ffmpeg.write_text('#!/bin/sh\nfor last; do :; done\nexec cat > "$last"\n')
        ffmpeg.chmod(0o755)
        path = {"PATH": f"{ffmpeg.parent}:{os.environ['PATH']}"}
        # 0.005 s between frames
        said = self.scree("film", "stones", "-o", "a.gif", "--width", "100", env=path).stdout
        self.assertEqual(said, "a.gif: 17 frames, 0.68 s, 0.125 x real time\n")
        said = self.scree("film", "stones", "-o", "a.gif", "--width", "100", "--rate", "100", env=path).stdout
        self.assertEqual(said, "a.gif: 17 frames, 0.17 s, 0.5 x real time\n")

    def test_the_help_of_a_command_is_short_and_ends_with_an_example(self):
        listed = self.scree("--help").stdout.split("Subcommands:")[1].split("\n\n")[0]
        commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
        self.assertGreater(len(commands), 10)
        for command in commands:
            lines = self.scree(command, "--help").stdout.rstrip().splitlines()
            self.assertTrue(lines[-1].startswith(f"Example: scree {command}"), lines[-1])
            self.assertLess(len(lines), 30, command)

    def test_what_cannot_be_done_is_refused(self):
        for arguments, code, says in (
            (("picture", "stones", "-o", "a.jpg"), BAD_INPUT, "is 'a.jpg', must end with .svg or .png"),
            (("film", "stones", "-o", "a.avi"), BAD_INPUT, "is 'a.avi', must end with .mp4 or .gif"),
            (("picture", "stones", "-o", "a.png", "--time", "soon"), BAD_INPUT, "is 'soon', must be a number >= 0 [s]"),
            (("picture", "stones", "-o", "a.png", "--width", "9"), BAD_INPUT, "from 100 to 16000"),
            (("film", "stones", "-o", "a.gif", "--rate", "0"), BAD_INPUT, "from 1 to 120"),
            (("picture", "stones", "-o", "a.png", "--colour", "siz"), BAD_INPUT, "is 'siz' (did you mean 'size'?), must be scene, "),
            (("film", "stones", "-o", "a.gif", "--colour", ""), BAD_INPUT, "is '', must be scene, speed, "),
            (("picture", "none", "-o", "a.png"), INPUT_OUTPUT, "there is no such directory"),
            (("report", "none"), INPUT_OUTPUT, "there is no such directory"),
            (("watch", "none"), INPUT_OUTPUT, "it holds no run.json"),
            (("picture", "stones", "-o", "none/a.png"), INPUT_OUTPUT, "none/a.png"),
        ):
            with self.subTest(arguments):
                before = self.tree()
                self.assertIn(says, self.scree(*arguments, code=code).stderr)
                self.assertEqual(self.tree(), before)

    def test_only_files_are_replaced(self):
        commands = {"replay.html": ("replay",), "a.svg": ("picture",), "a.png": ("picture",)}
        if shutil.which("ffmpeg"):
            commands["a.gif"] = ("film", "--width", "100")
        for name, (command, *options) in commands.items():
            pipe, device, directory = (self.here / f"{kind}_{name}" for kind in ("pipe", "device", "directory"))
            os.mkfifo(pipe)
            device.symlink_to("/dev/null")
            (directory / "mine").mkdir(parents=True)
            before = self.tree()
            for path, kind in ((pipe, "pipe"), (device, "device"), (directory, "directory")):
                with self.subTest(path=path):
                    said = self.scree(command, "stones", "-o", path.name, *options, code=INPUT_OUTPUT).stderr
                    self.assertIn(f"cannot write {path.name}: it is a {kind}, must be a file or a new name", said)
                    self.assertEqual(self.tree(), before)
            self.assertTrue(pipe.is_fifo() and device.is_symlink())
            for mine in (f"{name}.tmp", f"{name}.2.tmp"):
                self.write(mine, "mine")
            for _ in range(2):
                self.scree(command, "stones", "-o", name, *options, "--quiet")
            self.assertGreater((self.here / name).stat().st_size, 1000)
            self.assertEqual([(self.here / mine).read_text() for mine in (f"{name}.tmp", f"{name}.2.tmp")], ["mine"] * 2)
            self.assertFalse((self.here / f"{name}.3.tmp").exists())

    def test_of_a_run_only_files_are_replaced(self):
        pipe = self.here / "stones" / "report.html"
        os.mkfifo(pipe)
        (self.here / "stones" / "walls_000099.vtp").mkdir()
        self.write("stones/cell.csv", "of an earlier run\n")
        said = self.scree("report", "stones", code=INPUT_OUTPUT).stderr
        self.assertIn("cannot write stones/report.html: it is a pipe", said)
        self.scree("run", "stones.yaml", "--output", "stones", "--force", "--quiet")
        self.assertTrue(pipe.is_fifo())
        self.assertTrue((self.here / "stones" / "walls_000099.vtp").is_dir())
        self.assertFalse((self.here / "stones" / "cell.csv").exists())

    def test_a_forged_frame_is_refused_in_one_line(self):
        frame = self.here / "stones" / "particles_000016.vtp"
        whole = frame.read_bytes()
        for forged in (whole.replace(b'NumberOfPoints="', b'NumberOfPoints="2000000000', 1),
                       whole.replace(b'NumberOfPolys="', b'NumberOfPolys="-', 1),
                       re.sub(rb'(Name="id"[^>]* offset=")\d+', rb"\g<1>99999999", whole),
                       whole[: len(whole) // 2], b"<VTKFile", b""):
            frame.write_bytes(forged)
            for command in (("picture", "stones", "-o", "a.svg"), ("replay", "stones"), ("report", "stones")):
                with self.subTest(forged=forged[:200], command=command):
                    said = self.scree(*command, code=INPUT_OUTPUT).stderr
                    self.assertRegex(said, r"^scree: cannot .*particles_000016\.vtp.*; needed: a frame that scree wrote\n$")

    def test_equal_runs_have_equal_replays(self):
        for name, threads in (("a", "1"), ("b", "2")):
            self.scree("run", "stones.yaml", "--output", name, "--threads", threads, "--quiet")
            self.scree("replay", name, "--quiet")
        self.assertEqual((self.here / "a/replay.html").read_bytes(), (self.here / "b/replay.html").read_bytes())

    def test_a_name_with_a_control_character_is_refused(self):
        for arguments in (("run", "stones.yaml", "--output", "a\nb"), ("replay", "a\nb"), ("picture", "stones", "-o", "\x1b.png")):
            said = self.scree(*arguments, code=BAD_INPUT).stderr
            self.assertIn("must be a name without control characters", said)
            self.assertNotIn("\x1b", said)

    def test_without_ffmpeg_a_film_says_what_to_install(self):
        done = self.scree("film", "stones", "-o", "a.gif", code=INPUT_OUTPUT, env={"PATH": "/nowhere"})
        self.assertIn("needed: the package ffmpeg", done.stderr)

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg")
    def test_a_film_has_every_frame(self):
        for name, begins in (("a.gif", b"GIF89a"), ("b.mp4", b"ftyp")):
            said = self.scree("film", "stones", "-o", name, "--width", "200").stdout
            self.assertIn("17 frames", said)
            self.assertIn(begins, (self.here / name).read_bytes()[:16])

    def test_watch_follows_a_run_to_its_end(self):
        self.assertRegex(
            self.scree("watch", "stones").stdout, r"^t = 0\.08 of 0\.08 s, 100 %, 17 frames, \d+ grains, finished\n$"
        )
        self.write("gas.yaml", GAS.replace("end: 2", "end: 1000"))
        run = self.start("run", "gas.yaml", "--output", "gas")
        info = self.here / "gas" / "run.json"
        self.wait_until(info.exists, run)
        self.assertRegex(self.scree("watch", "gas", "--once").stdout, r"^t = .* of 1000 s, 0 %, \d+ frames, \d+ grains")
        run.terminate()
        run.wait()
        self.assertIn("interrupted", self.scree("watch", "gas").stdout)
        text = info.read_text().replace('"interrupted"', '"running"')  # as a run leaves it that was killed
        info.write_text(text)
        os.utime(info, (1e9, 1e9))
        self.assertIn("it was killed; scree resume continues it", self.scree("watch", "gas").stdout)


if __name__ == "__main__":
    unittest.main()
