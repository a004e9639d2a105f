#!/usr/bin/env python3
"""The order of the house (docs/architecture.md): no include runs upward, no two files need each other, and nothing in
dem grows too large to be read.

usage: layers.py [ROOT]       checks the tree; names every violation as file:line; exit status 1 if there are any
       layers.py --self-test  plants violations in a temporary tree and expects each to be found, and nothing else
"""

import pathlib
import re
import sys
import tempfile

STANDARD = re.compile(r"[a-z_]+|c(assert|float|limits|math|stddef|stdint|stdio|stdlib|string|time)")
EIGEN = r"Eigen/.*"
FMT = r"fmt/.*"
TBB = r"(oneapi/)?tbb/.*"
HUGE_PAGES = r"(sys/mman|malloc)\.h"
RANDOM = r"Random123/.*"
POSIX = r"(unistd|fcntl|dlfcn|signal|spawn|termios|sys/[a-z]+)\.h"
VTK = r"vtk\w*\.h"
ANYTHING = r".*"

BELOW_DEM = ["dem", "dem/scene", "geometry", "broadphase", "parallel"]


def rooms(house, names, below):
    """The rooms of a house, lowest first: a room may include those before it and what is below the house. "" is the
    folder itself."""
    paths = [f"{house}/{name}".rstrip("/") for name in names]
    return {path: below + paths[: number + 1] for number, path in enumerate(paths)}


SOFT = rooms("dem/soft", ["contact", "lanes", "motion", "forces", "drives", "checks", "", "ranks"], BELOW_DEM)
EXACT = "dem/hard/exact"
HARD = rooms("dem/hard", ["flight", "lanes", "boxes", "events", "disk", "polygon", "", "threads", "scene"], BELOW_DEM)
HARD["dem/hard/scene"].append(EXACT)
ENGINE = ["dem", "dem/scene", "dem/measure", "dem/compare", *SOFT, *HARD, EXACT, "geometry"]
IO = rooms("io", ["text", "files", "yaml", "formats", "scene", "frames", "tables", "pages", "replay", ""], ENGINE)
JSON = r"nlohmann/.*"
IO_LIBRARIES = {  # beside Eigen and fmt: each in as few rooms as can be
    "io/text": [r"xxhash\.h"],
    "io/files": [POSIX],
    "io/yaml": [r"yaml\.h"],
    "io/formats": [JSON, r"zlib\.h"],
    "io/scene": [JSON, r"yaml-cpp/.*"],
    "io/frames": [JSON, VTK, r"zlib\.h"],
    "io/tables": [POSIX],
    "io/pages": [JSON],
    "io/replay": [JSON, r"zlib\.h"],
}

# Floor -> what its files may include: of ours (folders, or single headers) and of others (regular expressions for the
# name between the brackets). The standard library is for everyone.
FLOORS = {
    "geometry": (["geometry"], [EIGEN, r"(e|i)mmintrin\.h"]),
    "parallel": (["parallel"], [TBB, HUGE_PAGES, r"emmintrin\.h", r"mpi\.h"]),
    "broadphase": (["broadphase", "geometry/aabb.hpp", "geometry/wide.hpp", "parallel"], [EIGEN]),
    "dem/scene": (["dem/scene", "dem/size_distribution.hpp", "geometry"], []),
    "dem": (BELOW_DEM, [EIGEN, FMT, RANDOM]),
    "dem/measure": (["dem/measure", *BELOW_DEM], [EIGEN, FMT]),
    **{room: (below, [EIGEN, FMT]) for room, below in SOFT.items()},
    "dem/hard/reversible": (["dem/hard/reversible", "dem", "geometry"], [EIGEN, FMT]),
    **{room: (below, [EIGEN, FMT]) for room, below in HARD.items()},
    EXACT: ([EXACT, "dem/hard/flight", "dem/hard/boxes", *BELOW_DEM], [EIGEN, FMT]),
    "dem/compare": (["dem/compare", "dem", "dem/scene", "dem/measure", *SOFT, *HARD, "geometry"], [EIGEN, FMT]),
    **{room: (below, [EIGEN, FMT, *IO_LIBRARIES.get(room, [])]) for room, below in IO.items()},
    "app": (
        ["app", *IO, *ENGINE, "broadphase", "parallel"],
        [EIGEN, FMT, POSIX, r"CLI/.*", VTK, r"yaml-cpp/.*", JSON, r"xxhash\.h", r"(cairo|fontconfig/fontconfig|httplib)\.h"],
    ),
    "python": (["python", *IO, *ENGINE, "broadphase"], [EIGEN, FMT, r"pybind11/.*"]),
    "web": (["web", *IO, *ENGINE], [EIGEN, FMT, JSON, r"emscripten\.h"]),
    "tests": ([""], [ANYTHING]),
    "bench": ([""], [ANYTHING]),
}

