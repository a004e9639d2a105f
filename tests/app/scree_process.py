"""Runs the real program, and reads what it wrote: what the tests beside this file share. Standard library only."""

import csv
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "validation"))
from runs import decompressed

SCREE = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else Path("scree")

OK, BAD_INPUT, PHYSICS, INPUT_OUTPUT, INTERRUPTED = 0, 2, 3, 4, 130

PATIENCE = 300.0  # s; a loaded machine, a build with sanitizers
MPI_ENVIRONMENT = dict(  # root may run it, and as many ranks as are asked for
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
    OMPI_MCA_mpi_yield_when_idle="1",
    OMPI_MCA_hwloc_base_binding_policy="none",
)
SANITIZED = "SCREE_SANITIZED" in os.environ  # some ten times slower: long runs of code that others run, too, are left out

# Stones pour into a box, slide and roll over one another and a turning paddle, and out again when the gate opens; the
# pour cannot keep up. Three disks fly through the domain and leave it, at output times.
STONES = """\
scree: 1
title: Stones poured into a box
seed: 3
domain: {x: [-0.09, 0.09], y: [-0.04, 0.4]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e7, restitution: 0.3, friction: 0.5}
walls:
  - {name: floor, material: stone, box: {x: [-0.04, 0.04], y: [-0.02, 0]}}
  - {name: left, material: stone, box: {x: [-0.06, -0.04], y: [-0.02, 0.1]}}
  - {name: gate, material: stone, box: {x: [0.04, 0.06], y: [-0.02, 0.1]}, until: 0.055}
  - {name: paddle, material: stone, box: {x: [-0.02, 0.02], y: [0.012, 0.016]}, rotation: {rate: 8}}
particles:
  - pour: {count: 60, rate: 750, region: {x: [-0.03, 0.03], y: [0.03, 0.08]}, velocity: [0, -0.8]}
    material: stone
    shape: {random_polygon: {vertices: [3, 8], aspect: [1, 1.5]}}
    size: {uniform: [0.008, 0.014]}
  - place:
      - {position: [0.075, 0.30], velocity: [1.0, 0]}
      - {position: [0.045, 0.30], velocity: [1.0, 0]}
      - {position: [0.015, 0.30], velocity: [1.0, 0]}
    material: stone
    shape: disk
    size: 0.01
time: {end: 0.08}
output: {every: 0.005}
"""
STONES_EVERY = 0.005  # s
MEASURED = """\
measure:
  every: 0.0031
  from: 0.01
  region: {x: [-0.04, 0.04], y: [0, 0.1]}
  radial_distribution: {to: 0.03}
  velocity_distribution: {bins: 20}
  height_profile: {bins: 10}
  mean_square_displacement: {}
  texture: {}
  forces: {to: 6, bins: 12}
  pair_orientation: {to: 0.03, bins: 12, symmetry: 4}
  fields: {width: 0.02, spacing: 0.01, kernel: lucy, every: 0.012}
"""
MEASURED_TABLES = (
    "measure.csv", "wall_forces.csv", "mean_square_displacement.csv", "radial_distribution.csv",
    "velocity_distribution.csv", "height_profile.csv", "texture.csv", "force_distribution.csv",
    "pair_orientation.csv", "fields_mean.csv", "fields_over_y.csv",
)  # fmt: skip
STONES_FRAMES = 17

# Inelastic rough disks of many sizes rise and fall between open sides; more are poured in than find room.
GAS = """\
scree: 1
title: A gas of hard disks
mode: hard
seed: 3
domain: {x: [0, 1], y: [-0.5, 1.5], periodic: [x]}
gravity: [0, -0.5]
materials:
  ball: {density: 1, restitution: 0.99, friction: 0.1, tangential_restitution: 0.5}
particles:
  - {fill: {region: {x: [0, 1], y: [0, 1]}, jitter: 1}, material: ball, shape: disk, size: {uniform: [0.02, 0.04]}}
  - pour: {count: 5000, rate: 2000, from: 0.3, region: {x: [0, 1], y: [1, 1.2]}}
    material: ball
    shape: disk
    size: 0.03
time: {end: 2}
output: {every: 0.125}
"""
GAS_FRAMES = 17

# One disk falls and meets nothing: done in a moment.
PEBBLE = """\
scree: 1
title: A pebble
domain: {x: [-1, 1], y: [-1, 1]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e5, restitution: 0.3}
particles:
  - {place: [{position: [0, 0]}], material: stone, shape: disk, size: 0.1}
time: {end: 0.05}
output: {every: 0.01}
"""


class Run:
    """The directory that a run wrote to."""

    def __init__(self, directory):
        self.directory = Path(directory)

    @property
    def info(self):
        return json.loads((self.directory / "run.json").read_text())

    @property
    def state_hash(self):
        return self.info["state_hash"]

    def table(self, name):
        """Rows of numbers as they are written; the header is the first."""
        text = (self.directory / name).read_text()
        assert text.endswith("\n"), f"{name} ends within a line"
        rows = list(csv.reader(text.splitlines()))
        assert all(len(row) == len(rows[0]) for row in rows), f"{name} has rows of different lengths"
        return rows

    def frames(self, series="particles"):
        """Time and file of every frame that the list names."""
        root = xml.etree.ElementTree.parse(self.directory / f"{series}.pvd").getroot()
        return [(float(entry.get("timestep")), self.directory / entry.get("file")) for entry in root.iter("DataSet")]

    def sliding_contacts(self):
        """In the last frame."""
        return sum(arrays_of(self.frames("contacts")[-1][1])["sliding"])


