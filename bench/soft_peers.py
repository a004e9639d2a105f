"""The soft mode beside LAMMPS and Box2D (Debian packages lammps, libbox2d-dev) in one run: particle-steps a second on one
core.

  soft_peers.py BENCH_SOFT [--rounds N] [--only SHAPE] [--csv FILE] [GRAINS ...]     default: 1000 10000

- Disks settled in a box beside LAMMPS' disks with a friction that has a memory (gran/hooke/history).
- Polygons of 5 to 7 sides beside LAMMPS' (body/rounded/polygon), ours settled in a box, theirs squeezed together. Debian's
  LAMMPS ends with a memory error at 8 vertices. Its friction has no memory.
- Polygons of 5 to 8 sides beside Box2D's (soft_box2d, beside BENCH_SOFT). Its grains are rigid, its steps are much longer
  and give no forces: particle-steps of another kind.

All are measured in turn, several times; the ratio is that of the medians. Who is not there is left out.
"""

import argparse
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from scenes import append_rows, printed_speed, processor, today

SKIPPED = 77
COLUMNS = ("date", "processor", "grains", "shape", "peer", "scree: particle-steps/s", "peer: particle-steps/s", "ratio")

DISKS = """
units si
dimension 2
boundary f f p
atom_style sphere
comm_modify vel yes
newton off
lattice sq 0.0135 origin 0.5 0.5 0
region box block 0 {width} 0 {height} -0.0005 0.0005 units box
create_box 1 box
create_atoms 1 box
displace_atoms all random 0.0007 0.0007 0 815 units box
variable size atom random(0.008,0.012,4711)
set group all diameter v_size density 2600
pair_style gran/hooke/history 1e4 NULL 4000 NULL 0.4 1
pair_coeff * *
neighbor 0.001 bin
neigh_modify delay 0
timestep 2e-5
fix motion all nve/sphere disc
fix plane all enforce2d
fix weight all gravity 9.81 vector 0 -1 0
fix sides all wall/gran hooke/history 1e4 NULL 4000 NULL 0.4 1 xplane 0 {width}
fix floor all wall/gran hooke/history 1e4 NULL 4000 NULL 0.4 1 yplane 0 NULL
compute touching all contact/atom
compute contacts all reduce ave c_touching
thermo 1000000
thermo_style custom step atoms ke c_contacts
run {settling}
"""

# Squeezed together in a periodic box, since LAMMPS' walls lose polygons that hit them; then left alone. Diameter 1.
POLYGONS = """
units lj
dimension 2
boundary p p p
atom_style body rounded/polygon 1 8
atom_modify map array
read_data data.grains
comm_modify vel yes
pair_style body/rounded/polygon 10 10 0.4 1 0.1
pair_coeff * * 2000 0
neighbor 0.1 bin
neigh_modify every 1 delay 0 check yes
timestep 0.002
fix motion all nve/body
fix plane all enforce2d
fix squeeze all deform 1 x scale {scale} y scale {scale} remap x
thermo 1000000
thermo_style custom step atoms ke press
run 15000
unfix squeeze
run 5000
"""
PACKING_FRACTION = 0.75  # without their rounded edges, which are 0.025 wide


def polygon(sides):
    """Corners of a random convex polygon of diameter 1, about its centroid; area; second moment."""
    turn = random.uniform(0.0, 2.0 * math.pi)
    angles = [turn + 2.0 * math.pi * (k + random.uniform(-0.3, 0.3)) / sides for k in range(sides)]
    radius = random.uniform(0.4, 0.6)
    corners = [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]

    def integral(of_edge):
        return sum((x0 * y1 - x1 * y0) * of_edge(x0, y0, x1, y1) for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]))

    area = 0.5 * integral(lambda *_: 1.0)
    centre = (integral(lambda x0, y0, x1, y1: x0 + x1) / (6.0 * area), integral(lambda x0, y0, x1, y1: y0 + y1) / (6.0 * area))
    corners = [(x - centre[0], y - centre[1]) for x, y in corners]
    moment = integral(lambda x0, y0, x1, y1: x0 * x0 + x0 * x1 + x1 * x1 + y0 * y0 + y0 * y1 + y1 * y1) / 12.0
    return corners, area, moment