# dem and below neither print, nor touch files, nor end the program.
SILENT = {floor for floor in FLOORS if floor.split("/")[0] in ("geometry", "parallel", "broadphase", "dem")}
SILENT_HEADERS = {"iostream", "print", "fstream", "filesystem"}
SILENT_CALLS = re.compile(
    r"(?<![\w.>])(v?f?printf|v?print|f?puts|putchar|exit|_Exit|quick_exit|abort|terminate)\s*\(|\b(std::(?:cout|cerr|clog))\b"
)

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)


def floor_of(path):
    """The floor a file of ours belongs to, by its path; None if to none."""
    parts = path.split("/")
    for depth in (3, 2, 1):
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


# --- sizes ------------------------------------------------------------------------------------------------------------

MOST_LINES = 500  # of a file in dem
MOST_FIELDS = 20  # of a class in dem, static ones not counted
MOST_FIELDS_OF_STRUCT = 27
ROWS = {"Summary", "Sample"}  # of tables: as many fields as there are columns
MOST_PRIVATE_FUNCTIONS = 20  # of a class in dem
MORE_PRIVATE_FUNCTIONS = {"Subdomain": 35}  # what ranks say to one another at a step's end, in three files

CLASS = re.compile(r"\b(class|struct)\s+(?:alignas\([^)]*\)\s*)?([A-Za-z_]\w*)\s*(?:final\s*)?(?::[^{;]*)?\{")
FUNCTION_POINTER = re.compile(r"\(\s*(?:\w+::)*\*\s*(\w+)\s*\)\s*\(")
END_OF_FUNCTION = re.compile(r"\)\s*(const|noexcept|override|final|= (0|default|delete)|requires[^;]*|->.*|\s)*$", re.DOTALL)
END_BEFORE_BODY = re.compile(r"\)\s*(const|noexcept|override|final|requires[^;]*|->[^;]*|:[^;]*|\s)*$")
ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")


def statements(text, begin):
    """What stands directly between the braces of a class whose body begins here, statement by statement, without what
    stands in braces of its own; and whether that was the body of a function."""
    depth = 0
    statement = ""
    for letter in text[begin:]:
        if letter == "{":
            depth += 1
        elif letter == "}":
            if depth == 0:
                return
            depth -= 1
            if depth == 0 and END_BEFORE_BODY.search(statement):
                yield statement, True
                statement = ""
        elif letter == ";" and depth == 0:
            yield statement, False
            statement = ""
        elif depth == 0:
            statement += letter


def is_function(statement):
    if "(" not in statement or FUNCTION_POINTER.search(statement):
        return False
    return bool(END_OF_FUNCTION.search(statement)) and not re.search(r"[={]", statement.split("(")[0])


def members(text, begin, is_private):
    """Number of fields, and of private functions, of a class whose body begins here."""
    fields = functions = 0
    for statement, has_body in statements(text, begin):
        for access in ACCESS.findall(statement):
            is_private = access != "public"
        statement = ACCESS.sub("", statement).strip()
        if not statement or re.match(r"(using|typedef|friend|enum|class|struct|static_assert)\b", statement):
            continue
        statement = re.sub(r"^template\s*<[^{;]*?>\s*(?=[\w\[])", "", statement)
        if has_body or is_function(statement):
            functions += is_private
        elif not statement.startswith("static"):
            fields += 1
    return fields, functions


def check_sizes(path, text):
    lines = text.count("\n")
    if lines > MOST_LINES:
        yield f"{path}:{MOST_LINES + 1}: {lines} lines, more than {MOST_LINES}: split it into rooms"
    bare = COMMENT_OR_TEXT.sub(blank, text)
    for match in CLASS.finditer(bare):
        if re.search(r"\b(enum|template\s*<[^>]*)\s*$", bare[: match.start()]):
            continue
        kind, name = match.groups()
        place = f"{path}:{bare.count(chr(10), 0, match.start()) + 1}: {kind} {name} has"
        fields, functions = members(bare, match.end(), kind == "class")
        most = MOST_FIELDS if kind == "class" else MOST_FIELDS_OF_STRUCT
        if fields > most and name not in ROWS:
            yield f"{place} {fields} fields, more than {most}"
        most = MORE_PRIVATE_FUNCTIONS.get(name, MOST_PRIVATE_FUNCTIONS)
        if functions > most:
            yield f"{place} {functions} private functions, more than {most}"


