#!/usr/bin/env python3
"""What ./dev validate reckons with: fits and slopes of made-up data, and a run of a moment.

usage: validation.py SCREE
"""

import importlib
import math
import random
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "validation"))
import angularity
import beverloo
import clogging
import column
import impacts
import janssen
import picture
import repose
import reversible
import rheology
import simple_shear
import validate
from estimate import fit, mean_and_error, slope_of
from runs import Program, centroid
from scipy import stats

SCREE = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "scree"


class Randomness(unittest.TestCase):
    def test_p_values_are_read_and_those_next_to_0_or_1_fail(self):
        self.assertEqual(reversible.p_values("  diehard_runs|0.14765735\n  diehard_runs|0.88355847\n"), [0.14765735, 0.88355847])
        self.assertTrue(reversible.between("", [0.5, 0.01], 1, "").passed)
        for bad in ([0.5, 0.00001], [0.99999], []):
            self.assertFalse(reversible.between("", bad, 1, "").passed)

    def test_pictures_show_the_table(self):
        bins = range(reversible.BINS)
        rows = [[s, a, i, j, i + j] for s in ("pair", "line") for a in ("before", "offset") for i in bins for j in bins]
        drawn = reversible.pictures(rows)
        self.assertEqual(sorted(drawn), ["reversible_line", "reversible_pair"])
        for svg in drawn.values():
            xml.etree.ElementTree.fromstring(svg)


class Fits(unittest.TestCase):
    def test_a_law_is_found_in_its_own_values(self):
        x = [5.5, 6.5, 8.0, 10.0, 13.0, 16.0]
        y = [beverloo.beverloo(d, 0.9, 1.4, 1.5) for d in x]
        found = fit(beverloo.beverloo, (1.0, 1.0, 1.3), x, y, y)
        for value, meant in zip(found.values, (0.9, 1.4, 1.5)):
            self.assertAlmostEqual(value, meant, delta=1e-6)
        self.assertLess(found.rms, 1e-8)

    def test_errors_are_those_of_the_scatter(self):
        chance = random.Random(1)
        x = [1.0 + k for k in range(40)]
        off = []
        for _ in range(200):
            y = [janssen.law(v, 8.0, 15.0) + chance.gauss(0.0, 0.3) for v in x]
            found = fit(janssen.law, (10.0, 10.0), x, y)
            off.append((found.values[1] - 15.0) / found.errors[1])
        spread = math.sqrt(sum(v * v for v in off) / len(off))
        self.assertAlmostEqual(spread, 1.0, delta=0.2)  # 4 sigma of 200 samples

    def test_points_as_few_as_parameters_are_refused(self):
        with self.assertRaises(ValueError):
            fit(janssen.law, (1.0, 1.0), [1.0, 2.0], [1.0, 2.0])

    def test_means_and_slopes(self):
        self.assertEqual(mean_and_error([1.0, 3.0]), (2.0, 1.0))
        self.assertTrue(math.isnan(mean_and_error([1.0])[1]))
        self.assertAlmostEqual(slope_of([1.0, 2.0, 4.0], [3.0, 1.0, -3.0]), -2.0)
        self.assertAlmostEqual(slope_of([1.0, 3.0], [1.0, 2.0]), 0.5)


