"""The costliest tests of a run of ctest, by processor time: costs.py LOG [--limit SECONDS] [--rows N].

LOG is the LastTest.log that ctest leaves in Testing/Temporary. Exit status 1 if a test took more than the limit, or does
not say what it took."""

import argparse
import re
import sys
from pathlib import Path

WISHED = 20.0  # s of processor time at most: every change pays for every test

TEST = re.compile(r"^\d+/\d+ Test: (?P<name>.+)$")
TIME = re.compile(r"^processor time (?P<user>[\d.]+) \+ (?P<system>[\d.]+) s$")


def costs(log):
    """Processor time of each test of a log [s], by its last line that says one: a test may run ctest, too."""
    found = {}
    name = None
    for line in log.splitlines():
        if match := TEST.match(line):
            name = match["name"]
            found[name] = None
        elif name and (match := TIME.match(line)):
            found[name] = float(match["user"]) + float(match["system"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--limit", type=float, default=float("inf"), help="processor time of a test at most [s]")
    parser.add_argument("--rows", type=int, default=12)
    arguments = parser.parse_args()
    found = costs(arguments.log.read_text(errors="replace"))
    silent = [name for name, seconds in found.items() if seconds is None]
    found = {name: seconds for name, seconds in found.items() if seconds is not None}
    ranked = sorted(found.items(), key=lambda item: -item[1])
    print(f"\nprocessor time of {len(found)} tests: {sum(found.values()):.0f} s; of the costliest:")
    for name, seconds in ranked[: arguments.rows]:
        print(f"{seconds:8.1f} s  {name}{'   (more than ' + format(WISHED, 'g') + ' s)' if seconds > WISHED else ''}")
    too_dear = [name for name, seconds in ranked if seconds > arguments.limit]
    if too_dear:
        print(f"more than {arguments.limit:g} s of processor time, the limit: {', '.join(too_dear)}; make them cheaper or label them long")
    if silent:
        print(f"what these took is not known: {', '.join(silent)}")
    return 1 if too_dear or silent else 0


if __name__ == "__main__":
    sys.exit(main())
