"""No library decides a bit (docs/reliability.md): what the objects of the engine call of the C library's mathematics, by
nm, and why it decides no bit of a trajectory. A call that is not listed here fails, and so does an entry that is no
longer needed.

  library_calls.py NM LIBM OBJECT...
  library_calls.py --self-test
"""

import os.path
import re
import subprocess
import sys
from pathlib import Path

# IEEE 754 or the C standard define every bit of what they give.
EXACT = """ceil copysign fabs floor fma fmax fmin fmod frexp ilogb ldexp llround llroundl logb lrint llrint lround modf
nearbyint nextafter remainder rint round roundeven scalbn sqrt trunc""".split()

# What else is called, by place.
REASONS = {
    "broadphase/cell_grid.cpp": ("log pow", "sizes of cells: every broadphase reports the same pairs"),
    "dem/soft/checks/step_limits.cpp": ("log10", "which cause of a small step a message names"),
    "dem/measure/": ("asinh atan2 cos erf erfc exp hypot sin", "what is measured goes into tables, never back"),
    "dem/compare/comparison.cpp": ("log", "statistics of runs"),
    "dem/compare/pair_correlation.cpp": ("cos sin", "statistics of runs"),
    "dem/compare/quantities.cpp": ("exp", "statistics of runs"),
    "dem/compare/statistics.cpp": ("atan cos sin", "statistics of runs"),
    "dem/compare/stiffness_limit.cpp": ("log", "statistics of runs"),
}


def symbols(nm, path, *options):
    return subprocess.run([nm, *options, path], check=True, capture_output=True, text=True).stdout


def defined(text):
    """Functions that nm -D prints of a library, without their versions."""
    return set(re.findall(r"^\S+ +[TWiu] (\w+)", text, re.MULTILINE))


def called(text):
    return set(re.findall(r"^ +U (\w+)", text, re.MULTILINE))


def sources_of(path):
    """The files of an object: one, or those that were compiled together (`./dev ci --full` compiles each by itself)."""
    together = Path(path.removesuffix(".o"))
    if together.parent.name == "Unity" and together.is_file():
        return " ".join(re.findall(r'#include "([^"]+)"', together.read_text()))
    return os.path.normpath(re.sub(r"/CMakeFiles/scree_\w+\.dir", "", path))


def check(functions, calls):
    """Complaints about `calls`, the symbols that each object calls."""
    used = set()
    for path, names in sorted(calls.items()):
        source = sources_of(path)
        names = names & functions
        if "sincos" in names:  # compilers make it of both
            names = names - {"sincos"} | {"sin", "cos"}
        for name in sorted(names - set(EXACT)):
            places = [place for place in REASONS if place in source and name in REASONS[place][0].split()]
            if places:
                used.update(places)
                print(f"{', '.join(places)}: {name}: {REASONS[places[0]][1]}")
            else:
                yield f"{source} calls {name} of the C library, whose bits depend on the system and the processor"
    for place in sorted(set(REASONS) - used):
        yield f"{place} calls none of {REASONS[place][0]} any more: take it from the list"


def self_test():
    everything = {
        "/dem/CMakeFiles/scree_dem.dir/" * place.startswith("dem/") + place.removeprefix("dem/") + "x.o": set(names.split())
        for place, (names, _) in REASONS.items()
    }
    functions = set().union(*everything.values()) | {"floor", "tan", "sincos"}
    assert list(check(functions, everything)) == []
    measured = next(path for path in everything if "measure" in path)
    step = next(path for path in everything if "step_limits" in path)

    def complaints(path, more):
        return list(check(functions, {**everything, path: everything[path] | more}))

    assert complaints(measured, {"floor", "puts", "sincos"}) == []
    assert len(complaints(measured, {"tan"})) == 1
    assert len(complaints(step, {"sincos"})) == 2
    assert len(list(check(functions, {**everything, step: set()}))) == 1
    assert called("                 U sin\n0000 T f\n                 U _ZSt4sort\n") == {"sin", "_ZSt4sort"}
    assert defined("0001 W sin@@GLIBC_2.2.5\n0002 i exp@@GLIBC_2.29\n0003 T tan\n                 U puts\n") == {"sin", "exp", "tan"}


def main(nm, library, *objects):
    functions = defined(symbols(nm, library, "-D", "--defined-only"))
    assert {"sin", "pow", "hypot"} <= functions, f"{library} is not the library of mathematics"
    assert objects, "no object file"
    wrong = list(check(functions, {path: called(symbols(nm, path, "--undefined-only")) for path in objects}))
    print(*wrong, sep="\n")
    return len(wrong) > 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(main(*sys.argv[1:]))
