"""Random scenes of hard polygons: each ends in order or says why not, has the same bits with another broadphase and after it
was interrupted, and its energy comes from somewhere. SCREE_SEEDS=FIRST:COUNT looks at others."""

import json
import os
import random
import subprocess
import unittest

from scree_process import BAD_INPUT, OK, PATIENCE, PHYSICS, SANITIZED, SCREE, AppTest, Run

FIRST, COUNT = map(int, os.environ.get("SCREE_SEEDS", "1:4" if SANITIZED else "1:20").split(":"))
BROADPHASES = ["hierarchical_grid", "sorted_strips", "sort_and_update", "distance_sort", "all_pairs"]
WALL = 0.03  # m


def shape(draw):
    return draw.choice([
        "disk",
        {"regular_polygon": {"vertices": draw.choice([3, 4, 4, 5, 6, 12, 40])}},
        {"random_polygon": {"vertices": [3, 9], "aspect": [1.0, draw.choice([1.5, 4, 10])]}},
        {"polygon": [[0, 0], [10, 0], [10, 1], [0, 1]]},
        {"polygon": [[0, 0], [1, 0], [0.5, 12]]},
    ])


def fill(draw):
    return {"fill": {"region": {"x": [0.1, 0.9], "y": [0.1, 0.45]}, "jitter": draw.choice([0.1, 1, 5]), "count": draw.randint(1, 50)}}


def pour(draw):
    return {"pour": {"count": draw.randint(1, 30), "rate": draw.choice([50, 1000]), "velocity": [0, -1],
                     "region": {"x": [0.1, 0.9], "y": [0.6, 0.9]}}}


def group(draw, how):
    return {**how, "material": draw.choice("ab"), "shape": shape(draw), "size": draw.choice([0.02, 0.03, {"uniform": [0.01, 0.03]}])}


def box(draw, grows):
    """The domain and its walls."""
    if grows:
        return draw.choice([{"periodic": ["x", "y"]}, {"sides": "reflecting"}]), []
    periodic = draw.choice([[], ["x"], ["x", "y"]])
    reflecting = len(periodic) < 2 and draw.random() < 0.5
    walls = []
    if "y" not in periodic and not reflecting:
        walls.append({"name": "floor", "material": "a", "box": {"x": [0, 1], "y": [0, WALL]}})
    if "x" not in periodic and not reflecting:
        for name, begin in (("left", 0), ("right", 1 - WALL)):
            walls.append({"name": name, "material": "a", "box": {"x": [begin, begin + WALL], "y": [WALL, 1]}})
    if draw.random() < 0.4:
        motion = draw.choice([{}, {"rotation": {"rate": draw.uniform(-20, 20), "about": [0.5, 0.5]}},
                              {"oscillation": {"amplitude": [0.01, 0.02], "frequency": draw.uniform(1, 30)}}])
        walls.append({"name": "wedge", "material": "b", "polygon": [[0.45, 0.45], [0.55, 0.45], [0.5, 0.55]], **motion})
    return {**({"periodic": periodic} if periodic else {}), **({"sides": "reflecting"} if reflecting else {})}, walls


def scene(seed):
    draw = random.Random(seed)
    grows = draw.random() < 0.2
    restitution, friction = draw.choice([1, 1, 0.95, 0.6, 0.3, 0]), 0 if grows else draw.choice([0, 0, 0.3, 1])
    domain, walls = box(draw, grows)
    gravity = not grows and domain.get("periodic") != ["x", "y"] and draw.random() < 0.6
    groups = [fill(draw)] + ([] if grows else [pour(draw) for _ in range(draw.randint(0, 2))])
    made = {
        "scree": 1,
        "mode": "hard",
        "seed": seed,
        "domain": {"x": [0, 1], "y": [0, 1], **domain},
        "materials": {"a": {"density": 1000, "restitution": restitution, "friction": friction},
                      "b": {"density": draw.choice([1, 1000, 1e5]), "restitution": draw.choice([restitution, 1]), "friction": friction}},
        "particles": [group(draw, how) for how in groups],
        "walls": walls,
        "time": {"end": draw.choice([0.3, 1])},
        "output": {"every": 0.1},
        "contact": {"duration": draw.choice([1e-3, 1e-4])},
    }
    if gravity:
        made["gravity"] = [0, -9.81]
    if grows:
        made["growth"] = {"rate": draw.choice([0.05, 0.5, 2]), "from": draw.choice([0.3, 1]), "pressure": 1e6}
    return made, draw


class PolygonSearch(AppTest):
    def run_it(self, name, values, *more, ends=(OK, PHYSICS)):
        self.write(f"{name}.yaml", json.dumps(values))
        done = subprocess.run([SCREE, "run", f"{name}.yaml", "--output", name, "--quiet", "--force", *more],
                              cwd=self.here, capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn(done.returncode, ends, done.stderr)
        if done.returncode != OK:
            self.assertRegex(done.stderr, "^scree: ")
        return done

    def hashes(self, name):
        return (self.here / name / "hashes.csv").read_text()

    def check(self, seed):
        values, draw = scene(seed)
        first = self.run_it("once", values, ends=(OK, PHYSICS, BAD_INPUT))
        if first.returncode == BAD_INPUT:  # grains that do not fit
            self.assertIn("once.yaml:1:", first.stderr)
            return 0
        header, *_, row = Run(self.here / "once").table("series.csv")
        last = dict(zip(header, row))
        if "growth" not in values:  # which gives energy, and else hardly anything does
            self.assertLess(-float(last["dissipated_law [J]"]), 0.1 * float(last["energy_throughput [J]"]))
        other = self.run_it("other", {**values, "broadphase": draw.choice(BROADPHASES)}, ends=(first.returncode,))
        self.assertEqual(self.hashes("other"), self.hashes("once"), other.stderr)
        if first.returncode != OK:
            return 1
        self.run_it("parts", values, "--until", f"{draw.uniform(0.05, 0.95) * values['time']['end']:.4f}")
        self.scree("resume", "parts", "--quiet", "--until", values["time"]["end"])
        self.assertEqual(self.hashes("parts").splitlines()[-1], self.hashes("once").splitlines()[-1])
        return 1

    def test_random_scenes(self):
        ran = 0
        for seed in range(FIRST, FIRST + COUNT):
            with self.subTest(seed=seed):
                ran += self.check(seed)
        self.assertGreaterEqual(ran, COUNT // 3)


if __name__ == "__main__":
    unittest.main()
