"""scree replay: what it writes, what a real browser makes of it, and what it refuses."""

import re
import unittest

from browser import Browser, find_browser
from scree_process import BAD_INPUT, GAS, INPUT_OUTPUT, STONES, AppTest

BILLIARDS = """\
scree: 1
title: Two balls & a <script> tag
mode: hard
domain: {x: [0, 1], y: [0, 1], sides: reflecting}
materials:
  ball: {density: 1, stiffness: 1e5, restitution: 1}
particles:
  - {place: [{position: [0.2, 0.5], velocity: [1, 0.1], colour: [255, 0, 0]}], material: ball, shape: disk, size: 0.2}
  - {place: [{position: [0.8, 0.5], velocity: [0, 0], colour: [0, 0, 255]}], material: ball, shape: disk, size: 0.2}
time: {end: 0.5}
output: {every: 0.05}
"""
LATE = """\
scree: 1
domain: {x: [0, 1], y: [0, 1]}
gravity: [0, -9.81]
materials:
  ball: {density: 1, stiffness: 1e3, restitution: 0.5}
particles:
  - pour: {count: 2, rate: 20, from: 0.2, region: {x: [0.3, 0.7], y: [0.3, 0.7]}}
    material: ball
    shape: disk
    size: 0.1
time: {end: 0.5}
output: {every: 0.05}
"""
READY = "document.title.startsWith('ready') || document.getElementById('message')?.textContent.startsWith('Cannot')"
# Of the page's canvas of grains: how many pixels have some colour.
PIXELS = """(() => {
  const grains = document.getElementById('grains'), copy = document.createElement('canvas');
  copy.width = grains.width; copy.height = grains.height;
  const context = copy.getContext('2d');
  context.drawImage(grains, 0, 0);
  const data = context.getImageData(0, 0, copy.width, copy.height).data;
  let red = 0, blue = 0, all = 0;
  for (let k = 0; k < data.length; k += 4) {
    if (data[k + 3] < 128) continue;
    ++all;
    red += data[k] > 200 && data[k + 2] < 60;
    blue += data[k + 2] > 200 && data[k] < 60;
  }
  return [all, red, blue, data.length / 4];
})()"""


class RunsAndReplays(AppTest):
    def simulate(self, name, text, *arguments):
        self.write(f"{name}.yaml", text)
        self.scree("run", f"{name}.yaml", "--output", name, "--quiet", *arguments)

    def replay(self, name, *arguments):
        """What it says, and the hash of the poses in it."""
        said = self.scree("replay", name, *arguments).stdout
        return said, re.search(r"hash ([0-9a-f]{8})", said)[1]


