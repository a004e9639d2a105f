"""Code for wide registers must not be taken where the processor has none: no function that an object file for wide lanes
shares with others by its name. The linker keeps one of the functions of a name, from whatever file."""

import re
import subprocess
import sys


def shared_functions(symbols, width):
    """Those that are weak and do not name the width of their lanes, from what nm prints."""
    weak = re.findall(r"^\S* +[Ww] (.+)$", symbols, re.MULTILINE)
    return [name for name in weak if not re.search(rf"<{width}[,>]", name)]


def main(nm, table, width, *objects):
    assert objects, "no object file"
    found = 0
    for path in objects:
        symbols = subprocess.run([nm, "--demangle", "--defined-only", path], check=True, capture_output=True, text=True).stdout
        assert table in symbols, f"{path}: not the code for wide lanes"
        for name in shared_functions(symbols, width):
            print(f"{path}: {name}")
            found += 1
    return found > 0


if __name__ == "__main__":
    assert shared_functions("0 W Eigen::dot(int)\n0 W void f<4, 2>(int)\n0 V typeinfo for int\n", 4) == ["Eigen::dot(int)"]
    sys.exit(main(*sys.argv[1:]))
