"""Power cuts, simulated. strace records what a run asks of the file system. A model of a disk replays a part of it and
keeps of what was not yet synced any part: writes and names are dropped, torn, or come in another order. From what is
left the run goes on, and ends with the same bytes as without the cut.

The model promises less than real file systems do. After fsync of a file its contents are on the disk, after fsync of a
directory its names; nothing else is. It forgets what a disk does that lies about fsync, or that damages what was at
rest.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import unittest

from scree_process import BAD_INPUT, INPUT_OUTPUT, OK, PATIENCE, SCREE, AppTest, default_signals

CUTS = 100 if "--all" in sys.argv else 12  # of each scene
SEED = 17
if "--all" in sys.argv:
    sys.argv.remove("--all")

# Short runs in which everything is written: frames, tables that grow, tables that are replaced, departures. The state
# is saved at every look at the clock.
GRAINS = """\
scree: 1
title: Grains that fall out of the domain
seed: 5
domain: {x: [-0.05, 0.05], y: [-0.02, 0.2]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 1e6, restitution: 0.3, friction: 0.5}
walls:
  - {name: ledge, material: stone, box: {x: [-0.05, 0.02], y: [-0.01, 0]}}
particles:
  - pour: {count: 20, rate: 200, region: {x: [-0.02, 0.045], y: [0.005, 0.03]}, velocity: [0.5, -1]}
    material: stone
    shape: {regular_polygon: {vertices: 5}}
    size: 0.008
time: {end: 0.06}
output: {every: 0.006}
checkpoint: {every: 1e-9}
measure: {every: 0.004, mean_square_displacement: {}, height_profile: {bins: 4}}
"""
DISKS = """\
scree: 1
title: Disks that leave
mode: hard
seed: 5
domain: {x: [0, 1], y: [0, 1], periodic: [x]}
gravity: [0, -1]
materials:
  ball: {density: 1, restitution: 0.9, friction: 0.1, tangential_restitution: 0.5}
particles:
  - pour: {count: 60, rate: 40, region: {x: [0.1, 0.9], y: [0.5, 0.9]}}
    material: ball
    shape: disk
    size: {uniform: [0.04, 0.08]}