# --- circles ----------------------------------------------------------------------------------------------------------


def needs(root, paths):
    """For each unit, a header with its .cpp, the units that it includes, and where."""
    found = {}
    for path in paths:
        unit = path.rsplit(".", 1)[0]
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match.group(1):
                other = match.group(1).rsplit(".", 1)[0]
                if other != unit:
                    found.setdefault(unit, {}).setdefault(other, f"{path}:{number}")
    return found


def check_circles(root, paths):
    """Names every circle of units that need each other, once, at its first include in alphabetical order."""
    graph = needs(root, paths)
    done = set()

    def walk(unit, way):
        if unit in way:
            circle = way[way.index(unit) :]
            start = min(circle)
            circle = circle[circle.index(start) :] + circle[: circle.index(start)] + [start]
            yield graph[circle[0]][circle[1]] + ": a circle: " + " needs ".join(circle)
            return
        if unit in done:
            return
        for other in sorted(graph.get(unit, {})):
            yield from walk(other, way + [unit])
        done.add(unit)

    yield from sorted({wrong for unit in sorted(graph) for wrong in walk(unit, [])})


def check(root):
    paths = []
    for top in sorted({floor.split("/")[0] for floor in FLOORS}):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".in") and path.is_file():
                paths.append(path.relative_to(root).as_posix())
    wrong = []
    for path in paths:
        wrong += check_file(root, path)
        if path.startswith("dem/"):
            wrong += check_sizes(path, (root / path).read_text(encoding="utf-8"))
    wrong += check_circles(root, paths)
    return len(paths), wrong


