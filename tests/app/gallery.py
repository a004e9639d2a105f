"""Scenes of examples/ that are compared with a closed form: the numbers that their headers give, and those of the runs."""

import itertools
import math
import re
import statistics
import struct
import unittest

from domino_wave import Row
from examples import EXAMPLES, header
from scree_process import AppTest, arrays_of


def stated(scene, pattern):
    """The numbers that the header of a scene gives in words like these."""
    found = re.search(pattern, header(scene))
    assert found, f"{scene.name} has no '{pattern}'"
    return [float(number) for number in found.groups()]


class Gallery(AppTest):
    def run_scene(self, scene, *settings, until=None):
        """Runs a scene with other values; where it wrote."""
        name = "_".join([scene.stem, *(re.sub("[^a-z0-9.]", "", s) for s in settings)])
        options = [word for s in settings for word in ("--set", s)] + (["--until", until] if until else [])
        self.scree("run", scene, *options, "--output", name, "--quiet")
        return self.run_of(name)

    def rows(self, run, name):
        names, *rows = run.table(name)
        names = [n.split(" [")[0] for n in names]
        return [{n: float(v) for n, v in zip(names, row) if v} for row in rows]

    def grains(self, run):
        """Of each frame its time, and arrays by name, of numbers."""
        for time, file in run.frames():
            arrays = arrays_of(file)
            names = ("centroid", "velocity", "angular_velocity", "mass", "angle", "radius")
            yield time, {name: struct.unpack(f"<{len(arrays[name]) // 4}f", arrays[name]) for name in names}

    def test_a_stack_stands_or_falls_as_far_as_it_reaches(self):
        scene = EXAMPLES / "overhang.yaml"
        (lengths,) = stated(scene, r"together ([0-9.]+) lengths")
        self.assertAlmostEqual(sum(1 / k for k in range(1, 6)) / 2, lengths, delta=0.005)
        stands, falls = stated(scene, r"With ([0-9.]+) of that the stack stands; with ([0-9.]+) it falls")
        self.assertEqual((stands, falls), (0.99, 1.01))
        moved, reaches = [], []
        for share in (stands, falls):
            frames = [grains["centroid"] for _, grains in self.grains(self.run_scene(scene, f"share={share:g}", until=0.6))]
            moved.append([math.dist(frames[0][k : k + 2], frames[-1][k : k + 2]) for k in range(0, 15, 3)])
            reaches.append(frames[0][12] + 0.05)
        self.assertAlmostEqual(reaches[0], stands * 0.1 * lengths, delta=3e-4)
        self.assertLess(max(moved[0]), 6e-4)  # m: the uppermost one sways
        self.assertGreater(moved[1][4], 0.05)

    def test_flow_grows_with_the_opening_as_beverloo_says(self):
        scene = EXAMPLES / "openings.yaml"
        (smallest,) = stated(scene, r"from one of ([0-9.]+) mean diameters on")
        rate = re.search("--table '(.*?)'", header(scene))[1]
        halves = (0.02, 0.0275, 0.035)
        self.scree("ensemble", scene, "--runs", 2, "--discard", "--vary", f"half={','.join(map(str, halves))}", "--table", rate,
                   "--output", "openings", "--quiet")
        powers = [row["mean"] ** (2 / 3) for row in self.rows(self.run_of("openings"), "table_rate.csv")]
        slope = (powers[2] - powers[0]) / (halves[2] - halves[0])
        self.assertAlmostEqual(powers[1] / ((powers[0] + powers[2]) / 2), 1, delta=0.06)
        self.assertAlmostEqual(2 * (halves[0] - powers[0] / slope) / 0.0095, smallest, delta=0.4)

    def test_dominoes_fall_as_fast_as_the_theory_says(self):
        scene = EXAMPLES / "dominoes.yaml"
        (top,) = stated(scene, r"up to ([0-9.]+) m/s")
        smooth, *speeds = stated(scene, r"friction of ([0-9.]+) among themselves they reach ([0-9.]+) m/s, of ([0-9.]+) m/s")
        for friction, given in ((0.3, [top, top]), (smooth, speeds)):
            with self.subTest(friction=friction):
                frames = [(time, grains["angle"]) for time, grains in self.grains(self.run_scene(scene, f"friction={friction}"))]
                fallen = [self.when(frames, k, 0.1) for k in range(18)]
                self.assertEqual(fallen, sorted(fallen))
                found = 0.05 * 3 / (fallen[17] - fallen[14])
                hit = Row(0.1, 0.02, 0.05, friction).times(30, speed=5.0)
                theory = 0.05 / (hit[29] - hit[28])
                self.assertEqual([round(found, 2), round(theory, 2)], given)
                self.assertAlmostEqual(found / theory, 1, delta=0.01 if friction == 0.3 else 0.025)  # it takes longer
                last = frames[-1][1]
                self.assertAlmostEqual(last[17], -math.pi / 2, delta=0.01)
                if friction == 0.3:
                    for angle in last[:17]:
                        self.assertTrue(-1.3 < angle < -1, angle)

    def when(self, frames, domino, tilt):
        """When it has tilted so far [s]."""
        for (before, first), (after, second) in zip(frames, frames[1:]):
            if -second[domino] > tilt:
                return before + (tilt + first[domino]) / (first[domino] - second[domino]) * (after - before)

    def test_rows_of_disks_bear_the_stress_ratio_of_rigid_ones(self):
        scene = EXAMPLES / "biaxial_disks.yaml"
        frictions, ratios = (
            [float(number) for number in re.findall("[0-9.]+", line)]
            for line in re.findall(r"^# +(?:friction|ratio) +([0-9].*)", scene.read_text(), re.MULTILINE)
        )
        self.assertEqual(frictions, [0, 0.1, 0.2, 0.3, 0.4])
        above = 1 + stated(scene, r"is ([0-9]+) % above what was asked")[0] / 100
        self.assertEqual(len(ratios), len(frictions))
        width, height = 7 * 0.01, 8 * 0.005 * math.sqrt(3)  # between centres [m]
        for friction, ratio in zip(frictions, ratios):
            with self.subTest(friction=friction):
                rigid = 1 / (math.tan(math.pi / 6) * math.tan(math.pi / 6 - math.atan(friction)))
                self.assertAlmostEqual(rigid / ratio, 1, delta=2e-4)
                run = self.run_scene(scene, f"friction={friction:g}")
                begin = run.info["stages"][1]["begin"]
                lid, side = self.stresses(run, begin, width, height)
                steady = slice(len(lid) // 2, None)
                found = [a / b for a, b in zip(lid[steady], side[steady])]
                self.assertGreater(len(found), 200)
                for each in found:
                    self.assertAlmostEqual(each / rigid, 1, delta=0.002)
                for stress in side[steady]:
                    self.assertAlmostEqual(stress / 5, above, delta=0.005)
        lid, side = self.stresses(self.run_scene(scene, "friction=0.6"), 0.1, width, height)
        self.assertGreater(lid[-1] / side[-1], 25)  # locked, and rises on

    def test_disks_in_rows_that_can_turn_are_weaker(self):
        scene = EXAMPLES / "biaxial_disks.yaml"
        peak, later = stated(scene, r"has a peak of ([0-9.]+) and falls below ([0-9]+\.[0-9]+)")
        turning = self.write("turning.yaml", scene.read_text().replace("    fixed: [angle]\n", ""))
        lid, side = self.stresses(self.run_scene(turning), 0.1, 7 * 0.01, 8 * 0.005 * math.sqrt(3))
        ratios = [a / b for a, b in zip(lid, side)]
        self.assertEqual(round(max(ratios), 1), peak)
        self.assertLess(ratios[-1], later)

    def stresses(self, run, begin, width, height):
        """On the lid and on the right wall, of all samples after a time."""
        rows = [row for row in self.rows(run, "wall_forces.csv") if row["time"] > begin]
        lid = [row["force_y"] / width for row in rows if row["id"] == 4]
        return lid, [row["force_x"] / height for row in rows if row["id"] == 3]

    def test_a_heavy_lid_falls_freely_and_rests_with_its_weight(self):
        scene = EXAMPLES / "heavy_lid.yaml"
        mass, weight = stated(scene, r"in the end, ([0-9.]+) kg times 9.81 m/s\^2 = ([0-9.]+) N")
        self.assertAlmostEqual(9.81 * mass, weight, delta=0.05)
        run = self.run_scene(scene)
        lid = self.rows(run, "drives.csv")
        falling = list(itertools.takewhile(lambda row: row["coordinate"] > -0.03, lid))
        self.assertGreater(len(falling), 5)
        for row in falling:
            self.assertAlmostEqual(row["coordinate"], -9.81 / 2 * row["time"] ** 2, delta=1e-9)
        self.assertLess(lid[-1]["coordinate"], -0.03)
        for row in lid[-10:]:
            self.assertAlmostEqual(row["force"] / -weight, 1, delta=5e-3)
            self.assertLess(abs(row["rate"]), 1e-3)
        gravel = 9.81 * sum(list(self.grains(run))[-1][1]["mass"])
        forces = self.rows(run, "wall_forces.csv")[-4:]
        self.assertEqual([row["id"] for row in forces], [1, 2, 3, 4])
        carried = -sum(row["force_y"] for row in forces[:3])
        self.assertAlmostEqual(carried / (weight + gravel), 1, delta=5e-3)

    def test_clumps_pack_as_polygons_of_their_outline_do(self):
        scene = EXAMPLES / "clumps.yaml"
        run = self.run_scene(scene)
        *_, (_, grains) = self.grains(run)
        packed = []
        for side in (lambda x: x < 0.13, lambda x: x > 0.13):
            bed = [(m, y) for x, y, m in zip(grains["centroid"][0::3], grains["centroid"][1::3], grains["mass"]) if side(x)]
            mass = sum(m for m, _ in bed)
            packed.append(mass / 2600 / 0.12 / (2 * sum(m * y for m, y in bed) / mass))
        self.assertEqual([round(p, 2) for p in packed], stated(scene, r"fractions of ([0-9.]+) and ([0-9.]+) below"))
        self.assertAlmostEqual(packed[0] / packed[1], 1, delta=0.04)  # 2.4 standard deviations

    def test_stones_roll_down_in_a_slow_drum(self):
        scene = EXAMPLES / "rolling_drum.yaml"
        froude, least, greatest = stated(scene, r"w\^2 R/g = ([0-9.]+), .* from ([0-9.e-]+) to ([0-9.e-]+)")
        self.assertTrue(least < froude < greatest)
        rate = math.sqrt(froude * 9.81 / 0.12)
        run = self.run_scene(scene)
        surfaces, centres, offsets = [], [], []
        for time, grains in self.grains(run):
            if time * rate < 1.2:
                continue
            x, y, mass = grains["centroid"][0::3], grains["centroid"][1::3], grains["mass"]
            offset, low = (sum(m * v for m, v in zip(mass, values)) / sum(mass) for values in (x, y))
            turned = math.atan2(offset, -low)
            along = [a * math.cos(turned) + b * math.sin(turned) for a, b in zip(x, y)]
            above = [b * math.cos(turned) - a * math.sin(turned) + r for a, b, r in zip(x, y, grains["radius"])]
            surfaces.append(math.degrees(turned + math.atan(slope_of_highest(along, above, 0.01, range(-8, 8)))))
            centres.append(math.degrees(turned))
            offsets.append(offset)
        surface, centre, scatter = stated(scene, r"slopes by ([0-9.]+) degrees; .* by ([0-9.]+) degrees, .* scatter by ([0-9.]+)[.]")
        self.assertAlmostEqual(statistics.mean(surfaces), surface, delta=0.05)
        self.assertAlmostEqual(statistics.mean(centres), centre, delta=0.05)
        self.assertAlmostEqual(statistics.pstdev(centres), scatter, delta=0.05)
        self.assertLess(abs(surface - centre), 1.5)  # a flat surface
        (within,) = stated(scene, r"to ([0-9.]+) %")
        self.assertAlmostEqual(self.power(run, 1.2 / rate) / (rate * sum(mass) * 9.81 * statistics.mean(offsets)), 1, delta=within / 100)

    def power(self, run, begin):
        """Of the walls on the grains, the mean from a time on [W]."""
        rows = [row for row in self.rows(run, "series.csv") if row["time"] >= begin]
        return (rows[-1]["wall_work"] - rows[0]["wall_work"]) / (rows[-1]["time"] - rows[0]["time"])

    def test_the_power_of_a_drum_lifts_the_centre_of_mass(self):
        scene = EXAMPLES / "drum.yaml"
        begin, end, stated_power, within = stated(scene, r"from ([0-9.]+) s to ([0-9.]+) s ([0-9.]+) W, to within ([0-9.]+) %")
        run = self.run_scene(scene, until=end)
        power = self.power(run, begin)
        self.assertEqual(round(power, 1), stated_power)
        offsets = []
        for time, grains in self.grains(run):
            if time >= begin:
                mass, x = grains["mass"], grains["centroid"][0::3]
                offsets.append(sum(m * each for m, each in zip(mass, x)) / sum(mass))
        self.assertAlmostEqual(power / (2 * 9.81 * sum(mass) * statistics.mean(offsets)), 1, delta=within / 100)

    def test_dense_disks_in_direct_shear_are_as_strong_as_davis_says(self):
        scene = EXAMPLES / "direct_shear.yaml"
        rows = [row for row in self.rows(self.run_scene(scene), "cell.csv") if row["strain_xy"] >= 0.02]
        xx, yy, xy = (statistics.mean(row[f"stress_{name}"] for row in rows) for name in ("xx", "yy", "xy"))
        strength = math.hypot(xx - yy, 2 * xy) / (xx + yy)
        yields, slides = (rows[-1][f"strain_{name}"] - rows[0][f"strain_{name}"] for name in ("yy", "xy"))
        dilation = math.atan(yields / slides)
        davis = strength * math.cos(dilation) / (1 - strength * math.sin(dilation))
        *ratios, angle = stated(scene, r"ratio is ([0-9.]+), Davis's ([0-9.]+); sin f is ([0-9.]+) and d ([0-9.]+) degrees")
        for found, given in zip((-xy / yy, davis, strength), ratios):
            self.assertAlmostEqual(found, given, delta=6e-4)
        self.assertAlmostEqual(math.degrees(dilation), angle, delta=0.06)
        self.assertAlmostEqual(-xy / yy / davis, 1, delta=0.03)
        self.assertGreater(-xy / yy / strength, 1.04)

    def test_trimers_are_stronger_than_disks(self):
        scene = EXAMPLES / "trimers.yaml"
        disks = self.write("trimers_disks.yaml", re.sub(r"shape: {parts.*", "shape: disk", scene.read_text()))
        found = []
        for each in (scene, disks):
            rows = [row for row in self.rows(self.run_scene(each), "cell.csv") if row["strain_xy"] >= 0.6]
            xx, yy, xy = (statistics.mean(row[f"stress_{name}"] for row in rows) for name in ("xx", "yy", "xy"))
            found.append(math.hypot(xx - yy, 2 * xy) / (xx + yy))
        self.assertEqual([round(each, 3) for each in found], stated(scene, r"is ([0-9.]+) from .* on, that of disks .*disk[)] ([0-9.]+)[.]"))
        self.assertGreater(found[0], 1.3 * found[1])

    def test_gravel_is_steeper_than_disks(self):
        scene = EXAMPLES / "gravel_and_disks.yaml"
        *_, (_, grains) = self.grains(self.run_scene(scene))
        found = []
        for side in (-1, 1):
            own = [(side * x - 0.005, y + r) for x, y, r in zip(grains["centroid"][0::3], grains["centroid"][1::3], grains["radius"])]
            own = [(x, top) for x, top in own if x > 0 and top > 0.001]  # those on the floor are fixed
            self.assertGreater(len(own), 190)
            self.assertLess(max(x for x, _ in own), 0.36)
            found.append(-math.degrees(math.atan(slope_of_highest(*zip(*own), 0.008, range(2, 18)))))
        self.assertEqual([round(slope) for slope in found], stated(scene, r"gravel slopes by ([0-9]+) degrees, the disks by ([0-9]+)"))
        self.assertGreater(found[0], found[1] + 4)

    def test_a_large_disk_rises_in_a_shaken_bed(self):
        scene = EXAMPLES / "brazil_nut.yaml"
        begin, risen, cycles = stated(scene, r"where ([0-9]+) % .* ([0-9]+) % are .* after ([0-9]+) cycles")
        late, remain, above = stated(scene, r"from ([0-9]+) s on at least ([0-9]+) % .*: ([0-9]+) %")
        below = self.below_the_nut(self.run_scene(scene))
        self.assertEqual(round(below[0][1]), begin)
        self.assertEqual(round(8 * next(time for time, share in below if share >= risen)), cycles)
        self.assertGreaterEqual(min(share for time, share in below if time >= late), remain)
        from_above = self.below_the_nut(self.run_scene(scene, "height=0.17"))
        self.assertEqual(round(min(share for time, share in from_above if time >= late)), above)
        still = self.below_the_nut(self.run_scene(scene, "acceleration=0.8", until=4))
        self.assertLess(max(share for _, share in still), begin + 5)

    def below_the_nut(self, run):
        """Of each frame its time, and the percentage of small disks whose centre is below that of the largest."""
        found = []
        for time, grains in self.grains(run):
            nut, *small = sorted(zip(grains["mass"], grains["centroid"][1::3]), reverse=True)
            found.append((time, 100 * sum(y < nut[1] for _, y in small) / len(small)))
        return found


    def test_disks_become_equally_many_on_both_sides_of_a_slit(self):
        scene = EXAMPLES / "shaker.yaml"
        begin, left = stated(scene, r"From ([0-9.]+) s on half of them are there, ([0-9.]+) on the average")
        shares = []
        for time, grains in self.grains(self.run_scene(scene)):
            x = grains["centroid"][0::3]
            self.assertEqual(len(x), 250)
            shares.append((time, sum(each < 0 for each in x) / 250))
        self.assertEqual(shares[0][1], 1)
        late = [share for time, share in shares if time >= begin]
        self.assertAlmostEqual(statistics.mean(late), left, delta=6e-4)
        self.assertAlmostEqual(statistics.mean(late), 0.5, delta=math.sqrt(0.25 / 250))  # one binomial deviation

    def test_a_floor_that_shakes_heats_a_gas_as_theory_says(self):
        scene = EXAMPLES / "shaken_gas.yaml"
        theory, begin, found = stated(scene, r"Here that is ([0-9.]+) m.* From ([0-9.]+) s on the gas has ([0-9.]+);")
        square = (1e-4 * 2 * math.pi * 500) ** 2 / 2
        self.assertAlmostEqual(4 * math.sqrt(2) / math.pi * square / (1 - 0.98**2), theory, delta=6e-4)  # n d = 1
        run = self.run_scene(scene)
        rows = self.rows(run, "series.csv")
        mass = 80 * 1000 * math.pi / 4 * 0.01**2
        late = [row["kinetic_energy"] / mass for row in rows if row["time"] >= begin]
        self.assertAlmostEqual(statistics.mean(late), found, delta=6e-4)
        # In kinetic energy 80 disks vary by 1/sqrt(80), and 85 s have 85/(2*4) independent values; the mean is 1.03. What the
        # floor gives varies as much: it is what collisions take, as sqrt(T), over what the theory has, as 1/sqrt(T).
        deviation = math.sqrt(2 * 4 / 85 / 80)
        self.assertAlmostEqual(found / theory, 1.03, delta=3 * deviation)
        given = 4 * mass * 9.81 * square / math.sqrt(2 * math.pi * found)
        self.assertAlmostEqual(self.power(run, begin) / given, 1, delta=3 * deviation)

    def test_staples_turn_with_their_moment_of_inertia_and_hold_together(self):
        scene = EXAMPLES / "staples.yaml"
        (inertia,) = stated(scene, r"moment of inertia is ([0-9.]+) times its mass")
        # A rectangle of 5 by 4 without a square of 3 by 3, whose centre is 0.5 above that of the rectangle.
        centroid = -9 * 0.5 / 11
        exact = (20 * (5**2 + 4**2) / 12 + 20 * centroid**2 - 9 * (3**2 + 3**2) / 12 - 9 * (0.5 - centroid) ** 2) / 11
        self.assertAlmostEqual(exact, inertia, delta=5e-4)
        run = self.run_scene(scene)
        width = math.sqrt(math.pi * 0.012**2 / 11)
        energies = [row["kinetic_energy"] for row in self.rows(run, "series.csv")]
        turning, frames = 0, list(self.grains(run))
        for (time, grains), energy in zip(frames, energies):
            v, spin = grains["velocity"], grains["angular_velocity"]
            moving = sum(m * (a * a + b * b) / 2 for m, a, b in zip(grains["mass"], v[0::3], v[1::3]))
            own = sum(m * exact * width**2 * w * w / 2 for m, w in zip(grains["mass"], spin))
            turning += own > 0.01 * energy
            self.assertAlmostEqual(moving + own, energy, delta=1e-6 * energy)
        self.assertGreater(turning, 20)
        disks = self.write("staples_disks.yaml", re.sub(r"shape: \{polygon.*", "shape: disk", scene.read_text()))
        both = frames, list(self.grains(self.run_scene(disks)))
        filled = [self.mass_and_height(each, 0.6) for each in both]
        filled = [mass / 7800 / (0.24 * 2 * height) for mass, height in filled]
        self.assertEqual([round(each, 2) for each in filled], stated(scene, r"fill ([0-9.]+) of it, .*disks ([0-9.]+)[.] At"))
        ends = [round(1000 * self.mass_and_height(each, 1.39)[1]) for each in both]
        self.assertEqual(ends, stated(scene, r"height is ([0-9]+) mm for staples, ([0-9]+) mm"))
        self.assertGreater(ends[0], 1.5 * ends[1])

    def mass_and_height(self, frames, begin):
        """Of all grains in the first frame from a time on: their mass, the height of their centre."""
        grains = next(grains for time, grains in frames if time >= begin)
        mass = sum(grains["mass"])
        return mass, sum(m * y for m, y in zip(grains["mass"], grains["centroid"][1::3])) / mass


def slope_of_highest(along, above, width, columns):
    """Of the straight line through the highest point in each column of this width."""
    points = []
    for k in columns:
        inside = [(top, x) for x, top in zip(along, above) if k * width <= x < (k + 1) * width]
        points += [max(inside)] if inside else []
    tops, places = zip(*points)
    return statistics.linear_regression(places, tops).slope


if __name__ == "__main__":
    unittest.main(verbosity=2)
