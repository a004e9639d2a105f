"""The soft mode beside LAMMPS (Debian package lammps), in one run: particle-steps a second on one core, of disks with
friction that has a memory (gran/hooke/history), settled in a box of the same width and with the same sizes.

  soft_peers.py BENCH_SOFT [GRAINS ...]     default: 1000 10000

Both are measured in turn, several times; the ratio is that of the medians.
"""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

SKIPPED = 77
ROUNDS = 5

SETTLED = """
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


def lammps(grains, rounds):
    """Particle-steps a second of each round, and contacts a particle."""
    rows = 20
    steps = max(20, 2_000_000 // grains)
    width = max(4, grains / rows) * 0.0135
    script = SETTLED.format(width=width, height=rows * 0.0135, settling=25_000) + f"run {steps}\n" * rounds
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "in.bed").write_text(script)
        out = subprocess.run(["lmp", "-in", "in.bed", "-log", "none"], cwd=folder, capture_output=True, text=True, check=True).stdout
    loops = re.findall(r"Loop time of (\S+) on 1 procs for (\d+) steps with (\d+) atoms", out)[1:]
    contacts = float(re.findall(r"^\s*\d+\s+\d+\s+\S+\s+(\S+)\s*$", out, re.MULTILINE)[-1])
    return [int(n) * int(count) / float(seconds) for seconds, count, n in loops], contacts


def scree(program, grains):
    """Particle-steps a second, and contacts a particle."""
    out = subprocess.run([program, f"{grains}:disks"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"1 thread: (\S+) M particle-steps/s.*?; (\S+) contacts a particle", out)
    return 1e6 * float(found[1]), float(found[2])


def main(program, *counts):
    if shutil.which("lmp") is None:
        print("skipped: LAMMPS is not there (Debian package lammps)")
        return SKIPPED
    for grains in counts or (1000, 10000):
        ours, theirs = [], []
        for _ in range(ROUNDS):
            speeds, contacts_theirs = lammps(grains, 3)
            theirs += speeds
            speed, contacts_ours = scree(program, grains)
            ours.append(speed)
        print(
            f"{grains} disks, one core: scree {1e-6 * statistics.median(ours):.2f} M particle-steps/s ({contacts_ours:.2f} contacts "
            f"a particle), LAMMPS {1e-6 * statistics.median(theirs):.2f} ({contacts_theirs:.2f}); "
            f"ratio {statistics.median(ours) / statistics.median(theirs):.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
