"""Runs a scene by the installed package, or compares two runs (bare_wheel.sh).

usage: bare_wheel.py SCENE UNTIL DIRECTORY         runs SCENE, writes the last frame into DIRECTORY
       bare_wheel.py --compare PROGRAMS PACKAGES   exit status 1 if the hash or a byte of the last frame differs
"""

import json
import pathlib
import sys


def run(scene, until, directory):
    import scree

    place = pathlib.Path(scree.__file__)
    assert "dist-packages" in place.parts, place
    sim = scree.Simulation(scree.Scene.load(scene), threads=2)
    sim.run(until=float(until))
    sim.write(directory)
    assert json.loads(pathlib.Path(directory, "run.json").read_text())["state_hash"] == sim.hash
    print(f"{scene}: scree {scree.__version__}, {len(sim.particles)} grains, hash {sim.hash}")


def last(directory, series):
    return sorted(directory.glob(f"{series}_*.vtp"))[-1].read_bytes()


def compare(programs, packages):
    hashes = [json.loads((one / "run.json").read_text())["state_hash"] for one in (programs, packages)]
    assert hashes[0] == hashes[1], hashes
    for series in ("particles", "contacts", "walls"):
        assert last(programs, series) == last(packages, series), f"the last frames of {series} differ"
    print(f"{programs.name}: the same as by the program")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--compare":
        compare(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    elif len(sys.argv) == 4:
        run(*sys.argv[1:])
    else:
        sys.exit(__doc__)
