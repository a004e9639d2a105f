"""Builds the package for pip (PEP 517) by CMake, with nothing beside Python's own library.

pip install .                                                  builds in build/pip
pip install . --config-settings=build-dir=build/release        takes what is built there, or builds it there

The libraries that `./dev` installs must be there, and CMake, Ninja and a compiler.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIME = (2020, 1, 1, 0, 0, 0)  # of files in a wheel: equal builds, equal wheels


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


def _built(settings):
    """The package in a build directory, complete."""
    build = pathlib.Path((settings or {}).get("build-dir", ROOT / "build/pip"))
    if not (build / "CMakeCache.txt").is_file():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSCREE_BUILD_APP=OFF", "-DSCREE_BUILD_TESTS=OFF", f"-DPYTHON_EXECUTABLE={sys.executable}"],
                       check=True)
    subprocess.run(["cmake", "--build", build, "--target", "scree_python"], check=True)
    package = build / "python" / "scree"
    module = f"_scree{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not (package / module).is_file():
        sys.exit(f"scree_build: {package} has no {module}: it was built for another Python")
    return package


def _names():
    project = _project()
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{project['name']}-{project['version']}", f"{version}-{version}-{platform}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, tag = _names()
    package = _built(config_settings)
    files = {f"scree/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    info = f"{name}.dist-info"
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
    name, _ = _names()
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for file in filter(None, listed.split("\0")):
            archive.add(ROOT / file, f"{name}/{file}")
        information = pathlib.Path(sdist_directory) / "PKG-INFO"
        information.write_text(_metadata(), encoding="utf-8")
        archive.add(information, f"{name}/PKG-INFO")
        information.unlink()
    return f"{name}.tar.gz"
