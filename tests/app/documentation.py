"""The YAML blocks and the commands of README.md and docs: they do what they say, shortened."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

NOT_TESTED = 77  # ctest: skipped

try:
    import yaml
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-yaml)")
    sys.exit(NOT_TESTED)

from scree_process import OK, PATIENCE, PEBBLE, SCREE, AppTest

SOURCE = Path(__file__).resolve().parents[2]
PAGES = [SOURCE / "README.md", *sorted(SOURCE.glob("docs/**/*.md"))]

# Whole scenes run so far [s]: the first stones have met.
SHORT_TIME = 0.15

# What makes the examples that commands name short: few grains, or a moment.
SHORTER = {
    "heap.yaml": ("time: {end: 1.4", "time: {end: 0.02"),
    "unmixing.yaml": ("count: 400", "count: 16"),
    "cooling_gas.yaml": ("jitter: 0.5}", "jitter: 0.5, count: 8}"),
}
SHORTER_ARGUMENTS = {"--until 5": "--until 0.03", "run silo.yaml": "run silo.yaml --until 0.04",
                     "--stiffness 1e6,1e7,1e8": "--stiffness 1e6,2e6",
                     "--runs 4 --jobs 2 --discard --vary half=0.02,0.025": "--runs 1 --jobs 2 --discard --vary half=0.02"}

# Commands that are not run here, by how they begin, and why.
SKIPPED = {
    "./dev fuzz": "minutes, and another compiler",
    "./dev test": "runs this test",
    "./dev ci": "runs this test",
    "./dev portable": "builds for other processors",
    "./dev web": "builds by another compiler",
    "./dev bench": "minutes, and libraries that only benchmarks need",
    "./dev docs": "writes into the source; the test `keys` sees whether it would change anything",
    "./dev validate": "hours; tests/validation has what is cheap of it",
    "./dev gallery": "minutes; tests/app/examples.py runs the examples",
    "./dev python": "builds; tests/python has what it tests",
    "./dev wheel": "minutes; ./dev ci --full makes a wheel and tries it",
    "pip install": "tests/python/test_pip.py does it",
    "PYTHONPATH=": "tests/python/test_documentation.py runs the page's blocks",
    "./dev build": "tests/app/package.py makes the package",
    "sudo apt": "tests/app/package.py installs the package",
    "pvbatch out/smooth/view.py": "needs ParaView; ./dev paraview-check draws a frame",
    "scree view": "goes on until Ctrl-C; tests/app/view.py has it",
    "scree run smooth.yaml --view": "tests/app/view.py has it",
    "scree film": "needs ffmpeg; tests/app/shows_runs.py has it",
}

# What the README has its reader do between the commands, and what it supposes.
SMOOTH = [("friction: 0.6", "friction: 0.2"), (", directory: out/heap", "")]


def blocks(page, language):
    """The fenced blocks of a page with this language: (line, text)."""
    text = page.read_text()
    found = re.finditer(rf"^( *)```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    return [(text.count("\n", 0, block.start()) + 2, block[2]) for block in found]


def commands(page):
    """The commands of a page in its order: those in blocks, line by line, and those between backticks."""
    text = page.read_text()
    found = []
    for block in re.finditer(r"^( *)```sh\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        for number, line in enumerate(block[2].splitlines()):
            command = re.sub(r"\s+#.*", "", line).strip()
            if command and not command.startswith("#"):
                found.append((block.start(), number, command))
    outside = re.sub(r"^( *)```.*?^ *```", lambda block: " " * len(block[0]), text, flags=re.DOTALL | re.MULTILINE)
    for code in re.finditer(r"`((?:scree|\./dev|paraview) [^`]+)`", outside):
        found.append((code.start(), 0, " ".join(code[1].split())))
    return [command for _, _, command in sorted(found)]


def is_synopsis(command):
    """Whether what the reader puts there is left out, or has words like SCENE or [SECONDS]."""
    words = command.split()
    is_bare = words[0] == "scree" and words[1] != "schema" and all(word.startswith("-") for word in words[2:])
    return is_bare or re.search(r"\b[A-Z][A-Z0-9]+\b|\[|\.\.\.", command) is not None


def skipped(command):
    return next((begin for begin in SKIPPED if (command + " ").startswith(begin if begin.endswith("=") else begin + " ")), None)


class Documentation(AppTest):
    def setUp(self):
        super().setUp()
        for name in ("bin", "examples", "docs/compare_example"):
            (self.here / name).mkdir(parents=True)
        (self.here / "bin/scree").symlink_to(SCREE)
        self.program("bin/paraview", 'exec python3 -m py_compile "${1#--script=}"\n')
        self.program("dev", 'if [ "$1" = run ]; then exec scree "$@"; fi; echo "what? $1"; exit 1\n')
        for example in SOURCE.glob("examples/*.yaml"):
            text = example.read_text()
            if example.name in SHORTER:
                self.assertIn(SHORTER[example.name][0], text)
                text = text.replace(*SHORTER[example.name])
            self.write(f"examples/{example.name}", text)
        smooth = (self.here / "examples/heap.yaml").read_text()
        for old, new in SMOOTH:
            self.assertIn(old, smooth)
            smooth = smooth.replace(old, new)
        self.write("smooth.yaml", smooth)

    def make_runs(self):
        """What the pages suppose: one run that can go on, and two that are alike."""
        self.shell("scree run smooth.yaml --output runs/smooth --until 0.01")
        self.shell("scree run smooth.yaml --output runs/one && cp -r runs/one runs/other")

    def program(self, path, text):
        self.write(path, "#!/bin/sh\n" + text)
        (self.here / path).chmod(0o755)

    def shell(self, command):
        path = f"{self.here / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(
            command, shell=True, cwd=self.here, env={**os.environ, "PATH": path}, timeout=PATIENCE,
            capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(done.returncode, OK, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_every_whole_scene_runs(self):
        count = 0
        for page in PAGES:
            for line, text in blocks(page, "yaml"):
                if not re.search("^scree:", text, re.MULTILINE):
                    continue
                count += 1
                with self.subTest(page=page.name, line=line):
                    self.write("scene.yaml", text)
                    self.scree("check", "scene.yaml")
                    self.scree("run", "scene.yaml", "--until", SHORT_TIME, "--force", "--quiet")
        self.assertGreater(count, 0)

    def test_every_fragment_fits_into_a_scene(self):
        count = 0
        for page in PAGES:
            for line, text in blocks(page, "yaml"):
                if re.search("^scree:", text, re.MULTILINE):
                    continue
                count += 1
                with self.subTest(page=page.name, line=line):
                    keys = yaml.load(text, yaml.BaseLoader) or {}
                    scene = yaml.load(PEBBLE, yaml.BaseLoader)
                    if "stages" in keys:
                        del scene["time"]  # whose end is theirs
                    if "start" in keys:
                        self.write("settled.yaml", PEBBLE.replace("end: 0.05", "end: 0.01"))
                        self.scree("run", "settled.yaml", "--quiet", "--force")
                    rest = {key: value for key, value in scene.items() if key not in keys}
                    # In the flow style of BaseLoader's texts nothing is in quotes that was not.
                    plain = "".join(f"{key}: {flow(value)}\n" for key, value in rest.items())
                    self.write("scene.yaml", text + plain)
                    self.scree("check", "scene.yaml")
        self.assertGreater(count, 0)

    def test_every_command_works(self):
        help_of_dev = subprocess.run([SOURCE / "dev", "help"], capture_output=True, text=True, check=True).stdout
        self.make_runs()
        unused = set(SKIPPED)
        ran = 0
        for page in PAGES:
            self.shell("rm -rf out there && cp -r runs out")
            for _, text in blocks(page, "yaml"):
                if name := re.match(r"# (\w+\.yaml)\n", text):  # the reader has saved it
                    self.write(name[1], text)
            for command in commands(page):
                with self.subTest(page=page.name, command=command):
                    words = command.split()
                    if words[0] == "./dev":
                        self.assertRegex(help_of_dev, rf"(?m)^  {words[1]}\b", "a command that ./dev has")
                    if begin := skipped(command):
                        unused.discard(begin)
                    elif is_synopsis(command):
                        if words[0] == "scree":
                            usage = self.shell(f"scree {words[1]} --help")
                            for option in re.findall("--[a-z-]+", command):
                                self.assertIn(option, usage)
                    else:
                        for long, short in SHORTER_ARGUMENTS.items():
                            command = command.replace(long, short)
                        is_new = re.match(r"(scree|\./dev) (run|compare) ", command)  # to who reads this page only
                        self.shell(command + (" --force" if is_new else ""))
                        ran += 1
        self.assertGreater(ran, 5)
        self.assertEqual(unused, set(), "what is not there need not be skipped")


def flow(value):
    """YAML in one line, with texts as they were."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return value


if __name__ == "__main__":
    unittest.main(verbosity=2)
