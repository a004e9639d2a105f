"""The same bits on a processor without AVX2: short runs under qemu's Nehalem, which has lanes of two, end in the states
of runs on this processor.

  old_processor.py SCREE GOLDEN_SCENES
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
EMULATOR = "qemu-x86_64"
UNTIL = {"heap": 0.12, "mixed_shapes": 0.1, "rolling_disks": 0.05, "gas": 0.1}  # s: contacts, and collisions


def state_hash(folder, name, scene, prefix, program):
    output = pathlib.Path(folder) / name
    command = [*prefix, program, "run", scene, "--until", str(UNTIL[scene.stem]), "--threads", "1", "--output", output, "--quiet"]
    subprocess.run([str(part) for part in command], check=True)
    info = json.loads((output / "run.json").read_text())
    assert info.get("particle_steps", 1) > 0 and info["state_hash"], info
    return info["state_hash"]


def main(program, scenes):
    if shutil.which(EMULATOR) is None:
        print(f"skipped: {EMULATOR} is not there (Debian package qemu-user)")
        return SKIPPED
    old = [EMULATOR, "-cpu", "Nehalem"]
    # Were the emulated processor a new one, this would show nothing.
    refused = subprocess.run([*old, "-E", "SCREE_LANES=4", program, "run", f"{scenes}/gas.yaml"], capture_output=True, text=True)
    assert refused.returncode != 0 and "has not got lanes of 4" in refused.stderr, refused.stderr
    different = 0
    os.environ.pop("SCREE_LANES", None)
    with tempfile.TemporaryDirectory() as folder:
        for name in UNTIL:
            scene = pathlib.Path(scenes) / f"{name}.yaml"
            here = state_hash(folder, f"{name}_here", scene, [], program)
            there = state_hash(folder, f"{name}_there", scene, old, program)
            print(f"{name}: {here} here, {there} on a Nehalem")
            different += here != there
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