class Replay(RunsAndReplays):
    def test_the_page_needs_nothing_else(self):
        self.simulate("stones", STONES)
        said, hash_of_poses = self.replay("stones")
        page = (self.here / "stones" / "replay.html").read_text()
        self.assertIn("default-src 'none'", page)
        self.assertIn(hash_of_poses, page)
        self.assertNotRegex(page, r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\(")
        self.assertRegex(said, r"17 of 17 frames")
        for part in ("poses", "shapes", "speed", "force chains", "tables and scene"):
            self.assertRegex(said, part + r" +[0-9.]+ [kM]B")

    def test_arrays_and_chains_are_there_by_choice(self):
        self.simulate("stones", STONES)
        said, full = self.replay("stones", "-o", "page.html", "--arrays", "coordination,force", "--no-chains")
        self.assertIn("coordination", said)
        self.assertNotIn("speed", said)
        self.assertNotIn("chains", said)
        self.assertIn("array-coordination", (self.here / "page.html").read_text())
        said, few = self.replay("stones", "--frames", "3")
        self.assertIn("3 of 17 frames", said)
        self.assertNotEqual(few, full)

    def test_what_colours_grains_at_first_is_carried_by_the_page(self):
        self.simulate("stones", STONES)
        said, _ = self.replay("stones", "--colour", "torque")
        self.assertRegex(said, r"speed +[0-9.]+ kB\n +torque +[0-9.]+ kB")
        self.assertIn('"colour":"torque"', (self.here / "stones" / "replay.html").read_text())
        said, _ = self.replay("stones", "--colour", "size")
        self.assertNotIn("torque", said)

    def test_a_run_that_begins_again_takes_its_replay_away(self):
        self.simulate("balls", BILLIARDS)
        self.replay("balls")
        self.simulate("balls", BILLIARDS, "--force")
        self.assertFalse((self.here / "balls" / "replay.html").exists())

    def test_a_run_writes_its_replay_where_the_scene_says_so(self):
        text = BILLIARDS.replace("every: 0.05", "every: 0.05, replay: true")
        self.write("balls.yaml", text)
        said = self.scree("run", "balls.yaml", "--output", "balls", "--until", 0.3).stdout
        self.assertIn("open balls/replay.html in a browser", said)
        page = self.here / "balls" / "replay.html"
        header = r'"times":\[(.*?)\].*"hash":"(\w+)"'
        times, _ = re.search(header, page.read_text()).groups()
        self.assertEqual(times.count(","), 6)
        self.scree("resume", "balls", "--quiet")
        times, hash_of_poses = re.search(header, page.read_text()).groups()
        self.assertEqual(times.count(","), 10)
        self.assertEqual(hash_of_poses, self.replay("balls", "-o", "by_hand.html")[1])
        self.write("balls.yaml", text.replace("replay: true", "replay: yes"))
        done = self.scree("check", "balls.yaml", code=BAD_INPUT)
        self.assertIn("balls.yaml:11:31: output.replay: is 'yes', must be true or false", done.stderr)

    def test_a_run_that_goes_on_shows_what_is_there(self):
        self.write("gas.yaml", GAS.replace("end: 2", "end: 1000"))
        run = self.start("run", "gas.yaml", "--output", "gas")
        series = self.here / "gas" / "particles.pvd"
        self.wait_until(lambda: series.exists() and series.read_text().count("DataSet") >= 3, run)
        said, _ = self.replay("gas")
        self.assertIsNone(run.poll())
        frames = int(re.search(r"(\d+) of \1 frames", said)[1])
        self.assertGreaterEqual(frames, 3)
        page = (self.here / "gas" / "replay.html").read_text()
        self.assertIn('"status":"running"', page)
        rows = re.search(r'"series.csv":\{"time \[s\]":\[(.*?)\]', page)[1]
        self.assertGreaterEqual(rows.count(",") + 1, frames, "charts go as far as the frames")

    def test_what_is_no_run_is_refused(self):
        (self.here / "empty").mkdir()
        self.write("file", "")
        for name, says in (("none", "no such directory"), ("empty", "it holds no run.json"), ("file", "it is a file")):
            done = self.scree("replay", name, code=INPUT_OUTPUT)
            self.assertIn(says, done.stderr)
            self.assertIn("needed: the output directory of a run", done.stderr)
        done = self.scree("replay", "empty", "--arrays", "sped", code=BAD_INPUT)
        self.assertIn("has 'sped' (did you mean 'speed'?), must be a list of speed, ", done.stderr)
        done = self.scree("replay", "empty", "--colour", "sped", code=BAD_INPUT)
        self.assertIn("--colour: is 'sped' (did you mean 'speed'?), must be scene, speed, ", done.stderr)
        done = self.scree("replay", "empty", "--frames", "0", code=BAD_INPUT)
        self.assertIn("must be a whole number from 1 on", done.stderr)

    def test_a_damaged_frame_is_refused_by_its_name(self):
        self.simulate("balls", BILLIARDS)
        (self.here / "balls" / "particles_000004.vtp").write_text("<VTKFile")
        done = self.scree("replay", "balls", code=INPUT_OUTPUT)
        self.assertIn("particles_000004.vtp", done.stderr)
        self.assertFalse((self.here / "balls" / "replay.html").exists())


@unittest.skipUnless(find_browser(), "there is no chromium")
class InABrowser(RunsAndReplays):
    def open(self, browser, name, flags):
        browser.open(f"file://{self.here}/{name}/replay.html#test&{flags}")
        browser.wait_for(READY)
        return browser.run("document.title").split()

    def assert_quiet(self, browser, name):
        """The page asked for nothing but itself and said nothing on the console."""
        self.assertEqual(browser.messages(), [])
        self.assertEqual(browser.requests(), [f"file://{self.here}/{name}/replay.html"])

    def look_at(self, browser, kind, hashes):
        for name, frame, flags in (("stones", 8, "t=0.04"), ("gas", 2, "t=0.25"), ("balls", 6, "t=0.301")):
            with self.subTest(name=name, kind=kind):
                self.assertEqual(self.open(browser, name, flags), ["ready", str(frame), hashes[name], kind])
                browser.settle()
                self.assert_quiet(browser, name)
                drawn, red, blue, of = browser.run(PIXELS)
                self.assertGreater(drawn, 0.002 * of)
                if name == "balls":  # each is drawn in the scene's colour, and as large as the other
                    self.assertGreater(red, 300)
                    self.assertAlmostEqual(red / blue, 1.0, delta=0.05)
                    window = browser.run("[grains.width, grains.height]")
                    self.assertLess(drawn, 0.1 * window[0] * window[1])

    def test_it_is_drawn_with_and_without_webgl(self):
        hashes = {}
        for name, text, until in (("stones", STONES, 0.08), ("gas", GAS, 0.375), ("balls", BILLIARDS, 0.5)):
            self.simulate(name, text, "--until", until)
            _, hashes[name] = self.replay(name)
        for webgl, kind in ((False, "2d"), (True, "gl")):
            with Browser(webgl) as browser:
                browser.window(900, 560)
                self.look_at(browser, kind, hashes)
                self.look_at_what_left(browser)
                self.look_at_births(browser)
                if webgl:
                    self.look_at_the_beginning(browser)
                    self.look_at_a_table_that_ends_early(browser)
                    self.look_at_the_scales(browser)
                    self.look_at_colours(browser)
                    self.use(browser)
                    self.look_at_both_modes(browser)
                    self.damage(browser)

    def look_at_what_left(self, browser):
        """The sum goes on flat from the last departure to the end of the run, and begins at its start."""
        self.open(browser, "stones", "t=0.08")
        chart = "document.querySelector('svg[aria-label=\"Mass that left [kg]\"] path').getAttribute('d')"
        points = [tuple(map(float, point.split())) for point in re.split("[ML]", browser.run(chart))[1:]]
        self.assertEqual(points[0], (60, 100))
        self.assertEqual(points[-1], (332, 26))
        self.assertEqual(points[-2][1], 26)

    def look_at_the_beginning(self, browser):
        """A page plays at once, from the first frame with grains, unless its address has a time."""
        self.simulate("late", LATE)
        self.replay("late")
        browser.open(f"file://{self.here}/late/replay.html#test")
        browser.wait_for(READY)
        first = int(browser.run("document.title").split()[1])
        self.assertGreaterEqual(first, 3)
        self.assertEqual(browser.run("document.getElementById('play').getAttribute('aria-label')"), "Pause")
        browser.wait_for(f"scree.frame() > {first}")
        browser.key(" ")
        self.open(browser, "late", "t=0")
        self.assertEqual(browser.run("scree.frame()"), 0)
        self.assertEqual(browser.run("document.getElementById('play').getAttribute('aria-label')"), "Play")
        self.assertEqual(browser.run("document.getElementById('rate').selectedOptions[0].text"), "0.05 × real time")
        for span, natural in ((0.08, 0.01), (0.9, 0.1), (1.4, 1), (20, 1), (21, 2), (1000, 50), (3e6, 2e5), (0, 1)):
            rates = browser.run(f"playbackRates({span})")
            self.assertAlmostEqual(rates["natural"] / natural, 1.0, places=9)
            self.assertLessEqual(span / rates["natural"], 20.0)
            self.assertIn(1, rates["rates"])

    def look_at_the_scales(self, browser):
        """A bar has the length that it says, a line the width of a chain of that force; both follow the zoom."""
        self.open(browser, "stones", "t=0.08")
        browser.settle()
        shown = """(() => {
            const bar = document.querySelector('#scales .length');
            const chains = [...document.querySelectorAll('#scales .chain')].map(
                (line) => [line.getBoundingClientRect().height, parseFloat(line.parentElement.textContent)]);
            return [bar.getBoundingClientRect().width, bar.parentElement.textContent, chains];
        })()"""
        metres = {"m": 1.0, "cm": 0.01, "mm": 0.001}
        per_pixel = []
        for _ in range(2):
            width, text, chains = browser.run(shown)
            number, unit = text.split()
            self.assertIn(number.lstrip("0.").rstrip("0"), ("1", "2", "5"))
            self.assertTrue(40 <= width <= 111)
            per_pixel.append(float(number) * metres[unit] / width)
            self.assertGreaterEqual(len(chains), 1)
            self.assertEqual(chains, sorted(chains, reverse=True), "stronger ones are wider")
            greatest = browser.run("JSON.parse(document.getElementById('header').textContent).chain_force")
            self.assertTrue(0.05 * greatest < chains[0][1] <= greatest)
            browser.key("+")
        self.assertAlmostEqual(per_pixel[0] / per_pixel[1], 1.4, delta=0.03)
        lengths = browser.run("[2000, 5, 0.5, 0.02, 0.001, 5e-5].map(lengthText)")
        self.assertEqual(lengths, ["2 km", "5 m", "50 cm", "2 cm", "1 mm", "50 µm"])
        browser.key("f")
        self.assertEqual(browser.run(shown)[2], [], "without chains no legend of them")

    def look_at_colours(self, browser):
        """The menu begins with what was asked for, and with the first if the run has no such thing."""
        for asked, shown in (("force", "force"), ("size", "size"), ("none", "none"), ("scene", "speed")):
            self.replay("stones", "--colour", asked)
            self.open(browser, "stones", "t=0.08")
            self.assertEqual(browser.run("document.getElementById('colour').value"), shown)

    def look_at_births(self, browser):
        """A source that gets another grain and another frame needs no new page."""
        self.open(browser, "balls", "t=0.5")
        browser.settle()
        _, red, blue, _ = browser.run(PIXELS)
        browser.run("""(() => {
            const { source } = scree, { run } = source, { poses } = source;
            for (const name of ['id', 'first', 'frames', 'type', 'material', 'corners', 'size', 'mass', 'colour']) {
                const all = run['grain_' + name];
                run['grain_' + name] = all.constructor.from([...all, all[0]]);
            }
            run.start = Uint32Array.from([run.start[0], run.start[1], run.start[0]]);
            run.corner_start = Uint32Array.from([0, 0, 0, 0]);
            run.grain_first[2] = run.times.length; // born in the new frame
            run.grain_frames = run.grain_frames.map((frames, k) => k < 2 ? frames + 1 : 1);
            const last = run.times.length - 1;
            source.poses = (frame, numbers) => {
                poses(Math.min(frame, last), numbers);
                numbers.set(frame > last ? [0.5, 0.9, 0, 1] : [0, 0, 0, 0], 8);
            };
            run.times.push(0.55);
            run.count = 3;
            source.changed();
        })()""")
        browser.settle()
        self.assertEqual(browser.run("[scree.frame(), Number(document.getElementById('scrub').max)]"), [10, 11])
        self.assertAlmostEqual(browser.run(PIXELS)[1] / red, 1.0, delta=0.02)
        browser.key("End")
        now, red_now, blue_now, _ = browser.run(PIXELS)
        self.assertAlmostEqual(red_now / red, 2.0, delta=0.1)
        self.assertAlmostEqual(blue_now / blue, 1.0, delta=0.02)
        self.assertIn("12 frames to 0.55", browser.run("document.getElementById('subtitle').textContent"))
        self.assert_quiet(browser, "balls")

    def look_at_a_table_that_ends_early(self, browser):
        """Its curve ends there, and so does the value beside the title."""
        self.open(browser, "stones", "t=0")
        ended, said = browser.run("""(() => {
            const figures = document.createElement('div');
            const curve = { name: 'a', times: [0, 0.5, 1], values: [5, 6, 7] };
            const move = addChart(figures, 'ends early', [curve], [0, 2], () => {});
            const said = [0, 0.7, 1, 1.000001, 1.1, 2].map((time) => (move(time), figures.querySelector('.now').textContent));
            return [figures.querySelector('path').getAttribute('d').split('L').at(-1), said];
        })()""")
        self.assertEqual(ended.split()[0], "196.0")
        self.assertEqual(said, ["a 5", "a 6", "a 7", "a 7", "a –", "a –"])

    def look_at_both_modes(self, browser):
        self.scree("compare", "balls.yaml", "--quiet", "--output", "both")
        browser.window(900, 560)
        _, frame, _, _ = self.open(browser, "both", "t=0")
        self.assertEqual(frame, "0")
        browser.settle()
        drawn, red, blue, of = browser.run(PIXELS)
        self.assertGreater(drawn, 0.01 * of)
        self.assertGreater(red, 200)  # as in the scene
        self.assertAlmostEqual(red / blue, 1.0, delta=0.1)
        energy = "document.querySelector('svg[aria-label=\"Kinetic energy [J]\"]').textContent"
        self.assertRegex(browser.run(energy), r"soft 0\.\d+hard 0\.\d+")
        self.assertIn("soft beside hard · 4 grains", browser.run("document.getElementById('subtitle').textContent"))
        self.assert_quiet(browser, "both")

    def use(self, browser):
        """Keys, pointer, what a screen reader meets."""
        self.scree("report", "stones", "--quiet")
        browser.window(400, 800)
        browser.open(f"file://{self.here}/stones/report.html")
        browser.wait_for("Boolean(document.querySelector('pre'))")
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 400)
        self.open(browser, "balls", "t=0")
        browser.window(420, 800, dark=True)
        browser.settle()
        self.assertEqual(browser.run("document.documentElement.dataset.theme"), "dark")
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 420)
        browser.window(900, 560)
        browser.settle()
        browser.key("ArrowRight")
        self.assertEqual(browser.run("scree.frame()"), 1)
        self.assertIn("0.05", browser.run("document.getElementById('time').textContent"))
        browser.key("End")
        self.assertEqual(browser.run("scree.frame()"), 10)
        self.assertEqual(browser.run("location.hash"), "#t=0.5")
        browser.key("Home")
        before = browser.run(PIXELS)[0]
        browser.wheel(250, 250, -200)
        self.assertGreater(browser.run(PIXELS)[0], 1.5 * before)
        browser.key("0")
        self.assertAlmostEqual(browser.run(PIXELS)[0] / before, 1.0, delta=0.02)
        red = """(() => { const box = grains.getBoundingClientRect(), [l, r, b, t] = [0, 1, 0, 1];
            return [box.left, box.top, box.width, box.height]; })()"""
        left, top, width, height = browser.run(red)
        x, y = left + 0.5 * width, top + 0.5 * height
        browser.spread(x, y, 40, 60)  # two fingers
        self.assertGreater(browser.run(PIXELS)[0], 1.5 * before)
        browser.key("0")
        side = min(width, height)
        self.assertNotIn("Grain", browser.run("document.getElementById('picked').innerText"))
        for share in range(20, 40):  # from the left of the domain to the right: one of these meets the left ball
            browser.click(left + 0.5 * width + (0.01 * share - 0.5) * side * 0.9, top + 0.5 * height)
            if "Grain" in browser.run("document.getElementById('picked').innerText"):
                break
        picked = browser.run("document.getElementById('picked').innerText")
        self.assertRegex(picked, r"Grain \d+")
        self.assertRegex(picked, r"speed\s+1(\.0\d?)? m/s")
        browser.key(" ")
        browser.wait_for("scree.frame() >= 2")
        self.assertEqual(browser.run("document.getElementById('play').getAttribute('aria-label')"), "Pause")
        roles = browser.tree()
        for role, name in (("button", "Pause"), ("slider", "Time"), ("button", "One frame back"), ("toolbar", "Playback"),
                           ("combobox", "Colour grains by"), ("heading", "Two balls & a <script> tag")):  # fmt: skip
            self.assertIn((role, name), roles)
        browser.key(" ")
        self.assert_quiet(browser, "balls")

    def damage(self, browser):
        page = self.here / "balls" / "replay.html"
        page.write_text(page.read_text().replace('"status":"finished"', '"status":"running"'))
        self.open(browser, "balls", "t=0.2")
        subtitle = browser.run("document.getElementById('subtitle').textContent")
        self.assertRegex(subtitle, r"11 frames to 0\.50* s of 0\.5 s, running")
        hash_of_poses = re.search(r'"hash":"([0-9a-f]{8})"', page.read_text())[1]
        page.write_text(page.read_text().replace(hash_of_poses, "0badcafe"))
        browser.open(f"file://{page}#test")
        browser.wait_for(READY)
        self.assertIn("damaged", browser.run("document.getElementById('message').textContent"))


if __name__ == "__main__":
    unittest.main()
