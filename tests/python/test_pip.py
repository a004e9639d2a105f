"""pip installs the package into an environment, where it is the one that was built."""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

import scree
from common import HARD, SOFT

pytest.importorskip("pip")
pytest.importorskip("venv")
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ["SCREE_BUILD"]


def test_pip_installs_what_was_built(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
                    f"--config-settings=build-dir={BUILD}", ROOT], check=True, env=environment, cwd=tmp_path)
    program = f"""
import scree
print(scree.__file__)
print(scree.__version__)
for values in ({SOFT!r}, {HARD!r}):
    print(scree.Simulation(scree.Scene.from_dict(values), threads=1).run(until=0.05).hash)
"""
    done = subprocess.run([python, "-B", "-c", program], check=True, env=environment, cwd=tmp_path, capture_output=True,
                          text=True)
    place, version, *hashes = done.stdout.split()
    assert pathlib.Path(place).is_relative_to(tmp_path / "venv") and version == scree.__version__
    assert hashes == [scree.Simulation(scree.Scene.from_dict(values), threads=1).run(until=0.05).hash
                      for values in (SOFT, HARD)]
    told = subprocess.run([python, "-m", "pip", "show", "--files", "scree"], check=True, env=environment,
                          capture_output=True, text=True).stdout
    assert f"Version: {scree.__version__.split('-')[0]}" in told and "scree/_scree.pyi" in told and "scree/py.typed" in told
    subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "scree"], check=True, env=environment)
    assert not pathlib.Path(place).exists()


def test_a_source_archive_has_the_files_of_the_repository(tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("not in a repository")
    sys.path.insert(0, str(ROOT / "python/backend"))
    import scree_build

    with tarfile.open(tmp_path / scree_build.build_sdist(tmp_path)) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"PKG-INFO", "pyproject.toml", "CMakeLists.txt", "python/module.cpp", "dem/scene.hpp"} <= names
