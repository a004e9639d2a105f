"""Every mistake one can make with the command line ends in a message that helps, and harms nothing."""

import os
import re
import subprocess
import unittest

from scree_process import (
    BAD_INPUT, GAS, INPUT_OUTPUT, INTERRUPTED, OK, PEBBLE, SANITIZED, STONES, AppTest, default_signals,
)  # fmt: skip

NUMBER_OF_SECONDS = "must be a number > 0 [s]"
NUMBER_OF_THREADS = "must be a whole number from 1 to 1024"


class CommandLine(AppTest):
    def setUp(self):
        super().setUp()
        self.write("pebble.yaml", PEBBLE)

    def assert_refuses(self, *arguments, code=BAD_INPUT, says=(), **options):
        """And writes nothing."""
        before = self.tree()
        done = self.scree(*arguments, code=code, **options)
        self.assertEqual(self.tree(), before)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("scree: "), done.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.stderr)
        return done.stderr

    # --- what is asked for

    def test_help_names_commands_and_exit_codes(self):
        text = self.scree("--help").stdout
        for word in ("run", "resume", "check", "compare", "ensemble", "diverge", "view", "watch", "replay", "report", "picture", "film", "schema", "help",
                     "--version", "Exit status", "130"):
            self.assertIn(word, text)
        self.assertEqual(self.scree("-h").stdout, text)
        for option in ("SCENE", "--output", "--force", "--until", "--threads", "--quiet"):
            self.assertIn(option, self.scree("run", "--help").stdout)
        for option in ("DIR", "--until", "--threads", "--quiet"):
            self.assertIn(option, self.scree("resume", "--help").stdout)
        for option in ("DIR1", "DIR2", "--no-repeat", "--threads", "--quiet"):
            self.assertIn(option, self.scree("diverge", "--help").stdout)

    def test_version(self):
        self.assertRegex(self.scree("--version").stdout, r"^scree \d+\.\d+\.\d+ \(.+\)\n$")

    def test_help_answers_questions(self):
        topics = re.findall(r"^  (\w+) ", self.scree("help").stdout, re.MULTILINE)
        self.assertIn("stiffness", topics)
        for topic in topics:
            text = self.scree("help", topic).stdout
            self.assertNotIn("##", text)
            self.assertGreater(len(text.splitlines()), 2)
        self.assert_refuses("help", "stifness", says="'stifness' is not a topic (did you mean 'stiffness'?), must be ")

    def test_no_command_or_a_misspelt_one(self):
        commands = "run, resume, rewind, check, compare, ensemble, diverge, view, watch, replay, report, picture, film, new, inspect, schema or help"
        self.assert_refuses(says=f"the command is missing, must be {commands}")
        self.assert_refuses("rnu", "pebble.yaml", says="'rnu' is not a command (did you mean 'run'?), must be run, ")

    def test_lanes_that_there_are_not(self):
        for lanes in ("3", "", "four", "-1"):
            with self.subTest(lanes=lanes):
                for command in (("run", "pebble.yaml"), ("check", "pebble.yaml")):
                    environment = {**os.environ, "SCREE_LANES": lanes}
                    error = self.assert_refuses(
                        *command, says=f"SCREE_LANES is '{lanes}'; allowed: 1, 2, 4, 8", env=environment
                    )
                    self.assertEqual(error.count("\n"), 1)

    def test_a_misspelt_option(self):
        self.assert_refuses("run", "pebble.yaml", "--ouput", "x", says="--ouput: is not an option of scree run (did ")
        self.assert_refuses("run", "pebble.yaml", "--ouput=x", says="--ouput: is not an option of scree run (did you")
        self.assert_refuses("resume", "out", "--force", says="--force: is not an option of scree resume, must be ")
        self.assert_refuses("--quiet", "run", "pebble.yaml", says="--quiet: is before run, must be after it")

    def test_arguments_missing_or_too_many(self):
        self.assert_refuses("run", says="SCENE is required")
        self.assert_refuses("resume", says="DIR is required")
        self.assert_refuses("check", says="SCENE is required")
        self.assert_refuses("run", "", says="SCENE: is empty, must be a name")
        self.assert_refuses("run", "pebble.yaml", "other.yaml", says="'other.yaml' is one argument too many")
        self.assert_refuses("schema", "pebble.yaml", says="'pebble.yaml' is one argument too many")
        self.assert_refuses("run", "pebble.yaml", "--until", says="--until: must be given once, with a value")
        self.assert_refuses("run", "pebble.yaml", "--until=1", "--until=2", says="--until: must be given once, with ")
        self.assert_refuses("run", "pebble.yaml", "--output", "", says="--output: is empty, must be a name")

    def test_numbers_that_are_none_or_not_allowed(self):
        for text in ("0", "-1", "nan", "inf", "abc", "1s", "1e999"):
            with self.subTest(until=text):
                self.assert_refuses("run", "pebble.yaml", "--until", text, says=[f"is '{text}'", NUMBER_OF_SECONDS])
        for text in ("0", "-1", "1.5", "1025", "many"):
            with self.subTest(threads=text):
                self.assert_refuses("run", "pebble.yaml", "--threads", text, says=[f"is '{text}'", NUMBER_OF_THREADS])
        self.assert_refuses("run", "pebble.yaml", "--until", "1e9", says="--until: is 1e+09, must be a number <= 100")

    def test_a_scene_that_cannot_be_read(self):
        for command in ("run", "check"):
            self.assert_refuses(command, "nosuch.yaml", code=INPUT_OUTPUT, says="nosuch.yaml: cannot be read: No such")
            self.assert_refuses(command, ".", code=INPUT_OUTPUT, says=".: is a directory, not a scene")
        if os.geteuid() != 0:
            (self.here / "pebble.yaml").chmod(0)
            done = self.scree("run", "pebble.yaml", code=INPUT_OUTPUT)
            self.assertIn("pebble.yaml: cannot be read: Permission denied", done.stderr)

    def test_what_is_no_file_is_refused_at_once(self):
        os.mkfifo(self.here / "pipe.yaml")
        for command in ("run", "check", "compare"):
            self.assert_refuses(command, "pipe.yaml", code=INPUT_OUTPUT, says="pipe.yaml: is a pipe, not a scene")
            self.assert_refuses(command, "/dev/zero", code=INPUT_OUTPUT, says="/dev/zero: is a device, not a scene")

    def test_a_file_of_billiards_that_cannot_be_read(self):
        self.write("table.yaml", re.sub(r"- \{place.*", "- {billiards: none.txt, material: stone}", PEBBLE))
        for command in ("run", "check"):
            self.assert_refuses(
                command, "table.yaml", code=INPUT_OUTPUT,
                says="table.yaml:8:17: particles[0].billiards: cannot be used: none.txt: cannot be read: No such file",
            )  # fmt: skip
        self.write("none.txt", "1\n .5 \x1b]0;title\x07 0 0 .1 1 0 0 0\n")
        message = self.assert_refuses("check", "table.yaml", says="none.txt:2:5: disk 1: ry: is a word, must be a number")
        self.assertNotIn("\x1b", message)
        self.assert_refuses("check", "none.txt", says="none.txt:2:5: byte 0x1b is not text")

    def test_messages_are_short_and_no_terminal_obeys_them(self):
        self.write("bad.yaml", PEBBLE.replace("stone: {density: 2600", f"stone: {{density: {'x' * 1_000_000}"))
        self.assertLess(len(self.assert_refuses("check", "bad.yaml")), 300)
        self.write("bad.yaml", PEBBLE.replace("title: A pebble", 'title: "\\e[31mA\\npebble"'))
        self.assertIn("A pebble".replace(" ", "\\n"), self.scree("check", "bad.yaml").stdout)
        self.assertNotIn("\x1b", self.scree("run", "bad.yaml").stdout)
        for code, *arguments in (
            (BAD_INPUT, "\x1b[31m"), (BAD_INPUT, "run", "--\x1b[31m"), (BAD_INPUT, "check", "\x1b[31m"),
            (INPUT_OUTPUT, "run", "x" * 5000),
        ):  # fmt: skip
            message = self.assert_refuses(*arguments, code=code)
            self.assertNotIn("\x1b", message)
            self.assertLess(len(message), 500)

    def test_a_pour_of_millions_costs_nothing_before_it_begins(self):
        def memory(count):  # [MB]
            pour = f"- {{pour: {{count: {count}, rate: 1, region: {{x: [0, 0.5], y: [0, 0.5]}}}}, material: stone, " \
                   "shape: disk, size: {uniform: [0.1, 0.2]}}"  # fmt: skip
            self.write("rain.yaml", re.sub(r"- \{place.*", pour, PEBBLE))
            process = self.start("check", "rain.yaml")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, OK)
            return usage.ru_maxrss / 1024

        self.assertLess(memory("2e6"), memory("1") + 30)

    def test_a_scene_with_a_mistake(self):
        self.write("bad.yaml", PEBBLE.replace("end: 0.05", "end: -0.05"))
        for command in ("run", "check"):
            self.assert_refuses(command, "bad.yaml", says="bad.yaml:9:13: time.end: is -0.05, must be a number > 0")
        self.write("bad.yaml", PEBBLE.replace("every: 0.01", "every: 0.06"))
        self.assert_refuses("run", "bad.yaml", says="bad.yaml:10:17: output.every: is 0.06, must be a number in [")
        self.write("bad.yaml", PEBBLE.replace("every: 0.01", "every: 0.06").replace("size: 0.1", "size: 0"))
        size, every = self.assert_refuses("check", "bad.yaml").splitlines()
        self.assertEqual(size, "scree: bad.yaml:8:71: particles[0].size: is 0, must be a number > 0 [m]")
        self.assertTrue(every.startswith("bad.yaml:10:17: output.every: is 0.06, must be a number in ["), every)

    def test_a_scene_that_cannot_be_simulated(self):
        fill = "- {fill: {count: 1000, region: {x: [0, 0.5], y: [0, 0.5]}}, material: stone, shape: disk, size: 0.1}"
        self.write("full.yaml", re.sub(r"- \{place.*", fill, PEBBLE))
        for command in ("run", "check"):
            self.assert_refuses(command, "full.yaml", says="full.yaml:8:20: particles[0].fill.count: 1000 grains do not")

    # --- where it writes

    def test_an_earlier_run_is_replaced_by_force_only(self):
        self.scree("run", "pebble.yaml", "--quiet")
        self.assert_refuses("run", "pebble.yaml", says=["out/pebble already contains a run", "--force", "scree resume"])
        self.write("out/pebble/notes.txt", "mine")
        self.write("out/pebble/particles_of_mine.vtp", "mine")
        self.scree("run", "pebble.yaml", "--until", "0.01", "--force", "--quiet")
        self.assert_readable_but_for(self.run_of("out/pebble"), "particles_of_mine.vtp")
        self.assertEqual(len(self.run_of("out/pebble").frames()), 2)
        self.assertEqual((self.here / "out/pebble/notes.txt").read_text(), "mine")

    def assert_readable_but_for(self, run, name):
        file = run.directory / name
        self.assertEqual(file.read_text(), "mine")
        file.unlink()
        self.assert_readable(run)

    def test_what_is_no_run_is_never_touched(self):
        (self.here / "thesis").mkdir()
        for name in ("thesis/chapter.tex", "thesis/series.csv", "thesis/run.json", "thesis/particles_000001.vtp"):
            self.write(name, "{}")
        for force in ([], ["--force"]):
            self.assert_refuses("run", "pebble.yaml", "--output", "thesis", *force, says="thesis contains other files")
            self.assert_refuses("run", "pebble.yaml", "--output", ".", *force, says="directory . contains other files")
            self.assert_refuses("run", "pebble.yaml", "--output", "pebble.yaml", *force, says="pebble.yaml is a file")

    def test_an_empty_directory_will_do(self):
        (self.here / "here").mkdir()
        self.scree("run", "pebble.yaml", "--output", "here", "--quiet")
        self.assert_readable(self.run_of("here"))

    def test_directories_that_cannot_be_made(self):
        self.assert_refuses(
            "run", "pebble.yaml", "--output", "pebble.yaml/out", code=INPUT_OUTPUT,
            says="cannot make the directory pebble.yaml/out: Not a directory",
        )  # fmt: skip
        self.assert_refuses("run", "pebble.yaml", "--output", "/proc/out", code=INPUT_OUTPUT, says="/proc/out: ")

    def test_what_is_written_does_not_tell_where(self):
        """Nor does the place change the state, or where it may be moved to."""
        self.scree("run", "pebble.yaml", "--output", self.here / "elsewhere", "--quiet", "--threads", "1")
        self.scree("run", self.here / "pebble.yaml", "--quiet", "--threads", "1")
        info, other = self.run_of("elsewhere").info, self.run_of("out/pebble").info
        for each in (info, other):
            each.pop("wall_time")
        self.assertEqual(info, other)
        for path in (self.here / "elsewhere").iterdir():
            self.assertNotIn(str(self.here).encode(), path.read_bytes(), path)
        (self.here / "elsewhere").rename(self.here / "moved")
        self.scree("resume", "moved", "--until", "0.1", "--quiet")
        self.assert_readable(self.run_of("moved"))
        self.assertFalse((self.here / "elsewhere").exists())

    # --- resume

    def test_resume_of_what_is_no_run(self):
        (self.here / "empty").mkdir()
        self.assert_refuses("resume", "nosuch", code=INPUT_OUTPUT, says="resume nosuch: there is no such directory")
        self.assert_refuses("resume", "pebble.yaml", code=INPUT_OUTPUT, says="resume pebble.yaml: it is a file")
        self.assert_refuses("resume", "empty", code=INPUT_OUTPUT, says="resume empty: it contains no saved state")

    def test_resume_to_a_time_that_is_over(self):
        self.scree("run", "pebble.yaml", "--until", "0.03", "--quiet")
        for until in ("0.02", "0.03"):
            message = self.assert_refuses("resume", "out/pebble", "--until", until)
            self.assertRegex(message, rf"--until: is {until}, must be a number > 0\.03\d* \[s\], which the run in ")

    def test_a_damaged_state(self):
        self.scree("run", "pebble.yaml", "--quiet")
        state = self.here / "out/pebble/state.scree"
        whole = state.read_bytes()
        (state.parent / "state.previous.scree").unlink()
        middle = len(whole) // 2
        bad_states = {
            "damaged": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "cut off": whole[: len("scree state 8\n") + 3],
            "damaged (its checksum": whole[:-1],
            "not a saved state of scree": whole.replace(b"scree state", b"scree stale", 1),
            "not a saved state": b"",
            "damaged ": whole + b"more",
        }
        for problem, contents in bad_states.items():
            with self.subTest(problem):
                state.write_bytes(contents)
                self.assert_refuses(
                    "resume", "out/pebble", "--until", "1", code=INPUT_OUTPUT,
                    says=["cannot resume from out/pebble/state.scree: ", problem],
                )  # fmt: skip

    # --- scenes at the edge

    def test_a_scene_without_grains(self):
        self.write("empty.yaml", re.sub(r"particles:\n.*\n", "", PEBBLE))
        self.assertIn("particles: 0 at the start", self.scree("check", "empty.yaml").stdout)
        self.assertIn("0 particles, kinetic energy 0 J\ncontacts: 0,", self.scree("run", "empty.yaml").stdout)
        self.assert_readable(self.run_of("out/empty"))
        self.assertEqual(len(self.run_of("out/empty").frames()), 6)

    def test_an_end_before_the_first_step_is_over(self):
        self.scree("run", "pebble.yaml", "--until", "1e-9", "--quiet")
        self.assert_readable(self.run_of("out/pebble"))
        self.assertEqual(self.run_of("out/pebble").info["steps"], 1)
        self.write("short.yaml", PEBBLE.replace("end: 0.05", "end: 1e-9, step: 1e-9").replace("every: 0.01", "every: 1e-9"))
        self.assertIn(" 1 step\n", self.scree("check", "short.yaml").stdout)

    def test_an_automatic_step_with_which_nothing_would_be_simulated(self):
        """It is refused at the key that makes it, and never shortened."""
        for scene, says in (
            (PEBBLE.replace("1e5", "1e-100"), "materials.stone.stiffness: is 1e-100 N/m: with this and particles[0].size (0.1 m), "),
            (PEBBLE.replace("2600", "1e100"), "materials.stone.density: is 1e+100 kg/m^2: with this and "),
            (PEBBLE.replace("every: 0.01", "every: 1e-5"), "s, must be up to output.every, 1e-05 s"),
            (PEBBLE.replace("1e5", "1e100"), "s, must be at least 5e-17 s: 1e-15 of time.end, 0.05 s"),
        ):  # fmt: skip
            self.write("bad.yaml", scene)
            for command in ("check", "run"):
                self.assert_refuses(command, "bad.yaml", says=["bad.yaml:", says])

    def test_output_less_often_than_until(self):
        self.scree("run", "pebble.yaml", "--until", "0.005", "--quiet")
        self.assertEqual(len(self.run_of("out/pebble").frames()), 2)
        self.scree("resume", "out/pebble", "--until", "0.006", "--quiet")
        self.assert_readable(self.run_of("out/pebble"))
        self.assertEqual(len(self.run_of("out/pebble").frames()), 2, "that of 0.005 s is replaced")

    def test_check_tells_what_would_be_done(self):
        self.write("stones.yaml", STONES)
        before = self.tree()
        text = self.scree("check", "stones.yaml").stdout
        self.assertEqual(self.tree(), before, "nothing is written")
        for part in (
            "stones.yaml: a valid scene", "3 at the start", "60 of stone, poured from t = 0 to 0.07867 s",
            "3 of stone, placed at the start, diameter 0.01 m", "shortest contact", "17 frames in out/stones", "kB",
            "run time: about",
        ):  # fmt: skip
            self.assertIn(part, text)

    def test_check_guesses_what_hard_disks_cost(self):
        self.write("gas.yaml", GAS)
        text = self.scree("check", "gas.yaml").stdout
        self.assertRegex(text, r"collisions: about \S+ \w?, \S+ .*per disk and second, .* after a fall through half")
        self.assertRegex(text, r"run time: about .*; a rough estimate")
        self.assertIn("beds at rest: end the run", text)
        self.write("gas.yaml", GAS + "contact: {duration: 1e-5}\n")
        text = self.scree("check", "gas.yaml").stdout
        self.assertRegex(text, r"beds at rest: if all disks rest all the time, about \S+ M collisions")

    def test_disks_that_overlap_are_named_by_their_place(self):
        two = "place: [{position: [0, 0]},\n              {position: [0.01, 0]}]"
        scene = PEBBLE.replace("scree: 1", "scree: 1\nmode: hard").replace("place: [{position: [0, 0]}]", two)
        self.write("two.yaml", scene)
        for command in ("check", "run"):
            self.assert_refuses(
                command, "two.yaml",
                says="two.yaml:10:15: particles[0].place[1]: the disk overlaps particles[0].place[0]",
            )  # fmt: skip

    def test_soft_grains_that_overlap_are_named_by_their_place(self):
        two = "place: [{position: [0, 0]},\n              {position: [0.085, 0]}]"
        self.write("two.yaml", PEBBLE.replace("place: [{position: [0, 0]}]", two))
        problem = "particle 2 overlaps particle 1 (particles[0].place[0]) by 15 % of the smaller one's diameter"
        for command in ("check", "run"):
            self.assert_refuses(command, "two.yaml", says=f"two.yaml:9:15: particles[0].place[1]: {problem}")
        self.write("two.yaml", PEBBLE.replace("place: [{position: [0, 0]}]", two) + "contact: {initial_depth: 0.16}\n")
        self.scree("run", "two.yaml", "--until", "0.001", "--quiet")

    def test_a_domain_too_far_from_the_origin(self):
        self.write("far.yaml", PEBBLE.replace("x: [-1, 1]", "x: [1e13, 10000000000100]").replace("[0, 0]}", "[1e13, 0]}"))
        self.assert_refuses("check", "far.yaml", says=["far.yaml:3:13: domain.x: reaches 1e+13 m, where numbers are "])

    def warnings(self, scene):
        self.write("odd.yaml", scene)
        lines = self.scree("check", "odd.yaml").stdout.splitlines()
        return [line.removeprefix("warning: ") for line in lines if line.startswith("warning: ")]

    def test_check_warns_of_what_is_valid_and_yet_implausible(self):
        self.assertEqual(self.warnings(PEBBLE), [])
        self.assertEqual(self.warnings(STONES), [])
        self.assertEqual(self.warnings(GAS), [])
        falling = STONES.replace("1e7", "1e5")
        for scene, says in (
            (STONES.replace("density: 2600", "density: 2.6"), "materials.stone.density: 2.6 kg/m^2 looks like 2.6 g/cm^3"),
            (PEBBLE.replace("size: 0.1", "size: 1.2"), "particles[0].size: 1.2 m looks like 1.2 mm, which is 0.0012"),
            (STONES.replace("-9.81", "-981"), "gravity: 981 m/s^2 looks like 981 cm/s^2, which is 9.81 m/s^2"),
            (STONES.replace("friction: 0.5", "friction: 30"), "materials.stone.friction: 30 looks like an angle in degrees"),
            (falling, "particles[0]: impacts at up to 1.65 m/s can be too deep"),
            (STONES.replace("end: 0.08", "end: 0.08, step: 1e-4"), "a guard will end the run (exit status 3)"),
            (PEBBLE.replace("end: 0.05", "end: 0.05, step: 1e-3").replace("[0, 0]}", "[0, 0], velocity: [90, 0]}"),
             "time.step: in a step of 0.001 s grains move by up to 0.09 m, farther than the radius"),
        ):  # fmt: skip
            with self.subTest(says):
                self.assertTrue(any(says in warning for warning in self.warnings(scene)), self.warnings(scene))
        periodic = STONES.replace("y: [-0.04, 0.4]}", "y: [-0.04, 0.4], periodic: [x]}")
        says = "walls.floor: is as wide as the periodic domain, and grains that reach over its side sink in there"
        for outline, count in (
            ("box: {x: [-0.09, 0.09], y: [-0.02, 0]}", 0),  # goes on by itself
            ("polygon: [[-0.09, -0.02], [0, -0.03], [0.09, -0.02], [0, 0]]", 1),
            ("polygon: [[-0.11, -0.02], [0, -0.03], [0.11, -0.02], [0, 0]]", 0),
        ):
            told = self.warnings(periodic.replace("box: {x: [-0.04, 0.04], y: [-0.02, 0]}", outline, 1))
            self.assertEqual(sum(says in warning for warning in told), count, told)
        message = self.scree_refuses_restitution()
        self.assertIn("materials.stone.restitution: is 30, must be a number in (0, 1]", message)

    def scree_refuses_restitution(self):
        self.write("odd.yaml", PEBBLE.replace("restitution: 0.3", "restitution: 30"))
        return self.assert_refuses("check", "odd.yaml")

    # --- what it says, and to whom

    def test_the_report_at_the_end(self):
        self.write("stones.yaml", STONES)
        text = self.scree("run", "stones.yaml").stdout
        self.assertRegex(text, r"depth over the smaller grain's diameter.*\n  now [\d.]+ / [\d.]+ / [\d.]+ %, in ")
        lines = text.splitlines()
        self.assertEqual(lines[0], "Stones poured into a box")
        self.assertIn("soft mode: grains that touch overlap a little and push each other apart; 0.08 s", lines[1])
        self.assertRegex(text, r"\nfinished at t = 0\.08\d* s, after [\d.]+ s of computing \(")
        self.assertRegex(text, r"\nenergy balance: closed to within \d")
        self.assertEqual(lines[-1], "written to out/stones; to look at it in a browser: scree replay out/stones")
        self.assertRegex(text, r"placed \d+ of \d+ grains: \d+ are due")
        self.assertRegex(text, r"\d particles left the domain")
        percentiles = self.run_of("out/stones").info["depth_percentiles"]
        self.assertGreater(percentiles["impacts p99"], percentiles["impacts p50"])

    def test_quiet_says_nothing(self):
        done = self.scree("run", "pebble.yaml", "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_closed_streams_do_not_end_up_in_files(self):
        self.scree("run", "pebble.yaml", "--output", "open", "--threads", "1", stdout=subprocess.PIPE)

        def closed():
            default_signals()
            for stream in (0, 1, 2):
                os.close(stream)

        self.scree("run", "pebble.yaml", "--output", "closed", "--threads", "1", before=closed)
        self.assert_readable(self.run_of("closed"))
        for name in ("series.csv", "flow.csv"):
            self.assertEqual(self.run_of("closed").table(name), self.run_of("open").table(name))

    def test_a_reader_that_leaves_does_not_end_the_run(self):
        reading, writing = os.pipe()
        os.close(reading)
        self.scree("run", "pebble.yaml", stdout=writing, stderr=writing)
        os.close(writing)
        self.assertEqual(self.run_of("out/pebble").info["status"], "finished")

    def test_output_that_cannot_be_printed_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for arguments in (["check", "pebble.yaml"], ["--help"]):
            with open("/dev/full", "w") as full:
                message = self.scree(*arguments, code=INPUT_OUTPUT, stdout=full).stderr
            self.assertEqual(message, "scree: cannot write to the standard output\n")

    def test_a_bar_on_a_terminal_that_fits_into_it(self):
        self.write("stones.yaml", STONES)
        least_important_first = {
            120: r"^\[#{24}\] 100 %  t = 0\.09\S* s, \d+ particles, .* particle-steps/s, [\d.]+ s left$",
            60: r"^\[#+\] 100 %  t = 0\.09\S* s, \d+ particles, [\d.]+ s left$",
            36: r"^100 %  t = 0\.09\S* s, [\d.]+ s left$",
            20: r"^100 %, [\d.]+ s left$",
            8: r"^100 %$",
            2: r"^1$",
        }
        if SANITIZED:
            least_important_first = {60: least_important_first[60]}
        for width, last in least_important_first.items():
            with self.subTest(width=width):
                code, text = self.on_terminal(
                    width, "run", "stones.yaml", "--until", "0.09", "--output", f"w{width}"
                )  # fmt: skip
                self.assertEqual(code, OK, text)
                lines = re.findall(r"\r\x1b\[K([^\r\n]*)", text)
                self.assertGreater(len(lines), 0, text)
                self.assertLess(max(map(len, lines)), width)
                self.assertRegex(lines[-1], last)

    def test_ctrl_c_typed_at_a_terminal(self):
        self.write("stones.yaml", STONES)
        code, text = self.on_terminal(80, "run", "stones.yaml", "--until", "1000", stop_at=b" particles, ")
        self.assertEqual(code, INTERRUPTED)
        self.assertIn("to continue: scree resume out/stones", text)
        self.assert_readable(self.run_of("out/stones"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
