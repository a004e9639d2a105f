#!/usr/bin/env python3
"""Runs long validations with the program and compares what comes out with the literature.

usage: validate.py SCREE WORK [NAME...] [--jobs N] [--reuse] [--redraw] [--pages DIRECTORY]

Writes of every figure NAME.csv, NAME.svg and the page NAME.md to docs/validation, or DIRECTORY; runs go below WORK.
Exit status 1 if a check failed. Needs matplotlib and SciPy.
"""

import argparse
import csv
import importlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from runs import Program

FIGURES = ["janssen", "beverloo", "repose", "column", "rheology", "clogging", "angularity", "simple_shear", "impacts", "reversible", "hard_polygons", "jammed_polygons", "equation_of_state", "transport", "diffusion", "cooling_onset", "mixture", "sheared_gas", "jammed_disks"]
PAGES = Path(__file__).resolve().parent.parent / "docs" / "validation"


def page(name, text, figure, program):
    lines = ["<!-- Written by ./dev validate -->", text.strip(), ""]
    lines += [f"![{picture}]({picture}.svg)\n" for picture in figure.pictures]
    lines += ["| | found | expected | |", "|---|---|---|---|"]
    lines += [f"| {c.what} | {c.found} | {c.expected} | {'holds' if c.passed else '**fails**'} |" for c in figure.checks]
    seconds, commits = sum(program.spent), ", ".join(sorted(program.commits))
    lines += ["", f"All numbers: [{name}.csv]({name}.csv). To repeat it: `./dev validate {name}`, {seconds:.0f} s of one core."]
    lines += [f"These are runs by commit {commits}.", ""]
    return "\n".join(lines)


def write(pages, name, text, figure, program):
    pages.mkdir(parents=True, exist_ok=True)
    with open(pages / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(figure.columns)
        rows.writerows([[f"{v:.6g}" if isinstance(v, float) else v for v in row] for row in figure.rows])
    write_pictures(pages, figure.pictures)
    (pages / f"{name}.md").write_text(page(name, text, figure, program), encoding="utf-8")


def write_pictures(pages, pictures):
    for name, svg in pictures.items():
        (pages / f"{name}.svg").write_text(svg, encoding="utf-8")


def redraw(pages, name, module):
    """Draws the pictures of a page again, those that follow from its table."""
    with open(pages / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = [[number(text) for text in row] for row in list(csv.reader(file))[1:]]
    write_pictures(pages, module.pictures(rows))


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def main():
    parser = argparse.ArgumentParser(description="Long validations, compared with the literature.")
    parser.add_argument("scree", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures: {', '.join(FIGURES)} (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: one a core)")
    parser.add_argument("--reuse", action="store_true", help="take finished runs of the same scenes that are there")
    parser.add_argument("--redraw", action="store_true", help="run nothing, draw the tables that are there")
    parser.add_argument("--pages", type=Path, default=PAGES, help="where tables and figures go")
    arguments = parser.parse_intermixed_args()  # names before options or after
    unknown = set(arguments.names) - set(FIGURES)
    if unknown:
        parser.error(f"there is no figure {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    if arguments.redraw:
        for name in arguments.names or FIGURES:
            redraw(arguments.pages, name, importlib.import_module(name))
        return 0
    good = True
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for name in arguments.names or FIGURES:
            module = importlib.import_module(name)
            print(f"== {name}", flush=True)
            program = Program(arguments.scree, arguments.work / name, arguments.reuse)
            try:
                figure = module.measure(program, pool.map)
            except RuntimeError as error:  # a run that ended early; the other figures need not wait
                good = False
                print(f"FAIL {error}")
                continue
            write(arguments.pages, name, module.__doc__, figure, program)
            for check in figure.checks:
                good = good and check.passed
                print(f"{'ok  ' if check.passed else 'FAIL'} {check.what}: {check.found} (expected: {check.expected})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
