"""The examples' first moments: they run, and the books balance in every row. And the numbers that their headers give:
each is read from the header and compared with a run. Numbers of runs that take longer than some seconds are not tested
here; their headers name the command that prints them."""

import csv
import itertools
import math
import pathlib
import re
import struct
import unittest

from scree_process import AppTest, arrays_of

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCENES = sorted(EXAMPLES.glob("**/*.yaml"))


def is_hard(scene):
    return re.search("^mode: hard", scene.read_text(), re.MULTILINE)


def header(scene):
    """The comment at the beginning of a scene, in one line."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), scene.read_text().splitlines())
    return " ".join(line.removeprefix("#").strip() for line in lines)


def mean(rows, column):
    return sum(float(row[column]) for row in rows) / len(rows)


class Examples(AppTest):
    def table(self, scene, name):
        with open(self.here / scene.stem / name, newline="") as file:
            return list(csv.DictReader(file))

    def run_until(self, scene, until):
        self.scree("run", scene, "--until", until, "--output", scene.stem, "--quiet", "--force")
        return self.table(scene, "series.csv")

    def check_balance(self, rows, rounding):
        self.assertGreater(len(rows), 1)
        self.assertGreater(float(rows[-1]["energy_throughput [J]"]), 0.0)
        for row in rows:
            self.assertLess(abs(float(row["energy_residual"])), rounding, row["time [s]"])

    def test_soft_grains_balance(self):
        soft = [scene for scene in SCENES if not is_hard(scene)]
        self.assertGreaterEqual(len(soft), 3)
        for scene in soft:
            with self.subTest(scene.name):
                self.check_balance(self.run_until(scene, 0.1), 1e-3)

    def test_a_press_holds_its_stress(self):
        self.scree("run", EXAMPLES / "press.yaml", "--output", "press", "--quiet")
        lid = [row for row in self.table(pathlib.Path("press"), "drives.csv") if float(row["time [s]"]) > 0.45]
        self.assertGreater(len(lid), 10)
        for row in lid:
            self.assertEqual(float(row["length [m]"]), 0.2)
            self.assertLess(abs(float(row["stress [N/m]"]) - 2000), 0.5)
        work = float(self.table(pathlib.Path("press"), "series.csv")[-1]["wall_work [J]"])
        self.assertLess(abs(float(lid[-1]["work [J]"]) - work), 1e-6)

    def test_gravel_in_a_cell_is_sheared_under_its_stress(self):
        scene = EXAMPLES / "periodic_shear.yaml"
        # So many samples that their means are those in time, to 0.3 N/m (with half as many to 1.3 N/m).
        self.scree("run", scene, "--set", "output.every=0.001", "--threads", "1", "--output", scene.stem, "--quiet")
        rows = [row for row in self.table(scene, "cell.csv") if float(row["strain_xy"]) >= 0.5]
        change = {name: float(rows[-1][name]) - float(rows[0][name]) for name in ("strain_xy", "work [J]")}
        self.assertAlmostEqual(change["strain_xy"], 2, delta=0.03)
        area = sum(float(row["length_x [m]"]) * float(row["length_y [m]"]) for row in rows) / len(rows)
        work = change["work [J]"] / (area * change["strain_xy"])
        stress = -mean(rows, "stress_xy [N/m]")
        self.assertEqual(self.stated(scene, r"work of ([0-9.]+) N/m"), [round(work)])
        self.assertEqual(self.stated(scene, r"stress is ([0-9.]+) N/m, ([0-9.]+) of"), [round(stress), round(stress / 1000, 2)])
        self.assertLess(abs(mean(rows, "stress_yy [N/m]") / 1000 - 1), 0.04)
        (damping,) = self.stated(scene, r"damping of the height takes ([0-9.]+)")
        powers = [float(row["stress_yy [N/m]"]) * float(row["rate_yy [1/s]"]) for row in rows]
        self.assertEqual(round(sum(powers) / len(powers) / 2), damping)
        self.assertAlmostEqual(work + damping, stress, delta=1)
        self.check_balance(self.table(scene, "series.csv"), 1e-3)

    def test_a_gas_in_steady_shear_has_the_stress_and_energy_of_its_header(self):
        scene = EXAMPLES / "sheared_gas.yaml"
        self.scree("run", scene, "--output", scene.stem, "--quiet")
        cell = [row for row in self.table(scene, "cell.csv") if float(row["strain_xy"]) > 19.9]
        change = {name: float(cell[-1][name]) - float(cell[0][name]) for name in ("strain_xy", "work [J]")}
        self.assertAlmostEqual(change["strain_xy"], 80, delta=0.01)
        stress = change["work [J]"] / (0.12 * change["strain_xy"])
        series = self.table(scene, "series.csv")
        energy = mean([row for row in series if float(row["time [s]"]) > 0.999], "kinetic_energy [J]")
        self.assertEqual(self.stated(scene, r"mean shear stress is ([0-9.]+) N/m"), [round(stress, 1)])
        self.assertEqual(self.stated(scene, r"kinetic energy ([0-9.]+) J"), [round(energy, 1)])
        theory = self.stated(scene, r"has ([0-9.]+) N/m and ([0-9.]+) J")
        self.assertLess(abs(stress / theory[0] - 1), 0.1)
        self.assertLess(abs(energy / theory[1] - 1), 0.1)
        self.check_balance(series, 1e-9)

    def test_a_gas_that_kicks_keep_alive_has_the_energy_of_its_header(self):
        scene = EXAMPLES / "driven_gas.yaml"
        self.scree("run", scene, "--output", scene.stem, "--quiet")
        series = self.table(scene, "series.csv")
        steady = [row for row in series if float(row["time [s]"]) > 1.999]
        (found,) = self.stated(scene, r"mean of kinetic_energy over the last 8 s is ([0-9.]+) J")
        (theory,) = self.stated(scene, r"by theory ([0-9.]+) J")
        self.assertEqual(round(mean(steady, "kinetic_energy [J]"), 3), found)
        self.assertTrue(1 < found / theory < 1.2)
        self.check_balance(series, 1e-9)
        (in_soft_mode,) = self.stated(scene, r"of the ball it is ([0-9.]+) J")
        soft = scene.read_text().replace("mode: hard", "mode: soft").replace("restitution: 0.8", "restitution: 0.8, stiffness: 1e4")
        self.write("soft.yaml", soft)
        self.scree("run", "soft.yaml", "--output", "soft", "--quiet")
        steady = [row for row in self.table(pathlib.Path("soft.yaml"), "series.csv") if float(row["time [s]"]) > 1.999]
        self.assertEqual(round(mean(steady, "kinetic_energy [J]"), 3), in_soft_mode)

    def test_triangles_between_a_hot_and_a_cold_side_have_the_temperatures_of_their_header(self):
        scene = EXAMPLES / "hot_and_cold.yaml"
        self.scree("run", scene, "--output", scene.stem, "--quiet")
        moving, turning = self.stated(scene, r"is ([0-9.e-]+) J of translation and ([0-9.e-]+) J of rotation")
        measured = self.table(scene, "measure.csv")
        for name, found in (("temperature [J]", moving), ("rotational_temperature [J]", turning)):
            self.assertEqual(round(mean(measured, name), 6), found)
        self.assertLess(abs(turning / moving - 1), 0.03)
        self.check_balance(self.table(scene, "series.csv"), 1e-9)

    def test_a_bed_that_is_tapped_sinks_as_its_header_says(self):
        scene = EXAMPLES / "tapped_bed.yaml"
        self.scree("run", scene, "--output", scene.stem, "--quiet", "--until", "2.41")
        series = self.table(scene, "series.csv")
        weight, before, after = self.stated(scene, r"weight, ([0-9.]+) N: ([0-9.]+) mm before the first tap, ([0-9.]+) mm after five")
        for time, height in ((0.91, before), (2.41, after)):
            last = [row for row in series if float(row["time [s]"]) < time][-1]
            self.assertEqual(round(1000 * float(last["potential_energy [J]"]) / weight, 1), height)
        self.check_balance(series, 1e-3)

    def test_beads_that_grow_between_walls_have_the_contacts_of_their_header(self):
        scene = EXAMPLES / "growing_beads.yaml"
        self.scree("run", scene, "--output", scene.stem, "--quiet")
        bearing, all_of_them, contacts, least = self.stated(
            scene, r"that (\d+) of (\d+) disks bear load, with (\d+) contacts; (\d+) are the fewest"
        )
        last = self.table(scene, "series.csv")[-1]
        self.assertEqual((float(last["contacts"]), float(last["particles"])), (contacts, all_of_them))
        self.assertEqual(2 * bearing + 1, least)
        coordination = list(self.run_of(scene.stem).frames())[-1][1]
        found = arrays_of(coordination)["coordination"]
        self.assertEqual(sum(z > 0 for z in struct.unpack(f"<{len(found) // 4}i", found)), bearing)

    def whole(self, scene):
        """Of a whole run: its frames as (time, arrays of numbers)."""
        self.scree("run", scene, "--output", scene.stem, "--quiet")
        for time, file in self.run_of(scene.stem).frames():
            arrays = arrays_of(file)
            names = ("centroid", "velocity", "mass", "angle")
            yield time, {name: struct.unpack(f"<{len(arrays[name]) // 4}f", arrays[name]) for name in names}

    def test_a_column_runs_out(self):
        scene = EXAMPLES / "column_collapse.yaml"
        frames = list(self.whole(scene))
        info = self.run_of(scene.stem).info
        begin = info["stages"][1]["begin"]
        high, ratio = self.stated(scene, r"is ([0-9.]+) m high, ([0-9.]+) times as high as wide")
        settled = max(next(grains for time, grains in frames if time >= begin)["centroid"][1::3])
        self.assertAlmostEqual(settled, high, delta=0.001)
        self.assertEqual(round(settled / 0.1, 1), ratio)
        after, low, front, widths, farthest = self.stated(
            scene, r"([0-9.]+) s after .* rest: ([0-9.]+) m high, .* within ([0-9.]+) m, .* by ([0-9.]+) of .* to ([0-9.]+) m"
        )
        self.assertAlmostEqual(info["end_time"] - begin, after, delta=0.005)
        end = frames[-1][1]["centroid"]
        x = sorted(end[0::3])
        self.assertAlmostEqual(max(end[1::3]), low, delta=0.0005)
        self.assertAlmostEqual(x[int(0.98 * len(x))], front, delta=0.003)
        self.assertEqual(round(front / 0.1 - 1, 1), widths)
        self.assertAlmostEqual(x[-1], farthest, delta=0.0005)
        self.assertGreater(x[0], 0)  # none has gone through the wall or the floor
        self.assertGreater(min(end[1::3]), 0)

    def test_grains_on_a_table_slide_as_a_block_does(self):
        scene = EXAMPLES / "avalanche.yaml"
        frames = list(self.whole(scene))
        begin = self.run_of(scene.stem).info["stages"][1]["begin"]
        rows = re.findall(r"time: ([0-9.]+), gravity: \[([0-9.]+)(?: \* g)?, (-[0-9.]*)(?: \* )?g\]", scene.read_text())
        table = [(float(t), 9.81 * float(x), 9.81 * (1 if y == "-" else -float(y))) for t, x, y in rows]
        self.assertEqual(len(table), 5)

        def gravity(time):
            (a, ax, ay), (b, bx, by) = next((p, q) for p, q in zip(table, table[1:]) if p[0] <= time <= q[0])
            share = (time - a) / (b - a)
            return ax + share * (bx - ax), ay + share * (by - ay)

        def velocity(time):
            """Of all grains, and when that is, since the tilt began."""
            when, grains = next(frame for frame in frames if frame[0] - begin >= time)
            mass = grains["mass"]
            return sum(m * v for m, v in zip(mass, grains["velocity"][0::3])) / sum(mass), when - begin

        first, last, gain, within = self.stated(
            scene, r"between ([0-9.]+) and ([0-9.]+) degrees they gain ([0-9.]+) m/s, .* to within ([0-9.]+) %"
        )
        (slow, start), (fast, end) = velocity(first / 15), velocity(last / 15)
        parts = 1000
        way = (end - start) / parts
        pulls = [gravity(start + (k + 0.5) * way) for k in range(parts)]
        expected = sum(x - 0.4 * y for x, y in pulls) * way
        self.assertEqual(round(expected, 1), gain)
        self.assertAlmostEqual((fast - slow) / expected, 1, delta=within / 100)
        self.assertEqual(self.stated(scene, r"arctan\(0.4\) = ([0-9.]+)"), [round(math.degrees(math.atan(0.4)), 1)])
        self.assertLess(velocity(20 / 15)[0], 0.05)

    def test_hard_disks_collide_and_balance(self):
        hard = [scene for scene in SCENES if is_hard(scene)]
        self.assertGreaterEqual(len(hard), 8)
        for scene in hard:
            with self.subTest(scene.name):
                until = 0.9 if scene.stem == "break" else 0.2  # the cue ball comes first at 0.82 s
                exact = "arithmetic: exact" in scene.read_text()  # velocities are rounded to whole numbers
                self.check_balance(self.run_until(scene, until), 1e-7 if exact else 1e-12)
                self.assertGreater(self.run_of(scene.stem).info["events"]["collisions"], 10)

    def stated(self, scene, pattern):
        """The numbers that the header of a scene gives in words like these."""
        found = re.search(pattern, header(scene))
        self.assertTrue(found, f"{scene.name} has no '{pattern}'")
        return [float(number) for number in found.groups()]

    def variant(self, scene, *changes):
        """A copy of the scene with other values."""
        text = scene.read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write(scene.name, text)

    def measured(self, scene, until, *changes):
        """Runs the scene, with hardly a frame: they take most of the time. Measures as often as the scene does."""
        text = scene.read_text()
        every = re.search(r"output: {every: ([0-9.]+)}", text)[1]
        changes += ((f"output: {{every: {every}}}", f"output: {{every: {until}}}"),)
        if "measure: {every" not in text:
            changes += (("measure: {", f"measure: {{every: {every}, "),)
        quick = self.variant(scene, *changes)
        self.run_until(quick, until)
        return quick

    def at(self, rows, time):
        """The row of a time."""
        return next(row for row in rows if abs(float(row["time [s]"]) - time) < 1e-9)

    def test_time_reversal_leads_back(self):
        scene = EXAMPLES / "time_reversal.yaml"
        self.measured(scene, 4)
        rows = self.table(scene, "mean_square_displacement.csv")
        ways = [float(row["mean_square_displacement [m^2]"]) for row in rows]
        farthest, at_end = self.stated(scene, r"distance from the start: ([0-9.]+) m\^2 at most, and (\S+) m\^2 at the end")
        self.assertAlmostEqual(max(ways), farthest, delta=0.005)
        self.assertLess(abs(math.log10(ways[-1] / at_end)), 0.5)
        for there, back in zip(ways, reversed(ways[:-1])):
            self.assertAlmostEqual(there, back, delta=1e-6)
        (collisions,) = self.stated(scene, r"amplified by (\d+) collisions per disk")
        self.assertAlmostEqual(2 * self.run_of(scene.stem).info["events"]["collisions"] / 100, collisions, delta=5)

        def end(until, *changes):
            other = self.measured(scene, until, *changes)
            last = self.table(other, "mean_square_displacement.csv")[-1]
            return math.sqrt(float(last["mean_square_displacement [m^2]"]))

        self.assertIn("With `end: 6, reverse: 3` half a millimetre remains; with `end: 8, reverse: 4`", header(scene))
        self.assertAlmostEqual(end(6, ("end: 4, reverse: 2", "end: 6, reverse: 3")), 0.5e-3, delta=0.2e-3)
        self.assertGreater(end(8, ("end: 4, reverse: 2", "end: 8, reverse: 4")), 0.1)
        self.assertIn("With `end: 4, reverse: 2` and `restitution: 0.99` they miss it", header(scene))
        self.assertGreater(end(4, ("restitution: 1", "restitution: 0.99")), 0.1)

    def test_diffusion_is_as_fast_as_kinetic_theory_says_or_a_little_faster(self):
        scene = EXAMPLES / "diffusion.yaml"
        mass = 1000 * math.pi * 0.005**2
        self.assertEqual(self.stated(scene, "m = ([0-9.]+) kg"), [round(mass, 4)])

        def measured_and_theory(*changes):
            self.measured(scene, 20, *changes)
            gas = self.table(scene, "measure.csv")
            enskog = mean(gas, "temperature [J]") / (mass * mean(gas, "collision_rate [1/s]"))
            last = {key: float(value) for key, value in self.table(scene, "mean_square_displacement.csv")[-1].items()}
            drift = last["displacement_x [m]"] ** 2 + last["displacement_y [m]"] ** 2
            return (last["mean_square_displacement [m^2]"] - drift) / (4 * (last["time [s]"] - 1)), enskog

        measured, enskog = measured_and_theory()
        self.assertEqual(self.stated(scene, r"kg: ([0-9.]+) m\^2/s\."), [round(enskog, 4)])
        self.assertEqual(self.stated(scene, r"until 20 s: ([0-9.]+) m\^2/s"), [round(measured, 4)])
        rate = mean(self.table(scene, "measure.csv"), "collision_rate [1/s]")
        self.assertEqual(self.stated(scene, r"collides (\d+) times per second"), [round(rate)])
        self.assertEqual(self.stated(scene, r"(\d+) % of the orange ones"), [round(self.orange_on_the_left(scene, 3))])

        least, greatest = self.stated(scene, r"([0-9.]+) to ([0-9.]+) times the theoretical value with eight seeds")
        ratios = []
        for seed in range(1, 9):
            measured, enskog = measured_and_theory(("mode: hard\n", f"mode: hard\nseed: {seed}\n"))
            ratios.append(measured / enskog)
        self.assertEqual([round(min(ratios), 2), round(max(ratios), 2)], [least, greatest])

    def orange_on_the_left(self, scene, time):
        """Per cent of the first group with x below the middle."""
        self.measured(scene, time)
        arrays = arrays_of(self.run_of(scene.stem).frames()[-1][1])
        types = struct.unpack(f"<{len(arrays['type']) // 4}i", arrays["type"])
        points = next(data for name, data in arrays.items() if len(data) == len(types) * 36 * 12)
        numbers = struct.unpack(f"<{len(points) // 4}f", points)
        middles = [sum(numbers[108 * k : 108 * (k + 1) : 3]) / 36 for k in range(len(types))]
        orange = [x for x, kind in zip(middles, types) if kind == 0]
        return 100 * sum(x < 0.6 for x in orange) / len(orange)

    def test_free_paths_are_those_of_kinetic_theory(self):
        scene = EXAMPLES / "free_path.yaml"
        stated_path, density, diameter = self.stated(
            scene, r"is ([0-9.]+) m, as in .* with n = (\d+) disks per m\^2 of diameter d = ([0-9.]+) m"
        )
        chi, eta = self.stated(scene, r"\^2 = ([0-9.]+) at the packing fraction eta = ([0-9.]+)\.")
        self.assertEqual(eta, round(density * math.pi * diameter**2 / 4, 3))
        eta = density * math.pi * diameter**2 / 4
        self.assertEqual(chi, round((1 - 7 / 16 * eta) / (1 - eta) ** 2, 2))
        expected = 1 / (2 * math.sqrt(2) * density * diameter * chi)
        self.assertAlmostEqual(expected, stated_path, delta=0.0001)

        def path_and_rate(*changes):
            self.measured(scene, 5, *changes)
            gas = self.table(scene, "measure.csv")
            rate = mean(gas, "collision_rate [1/s]")
            return mean(gas, "mean_speed [m/s]") / rate, rate

        hot, hot_rate = path_and_rate(("jitter: 0.5", "jitter: 1"))
        path, rate = path_and_rate()
        self.assertAlmostEqual(path, expected, delta=0.01 * expected)
        self.assertAlmostEqual(hot, expected, delta=0.01 * expected)
        self.assertAlmostEqual(hot_rate / rate, 2, delta=0.05)
        bins = self.table(scene, "free_paths.csv")
        flights = [float(row["flights"]) for row in bins]
        middles = [0.5 * (float(row["from [m]"]) + float(row["to [m]"])) for row in bins]
        path = sum(n * x for n, x in zip(flights, middles)) / sum(flights)
        self.assertAlmostEqual(path, expected, delta=0.02 * expected)
        (stated_ratio,) = self.stated(scene, r"rms velocity over the path is ([0-9.]+) times the collision rate")
        self.assertEqual(stated_ratio, round(2 / math.sqrt(math.pi), 2))
        end = self.table(scene, "series.csv")[-1]
        mass = 1000 * math.pi * diameter**2 / 4 * float(end["particles"])
        rms = math.sqrt(2 * float(end["kinetic_energy [J]"]) / mass)
        self.assertAlmostEqual(rms / path / rate, stated_ratio, delta=0.02 * stated_ratio)

    def test_energy_of_one_disk_becomes_a_temperature(self):
        scene = EXAMPLES / "maxwell_boltzmann.yaml"
        self.measured(scene, 20)
        expected = 1000 * math.pi * 0.01**2 * (20**2 + 3**2) / 2 / 400
        temperature, tolerance = [
            self.stated(scene, pattern)[0] for pattern in (r"m v\^2 / 2 N = ([0-9.]+) J", r", to ([0-9.]+)\.")
        ]
        self.assertAlmostEqual(expected, temperature, delta=0.0005)
        gas = self.table(scene, "measure.csv")
        self.assertAlmostEqual(mean(gas, "temperature [J]"), expected, delta=0.01 * expected)
        at_rest, collisions = self.stated(scene, r"hits (\d+) disks at rest. After (\d+) collisions per disk")
        self.assertEqual(self.table(scene, "series.csv")[0]["particles"], str(int(at_rest) + 1))
        measured_from = 4
        self.assertAlmostEqual(measured_from * mean(gas, "collision_rate [1/s]"), collisions, delta=0.1 * collisions)
        for row in self.table(scene, "velocity_distribution.csv"):
            c = float(row["velocity"])
            normal = math.exp(-(c**2) / 2) / math.sqrt(2 * math.pi)
            self.assertAlmostEqual(float(row["density_x"]), normal, delta=tolerance)
            self.assertAlmostEqual(float(row["density_y"]), normal, delta=tolerance)
            self.assertAlmostEqual(float(row["speed_density"]), max(c, 0) * math.exp(-(c**2) / 2), delta=tolerance)

    def test_a_gas_passes_through_a_slit(self):
        scene = EXAMPLES / "slit.yaml"
        self.measured(scene, 40)
        left = self.table(scene, "measure.csv")
        disks, after_20, after_40, in_the_end = (
            self.stated(scene, r"a gas of (\d+) disks")
            + self.stated(scene, r"(\d+) particles after 20 s, (\d+) after 40 s, (\d+) in the long run")
        )
        self.assertEqual(int(self.table(scene, "series.csv")[0]["particles"]), disks)
        self.assertEqual(int(self.at(left, 20)["particles"]), after_20)
        self.assertEqual(int(self.at(left, 40)["particles"]), after_40)
        self.assertEqual(in_the_end, disks / 2)
        temperatures = [float(row["temperature [J]"]) for row in left]
        coldest = round(100 * min(temperatures) / temperatures[0])
        self.assertEqual(self.stated(scene, r"cools to (\d+) % of its temperature"), [coldest])
        self.assertGreater(temperatures[-1], 1.05 * min(temperatures))

    def test_a_gas_keeps_its_energy(self):
        scene = EXAMPLES / "gas.yaml"
        self.measured(scene, 4)
        energies = [float(row["kinetic_energy [J]"]) for row in self.table(scene, "series.csv")]
        (digits,) = self.stated(scene, r"is constant to about (\d+) digits")
        self.assertLess(max(abs(energy / energies[0] - 1) for energy in energies), 10 ** (0.5 - digits))

    def test_pentagons_jam_as_densely_as_their_header_says(self):
        told = float(re.search(r"packing fraction of about (0\.\d+)", header(EXAMPLES / "jammed_pentagons.yaml"))[1])
        done = self.scree("run", EXAMPLES / "jammed_pentagons.yaml", "--output", "jammed_pentagons")
        bearing, contacts = map(int, re.search(r"(\d+) of 400 grains bear load, with (\d+) contacts", done.stdout).groups())
        self.assertGreater(bearing, 360)
        self.assertLess(abs(contacts / (3 * bearing - 1) - 1), 0.1)
        last = self.table(pathlib.Path("jammed_pentagons"), "series.csv")[-1]
        self.assertLess(abs(float(last["packing_fraction"]) - told), 0.015)
        self.assertLess(abs(float(last["energy_residual"])), 1e-12)

    def test_a_contact_duration_is_a_fifth_of_the_contact_time(self):
        scene = EXAMPLES / "sedimenting.yaml"
        self.assertIn("contact.duration is a fifth of the contact time", header(scene))
        mass = 1000 * math.pi * (0.017 / 2) ** 2
        self.assertAlmostEqual(1e-4 / (math.pi * math.sqrt(mass / 2 / 4e6)), 0.2, delta=0.02)


if __name__ == "__main__":
    unittest.main(verbosity=2)
