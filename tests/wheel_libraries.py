#!/usr/bin/env python3
"""Which libraries a wheel needs: those in it, and those that a manylinux wheel may count on (PEP 600); and which versions.

usage: wheel_libraries.py WHEEL                names all that is wrong; exit status 1 if anything is
       wheel_libraries.py --self-test MODULE   makes wheels around a module that needs more than that, and expects complaints
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

# The list of auditwheel's policies manylinux_2_28 and later, without what draws.
ALLOWED = {
    "libatomic.so.1", "libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libmvec.so.1", "libanl.so.1", "libdl.so.2", "librt.so.1",
    "libc.so.6", "libnsl.so.1", "libutil.so.1", "libpthread.so.0", "libresolv.so.2", "libexpat.so.1", "libz.so.1",
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
}  # fmt: skip
# Debian 12 has glibc 2.36 with these; where glibc is newer, they are.
NEWEST_BESIDE_GLIBC_2_36 = {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0), "ZLIB": (1, 2, 9)}


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **options).stdout


def numbers(version):
    return tuple(map(int, version.split(".")))


def problems(wheel):
    """What is wrong with a wheel, one sentence each."""
    tag = re.search(r"-manylinux_(\d+)_(\d+)_\w+\.whl$", wheel.name)
    if not tag:
        yield f"{wheel.name} is for one machine alone: it is not called manylinux"
        return
    newest = dict(NEWEST_BESIDE_GLIBC_2_36, GLIBC=(int(tag[1]), int(tag[2])))
    with tempfile.TemporaryDirectory() as there:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(there)
        files = [path for path in sorted(pathlib.Path(there).rglob("*")) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        bundled = {path.name: path for path in files if path.parent.name.endswith(".libs")}
        if not bundled:
            yield "no library is in it"
        used = set()
        for path in files:
            dynamic = output("readelf", "-d", path)
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
            used.update(needed)
            for name in needed:
                if name not in ALLOWED and name not in bundled:
                    yield f"{path.name} needs {name}, which is neither in the wheel nor allowed"
            folders = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)
            for folder in ":".join(folders).split(":"):
                if folder and not re.fullmatch(r"\$ORIGIN(/[\w./-]+)?", folder):
                    yield f"{path.name} looks for libraries in {folder}"
            for kind, version in set(re.findall(r"Name: ([A-Z]+)_([\d.]+)", output("readelf", "-V", path))):
                if kind in newest and numbers(version) > newest[kind]:
                    yield f"{path.name} needs {kind}_{version}, newer than {'.'.join(map(str, newest[kind]))}"
            for name, place in re.findall(r"^\s*(\S+) => (\S+) \(", output("ldd", path), re.MULTILINE):
                if name in bundled and not pathlib.Path(place).resolve().is_relative_to(pathlib.Path(there).resolve()):
                    yield f"{path.name} takes {name} from {place}, not from the wheel"
                if name not in ALLOWED and name not in bundled:
                    yield f"{path.name} takes {name} from {place}"
        for name in sorted(set(bundled) - used):
            yield f"nothing needs {name}"


def self_test(module):
    with tempfile.TemporaryDirectory() as there:
        def made(name, **files):
            path = pathlib.Path(there, name)
            with zipfile.ZipFile(path, "w") as archive:
                for place, contents in files.items():
                    archive.writestr(place.replace("__", "/"), contents)
            return "\n".join(problems(path))

        contents = module.read_bytes()
        fmt = next(re.finditer(r"(libfmt\S*) => (\S+)", output("ldd", module)))
        good = "scree-1-cp311-cp311-manylinux_2_36_x86_64.whl"
        checks = [
            ("it is not called manylinux", made("scree-1-cp311-cp311-linux_x86_64.whl", scree___scree=contents)),
            (f"needs {fmt[1]}, which is neither", made(good, scree___scree=contents)),
            ("no library is in it", made(good, scree___scree=contents)),
            ("newer than 2.10", made("scree-1-cp311-cp311-manylinux_2_10_x86_64.whl", scree___scree=contents)),
            (f"takes {fmt[1]} from {fmt[2]}, not from the wheel",
             made(good, scree___scree=contents, **{f"scree.libs__{fmt[1]}": pathlib.Path(fmt[2]).read_bytes()})),
            ("nothing needs libelse.so.1",
             made(good, scree___scree=contents, **{"scree.libs__libelse.so.1": pathlib.Path(fmt[2]).read_bytes()})),
        ]
        failures = [f"not found: {wanted}; found:\n{found}" for wanted, found in checks if wanted not in found]
    print("\n".join(failures) or f"{len(checks)} planted mistakes are found")
    return bool(failures)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--self-test":
        return self_test(pathlib.Path(sys.argv[2]))
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or f"{sys.argv[1]} has all that it needs in it")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
