"""The JSON Schema that `scree schema` prints: scenes satisfy it, mistakes do not, and editors find it."""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

NOT_TESTED = 77  # ctest: skipped

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-jsonschema, python3-yaml)")
    sys.exit(NOT_TESTED)

from scree_process import GAS, MEASURED, OK, PEBBLE, SCREE, STONES, AppTest

SOURCE = Path(__file__).resolve().parents[2]
EXAMPLES = sorted([*SOURCE.glob("examples/*.yaml"), *SOURCE.glob("examples/*/*.yaml")])
GOLDEN = sorted(SOURCE.glob("tests/golden/*.yaml"))

HEAP = (SOURCE / "examples/heap.yaml").read_text()


class Yaml12(yaml.SafeLoader):
    """Scalars as YAML 1.2 reads them, which editors do, too: 1e6 is a number, no is a text."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


def load(text):
    return yaml.load(text, Loader=Yaml12)


def subschemas(schema, path="scene"):
    """Every schema of a key, with the way to it."""
    if isinstance(schema, dict):
        if "description" in schema:
            yield path, schema
        for name, part in schema.items():
            yield from subschemas(part, f"{path}.{name}")
    elif isinstance(schema, list):
        for part in schema:
            yield from subschemas(part, path)


class Schema(AppTest):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([SCREE, "schema"], stdout=subprocess.PIPE, text=True, check=True)
        cls.schema = json.loads(done.stdout)
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def mistakes(self, text):
        return [error.message for error in self.validator.iter_errors(load(text))]

    def test_scenes_satisfy_it(self):
        page = (SOURCE / "docs/scene.md").read_text()
        scenes = {file.name: file.read_text() for file in [*EXAMPLES, *GOLDEN]}
        scenes["docs/scene.md"] = re.search(r"```yaml\n(scree: 1\n.*?)```", page, re.DOTALL)[1]
        scenes |= {"stones": STONES, "measured": STONES + MEASURED, "gas": GAS, "pebble": PEBBLE}
        self.assertGreater(len(scenes), 18)
        for name, text in scenes.items():
            with self.subTest(scene=name):
                self.assertEqual(self.mistakes(text), [])

    def test_a_resolved_scene_satisfies_it(self):
        self.write("stones.yaml", STONES + MEASURED)
        self.scree("run", "stones.yaml", "--until", "0.005", "--quiet", "--output", "out", code=OK)
        resolved = self.run_of("out").info["scene"]
        self.assertEqual(self.mistakes(resolved), [])

    def test_mistakes_do_not(self):
        for old, new in (
            ("scree: 1", "scree: 2"),
            ("scree: 1\n", ""),
            ("mode: soft", "mode: sotf"),
            ("gravity: [0, -9.81]", "gravty: [0, -9.81]"),
            ("gravity: [0, -9.81]", "gravity: -9.81"),
            ("gravity: [0, -9.81]", "gravity: [0, 0, -9.81]"),
            ("seed: 7", "seed: 1.5"),
            ("stone: {density: 2600, ", "stone: {"),
            ("stone: {density: 2600", "stone: {density: 0"),
            ("stone: {density: 2600", "stone: {damping: 0.1, density: 2600"),
            ("box: {x: [-0.7, 0.7], y: [-0.03, 0]}", "box: {x: [-0.7, 0.7]}"),
            ("box: {x: [-0.7, 0.7], y: [-0.03, 0]}", "box: {x: [0, 1], y: [0, 1]}, ring: {}"),
            ("box: {x: [-0.7, 0.7], y: [-0.03, 0]}", "polygon: [[0, 0], [1, 0]]"),
            ("count: 600", "count: 0"),
            ("- pour: {count: 600", "- pore: {count: 600"),
            ("step: auto", "step: automatic"),
            ("time: {end: 1.4, ", "time: {"),
            ("directory: out/heap", "directory: ''"),
        ):
            with self.subTest(mistake=new):
                self.assertEqual(HEAP.count(old), 1, old)
                self.assertNotEqual(self.mistakes(HEAP.replace(old, new)), [])

    def test_the_examples_and_defaults_of_keys_are_allowed_there(self):
        examples = 0
        for path, schema in subschemas(self.schema):
            self.assertTrue(schema["description"], path)
            for value in [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]:
                with self.subTest(key=path, value=value):
                    jsonschema.Draft7Validator(schema).validate(value)
                examples += 1
        self.assertGreater(examples, 100)

    def test_editors_find_it_from_every_example(self):
        for file in EXAMPLES:
            with self.subTest(file=file.name):
                match = re.match(r"# yaml-language-server: \$schema=(\S+)\n", file.read_text())
                self.assertIsNotNone(match)
                self.assertEqual((file.parent / match[1]).resolve(), SOURCE / "docs/scene.schema.json")


if __name__ == "__main__":
    unittest.main(verbosity=2)