def arrays_of(vtp):
    """Name to bytes of every array in a VTK file, as VTK lays them out: raw, appended, in compressed blocks."""
    data = Path(vtp).read_bytes()
    head_end = data.index(b"<AppendedData")
    begin = data.index(b"_", head_end) + 1
    assert data.rstrip().endswith(b"</VTKFile>"), f"{vtp} is cut off"
    arrays = {}
    for tag in re.findall(rb"<DataArray[^>]*>", data[:head_end]):
        name = re.search(rb'Name="([^"]*)"', tag)
        at = begin + int(re.search(rb'offset="(\d+)"', tag)[1])
        arrays[name[1].decode() if name else len(arrays)] = decompressed(data, at)
    assert arrays, f"{vtp} has no arrays"
    return arrays


def default_signals():
    """In the child: what a terminal gives it, whatever the one who started these tests ignores."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


class AppTest(unittest.TestCase):
    """Each test has an empty directory of its own to run the program in."""

    def setUp(self):
        self.here = Path(tempfile.mkdtemp(prefix="scree-test-"))
        self.addCleanup(shutil.rmtree, self.here, ignore_errors=True)

    def write(self, name, text):
        path = self.here / name
        path.write_text(text)
        return path

    def scree(self, *arguments, code=OK, before=default_signals, **options):
        """Runs it to its end and looks at the exit code."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        done = subprocess.run(
            [SCREE, *map(str, arguments)],
            cwd=self.here, stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE, preexec_fn=before, **options,
        )  # fmt: skip
        self.assertEqual(
            done.returncode, code, f"scree {' '.join(map(str, arguments))}\nout: {done.stdout}\nerr: {done.stderr}"
        )
        return done

    def start(self, *arguments, **options):
        """Starts it, to be stopped by the test."""
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
        process = subprocess.Popen(
            [SCREE, *map(str, arguments)],
            cwd=self.here, stdin=subprocess.DEVNULL, preexec_fn=default_signals, **options,
        )  # fmt: skip

        def stop():
            process.kill()
            process.wait()

        self.addCleanup(stop)
        return process

    def on_terminal(self, width, *arguments, stop_at=None):
        """What a terminal of this width is sent; Ctrl-C is typed when the text stop_at has come."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))

        def before():
            default_signals()
            os.setsid()
            fcntl.ioctl(its, termios.TIOCSCTTY, 0)

        process = subprocess.Popen(
            [SCREE, *arguments], cwd=self.here, stdin=its, stdout=its, stderr=its, preexec_fn=before,
            env={**os.environ, "TERM": "xterm"},
        )  # fmt: skip
        os.close(its)
        self.addCleanup(lambda: (process.kill(), process.wait(), os.close(ours)))
        text = b""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    text += os.read(ours, 65536)
                except OSError:  # the other side is closed
                    break
            if stop_at is not None and stop_at in text:
                stop_at = None
                os.write(ours, b"\x03")
        return process.wait(), text.decode()

    def wait_until(self, condition, process):
        """Looks again and again while the process runs."""
        began = time.monotonic()
        while not condition():
            self.assertIsNone(process.poll(), "the program ended too early")
            self.assertLess(time.monotonic() - began, PATIENCE, "the program takes too long")
            time.sleep(0.002)

    def run_of(self, directory):
        return Run(self.here / directory)

    def tree(self):
        """Every file here with what is in it, to see that nothing changed."""
        return {
            str(path.relative_to(self.here)): path.read_bytes() if path.is_file() else None
            for path in sorted(self.here.rglob("*"))
        }

    def assert_same_files(self, run, other):
        """Byte for byte, but for the wall time, what a trial of the broadphases took and which state was the one before
        the last."""
        names = {path.name for path in run.directory.iterdir()} - {"state.previous.scree"}
        self.assertEqual(names, {path.name for path in other.directory.iterdir()} - {"state.previous.scree"})
        for name in sorted(names - {"run.json"}):
            self.assertEqual((run.directory / name).read_bytes(), (other.directory / name).read_bytes(), name)
        first, second = run.info, other.info
        for info in (first, second):
            del info["wall_time"], info["broadphase"]
        self.assertEqual(first, second)

    def assert_readable(self, run):
        """All that a run wrote so far can be read, and the lists name the frames that are there and no others."""
        self.assertIn("state_hash", run.info)
        rows = run.table("series.csv")
        run.table("flow.csv")
        for series in ("particles", "contacts", "walls"):
            frames = run.frames(series)
            self.assertEqual([time for time, _ in frames], [float(row[0]) for row in rows[1:]], series)
            for _, file in frames:
                arrays_of(file)
            there = sorted(run.directory.glob(f"{series}_*.vtp"))
            self.assertEqual(there, [file for _, file in frames], series)
        self.assertEqual(list(run.directory.glob("*.tmp")), [])
