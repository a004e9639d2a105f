#!/usr/bin/env python3
"""Who may include whom: no include runs upward (docs/architecture.md).

usage: layers.py [ROOT]       checks the tree; names every violation as file:line; exit status 1 if there are any
       layers.py --self-test  plants violations in a temporary tree and expects each to be found, and nothing else
"""

import pathlib
import re
import sys
import tempfile

STANDARD = re.compile(r"[a-z_]+|c(assert|float|limits|math|stddef|stdint|stdio|stdlib|string|time)")
EIGEN = r"Eigen/.*"
TBB = r"(oneapi/)?tbb/.*"
POSIX = r"(unistd|fcntl|signal|termios|sys/[a-z]+)\.h"
VTK = r"vtk\w*\.h"
ANYTHING = r".*"

# Floor -> what its files may include: of ours (folders, or single headers) and of others (regular expressions for the
# name between the brackets). The standard library is for everyone.
FLOORS = {
    "geometry": (["geometry"], [EIGEN, r"sleef\.h", r"emmintrin\.h"]),
    "parallel": (["parallel"], [TBB]),
    "broadphase": (["broadphase", "geometry/aabb.hpp", "geometry/lanes.hpp", "parallel"], [EIGEN]),
    "dem": (["dem", "geometry", "broadphase", "parallel"], [EIGEN, r"Random123/.*"]),
    "dem/soft": (["dem/soft", "dem", "geometry", "broadphase", "parallel"], [EIGEN, r"Random123/.*"]),
    "dem/hard": (["dem/hard", "dem", "geometry", "broadphase", "parallel"], [EIGEN, r"Random123/.*"]),
    "dem/compare": (["dem/compare", "dem/soft", "dem/hard", "dem", "geometry"], [EIGEN]),
    "io": (
        ["io", "dem", "dem/compare", "dem/soft", "dem/hard", "geometry"],
        [EIGEN, POSIX, VTK, r"yaml-cpp/.*", r"nlohmann/.*", r"xxhash\.h"],
    ),
    "app": (
        ["app", "io", "dem", "dem/compare", "dem/soft", "dem/hard", "broadphase", "geometry"],
        [EIGEN, POSIX, r"CLI/.*", VTK, r"yaml-cpp/.*", r"nlohmann/.*", r"xxhash\.h"],
    ),
    "tests": ([""], [ANYTHING]),
    "bench": ([""], [ANYTHING]),
}

# dem and below neither print, nor touch files, nor end the program.
SILENT = {"geometry", "parallel", "broadphase", "dem", "dem/soft", "dem/hard", "dem/compare"}
SILENT_HEADERS = {"iostream", "print", "fstream", "filesystem"}
SILENT_CALLS = re.compile(
    r"(?<![\w.>])(v?f?printf|f?puts|putchar|exit|_Exit|quick_exit|abort|terminate)\s*\(|\b(std::(?:cout|cerr|clog))\b"
)

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)


def floor_of(path):
    """The floor a file of ours belongs to, by its path; None if to none."""
    parts = path.split("/")
    for depth in (2, 1):
        if "/".join(parts[:depth]) in FLOORS and len(parts) > depth:
            return "/".join(parts[:depth])
    return None


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def check_include(floor, ours, theirs):
    """What is wrong with one include of a file on this floor; None if nothing."""
    folders, others = FLOORS[floor]
    if ours is not None:
        if "" in folders or ours in folders or floor_of(ours) in folders:
            return None
        return f'"{ours}" is not below {floor}; allowed: {", ".join(folders)}'
    if floor in SILENT and theirs in SILENT_HEADERS:
        return f"<{theirs}> in {floor}, which neither prints nor touches files"
    if STANDARD.fullmatch(theirs) or any(re.fullmatch(other, theirs) for other in others):
        return None
    return f"<{theirs}> is not for {floor}; allowed: the standard library, {', '.join(others)}"


def check_file(root, path):
    floor = floor_of(path)
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        wrong = match and check_include(floor, match.group(1), match.group(2))
        if wrong:
            yield f"{path}:{number}: {wrong}"
    if floor in SILENT:
        for number, line in enumerate(COMMENT_OR_TEXT.sub(blank, text).splitlines(), 1):
            for match in SILENT_CALLS.finditer(line):
                yield f"{path}:{number}: {match.group(1) or match.group(2)} in {floor}, which never prints nor exits"