def self_test():
    good = {
        "geometry/a.hpp": '#include <Eigen/Dense>\n#include <vector>\n#include "geometry/b.hpp"\n',
        "geometry/a.cpp": '// exit(1) and <iostream>\n#include <Eigen/Core>\nauto s = "printf(%d)"; // std::cout\n',
        "parallel/a.cpp": '#include "parallel/b.hpp"\n#include <tbb/parallel_for.h>\n',
        "broadphase/a.hpp": '#include "geometry/aabb.hpp"\n#include "parallel/a.hpp"\n',
        "dem/a.cpp": '#include "broadphase/a.hpp"\n#include <Random123/philox.h>\nint n = std::snprintf(b, 9, "x");\n',
        "dem/text.cpp": "#include <fmt/format.h>\nauto s = fmt::format(c); // fmt::print(c)\n",
        "dem/soft/a.cpp": '#include "dem/a.hpp"\n#include "dem/soft/b.hpp"\nvoid leave() { box.exit(1); }\n',
        "dem/soft/ranks/a.cpp": '#include "dem/soft/a.hpp"\n#include "dem/soft/motion/b.hpp"\n',
        "dem/hard/scene/a.cpp": '#include "dem/hard/exact/b.hpp"\n#include "dem/hard/threads/b.hpp"\n',
        "io/frames/a.cpp": '#include "dem/hard/a.hpp"\n#include <iostream>\n#include <vtkNew.h>\n#include "io/text/a.hpp"\n',
        "io/scene/a.cpp": '#include "dem/hard/scene/b.hpp"\n#include <yaml-cpp/yaml.h>\n',
        "app/main.cpp": '#include "io/a.hpp"\n#include <CLI/CLI.hpp>\nint main() { std::exit(1); }\n',
        "tests/io/a.cpp": '#include "app/a.hpp"\n#include <doctest/doctest.h>\n',
    }
    bad = {
        "geometry/up.hpp": '#include <vector>\n#include "broadphase/a.hpp"\n',
        "geometry/tbb.cpp": "\n#include <tbb/parallel_for.h>\n",
        "geometry/text.cpp": "\n#include <fmt/format.h>\n",
        "broadphase/shape.hpp": '\n#include "geometry/polygon.hpp"\n',
        "broadphase/tbb.cpp": "\n#include <tbb/parallel_for.h>\n",
        "parallel/up.hpp": '\n#include "geometry/aabb.hpp"\n',
        "broadphase/up.cpp": '\n#include "dem/a.hpp"\n',
        "dem/into_mode.cpp": '\n#include "dem/soft/a.hpp"\n',
        "dem/soft/other_mode.cpp": '\n#include "dem/hard/a.hpp"\n',
        "dem/hard/other_mode.cpp": '\n  #  include "dem/soft/a.hpp"\n',
        "dem/hard/exact/up.cpp": '\n#include "dem/hard/simulation.hpp"\n',
        "dem/hard/reversible/up.hpp": '\n#include "dem/hard/a.hpp"\n',
        "dem/soft/up.hpp": '\n#include "io/a.hpp"\n',
        "dem/soft/motion/up.cpp": '\n#include "dem/soft/forces/a.hpp"\n',
        "dem/soft/room.cpp": '\n#include "dem/soft/ranks/b.hpp"\n',
        "dem/hard/events/up.hpp": '\n#include "dem/hard/polygon/a.hpp"\n',
        "dem/hard/up.cpp": '\n#include "dem/hard/threads/a.hpp"\n',
        "dem/into_measure.cpp": '\n#include "dem/measure/a.hpp"\n',
        "io/text/up.cpp": '\n#include "io/yaml/a.hpp"\n',
        "io/scene/vtk.cpp": '\n#include <vtkNew.h>\n',
        "dem/yaml.cpp": "\n#include <yaml-cpp/yaml.h>\n",
        "dem/vtk.cpp": "\n#include <vtkPolyData.h>\n",
        "dem/stream.cpp": "\n#include <iostream>\n",
        "dem/file.cpp": "\n#include <fstream>\n",
        "dem/prints.cpp": '/* two\n*/ void f() { std::printf("x"); }\n',
        "dem/formats.cpp": '\nvoid f() { fmt::print("x"); }\n',
        "dem/cout.cpp": "\nvoid f() { std::cout << 1; }\n",
        "dem/exits.cpp": "\nvoid f() { exit(1); }\n",
        "dem/soft/exits.cpp": "\nvoid f() { std::exit (1); }\n",
        "dem/relative.cpp": '\n#include "a.hpp"\n',
        "io/up.cpp": '\n#include "app/a.hpp"\n',
        "io/cli.cpp": "\n#include <CLI/CLI.hpp>\n",
        "io/text/broad.cpp": '\n#include "broadphase/a.hpp"\n',
        "app/test.cpp": '\n#include "tests/a.hpp"\n',
    }
    many = "".join(f"  double x{k}_ = 0.0;\n" for k in range(MOST_FIELDS))
    good["dem/large.hpp"] = (
        "class Large {\n public:\n  explicit Large(int n_) : x0_(n_) {}\n  int get() const { int y_; return y_; }\n"
        "  static int s_;\n  using T_ = int;\n private:\n  struct Part {\n    int a_;\n  };\n" + many + "};\n"
    )
    good["dem/long.cpp"] = "\n" * MOST_LINES
    bad["dem/too_large.hpp"] = (
        "\nclass TooLarge {\n public:\n  void act();\n\n private:\n" + many + "  bool (*compute_)(int, int) = nullptr;\n};\n"
    )
    pile = "".join(f"  double y{k} = 0.0;\n" for k in range(MOST_FIELDS_OF_STRUCT + 1))
    bad["dem/too_many_members.hpp"] = "\nstruct Heap {\n" + pile + "};\n"
    helpers = "".join(f"  void f{k}(int) const;\n" for k in range(MOST_PRIVATE_FUNCTIONS + 1))
    bad["dem/too_many_functions.hpp"] = "\nclass Busy {\n public:\n  void act();\n private:\n" + helpers + "};\n"
    good["dem/many_public.hpp"] = "class Open {\n public:\n" + helpers + "};\n"
    bad["dem/too_large_as_well.hpp"] = "\nclass Vast : Base {\n" + many + "  std::vector<int> more_{1, 2};  // of them\n};\n"
    good["dem/one.hpp"] = ""
    bad["dem/one.cpp"] = '#include "dem/one.hpp"\n#include "dem/other.hpp"\n'
    good["dem/other.cpp"] = '#include "dem/third.hpp"\n'
    good["dem/third.hpp"] = '#include "dem/one.hpp"\n'
    too_long = {"dem/too_long.cpp": "\n" * (MOST_LINES + 1)}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {**good, **bad, **too_long}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        _, wrong = check(root)
    found = [":".join(line.split(":")[:2]) for line in wrong]
    expected = [f"{path}:2" for path in bad] + [f"{path}:{MOST_LINES + 1}" for path in too_long]
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
    print(f"{files} files, {len(wrong)} violations")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
