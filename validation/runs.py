"""Runs scenes with the program `scree` and reads what it wrote."""

import array
import csv
import json
import os
import re
import struct
import subprocess
import zlib
from pathlib import Path

TYPES = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}


class Program:
    """The program, and the directory below which its runs write."""

    def __init__(self, executable, work, reuse=False):
        """reuse: a finished run of the same scene that is there is taken as it is."""
        self.executable = Path(executable).resolve()
        self.work = Path(work)
        self.reuse = reuse
        self.spent = []  # seconds of one core, a run each
        self.commits = set()  # of the programs whose runs these are

    def run(self, name, scene):
        """Runs a scene, given as the mapping that its YAML file is, on one thread. Returns its Run."""
        self.work.mkdir(parents=True, exist_ok=True)
        file, spent, directory = self.work / f"{name}.yaml", self.work / f"{name}.seconds", self.work / name
        text = json.dumps(scene, indent=1)  # which is YAML
        if not (self.reuse and spent.exists() and file.read_text() == text and Run(directory).finished()):
            spent.unlink(missing_ok=True)
            file.write_text(text)
            spent.write_text(f"{self.start(file, directory):.2f}")
        self.spent.append(float(spent.read_text()))
        run = Run(directory)
        self.commits.add(run.info()["commit"])
        return run

    def start(self, file, directory):
        """Returns the seconds of one core that it took."""
        command = [self.executable, "run", file, "--output", directory, "--force", "--quiet", "--threads", "1"]
        with open(file.with_suffix(".log"), "w") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{file} ended with {process.returncode}: {file.with_suffix('.log').read_text()}")
        return used.ru_utime + used.ru_stime


class Run:
    """The directory that a run wrote to (docs/conventions.md)."""

    def __init__(self, directory):
        self.directory = Path(directory)

    def info(self):
        return json.loads((self.directory / "run.json").read_text())

    def finished(self):
        return (self.directory / "run.json").exists() and self.info()["status"] == "finished"

    def table(self, name):
        """Rows of a table as mappings from the header's names, without units, to numbers."""
        with open(self.directory / name, newline="") as file:
            rows = csv.reader(file)
            names = [column.split(" [")[0] for column in next(rows)]
            return [dict(zip(names, map(float, row))) for row in rows]

    def columns(self, name):
        """Columns of a table of numbers as arrays, by the header's names without units."""
        import numpy  # which tests that read frames do without

        with open(self.directory / name, newline="") as file:
            names = [column.split(" [")[0] for column in next(csv.reader(file))]
            return dict(zip(names, numpy.loadtxt(file, delimiter=",", ndmin=2).T))

    def frames(self, series):
        """The frames of particles, contacts or walls, in the order of time, to be read one by one."""
        return sorted(self.directory.glob(f"{series}_*.vtp"))


class Frame:
    """A frame of particles, contacts or walls: its time and its cells' arrays by name."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        head_end = data.index(b"<AppendedData")
        begin = data.index(b"_", head_end) + 1
        self.arrays = {}
        for tag in re.findall(rb"<DataArray[^>]*>", data[:head_end]):
            attribute = dict(re.findall(rb'(\w+)="([^"]*)"', tag))
            values = array.array(TYPES[attribute[b"type"].decode()])
            values.frombytes(decompressed(data, begin + int(attribute[b"offset"])))
            components = int(attribute.get(b"NumberOfComponents", 1))
            if values:  # of the lists of vertices, lines and polygons only one is not empty
                rows = [values[i : i + components] for i in range(0, len(values), components)]
                self.arrays[attribute[b"Name"].decode()] = values if components == 1 else rows
        self.time = self["TimeValue"][0]

    def __getitem__(self, name):
        return self.arrays.get(name, [])

    def outlines(self):
        """Of every cell its points (x, y)."""
        points = [(p[0], p[1]) for p in self["Points"]]
        ends = [0, *self["offsets"]]
        order = self["connectivity"]
        return [[points[i] for i in order[a:b]] for a, b in zip(ends, ends[1:])]


def decompressed(data, at):
    """An appended array: number of blocks, their size, the last one's size, compressed sizes, blocks."""
    (blocks,) = struct.unpack_from("<I", data, at)
    if blocks == 0:
        return b""
    sizes = struct.unpack_from(f"<{blocks}I", data, at + 12)
    at += 12 + 4 * blocks
    contents = []
    for size in sizes:
        contents.append(zlib.decompress(data[at : at + size]))
        at += size
    return b"".join(contents)


def centroid(outline):
    """Centroid and area of a polygon."""
    x0, y0 = outline[0]  # sums far from the origin would cancel
    area = sum_x = sum_y = 0.0
    for (xa, ya), (xb, yb) in zip(outline, outline[1:] + outline[:1]):
        cross = (xa - x0) * (yb - y0) - (xb - x0) * (ya - y0)
        area += cross / 2
        sum_x += cross * (xa + xb - 2 * x0) / 6
        sum_y += cross * (ya + yb - 2 * y0) / 6
    return x0 + sum_x / area, y0 + sum_y / area, area
