"""The Debian package that cpack makes: unpacked, it runs an example with the pages, the man page and the completions
beside it; nothing in it tells where it was built. Arguments: the program, the build directory."""

import gzip
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(2)).resolve()

from scree_process import AppTest, default_signals  # noqa: E402  it takes the other argument

NOT_TESTED = 77  # ctest: skipped
NEEDED = ("cpack", "dpkg-deb", "dpkg-shlibdeps", "bash")


def output(*command, **options):
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True, preexec_fn=default_signals, **options
    ).stdout


class Package(AppTest):
    def test_it_has_all_that_belongs_to_the_program(self):
        output("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", self.here / "made")
        (package,) = (self.here / "made").glob("*.deb")
        depends = output("dpkg-deb", "-f", package, "Depends")
        for library in ("libvtk9", "libcairo2", "libyaml-cpp0.7", "zlib1g", "libc6"):
            self.assertIn(library, depends)
        root = self.here / "root"
        output("dpkg", "-x", package, root)
        files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
        doc = "usr/share/doc/scree"
        for name in (
            "usr/bin/scree", f"{doc}/copyright", f"{doc}/changelog.gz", f"{doc}/examples/heap.yaml",
            f"{doc}/docs/tutorial.md", f"{doc}/docs/scene.schema.json", "usr/share/man/man1/scree.1.gz",
            "usr/share/bash-completion/completions/scree", "usr/share/zsh/vendor-completions/_scree",
        ):  # fmt: skip
            self.assertIn(name, files)
        self.assertEqual([name for name in files if not name.startswith(("usr/bin/", "usr/share/"))], [])
        for name in files - {"usr/bin/scree"}:
            self.assertNotIn(str(BUILD).encode(), (root / name).read_bytes(), name)

        scree = root / "usr/bin/scree"
        heap = root / doc / "examples/heap.yaml"
        output(scree, "run", heap, "--until", "0.01", "--quiet", cwd=self.here)
        output(scree, "replay", "out/heap", cwd=self.here)
        self.assertTrue((self.here / "out/heap/replay.html").exists())

        manual = gzip.decompress((root / "usr/share/man/man1/scree.1.gz").read_bytes()).decode()
        commands = re.findall(r"^  ([a-z]+) ", output(scree, "--help").split("Subcommands:")[1].split("\n\n")[0], re.M)
        self.assertGreater(len(commands), 10)
        for command in commands:
            self.assertRegex(manual, rf"(?m)^\.BI? {command}\b", "the man page has every command")
        completions = root / "usr/share/bash-completion/completions/scree"

        def complete(*words):
            script = 'complete() { :; }; . "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scree; echo "${COMPREPLY[@]}"'
            path = f"{scree.parent}:/usr/bin:/bin"
            return output("bash", "-c", script, completions, *words, env={"PATH": path}).split()

        self.assertEqual(set(complete("scree", "")), {*commands, "--help", "--version"})
        self.assertEqual(complete("scree", "rep"), ["replay", "report"])
        self.assertIn("--no-chains", complete("scree", "replay", "--"))
        self.assertEqual(complete("scree", "help", "sti"), ["stiffness"])


if __name__ == "__main__":
    missing = [program for program in NEEDED if not shutil.which(program)]
    if missing:
        print(f"skipped: there is no {missing[0]}")
        sys.exit(NOT_TESTED)
    unittest.main()
