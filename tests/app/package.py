"""The Debian package and the archive that cpack makes. The package is installed by dpkg in a directory, runs an example
with the pages, the man page and the completions beside it, and is removed without a trace; lintian finds no error; nothing
in it tells where it was built. With the package for several ranks, if there is one, mpirun shares a run. The archive is
unpacked and runs. Arguments: the program, the build directory."""

import gzip
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(2)).resolve()

from scree_process import MPI_ENVIRONMENT, AppTest, default_signals  # noqa: E402  it takes the other argument

NOT_TESTED = 77  # ctest: skipped
NEEDED = ("cpack", "dpkg", "dpkg-shlibdeps", "bash", "tar")


def output(*command, **options):
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True, preexec_fn=default_signals, **options
    ).stdout


PYTHON = "usr/lib/python3/dist-packages/scree/"


class Package(AppTest):
    def make(self, kinds):
        output("cpack", "-G", kinds, "--config", BUILD / "CPackConfig.cmake", "-B", self.here / "made")
        # scree-VERSION.tar.gz, scree-mpi_VERSION.deb, scree_VERSION.deb
        return sorted((self.here / "made").glob("scree*"))

    def test_what_cpack_makes_runs(self):
        archive, *ranks, package = self.make("DEB;TGZ")
        with self.subTest("package"):
            self.depends_on_libraries(package)
            self.installs_runs_and_goes(package)
        for package_of_ranks in ranks if shutil.which("mpirun") else []:
            with self.subTest("package of ranks"):
                self.shares_a_run(package, package_of_ranks)
        with self.subTest("archive"):
            self.unpacks_and_runs(archive)

    @unittest.skipUnless(shutil.which("lintian"), "there is no lintian")
    def test_lintian_finds_no_error(self):
        output("lintian", "--fail-on", "error", *self.make("DEB"))

    def depends_on_libraries(self, package):
        depends = output("dpkg-deb", "-f", package, "Depends")
        for library in ("libvtk9", "libcairo2", "libyaml-cpp0.7", "zlib1g", "libc6"):
            self.assertIn(library, depends)
        names = re.findall(r"(?:^|, )([^ ,]+)", depends)
        states = output("dpkg-query", "-W", "-f=${db:Status-Status}\n", *names).split()
        self.assertEqual(states, ["installed"] * len(names), "the program runs here with what it says it needs")

    def install(self, name, *packages):
        """Their root, where dpkg keeps its notes in it, and the command."""
        root = self.here / name
        database = root / "var/lib/dpkg"
        for folder in ("updates", "info", "triggers"):
            (database / folder).mkdir(parents=True)
        (database / "status").touch()
        dpkg = ("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--log=/dev/null")
        output(*dpkg, "--install", *packages)
        return root, database, dpkg

    def shares_a_run(self, package, package_of_ranks):
        self.assertRegex(output("dpkg-deb", "-f", package_of_ranks, "Depends"), r"scree \(= .*libopenmpi")
        root, _, _ = self.install("with_ranks", package, package_of_ranks)
        heap = root / "usr/share/doc/scree/examples/heap.yaml"
        run = (root / "usr/bin/scree", "run", heap, "--until", "0.01", "--quiet", "--output")
        output(*run, "one", cwd=self.here)
        output("mpirun", "-n", "2", *run, "two", cwd=self.here, env=MPI_ENVIRONMENT)
        for name in ("state.scree", "series.csv", "particles.pvd"):
            self.assertEqual((self.here / "one" / name).read_bytes(), (self.here / "two" / name).read_bytes())
        (root / "usr/lib").rename(root / "usr/library")
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            output("mpirun", "-n", "2", *run, "none", cwd=self.here, env=MPI_ENVIRONMENT)
        self.assertIn("the package scree-mpi", refused.exception.stderr)

    def installs_runs_and_goes(self, package):
        root, database, dpkg = self.install("root", package)
        self.looks_right(root)
        self.runs(root / "usr/bin/scree", root / "usr/share")
        self.imports(root)
        output(*dpkg, "--purge", "scree")
        self.assertEqual([path for path in root.rglob("*") if database not in (path, *path.parents)
                          and path not in database.parents], [])  # fmt: skip

    def imports(self, root):
        if not (root / PYTHON).exists():
            self.skipTest("the package was built without Python")
        scene = root / "usr/share/doc/scree/examples/heap.yaml"
        program = f"import scree; print(scree.Simulation(scree.Scene.load({str(scene)!r})).run(until=0.01).steps > 0)"
        said = output("/usr/bin/python3", "-B", "-c", program, env={"PYTHONPATH": str((root / PYTHON).parent)})
        self.assertEqual(said.strip(), "True")

    def looks_right(self, root):
        files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
        files = {name for name in files if not name.startswith("var/lib/dpkg/")}
        doc = "usr/share/doc/scree"
        for name in (
            "usr/bin/scree", f"{doc}/copyright", f"{doc}/changelog.gz", f"{doc}/examples/heap.yaml",
            f"{doc}/docs/tutorial.md", f"{doc}/docs/scene.schema.json", "usr/share/man/man1/scree.1.gz",
            "usr/share/bash-completion/completions/scree", "usr/share/zsh/vendor-completions/_scree",
        ):  # fmt: skip
            self.assertIn(name, files)
        self.assertEqual([name for name in files if not name.startswith(("usr/bin/", "usr/share/", PYTHON))], [])
        for name in files - {"usr/bin/scree"}:
            self.assertNotIn(str(BUILD).encode(), (root / name).read_bytes(), name)

    def runs(self, scree, share):
        heap = share / "doc/scree/examples/heap.yaml"
        output(scree, "run", heap, "--until", "0.01", "--quiet", cwd=self.here)
        output(scree, "replay", "out/heap", cwd=self.here)
        self.assertTrue((self.here / "out/heap/replay.html").exists())
        shutil.rmtree(self.here / "out")

        manual = gzip.decompress((share / "man/man1/scree.1.gz").read_bytes()).decode()
        commands = re.findall(r"^  ([a-z]+) ", output(scree, "--help").split("Subcommands:")[1].split("\n\n")[0], re.M)
        self.assertGreater(len(commands), 10)
        for command in commands:
            self.assertRegex(manual, rf"(?m)^\.BI? {command}\b", "the man page has every command")
        completions = share / "bash-completion/completions/scree"

        def complete(*words):
            script = 'complete() { :; }; . "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scree; echo "${COMPREPLY[@]}"'
            path = f"{scree.parent}:/usr/bin:/bin"
            return output("bash", "-c", script, completions, *words, env={"PATH": path}).split()

        self.assertEqual(set(complete("scree", "")), {*commands, "--help", "--version"})
        self.assertEqual(complete("scree", "rep"), ["replay", "report"])
        self.assertIn("--no-chains", complete("scree", "replay", "--"))
        self.assertEqual(complete("scree", "help", "sti"), ["stiffness"])

    def unpacks_and_runs(self, archive):
        output("tar", "xf", archive, "-C", self.here)
        top = self.here / archive.name.removesuffix(".tar.gz")
        self.runs(top / "bin/scree", top / "share")


if __name__ == "__main__":
    missing = [program for program in NEEDED if not shutil.which(program)]
    if missing:
        print(f"skipped: there is no {missing[0]}")
        sys.exit(NOT_TESTED)
    unittest.main()