class Measurements(unittest.TestCase):
    def test_area_within_a_box(self):
        square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
        self.assertAlmostEqual(angularity.area_within(square, (1.0, 1.5), (3.0, 3.0)), 0.5)
        self.assertAlmostEqual(angularity.area_within(square, (0.5, 0.5), (0.75, 1.0)), 0.125)
        self.assertAlmostEqual(angularity.area_within(square, (-1.0, -1.0), (3.0, 3.0)), 4.0)
        self.assertEqual(angularity.area_within(square, (2.5, 0.0), (3.0, 3.0)), 0.0)
        corner = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
        self.assertAlmostEqual(angularity.area_within(corner, (0.25, 0.25), (3.0, 3.0)), 0.125)

    def test_order_of_the_sides(self):
        def turned(sides, angles):
            corners = [[a + 2 * math.pi * k / sides for k in range(sides)] for a in angles]
            return [[(math.cos(c), math.sin(c)) for c in one] for one in corners]

        self.assertAlmostEqual(angularity.order(turned(4, [0.1, 0.1 + math.pi / 2]), 4), 1.0)
        self.assertAlmostEqual(angularity.order(turned(4, [0.1, 0.1 + math.pi / 4]), 4), 0.0)
        self.assertAlmostEqual(angularity.order(turned(3, [0.1, 0.1 + math.pi]), 3), 1.0)  # side on side
        self.assertAlmostEqual(angularity.order(turned(3, [0.1, 0.1 + math.pi / 6]), 3), 0.0)

    def test_centroid_far_from_the_origin(self):
        x, y, area = centroid([(1e6, 2.0), (1e6 + 3, 2.0), (1e6, 5.0)])
        self.assertAlmostEqual(x - 1e6, 1.0)
        self.assertAlmostEqual(y, 3.0)
        self.assertAlmostEqual(area, 4.5)

    def test_flow_of_grains_that_leave_at_equal_times(self):
        silo = beverloo.DRAINED[0]
        levels = [silo.filled - 0.001 * k for k in range(3000)]
        falls = [(0.02 * k, level) for k, level in enumerate(levels)]
        leaving = beverloo.mass_at(0.001, silo) / 0.02
        self.assertAlmostEqual(beverloo.flow(silo, falls, 3.7504, 1.2006) * beverloo.UNIT, leaving)

    def test_the_front_is_that_of_what_hangs_together(self):
        row = [(0.004 * k, 0.002) for k in range(20)]
        self.assertAlmostEqual(column.front(row), 0.004 * 19 + 0.002)
        self.assertAlmostEqual(column.front([*row, (0.004 * 19 + 0.0119, 0.002)]), 0.004 * 19 + 0.0139)
        self.assertAlmostEqual(column.front([*row, (0.004 * 19 + 0.0121, 0.002)]), 0.004 * 19 + 0.002)

    def test_an_avalanche_is_what_leaves_after_a_break(self):
        stages = [("settle", 0, 1), ("break 0", 1, 2), ("flow 0", 2, 5), ("break 1", 5, 6), ("flow 1", 6, 9), ("flow 2", 9, 9.5)]
        left = [1.5, 2.05, 2.2, 3, 4, 5.5, 6.02, 8, 9.3]
        self.assertEqual(clogging.avalanches(left, stages, 10, 1), [3, 1, 1])
        self.assertEqual(clogging.avalanches(left, stages, 10, 4), [3, 1])  # before the last only two are left
        self.assertEqual(clogging.avalanches(left[:5], stages, 10, 1), [3])  # those in which nothing flows do not count

    def test_a_silo_flows_and_clogs(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Program(SCREE, folder).run("silo", clogging.scene(2.6, 1, breaks=1, grains=60))
            left = [row["time"] for row in run.table("flow.csv")]
            stages = clogging.stages_of(run)
        self.assertEqual([name for name, *_ in stages], ["settle", "break 0", "flow 0"])
        self.assertTrue(0 < len(left) < 60)
        self.assertGreater(left[0], stages[1][1])  # not while the opening has its plug
        self.assertLess(stages[2][2] - stages[2][1], 6)  # at rest

    def test_the_stress_of_a_sheared_cell_is_that_of_its_work(self):
        scene = rheology.scene(0.2, 1, count=60, end=4.0)
        scene["output"]["every"] *= 4
        with tempfile.TemporaryDirectory() as folder:
            run = Program(SCREE, folder).run("cell", scene)
            work, xy, xx, yy, packing = rheology.steady(run)
            late = rheology.steady(run, 3.0)
        self.assertAlmostEqual(work / xy, 1, delta=0.2)
        self.assertTrue(0.35 < xy / yy < 0.6 and 0.8 < yy < 1.2 and 0.7 < xx / yy < 1.4)
        self.assertTrue(0.70 < packing < 0.80)
        self.assertNotEqual(late[0], work)

    def test_slope_of_a_made_up_heap(self):
        class Heap(dict):
            def outlines(self):
                return [[(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)] for x, y in self["grains"]]

        r = 0.004
        columns = [(k + 0.5) * repose.SIZE - repose.HALF for k in range(repose.COLUMNS)]
        grains = [(x, 0.06 - 0.4 * abs(x) - below) for x in columns for below in (0.0, 0.01)]
        grains.append((0.1, 0.2))  # falls past it
        heap = Heap(grains=grains, coordination=[3] * (len(grains) - 1) + [0], velocity=[[0.0, 0.0, 0.0]] * len(grains))
        self.assertAlmostEqual(repose.slope(heap), math.degrees(math.atan(0.4)), delta=1e-9)

    def test_the_walls_of_a_silo_carry_what_is_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Program(SCREE, folder).run("silo", janssen.scene(1, stages=2))
            stages = janssen.stages_of(run)
            slices = janssen.slices_of(run)
        self.assertEqual(janssen.GRAINS, 50)
        self.assertAlmostEqual(stages[0]["filled"], 50 * math.pi / 4 * 1e-4 * 1000, delta=0.3)
        for stage in stages:
            carried = stage["apparent"] + stage["carried"] - stage["accelerated"]
            self.assertAlmostEqual(carried / stage["filled"], 1.0, delta=1e-5)
        weighed = sum(one["mass"] for one in slices)
        self.assertAlmostEqual(weighed, stages[1]["filled"], delta=1e-9)
        self.assertAlmostEqual(janssen.janssen_through(slices) / stages[1]["apparent"], 1.0, delta=0.1)

    def test_slices_with_equal_friction_give_janssens_law(self):
        saturation, one = 20.0, 2.0
        k_mu = one / saturation * janssen.WIDTH / janssen.SLICE / 2
        slices = [{"mass": one, "xx": 0.7, "yy": 1.0, "dragged": k_mu / 0.7, "pressed": 1.0}] * 15
        self.assertAlmostEqual(janssen.janssen_through(slices), janssen.law(30.0, 0.0, saturation))


class Figures(unittest.TestCase):
    """Every figure made of what the literature says passes its checks, and does not when it says otherwise."""

    def passed(self, module, **made_up):
        with unittest.mock.patch.multiple(module, **made_up):
            figure = module.measure(None, map)
        for svg in figure.pictures.values():
            xml.etree.ElementTree.fromstring(svg)
        self.assertTrue(all(len(row) == len(figure.columns) for row in figure.rows))
        return [check.passed for check in figure.checks]

    def test_beverloo(self):
        def drains(exponent=1.5, narrow=1.0, stiffer=1.0, **higher):
            def drain(program, silo):
                flow = beverloo.beverloo(silo.opening, 0.9, 1.6, exponent) * (1 + 0.01 * (-1) ** silo.seed)
                flow *= narrow if silo in beverloo.DRAINED else 1
                flow *= stiffer if silo.grains.startswith("stiffer") else 1
                more = higher.get(silo.grains.split()[0], 1.0) * (1.08 if silo.grains == "disks" else 1.0)
                _, middle, last = beverloo.bounds(silo, 2)
                levels = [silo.filled - (silo.filled - last + 0.01) * k / 1000 for k in range(1001)]
                time, falls = 0.0, []
                for above, below in zip(levels, levels[1:]):
                    now = flow * (more if below > middle else 1 / more) * (1 + 0.01 * (-1) ** silo.seed * (below > middle))
                    time += beverloo.mass_at(above - below, silo) / beverloo.UNIT / now
                    falls.append((time, below))
                return falls

            return drain

        self.assertTrue(all(self.passed(beverloo, drain=drains())))
        offs = {"exponent": 1.8}, {"narrow": 1.1}, {"stiffer": 0.9}, {"hexagons": 1.1}, {"disks": 0.93}
        for off in offs:
            self.assertFalse(all(self.passed(beverloo, drain=drains(**off))), off)

    def test_repose(self):
        def angles(steeper):
            return lambda program, shape, friction, stiffness, seed: 20.0 + seed + steeper * (shape != "disk")

        self.assertTrue(all(self.passed(repose, angle=angles(10.0))))
        self.assertFalse(any(self.passed(repose, angle=angles(1.0))))

    def test_column(self):
        def collapses(low, tall):
            def collapse(program, ratio, seed):
                reach = 2.0 * ratio**low if ratio < 3 else 2.8 * ratio**tall
                return [ratio, reach * (1 + 0.02 * (-1) ** seed), 0.5 * ratio**0.3]

            return collapse

        self.assertTrue(all(self.passed(column, collapse=collapses(1.0, 0.7))))
        self.assertFalse(all(self.passed(column, collapse=collapses(1.0, 1.0))))
        self.assertFalse(all(self.passed(column, collapse=collapses(0.7, 0.7))))

    def test_rheology(self):
        def shears(slope, normal=1.0):
            def shear(program, inertial, seed):
                friction = 0.26 + slope * inertial + 0.003 * (-1) ** seed
                return [friction, friction, normal, 1.0, 0.81 - 0.3 * inertial + 0.001 * (-1) ** seed]

            return shear

        self.assertTrue(all(self.passed(rheology, shear=shears(1.1))))
        self.assertFalse(all(self.passed(rheology, shear=shears(0.2))))
        self.assertFalse(all(self.passed(rheology, shear=shears(1.1, normal=0.8))))

    def test_clogging(self):
        def drains(law):
            def drain(program, opening, seed):
                mean = 10 if opening < 2.8 else 30
                shares = [(k + (seed - 0.5) / len(clogging.SEEDS)) / 10 for k in range(10)]
                return [max(1, int(law(share, mean))) for share in shares]

            return drain

        self.assertTrue(all(self.passed(clogging, drain=drains(lambda share, mean: stats.geom.ppf(share, 1 / mean)))))
        for wrong in (lambda share, mean: mean * (0.5 + share), lambda share, mean: mean * share**3):
            self.assertFalse(all(self.passed(clogging, drain=drains(wrong))))

    def test_angularity(self):
        def box(sign):
            def strength_and_packing(program, sides, rolling, seed):
                angular = min(0.2, 1.2 / sides) if sides else rolling
                return [0.3 + sign * angular + 0.005 * seed, 0.82 - sign * angular / 5 + 0.002 * seed, 0.1]

            return strength_and_packing

        self.assertTrue(all(self.passed(angularity, squeeze=box(1.0))))
        self.assertFalse(all(self.passed(angularity, squeeze=box(-1.0))))

    def test_simple_shear(self):
        def cell(sign, squares=1.0):
            def shear(program, sides, seed):
                angular = min(0.2, 1.2 / sides) if sides else 0.0
                strength = (0.3 + sign * angular + 0.005 * seed) * (squares if sides == 4 else 1)
                return [strength, 0.82 - sign * angular / 5 + 0.002 * seed, 0.1, 1.0]

            return shear

        self.assertTrue(all(self.passed(simple_shear, shear=cell(1.0))))
        self.assertFalse(all(self.passed(simple_shear, shear=cell(-1.0))))
        self.assertFalse(all(self.passed(simple_shear, shear=cell(1.0, squares=0.8))))

    def test_impacts(self):
        def models(sticking, sliding):
            def rebounds(program, mode, friction, stiffness):
                off = [sliding if impacts.slides(angle, friction) else sticking for angle in impacts.ANGLES]
                return [[(0.5, 0.1 + (by if mode == "soft" else 0.0))] * len(impacts.SPINNING) for by in off]

            return rebounds

        self.assertTrue(all(self.passed(impacts, rebounds=models(0.05, 0.001))))
        self.assertFalse(all(self.passed(impacts, rebounds=models(0.05, 0.02))))
        self.assertFalse(all(self.passed(impacts, rebounds=models(0.001, 0.001))))

    def test_a_cut_through_equal_contacts_has_the_strength_of_their_stresses(self):
        class Contacts(dict):
            def outlines(self):
                return self["lines"]

        lines = [[(0, 0.01), (0.5, 0.01), (1, 0.01)], [(0, 0), (0, 0.02), (0, 1)], [(0, 5), (0, 9), (9, 9)]]
        contacts = Contacts(lines=lines, force=[(3.0, 0.0, 0.0), (0.0, 1.0, 0.0), (7.0, 7.0, 0.0)])
        self.assertAlmostEqual(angularity.strength(contacts, 0.0, 1.0), (3.0 - 1.0) / (3.0 + 1.0))


class Pictures(unittest.TestCase):
    def test_a_picture_shows_its_points_and_lines_where_they_are(self):
        axes = picture.axes(("sides", 3, 60), ("strength", 0, 1), xscale="log")
        picture.points(axes, "runs", "blue", [3, 60], [0.0, 1.0], [0.1, math.nan])
        picture.line(axes, "law", "orange", [3, 60], [0, 0.5], dashed=True)
        xml.etree.ElementTree.fromstring(picture.svg(axes))
        runs, law = axes.get_lines()
        self.assertEqual([list(xy) for xy in zip(*runs.get_data())], [[3, 0.0], [60, 1.0]])
        self.assertEqual([list(xy) for xy in zip(*law.get_data())], [[3, 0.0], [60, 0.5]])
        self.assertEqual((axes.get_xlim(), axes.get_ylim()), ((3, 60), (0, 1)))
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], ["law", "runs"])

    def test_the_same_data_give_the_same_picture(self):
        def drawn():
            axes = picture.axes(("x", 0, 1), ("y", 0, 1))
            picture.points(axes, "runs", "blue", [0.5], [0.5])
            return picture.svg(axes)

        self.assertEqual(drawn(), drawn())

    def test_the_pictures_of_every_page_follow_from_its_table(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = Path(folder)
            for name in validate.FIGURES:
                table = f"{name}.csv"
                (pages / table).write_text((validate.PAGES / table).read_text(encoding="utf-8"), encoding="utf-8")
                validate.redraw(pages, name, importlib.import_module(name))
            drawn = {path.name for path in pages.glob("*.svg")}
        there = {path.name for path in validate.PAGES.glob("*.svg")}
        self.assertEqual(there - drawn, {"beverloo_level.svg", "jammed_disks_packing.svg"})  # which need runs
        self.assertEqual(drawn - there, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