time: {end: 1.5}
output: {every: 0.15}
checkpoint: {every: 1e-9}
measure: {every: 0.1, free_flights: {}, collisions: {}}
"""

# The calls that change files, and those that say which file they mean.
CALLS = (
    "openat,open,creat,close,write,writev,pwrite64,pwritev,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,"
    "unlink,unlinkat,link,linkat,truncate,ftruncate,fallocate,mkdir,mkdirat,rmdir,dup,dup2,dup3,lseek"
)


def text_of(argument):
    """The bytes of a string as strace -xx prints it."""
    assert argument.startswith('"') and argument.endswith('"'), f"cut off: {argument[:80]}"
    return bytes.fromhex(argument[1:-1].replace("\\x", ""))


def calls_in(log):
    """Name, arguments and result of every call that succeeded, in order."""
    unfinished = {}
    for line in log.read_text().splitlines():
        pid, rest = line.split(maxsplit=1)
        if rest.endswith("<unfinished ...>"):
            unfinished[pid] = rest.removesuffix("<unfinished ...>")
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>", rest):
            rest = unfinished.pop(pid) + rest[resumed.end() :]
        call = re.fullmatch(r"(\w+)\((.*)\)\s+= (-?\d+).*", rest)
        if call and int(call[3]) >= 0:
            yield call[1], re.split(r", (?![^\[{]*[\]}])", call[2]), int(call[3])


class Recording:
    """What a process did to the files in a directory, as operations on inodes and names."""

    def __init__(self, here):
        self.here = str(here)
        self.operations = []
        self.names = {}  # as the process sees them
        self.sizes = {}
        self.inodes = 0

    def path(self, directory, argument):
        """Relative to the directory; nothing if it is elsewhere."""
        assert directory == "AT_FDCWD", directory
        path = os.path.normpath(os.path.join(self.here, os.fsdecode(text_of(argument))))
        inside = path == self.here or path.startswith(self.here + "/")
        return os.path.relpath(path, self.here) if inside else None

    def add(self, *operation):
        self.operations.append(operation)

    def read(self, log):
        files = {}  # by descriptor: inode or directory, offset or None to append
        for name, a, result in calls_in(log):
            if name in ("openat", "open", "creat"):
                path = self.path(a[0], a[1]) if name == "openat" else self.path("AT_FDCWD", a[0])
                flags = (a[2] if name == "openat" else a[1]).split("|")
                files.pop(result, None)
                if path is None:
                    continue
                if os.path.isdir(os.path.join(self.here, path)):
                    files[result] = ["directory", path]
                elif path in self.names or "O_CREAT" in flags:
                    self.open(path, flags)
                    files[result] = [self.names[path], None if "O_APPEND" in flags else 0]
            elif name == "close":
                files.pop(int(a[0]), None)
            elif name == "write" and (file := files.get(int(a[0]))):
                data = text_of(a[1])[:result]
                inode, offset = file
                at = self.sizes[inode] if offset is None else offset
                self.add("write", inode, at, data)
                self.sizes[inode] = max(self.sizes[inode], at + len(data))
                if offset is not None:
                    file[1] = at + len(data)
            elif name in ("fsync", "fdatasync") and (file := files.get(int(a[0]))):
                self.add("sync_names" if file[0] == "directory" else "sync", file[1] if file[0] == "directory" else file[0])
            elif name in ("rename", "renameat", "renameat2"):
                old, new = (self.path("AT_FDCWD", x) for x in a) if name == "rename" else (self.path(a[0], a[1]), self.path(a[2], a[3]))
                if old is not None:
                    self.names[new] = self.names.pop(old)
                    self.add("rename", old, new, self.names[new])
            elif name in ("link", "linkat"):
                old, new = (self.path("AT_FDCWD", x) for x in a) if name == "link" else (self.path(a[0], a[1]), self.path(a[2], a[3]))
                if old is not None:
                    self.names[new] = self.names[old]
                    self.add("name", new, self.names[new])
            elif name in ("unlink", "unlinkat"):
                path = self.path("AT_FDCWD", a[0]) if name == "unlink" else self.path(a[0], a[1])
                if path is not None:
                    del self.names[path]
                    self.add("unname", path)
            elif name in ("truncate", "ftruncate"):
                inode = self.names.get(self.path("AT_FDCWD", a[0])) if name == "truncate" else files[int(a[0])][0]
                if inode is not None:
                    self.add("truncate", inode, int(a[1]))
                    self.sizes[inode] = int(a[1])
            elif name in ("mkdir", "mkdirat"):
                path = self.path("AT_FDCWD", a[0]) if name == "mkdir" else self.path(a[0], a[1])
                if path is not None:
                    self.add("name", path, "directory")
            elif name == "lseek" and (file := files.get(int(a[0]))) and file[1] is not None and file[0] != "directory":
                file[1] = result
            elif name not in ("lseek", "write"):
                touched = [x for x in a if x.isdigit() and int(x) in files]
                assert not touched, f"the model does not know {name}({', '.join(a)[:200]})"

    def open(self, path, flags):
        if path not in self.names:
            self.inodes += 1
            self.names[path] = self.inodes
            self.sizes[self.inodes] = 0
            self.add("name", path, self.inodes)
        elif "O_TRUNC" in flags:
            self.add("truncate", self.names[path], 0)
            self.sizes[self.names[path]] = 0


def parent(path):
    return os.path.dirname(path) or "."


class Disk:
    """What is on a disk for sure, and what came later."""

    def __init__(self):
        self.names = {}
        self.later_names = []
        self.contents = {}
        self.later_contents = {}

    def do(self, operation):
        kind, what, *rest = operation
        if kind == "sync":
            self.contents[what] = contents_after(self.contents.get(what, b""), self.later_contents.pop(what, []))
        elif kind == "sync_names":
            in_it = [later for later in self.later_names if parent(later[1]) == what]
            self.names = names_after(self.names, in_it)
            self.later_names = [later for later in self.later_names if parent(later[1]) != what]
        elif kind in ("write", "truncate"):
            self.later_contents.setdefault(what, []).append((kind, *rest))
        else:
            self.later_names.append(operation)

    def all_files(self):
        """Path to contents of every file, if the power stays."""
        names = names_after(self.names, self.later_names)
        return {
            path: contents_after(self.contents.get(inode, b""), self.later_contents.get(inode, []))
            for path, inode in names.items()
            if inode != "directory"
        }

    def after_a_cut(self, chance):
        """Path to contents of every file, None for a directory, as one cut of the power may leave them."""
        names = names_after(self.names, some_of(self.later_names, chance))
        left = {}
        for path, inode in sorted(names.items()):
            if any(names.get(above) != "directory" for above in parents(path)):
                continue  # its directory is gone
            left[path] = None if inode == "directory" else self.contents_of(inode, chance)
        return left

    def contents_of(self, inode, chance):
        later = [torn(operation, chance) for operation in some_of(self.later_contents.get(inode, []), chance)]
        return contents_after(self.contents.get(inode, b""), later)


def parents(path):
    while path := os.path.dirname(path):
        yield path


def some_of(operations, chance):
    """All, none, the first ones, or any."""
    how = chance.random()
    if how < 0.15:
        return operations
    if how < 0.3:
        return []
    if how < 0.65:
        return operations[: chance.randint(0, len(operations))]
    return [operation for operation in operations if chance.random() < 0.5]


def torn(operation, chance):
    """A write that arrived in part, or whose place holds zeros or what was there before."""
    if operation[0] != "write":
        return operation
    kind, at, data = operation
    how = chance.random()
    if how < 0.4:
        return operation
    if how < 0.7:
        return (kind, at, data[: chance.randint(0, len(data))])
    if how < 0.85:
        return (kind, at, bytes(len(data)))
    return (kind, at, chance.randbytes(len(data)))


def contents_after(contents, operations):
    contents = bytearray(contents)
    for kind, at, *data in operations:
        if kind == "truncate":
            del contents[at:]
            contents.extend(bytes(at - len(contents)))
        else:
            contents.extend(bytes(max(0, at - len(contents))))
            contents[at : at + len(data[0])] = data[0]
    return bytes(contents)


def names_after(names, operations):
    names = dict(names)
    for kind, path, *rest in operations:
        if kind == "name":
            names[path] = rest[0]
        elif kind == "unname":
            names.pop(path, None)
        else:
            new, inode = rest
            if names.get(path) == inode:
                del names[path]
            names[new] = inode
    return names


class Nothing(random.Random):
    """Of what was not synced, nothing is kept."""

    def random(self):
        return 0.2


class PowerCuts(AppTest):
    def record(self, recording, *arguments):
        log = self.here.parent / f"{self.here.name}.strace"
        # The search for leaks does not work in a process that strace watches.
        environment = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        try:
            done = subprocess.run(
                ["strace", "-f", "-qq", "-o", log, "-xx", "-s", "1000000000", "-e", f"trace={CALLS}", "-e", "signal=none",
                 SCREE, *arguments, "--quiet", "--threads", "1"],
                cwd=self.here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=environment, timeout=PATIENCE, preexec_fn=default_signals,
            )  # fmt: skip
            self.assertEqual(done.returncode, OK, done.stderr)
            recording.read(log)
        finally:
            log.unlink(missing_ok=True)

    def files(self):
        """All but those that hold wall times, the state and hashes.csv."""
        directory = self.here / "out"
        return {
            path.name: path.read_bytes()
            for path in sorted(directory.iterdir())
            if path.name not in ("run.json", "state.previous.scree", "state.scree", "hashes.csv")
        }

    def lay_out(self, left):
        shutil.rmtree(self.here / "out", ignore_errors=True)
        for path, contents in left.items():
            if contents is None:
                (self.here / path).mkdir()
            else:
                (self.here / path).write_bytes(contents)

    def go_on(self, arguments, was_saved):
        """Resumes what is there; if nothing was saved yet, runs anew. @return whether it resumed"""
        command = [SCREE, "resume", "out", "--quiet", "--threads", "1"]
        done = subprocess.run(
            command, cwd=self.here, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=PATIENCE
        )
        if done.returncode == OK:
            return True
        if done.returncode == BAD_INPUT and "has reached its end" in done.stderr:
            return True
        self.assertFalse(was_saved, f"a state was saved, but: {done.stderr}")
        self.assertEqual(done.returncode, INPUT_OUTPUT, done.stderr)
        self.scree("run", *arguments, "--force", "--quiet", "--threads", "1")
        return False

    def check(self, scene, half):
        self.write("scene.yaml", scene)
        arguments = ("scene.yaml", "--output", "out")
        self.scree("run", *arguments, "--quiet", "--threads", "1")
        expected = self.files()
        shutil.rmtree(self.here / "out")

        recording = Recording(self.here)
        self.record(recording, "run", *arguments, "--until", half)
        middle = len(recording.operations)
        self.record(recording, "resume", "out")
        self.assertEqual(self.files(), expected)
        operations = recording.operations
        disk = Disk()
        for operation in operations:
            disk.do(operation)
        self.assertEqual(
            disk.all_files(),
            {f"out/{path.name}": path.read_bytes() for path in (self.here / "out").iterdir()},
            "the recording repeats what happened",
        )
        self.assertGreater(len(operations) - middle, 100)
        saves = [k for k, operation in enumerate(operations) if operation[:3] == ("rename", "out/state.scree.tmp", "out/state.scree")]
        self.assertGreater(len(saves), 10, "states were saved all the time")
        saved = next(k for k in range(saves[0], len(operations)) if operations[k] == ("sync_names", "out"))

        for save in saves:  # from the next call on it is on the disk for good, whatever comes
            disk = Disk()
            for operation in operations[: save + 2]:
                disk.do(operation)
            state = disk.all_files()["out/state.scree"]
            self.assertEqual(disk.after_a_cut(Nothing()).get("out/state.scree"), state, f"the state that {save} named")

        resumed = 0
        chance = random.Random(SEED)
        for cut in range(CUTS):
            at = chance.randint(0, len(operations)) if cut % 2 else chance.choice(saves) + chance.randint(-4, 4)
            at = min(max(at, 0), len(operations))
            with self.subTest(cut=cut, after=at, of=len(operations)):
                disk = Disk()
                for operation in operations[:at]:
                    disk.do(operation)
                self.lay_out(disk.after_a_cut(chance))
                resumed += self.go_on(arguments, at > saved)
                now = self.files()
                self.assertEqual(sorted(now), sorted(expected))
                for name, contents in expected.items():
                    self.assertEqual(now[name], contents, name)
        print(f"{CUTS} cuts in {len(operations)} operations with {len(saves)} saves: {resumed} resumed", file=sys.stderr)
        self.assertGreater(resumed, CUTS // 2)

    def test_soft_grains(self):
        self.check(GRAINS, "0.036")

    def test_hard_disks(self):
        self.check(DISKS, "0.75")


if __name__ == "__main__":
    if shutil.which("strace") is None:
        print("strace is not there (Debian package strace)")
        sys.exit(77)
    unittest.main(verbosity=2)
