"""Builds the package for pip (PEP 517) by CMake, with nothing beside Python's own library.

pip wheel .                                                    a wheel for every system with this glibc or a later one:
                                                               built in build/pip without VTK, with the libraries that
                                                               such a system may lack in it (patchelf puts them there)
pip install .                                                  the same, installed
pip install . --config-settings=build-dir=build/release        takes what is built there, or builds it there: for this
                                                               machine alone

The libraries that `./dev` installs must be there, and CMake, Ninja and a compiler. On other systems than Linux with
glibc a wheel is for the machine that built it.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIME = (2020, 1, 1, 0, 0, 0)  # of files in a wheel: equal builds, equal wheels
LIBRARIES = "scree.libs"  # folder of bundled ones, beside the package

# What every system has that a wheel called manylinux may be installed on (PEP 600), of what scree could need.
EVERYWHERE = re.compile(r"(lib(c|m|dl|rt|pthread|util)\.so\.\d+|libgcc_s\.so\.1|libstdc\+\+\.so\.6|libz\.so\.1"
                        r"|ld-linux[\w-]*\.so\.\d+|linux-vdso\.so\.1)$")


def _project():
    """[project] of pyproject.toml, as far as it is needed: tomllib came with Python 3.11."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    values = dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.MULTILINE))
    extras = re.search(r"^\[project.optional-dependencies\]\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    values["extras"] = dict(re.findall(r'^(\w+) = \["(.*)"\]$', extras[1], re.MULTILINE))
    return values


def _metadata():
    project = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             "Requires-Dist: numpy"]
    for extra, package in project["extras"].items():
        lines += [f"Provides-Extra: {extra}", f'Requires-Dist: {package}; extra == "{extra}"']
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "",
                      (ROOT / "docs/python.md").read_text(encoding="utf-8")])


def _glibc():
    """"2.36", say; None where there is another C library."""
    name, version = platform.libc_ver()
    return version if sys.platform == "linux" and name == "glibc" else None


def _is_portable(settings):
    """Whether the wheel is to be for other machines, too."""
    return "build-dir" not in (settings or {}) and _glibc() is not None


def _built(settings):
    """The package in a build directory, complete."""
    chosen = (settings or {}).get("build-dir")
    build = pathlib.Path(chosen or ROOT / "build/pip")
    if not chosen or not (build / "CMakeCache.txt").is_file():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSCREE_BUILD_APP=OFF", "-DSCREE_BUILD_TESTS=OFF", "-DSCREE_VTK=OFF",
                        f"-DPYTHON_EXECUTABLE={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "scree_python"], check=True)
    package = build / "python" / "scree"
    if not (package / _module_name()).is_file():
        sys.exit(f"scree_build: {package} has no {_module_name()}: it was built for another Python")
    return package


def _module_name():
    return f"_scree{sysconfig.get_config_var('EXT_SUFFIX')}"


def _output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def _needed(file):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", _output("readelf", "-d", file))


def _licence(library):
    """The package of a library and its licence, on Debian; None elsewhere."""
    try:
        for path in (library, library.resolve(), "/usr" + str(library.resolve())):
            found = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
            if found.returncode == 0:
                package = found.stdout.split(":")[0]
                return package, pathlib.Path("/usr/share/doc", package, "copyright").read_bytes()
    except FileNotFoundError:
        pass
    print(f"scree_build: the licence of {library} is not in the wheel: add it before you hand the wheel on", file=sys.stderr)
    return None


def _bundled(module, work, info):
    """Files of a wheel: the module, the libraries that it needs and a system may lack, their licences.

    A library gets a name of its own, by its contents, so that another one of the old name may be loaded beside it.
    """
    missing = re.findall(r"^\s*(\S+) => not found", _output("ldd", module), re.MULTILINE)
    if missing:
        sys.exit(f"scree_build: not found: {', '.join(missing)}")
    found = dict(re.findall(r"^\s*(\S+) => (\S+) \(", _output("ldd", module), re.MULTILINE))
    libraries = {name: pathlib.Path(path) for name, path in found.items() if not EVERYWHERE.match(name)}
    files = {}
    renamed = {}
    for name, path in libraries.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        renamed[name] = re.sub(r"\.so", f"-{digest}.so", name, count=1)
        licence = _licence(path)
        if licence:
            files[f"{info}/licenses/{licence[0]}"] = licence[1]

    def patched(original, name, rpath, soname=None):
        copy = work / name
        shutil.copyfile(original, copy)
        options = [["--replace-needed", old, renamed[old]] for old in _needed(copy) if old in renamed]
        options += [["--set-soname", soname]] if soname else []
        for option in [*options, ["--set-rpath", rpath]]:  # one at a time: patchelf 0.14 mixes up several
            subprocess.run(["patchelf", *option, copy], check=True)
        return copy.read_bytes()

    files[f"scree/{module.name}"] = patched(module, module.name, f"$ORIGIN/../{LIBRARIES}")
    for name, path in libraries.items():
        new = renamed[name]
        files[f"{LIBRARIES}/{new}"] = patched(path, new, "$ORIGIN", new)
    return files


def _names(settings):
    project = _project()
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    system = sysconfig.get_platform()
    if _is_portable(settings):
        system = system.replace("linux", f"manylinux_{_glibc()}", 1)
    return f"{project['name']}-{project['version']}", f"{version}-{version}-{re.sub(r'[-.]', '_', system)}"


def get_requires_for_build_wheel(config_settings=None):
    return ["patchelf"] if _is_portable(config_settings) and not shutil.which("patchelf") else []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if _is_portable(config_settings) and not shutil.which("patchelf"):
        sys.exit("scree_build: patchelf is not there, which puts libraries into the wheel (Debian: patchelf); allowed: "
                 "--config-settings=build-dir=DIRECTORY, a wheel for this machine alone")
    name, tag = _names(config_settings)
    package = _built(config_settings)
    files = {f"scree/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    info = f"{name}.dist-info"
    if _is_portable(config_settings):
        with tempfile.TemporaryDirectory() as work:
            files.update(_bundled(package / _module_name(), pathlib.Path(work), info))
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: scree_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = []
    for file, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        record.append(f"{file},sha256={digest},{len(contents)}\n")
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    wheel = f"{name}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, contents in files.items():
            archive.writestr(zipfile.ZipInfo(file, TIME), contents, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows."""
    name, _ = _names(config_settings)
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for file in filter(None, listed.split("\0")):
            archive.add(ROOT / file, f"{name}/{file}")
        information = pathlib.Path(sdist_directory) / "PKG-INFO"
        information.write_text(_metadata(), encoding="utf-8")
        archive.add(information, f"{name}/PKG-INFO")
        information.unlink()
    return f"{name}.tar.gz"