def write_polygons(file, grains):
    """@return the area of all of them, and of their box"""
    random.seed(1)
    pitch = 1.6
    columns = math.ceil(math.sqrt(grains))
    rows = math.ceil(grains / columns)
    atoms, bodies, sum_of_areas = [], [], 0.0
    for k in range(grains):
        corners, area, moment = polygon(random.randint(5, 7))
        sum_of_areas += area
        x, y = pitch * (k % columns + 0.5), pitch * (k // columns + 0.5)
        atoms.append(f"{k + 1} 1 1 {area:.12g} {x:.12g} {y:.12g} 0")
        bodies.append(f"{k + 1} 1 {7 + 3 * len(corners)}\n{len(corners)}\n{0.5 * moment:.12g} {0.5 * moment:.12g} {moment:.12g} 0 0 0")
        bodies += [f"{x:.12g} {y:.12g} 0" for x, y in corners] + ["0.05"]
    box = f"0 {pitch * columns} xlo xhi\n0 {pitch * rows} ylo yhi\n-0.5 0.5 zlo zhi\n"
    head = f"grains\n\n{grains} atoms\n{grains} bodies\n1 atom types\n{box}"
    file.write_text("\n".join([head, "Atoms", "", *atoms, "", "Bodies", "", *bodies, ""]))
    return sum_of_areas, pitch**2 * columns * rows


def run_lammps(folder, script, rounds, steps):
    """Particle-steps a second of each round."""
    (folder / "in.bed").write_text(script + f"run {steps}\n" * rounds)
    done = subprocess.run(["lmp", "-in", "in.bed", "-log", "none"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"LAMMPS ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    loops = re.findall(r"Loop time of (\S+) on 1 procs for (\d+) steps with (\d+) atoms", done.stdout)[-rounds:]
    return [int(n) * int(count) / float(seconds) for seconds, count, n in loops]


def lammps_disks(grains):
    rows = 20
    script = DISKS.format(width=max(4, grains / rows) * 0.0135, height=rows * 0.0135, settling=25_000)
    with tempfile.TemporaryDirectory() as folder:
        return run_lammps(pathlib.Path(folder), script, 3, max(20, 2_000_000 // grains))


def lammps_polygons(grains):
    with tempfile.TemporaryDirectory() as folder:
        filled, box = write_polygons(pathlib.Path(folder) / "data.grains", grains)
        script = POLYGONS.format(scale=math.sqrt(filled / box / PACKING_FRACTION))
        return run_lammps(pathlib.Path(folder), script, 3, max(20, 500_000 // grains))


def speed(command):
    """What a program says of its particle-steps a second."""
    return [printed_speed(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("grains", nargs="*", type=int, default=[1000, 10000])
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", choices=("disks", "5- to 7-gons", "5- to 8-gons"), metavar="SHAPE",
                           help="disks, '5- to 7-gons' or '5- to 8-gons': 100 000 disks take some minutes a round, polygons hours")
    arguments.add_argument("--csv", type=pathlib.Path)
    given = arguments.parse_intermixed_args()
    csv = given.csv and given.csv.resolve()
    program = given.program.resolve()
    os.chdir(program.parent.parent)  # where it keeps its beds
    box2d = program.with_name("soft_box2d")
    peers = []  # shape of ours, what they are, name, measures theirs
    if shutil.which("lmp"):
        peers += [(":disks", "disks", "LAMMPS", lammps_disks), (":5-7", "5- to 7-gons", "LAMMPS", lammps_polygons)]
    else:
        print("LAMMPS is not there (Debian package lammps)")
    if box2d.exists():
        peers += [("", "5- to 8-gons", "Box2D", lambda grains: speed([box2d, grains]))]
    else:
        print("Box2D is not there (Debian package libbox2d-dev)")
    peers = [peer for peer in peers if given.only in (None, peer[1])]
    if not peers:
        return SKIPPED
    rows = []
    for grains in given.grains:
        for shape, words, name, measure in peers:
            ours, theirs = [], []
            for _ in range(given.rounds):
                theirs += measure(grains)
                ours += speed([program, "--speed", 1, f"{grains}{shape}"])
            we, they = statistics.median(ours), statistics.median(theirs)
            print(f"{grains} {words}, one core: scree {1e-6 * we:.2f} M particle-steps/s, {name} {1e-6 * they:.2f}; ratio {we / they:.2f}", flush=True)
            rows.append(dict(zip(COLUMNS, (today(), processor(), grains, words, name, f"{we:.3g}", f"{they:.3g}", f"{we / they:.2f}"))))
    if csv:
        append_rows(csv, COLUMNS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
