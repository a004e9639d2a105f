"""scree diverge: where two runs that should be alike begin to differ, and which body and quantity it is."""

import signal
import struct
import unittest

from scree_process import BAD_INPUT, GAS, INPUT_OUTPUT, INTERRUPTED, OK, PEBBLE, SANITIZED, STONES, AppTest

DIFFERS = 1
STEPS = STONES.replace("time: {end: 0.08}", "time: {end: 0.08, step: 1e-5}")  # 8000
BULLET = 0.8765432109876543  # m/s, of a disk that flies freely: a number that the saved state holds once
FLYING = STEPS.replace("velocity: [1.0, 0]}", f"velocity: [{BULLET}, 0]}}", 1)  # body 5


def next_up(value):
    """The double after a positive one."""
    return struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", value))[0] + 1))[0]


def xxh64(data):
    """XXH64 with seed 0, as its specification gives it (github.com/Cyan4973/xxHash, doc/xxhash_spec.md)."""
    prime = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)
    mask = (1 << 64) - 1

    def turn(x, by):
        return (x << by | x >> 64 - by) & mask

    def add(lane, word):
        return turn(lane + word * prime[1] & mask, 31) * prime[0] & mask

    at = 0
    if len(data) >= 32:
        lanes = [(prime[0] + prime[1]) & mask, prime[1], 0, -prime[0] & mask]
        while at + 32 <= len(data):
            lanes = [add(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        total = sum(turn(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            total = ((total ^ add(0, lane)) * prime[0] + prime[3]) & mask
    else:
        total = prime[4]
    total = (total + len(data)) & mask
    while at + 8 <= len(data):
        total = (turn(total ^ add(0, struct.unpack_from("<Q", data, at)[0]), 27) * prime[0] + prime[3]) & mask
        at += 8
    if at + 4 <= len(data):
        total = (turn(total ^ struct.unpack_from("<I", data, at)[0] * prime[0] & mask, 23) * prime[1] + prime[2]) & mask
        at += 4
    for byte in data[at:]:
        total = turn(total ^ byte * prime[4] & mask, 11) * prime[0] & mask
    for by, factor in ((33, prime[1]), (29, prime[2]), (32, 1)):
        total = (total ^ total >> by) * factor & mask
    return total


class Divergence(AppTest):
    def run_scene(self, name, text, *arguments):
        self.write(f"{name}.yaml", text)
        self.scree("run", f"{name}.yaml", "--output", name, "--quiet", *arguments)

    def diverge(self, *arguments, code=DIFFERS):
        done = self.scree("diverge", *arguments, code=code)
        if code in (OK, DIFFERS):
            return done.stdout
        self.assertEqual(done.stdout, "")
        return done.stderr

    def patch(self, directory, value, other):
        """Another number in a saved state, whose checksum is made right again."""
        file = self.here / directory / "state.scree"
        data = file.read_bytes()
        head = data.index(b"\n") + 1
        self.assertEqual(struct.unpack_from("<Q", data, head)[0], xxh64(data[head + 8 :]))
        self.assertEqual(data.count(struct.pack("<d", value)), 1)
        body = data[head + 8 :].replace(struct.pack("<d", value), struct.pack("<d", other))
        file.write_bytes(data[:head] + struct.pack("<Q", xxh64(body)) + body)

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_runs_that_are_alike(self):
        self.run_scene("one", STEPS, "--threads", 1)
        self.run_scene("four", STEPS.replace("every: 0.005", "every: 0.0017"), "--threads", 4)
        said = self.diverge("one", "four", code=OK)
        self.assertRegex(said, r"^no difference in 8000 steps, to t = 0\.08\d* s: 9 common rows")
        self.run_scene("gas", GAS, "--until", 1)
        strips = GAS.replace("every: 0.125", "every: 0.25") + "broadphase: sorted_strips\n"
        self.run_scene("strips", strips, "--until", 1)
        said = self.diverge("gas", "strips", code=OK)
        self.assertRegex(said, r"^no difference in \d{4,} changes of velocity, to t = 1 s: 5 common rows")

    def test_one_particle_that_begins_elsewhere(self):
        self.run_scene("stones", STEPS)
        self.run_scene("moved", STEPS.replace("[0.075, 0.30]", f"[{next_up(0.075)}, 0.30]"))
        said = self.diverge("stones", "moved", "--quiet")
        self.assertIn("differ from step 0 (t = 0 s) on", said)
        self.assertIn(f"  body 5: position x is 0.075 in stones, {next_up(0.075)} in moved\n", said)
        self.assertIn("in all 1 value of 1 body\n", said)
        self.assertIn("position of body 5 alone", self.diverge("stones", "moved", "--no-repeat"))

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_a_material_that_matters_when_it_is_needed(self):
        # The first step is known: the one after which a contact that slides has another force.
        slightly = STEPS.replace("friction: 0.5", f"friction: {next_up(0.5)}")
        self.run_scene("stones", STEPS)
        self.run_scene("rough", slightly)
        said = self.diverge("stones", "rough")
        step = int(said.split("differ from step ")[1].split()[0])
        self.assertGreater(step, 100)
        self.assertRegex(said, r"  bod\w+ \d+\S*( with body \d+)?: (velocity|acceleration) \w+ is ")
        for name, text in (("stones", STEPS), ("rough", slightly)):
            for part, until in (("before", (step - 1) * 1e-5), ("after", step * 1e-5)):
                self.run_scene(f"{name}_{part}", text, "--until", until)
        self.assertIn(f"no difference in {step - 1} steps", self.diverge("stones_before", "rough_before", code=OK))
        self.assertIn(f"not at step {step} ", self.diverge("stones_after", "rough_after", "--no-repeat"))

    def test_hard_disks(self):
        self.run_scene("gas", GAS, "--until", 1)
        self.run_scene("rough", GAS.replace("friction: 0.1", f"friction: {next_up(0.1)}"), "--until", 1)
        said = self.diverge("gas", "rough")
        self.assertRegex(said, r"they are the same at t = 0 s .*, not at t = 0\.125 s")
        self.assertRegex(said, r"they differ from t = 0\.\d+ s \(\d+ changes of velocity\) on:\n  body \d+: velocity ")
        self.assertRegex(said, r"in all \d value\w* of 2 bodies\n")

    def test_a_saved_state_that_was_changed(self):
        self.run_scene("parts", FLYING, "--until", 0.01234)
        self.patch("parts", BULLET, next_up(BULLET))
        before = self.tree()
        said = self.scree("resume", "parts", "--until", 0.03, "--quiet", code=INPUT_OUTPUT).stderr
        self.assertIn("cannot resume from parts/state.scree: its values are not those that this version of scree", said)
        self.assertEqual(self.tree(), before, "nothing is written")

    def test_a_run_of_another_build(self):
        """As if a processor had erred there, or another build had made it."""
        self.run_scene("whole", STEPS, "--until", 0.03)
        self.run_scene("parts", STEPS, "--until", 0.03)
        table = self.here / "parts/hashes.csv"
        rows = table.read_text().split("\n")
        at = rows[0].split(",").index("velocity")
        for k in (2, 3):
            cells = rows[k].split(",")
            for column in (at, at + 1):  # of body 1 alone: both sums change alike
                cells[column] = f"{(int(cells[column], 16) + 1) % 2**64:016x}"
            rows[k] = ",".join(cells)
        table.write_text("\n".join(rows))
        said = self.diverge("whole", "parts")
        self.assertIn("parts is not what this program makes of its scene: another build made it", said)
        self.assertIn("parts differs at step 1000 (t = 0.01 s), and at none of its rows before that, in\n"
                      "  velocity of body 1 alone\n", said)  # fmt: skip

    def test_a_run_that_was_killed_and_resumed_is_alike(self):
        self.run_scene("whole", STEPS)
        process = self.start("run", "whole.yaml", "--output", "killed")
        hashes = self.here / "killed/hashes.csv"
        self.wait_until(lambda: hashes.exists() and hashes.read_text().count("\n") >= 4, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with hashes.open("a") as table:
            table.write("0.0799,7990,00")  # cut off, and later than what was saved
        self.scree("resume", "killed", "--quiet")
        self.assertIn("no difference in 8000 steps", self.diverge("whole", "killed", code=OK))
        self.assertEqual(self.run_of("killed").table("hashes.csv"), self.run_of("whole").table("hashes.csv"))

    @unittest.skipIf(SANITIZED, "its code runs in others, too")
    def test_a_run_that_was_interrupted_and_resumed_is_alike(self):
        self.run_scene("whole", STEPS)
        process = self.start("run", "whole.yaml", "--output", "parts")
        self.wait_until((self.here / "parts/hashes.csv").exists, process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), INTERRUPTED)
        self.scree("resume", "parts", "--quiet")
        self.assertIn("no difference in 8000 steps", self.diverge("whole", "parts", code=OK))

    def test_force_replaces_the_table(self):
        self.run_scene("one", STEPS)
        self.write("pebble.yaml", PEBBLE)
        self.scree("run", "pebble.yaml", "--output", "one", "--force", "--quiet")
        self.scree("run", "pebble.yaml", "--output", "two", "--quiet")
        self.assertEqual(self.run_of("one").table("hashes.csv"), self.run_of("two").table("hashes.csv"))

    def test_what_cannot_be_compared(self):
        self.write("pebble.yaml", PEBBLE)
        self.scree("run", "pebble.yaml", "--output", "pebble", "--quiet")
        self.run_scene("gas", GAS, "--until", 0.1)
        self.run_scene("longer_steps", PEBBLE.replace("end: 0.05", "end: 0.05, step: 1e-4"))
        self.run_scene("two", PEBBLE.replace("{position: [0, 0]}", "{position: [0, 0]}, {position: [0.5, 0]}"))
        (self.here / "empty").mkdir()
        before = self.tree()
        for directory, why in (("nowhere", "there is no such directory"), ("pebble.yaml", "it is a file"),
                               ("empty", "it holds no hashes of states, hashes.csv")):  # fmt: skip
            said = self.diverge("pebble", directory, code=INPUT_OUTPUT)
            self.assertIn(f"cannot compare {directory}: {why}; needed: the output directory of a run", said)
        for directory, why in (("gas", "are runs of different modes, soft and hard; needed: two of one mode"),
                               ("longer_steps", "needed: runs with the same step"),
                               ("two", "do not begin with the same bodies; needed: runs of")):  # fmt: skip
            self.assertIn(why, self.diverge("pebble", directory, code=BAD_INPUT), directory)
        self.assertEqual(self.tree(), before, "nothing is written")
        rows = (self.here / "gas/hashes.csv").read_text().splitlines(keepends=True)
        (self.here / "gas/hashes.csv").write_text(rows[0])
        self.assertIn("have no common row in hashes.csv; needed", self.diverge("gas", "gas", code=BAD_INPUT))


if __name__ == "__main__":
    unittest.main(verbosity=2)
