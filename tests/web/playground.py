"""The playground (./dev web) in a real browser, from a file: it computes the bits of the native program, says what is wrong
with a scene and where, and asks for nothing.

usage: playground.py PAGE SCREE [unittest arguments]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "app"))

from browser import Browser  # noqa: E402

PAGE = pathlib.Path(sys.argv[1]).resolve()
SCREE = pathlib.Path(sys.argv[2]).resolve()
READY = "['gl', '2d'].includes(document.documentElement?.dataset.ready)"
# Of a thousand grains the page's script may take so long for a frame [ms].
MOST_FOR_A_FRAME = 8.0


def native_hash(text, until):
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "scene.yaml"
        scene.write_text(text)
        subprocess.run([SCREE, "run", scene, "--until", str(until), "--output", "out", "--quiet"], cwd=folder, check=True)
        return json.loads((pathlib.Path(folder) / "out" / "run.json").read_text())["state_hash"]


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.browser.window(1280, 860)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, flags, ready=READY):
        self.browser.open(f"file://{PAGE}#{flags}")
        self.browser.wait_for(ready)

    def tearDown(self):
        """The page asked for nothing but itself and what it holds, and said nothing on the console."""
        self.assertEqual(self.browser.messages(), [])
        others = [each for each in self.browser.requests() if not each.startswith((f"file://{PAGE}", "data:", "blob:"))]
        self.assertEqual(others, [])

    def text(self, example):
        return self.browser.run(f"examples.find((each) => each.name === '{example}').text")

    def hash_at(self, time):
        self.browser.run(f"playground.until({time})")
        self.browser.wait_for("playground.rest !== null")
        return self.browser.run("playground.rest.hash")

    def load(self, text, name="scene"):
        self.browser.run("delete document.documentElement.dataset.ready")
        self.browser.run(f"playground.load({json.dumps(text)}, {json.dumps(name)})")

    def test_scenes_reach_the_states_of_the_native_program(self):
        for example, until in (("heap", 0.2), ("gas", 1.0)):
            with self.subTest(example):
                self.open(f"example={example}&wait")
                self.assertEqual(self.hash_at(until), native_hash(self.text(example), until))
                proof = self.browser.run("document.getElementById('proof').textContent")
                self.assertIn(f"scree run {example}.yaml --until {str(until).removesuffix('.0')} reaches this state", proof)
                self.assertTrue(self.browser.run("playground.fileText()").startswith(self.text(example).rstrip()))

    def test_any_example_begins(self):
        self.open("wait")
        for name in self.browser.run("examples.map((each) => each.name)"):
            with self.subTest(name):
                self.load(self.text(name), name)
                self.browser.wait_for(READY)
                self.assertEqual(self.browser.run("document.getElementById('mistakes').textContent"), "")
                frames = self.browser.run("playground.source.frames()")
                self.browser.run("document.getElementById('forth').click()")
                self.browser.wait_for(f"playground.source.frames() > {frames}")

    def test_a_mistake_is_shown_where_it_is(self):
        self.open("wait")
        text = self.text("heap").replace("friction: 0.6", "friction: -0.6", 1)
        line = 1 + text.splitlines().index(next(each for each in text.splitlines() if "-0.6}" in each))
        column = 1 + text.splitlines()[line - 1].index("-0.6")
        self.load(text)
        self.browser.wait_for("document.documentElement.dataset.ready === 'refused'")
        said = self.browser.run("document.getElementById('mistakes').textContent")
        self.assertIn(f"line {line}, column {column}: materials.stone.friction: is -0.6, must be ", said)
        marked = "document.querySelector('.cm-lintRange-error')?.textContent"
        self.browser.wait_for(f"{marked} === '-0.6'")
        self.assertTrue(self.browser.run("document.getElementById('run').disabled"))
        # What is found when the scene begins has its place, too.
        self.load("scree: 1\ndomain: {x: [0, 1], y: [0, 1]}\nmaterials: {a: {density: 1, stiffness: 1e3, restitution: 0.5}}\n"
                  "particles:\n  - {place: [{position: [0.5, 0.5]}, {position: [0.5, 0.6]}], material: a, shape: disk, size: 0.2}\n"
                  "time: {end: 1}\noutput: {every: 0.1}\n")  # fmt: skip
        self.browser.wait_for("document.documentElement.dataset.ready === 'refused'")
        self.assertRegex(self.browser.run("document.getElementById('mistakes').textContent"), r"line 5, column \d+: particles\[0\]")

    def test_mistakes_are_marked_while_typing(self):
        self.open("example=silo&wait")
        self.browser.run("playground.editor.replace(0, 0, 'sead: 2\\n')")
        self.browser.wait_for("document.getElementById('mistakes').textContent.includes('line 1, column 1: sead')")
        self.assertIn("did you mean 'seed'", self.browser.run("document.getElementById('mistakes').textContent"))
        self.browser.run("playground.editor.replace(1, 3, 'ee')")
        self.browser.wait_for("document.getElementById('mistakes').textContent.includes('seed')")  # it is there twice
        self.browser.run("playground.editor.replace(0, 8, '')")
        self.browser.wait_for("document.getElementById('mistakes').textContent === ''")

    def test_sliders_change_the_text_and_run_it(self):
        self.open("example=silo&wait")
        self.assertEqual(self.browser.run("[...document.querySelectorAll('#sliders label')].map((each) => each.textContent)"),
                         ["grain", "half", "height"])  # fmt: skip
        self.browser.run("""(() => {
            const slider = document.getElementById('slider-half');
            slider.value = 30;
            slider.dispatchEvent(new Event('input'));
            slider.dispatchEvent(new Event('change'));
        })()""")
        self.assertIn("half: 0.12,", self.browser.run("playground.editor.text()"))
        self.browser.wait_for("playground.source.run.domain.hi[0] > 0.13")
        self.assertIn("half: 0.12, height: 0.5}", self.browser.run("playground.editor.text()"))

    def test_a_grain_is_dragged_elsewhere_and_the_scene_goes_on_from_there(self):
        self.open("example=heap&wait")
        self.hash_at(1.0)
        self.browser.settle()
        at = "playground.player.placeOnScreen"
        highest = ("[...playground.source.run.grain_id.keys()].reduce((a, b) =>"
                   " playground.player.placeOnScreen(b)[1] < playground.player.placeOnScreen(a)[1] ? b : a)")  # fmt: skip
        grain = self.browser.run(highest)
        x, y = self.browser.run(f"{at}({grain})")
        self.browser.click(x, y)
        self.assertIn("drag the grain", self.browser.run("document.getElementById('picked').textContent"))
        text = self.browser.run("playground.editor.text()")
        # Into another grain: refused.
        other = self.browser.run(f"{at}({grain} === 0 ? 1 : 0)")
        self.browser.drag((x, y), other)
        self.browser.wait_for("document.getElementById('message').textContent !== ''")
        self.assertRegex(self.browser.run("document.getElementById('message').textContent"), "^It stays where it was: particle .* overlaps ")
        self.assertEqual(self.browser.run("playground.editor.text()"), text)
        self.assertEqual(self.browser.run(f"{at}({grain})"), [x, y])
        # Into the air: the scene begins there, and is what the native program computes.
        grains = self.browser.run("playground.source.run.count")
        self.browser.run("delete document.documentElement.dataset.ready")
        self.browser.drag((x, y), (x + 40, y - 60))
        self.browser.wait_for(READY)
        self.assertEqual(self.browser.run("playground.source.run.count"), grains)
        self.assertEqual(self.browser.run("playground.source.run.times[0]"), 0)
        there = self.browser.run(f"[...playground.source.run.grain_id.keys()].map((k) => {at}(k)).sort((a, b) => a[1] - b[1])[0]")
        self.assertAlmostEqual(there[0], x + 40, delta=1)
        self.assertAlmostEqual(there[1], y - 60, delta=1)
        text = self.browser.run("playground.editor.text()")
        self.assertIn("position: [", text)
        self.assertEqual(self.hash_at(0.1), native_hash(text, 0.1))

    def test_a_link_has_the_scene_in_it(self):
        self.open("example=dominoes&wait")
        text = self.text("dominoes").replace("title: Dominoes", "title: Dominoes – mine")
        self.load(text, "mine")
        self.browser.wait_for(READY)
        self.browser.run("document.getElementById('share').click()")
        self.browser.wait_for("location.hash.startsWith('#scene=')")
        address = self.browser.run("location.href")
        self.browser.open("about:blank")
        self.browser.open(address)
        self.browser.wait_for(READY)
        self.assertEqual(self.browser.run("playground.editor.text()"), text)
        self.assertEqual(self.browser.run("document.getElementById('title').textContent"), "Dominoes – mine")

    def test_the_exact_gas_goes_back_to_its_start(self):
        self.open("example=unmixing&wait")
        start = self.browser.run("opened.start_hash")
        self.hash_at(2.0)
        self.browser.run("document.getElementById('back-in-time').click()")
        self.browser.wait_for("playground.source.engine.isOver()")
        self.browser.run("playground.rest = null; document.getElementById('back-in-time').click()")
        self.browser.wait_for("playground.rest !== null")
        self.assertEqual(self.browser.run("playground.rest.hash"), start)
        self.assertIn("Back at the start, bit for bit", self.browser.run("document.getElementById('proof').textContent"))

    def test_playing_is_light_on_the_page(self):
        """A thousand stones with force chains, while the Worker computes: what the page's script takes for a frame."""
        self.open("example=heap&wait")
        self.hash_at(1.0)
        self.assertGreater(self.browser.run("playground.source.run.count"), 950)
        self.browser.call("Performance.enable")

        def spent():
            """On script, and on all that the page's thread does [ms]."""
            found = {each["name"]: each["value"] for each in self.browser.call("Performance.getMetrics")["metrics"]}
            return 1000.0 * found["ScriptDuration"], 1000.0 * found["TaskDuration"]

        before, frames = spent(), self.browser.run("playground.source.frames()")
        self.browser.run("playground.player.play()")
        self.browser.wait_for(f"playground.source.frames() >= {frames} + 40 || playground.source.engine.isOver()")
        self.browser.run("playground.player.pause()")
        shown = self.browser.run("playground.source.frames()") - frames
        script, all_of_it = ((now - then) / shown for now, then in zip(spent(), before))
        print(f"{script:.1f} ms of script and {all_of_it:.1f} ms in all a frame, {shown} frames")
        self.assertGreaterEqual(shown, 20)
        self.assertLess(script, MOST_FOR_A_FRAME)

    def test_it_fits_on_a_phone(self):
        self.browser.window(400, 800)
        self.open("example=drum&wait")
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 400)
        self.assertEqual(self.browser.run("window.scrollY"), 0)
        self.browser.window(1280, 860)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