def check(root):
    files = 0
    wrong = []
    for top in sorted({floor.split("/")[0] for floor in FLOORS}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".in") and path.is_file():
                files += 1
                wrong += check_file(root, path.relative_to(root).as_posix())
    return files, wrong


def self_test():
    good = {
        "geometry/a.hpp": '#include <Eigen/Dense>\n#include <vector>\n#include "geometry/b.hpp"\n',
        "geometry/a.cpp": '// exit(1) and <iostream>\n#include <sleef.h>\nauto s = "printf(%d)"; // std::cout\n',
        "parallel/a.cpp": '#include "parallel/b.hpp"\n#include <tbb/parallel_for.h>\n',
        "broadphase/a.hpp": '#include "geometry/aabb.hpp"\n#include "parallel/a.hpp"\n',
        "dem/a.cpp": '#include "broadphase/a.hpp"\n#include <Random123/philox.h>\nint n = std::snprintf(b, 9, "x");\n',
        "dem/soft/a.cpp": '#include "dem/a.hpp"\n#include "dem/soft/b.hpp"\nvoid leave() { box.exit(1); }\n',
        "io/a.cpp": '#include "dem/hard/a.hpp"\n#include <iostream>\n#include <vtkNew.h>\n#include <yaml-cpp/yaml.h>\n',
        "app/main.cpp": '#include "io/a.hpp"\n#include <CLI/CLI.hpp>\nint main() { std::exit(1); }\n',
        "tests/io/a.cpp": '#include "app/a.hpp"\n#include <doctest/doctest.h>\n',
    }
    bad = {
        "geometry/up.hpp": '#include <vector>\n#include "broadphase/a.hpp"\n',
        "geometry/tbb.cpp": "\n#include <tbb/parallel_for.h>\n",
        "broadphase/shape.hpp": '\n#include "geometry/polygon.hpp"\n',
        "broadphase/tbb.cpp": "\n#include <tbb/parallel_for.h>\n",
        "parallel/up.hpp": '\n#include "geometry/aabb.hpp"\n',
        "broadphase/up.cpp": '\n#include "dem/a.hpp"\n',
        "dem/into_mode.cpp": '\n#include "dem/soft/a.hpp"\n',
        "dem/soft/other_mode.cpp": '\n#include "dem/hard/a.hpp"\n',
        "dem/hard/other_mode.cpp": '\n  #  include "dem/soft/a.hpp"\n',
        "dem/soft/up.hpp": '\n#include "io/a.hpp"\n',
        "dem/yaml.cpp": "\n#include <yaml-cpp/yaml.h>\n",
        "dem/vtk.cpp": "\n#include <vtkPolyData.h>\n",
        "dem/stream.cpp": "\n#include <iostream>\n",
        "dem/file.cpp": "\n#include <fstream>\n",
        "dem/prints.cpp": '/* two\n*/ void f() { std::printf("x"); }\n',
        "dem/cout.cpp": "\nvoid f() { std::cout << 1; }\n",
        "dem/exits.cpp": "\nvoid f() { exit(1); }\n",
        "dem/soft/exits.cpp": "\nvoid f() { std::exit (1); }\n",
        "dem/relative.cpp": '\n#include "a.hpp"\n',
        "io/up.cpp": '\n#include "app/a.hpp"\n',
        "io/cli.cpp": "\n#include <CLI/CLI.hpp>\n",
        "io/broad.cpp": '\n#include "broadphase/a.hpp"\n',
        "app/test.cpp": '\n#include "tests/a.hpp"\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {**good, **bad}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        _, wrong = check(root)
    found = [":".join(line.split(":")[:2]) for line in wrong]
    expected = [f"{path}:2" for path in bad]
    for line in sorted(set(expected) - set(found)):
        print(f"not found: {line}")
    for line in sorted(set(found) - set(expected)):
        print(f"found wrongly: {line}")
    print(f"{len(set(found) & set(expected))} of {len(expected)} planted violations found")
    return sorted(found) == sorted(expected)


def main(arguments):
    if arguments == ["--self-test"]:
        return 0 if self_test() else 1
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
    files, wrong = check(root)
    for line in wrong:
        print(line)
    print(f"{files} files, {len(wrong)} includes or calls that should not be")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
