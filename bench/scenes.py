"""Whole scenes of the soft mode, as the program runs them with all its output: particle-steps a second, and simulated
seconds a minute.

  scenes.py SCREE [--quick] [--threads N] [--rounds N] [--csv FILE]

Each scene of the list runs for the first seconds of its time, in turn with the others, several rounds; the table shows
the best round, since other load only slows a run down. --csv appends a line for each scene to a file, which says from
which processor, version and commit it comes. --quick looks only whether all of it works.
"""

import argparse
import csv
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
UNTIL = {"heap": 1.0, "hopper": 1.0, "drum": 1.0}  # simulated seconds
QUICK = 0.02
COLUMNS = ("date", "processor", "version", "commit", "scene", "threads", "simulated s", "particle-steps", "s", "particle-steps/s", "simulated s/min")


def processor():
    """Its model, and nothing else of the machine."""
    found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else "unknown"


def today():
    return datetime.date.today().isoformat()


def printed_speed(out):
    """Particle-steps a second, as a benchmark of soft mode prints them."""
    return float(re.match(r"(\S+) particle-steps/s", out)[1])


def append_rows(file, columns, rows):
    """To a table, which begins with their names if it is new."""
    is_new = not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", newline="") as table:
        writer = csv.DictWriter(table, columns)
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def run(program, scene, until, threads, folder):
    """What the run says of itself (run.json)."""
    output = pathlib.Path(folder) / scene
    command = [program, "run", EXAMPLES / f"{scene}.yaml", "--until", until, "--threads", threads, "--output", output, "--force", "--quiet"]
    subprocess.run([str(part) for part in command], check=True)
    info = json.loads((output / "run.json").read_text())
    assert info["status"] == "finished" and info["particle_steps"] > 0, info
    return info


def row(scene, info):
    seconds = info["wall_time"]
    return {
        "date": today(),
        "processor": processor(),
        "version": info["version"],
        "commit": info["commit"],
        "scene": scene,
        "threads": info["threads"],
        "simulated s": f"{info['end_time']:.3g}",
        "particle-steps": info["particle_steps"],
        "s": f"{seconds:.3g}",
        "particle-steps/s": f"{info['particle_steps'] / seconds:.3g}",
        "simulated s/min": f"{60 * info['end_time'] / seconds:.3g}",
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--csv", type=pathlib.Path)
    given = arguments.parse_args()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(1 if given.quick else given.rounds):
            for scene, until in UNTIL.items():
                info = run(given.program, scene, QUICK if given.quick else until, given.threads, folder)
                if scene in best:  # whatever the clock says, the same steps and the same bits
                    assert info["state_hash"] == best[scene]["state_hash"], f"{scene}: another state than in the round before"
                if scene not in best or info["wall_time"] < best[scene]["wall_time"]:
                    best[scene] = info
    rows = [row(scene, info) for scene, info in best.items()]
    for each in rows:
        print(
            f"{each['scene']}, {each['threads']} thread{'s' if each['threads'] > 1 else ''}, {each['simulated s']} s: "
            f"{float(each['particle-steps/s']) * 1e-6:.2f} M particle-steps/s, {each['simulated s/min']} simulated seconds a minute"
        )
    if given.csv:
        append_rows(given.csv, COLUMNS, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
