"""scree run --view and scree view: who is answered and where, what a browser shows of a run that goes on, and that looking,
pausing and stepping never change a run."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

from browser import Browser, find_browser
from scree_process import BAD_INPUT, GAS, INPUT_OUTPUT, INTERRUPTED, OK, PATIENCE, PHYSICS, SCREE, STONES, STONES_FRAMES, AppTest

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/")
# A disk falls so fast in the end that it could jump over others.
FAST = """\
scree: 1
domain: {x: [-1, 1], y: [-1, 500]}
gravity: [0, -9.81]
materials:
  stone: {density: 2600, stiffness: 3e3, restitution: 0.3}
walls:
  - {name: floor, material: stone, box: {x: [-1, 1], y: [-0.2, -0.1]}}
particles:
  - {place: [{position: [0, 490]}], material: stone, shape: disk, size: 0.1}
time: {end: 20}
output: {every: 0.05}
"""
ENDLESS_GAS = GAS.replace("end: 2}", "end: 1000}").replace("every: 0.125", "every: 0.02").replace("from: 0.3", "from: 0.1")


class Viewer:
    """One who looks at a run, as the page does."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.number = None
        self.frames = []

    def ask(self, method, path, headers=None):
        """Status and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def get(self, what):
        status, body = self.ask("GET", f"/{self.token}/{what}")
        assert status == 200, (what, status, body)
        return body

    def order(self, what):
        return self.ask("POST", f"/{self.token}/run?do={what}", {"Origin": f"http://127.0.0.1:{self.port}"})[0]

    def open(self):
        while True:
            said = json.loads(self.get("open"))
            if "wait" not in said:
                break
            time.sleep(0.005)
        self.number = said["viewer"]
        return said

    def look(self):
        """What is new; its frames are kept, with their arrays."""
        body = self.get(f"news?viewer={self.number}&from={len(self.frames)}")
        (size,) = struct.unpack_from("<I", body)
        said = json.loads(body[4 : 4 + size])
        at = 4 + size
        for frame in said.get("frames", []):
            for name, count in frame["sizes"].items():
                frame[name] = struct.unpack_from(f"<{count}f", body, at)
                at += 4 * count
            self.frames.append(frame)
        assert at == len(body)
        return said

    def look_until(self, condition):
        began = time.monotonic()
        while True:
            said = self.look()
            if condition(said):
                return said
            assert time.monotonic() - began < PATIENCE, said
            time.sleep(0.005)


class Viewing(AppTest):
    def serve(self, *arguments, **options):
        """Starts scree; the process, and one who may look at it."""
        process = self.start(*arguments, stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stdout.close)
        for line in process.stdout:
            if found := ADDRESS.search(line):
                return process, Viewer(int(found[1]), found[2])
        self.fail("no address is printed")

    def reference(self):
        """The same scene while nobody looks."""
        self.write("stones.yaml", STONES)
        self.scree("run", "stones.yaml", "--output", "alone", "--quiet")
        return self.run_of("alone")

    def end(self, process, code):
        process.stdout.read()
        self.assertEqual(process.wait(PATIENCE), code)


class Answers(Viewing):
    def test_only_who_knows_the_token_and_comes_from_here_is_answered(self):
        self.reference()
        process, viewer = self.serve("view", "alone")
        port, token = viewer.port, viewer.token
        mine = f"127.0.0.1:{port}"
        for path in ("/", f"/{token}", "/" + "0" * 32 + "/", f"/{token[:-1]}/", f"//{token}/", "/favicon.ico", "/open", f"/{token[:-1]}x/news"):
            self.assertEqual(viewer.ask("GET", path)[0], 403, path)
        self.assertEqual(viewer.ask("POST", "/run?do=stop")[0], 403)
        page = f"/{token}/"
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "localhost", f"127.0.0.1:{port + 1}", f"{mine}.evil.example", ""):
            for what in ("", "open"):
                self.assertEqual(viewer.ask("GET", page + what, {"Host": host})[0], 403, host)
        for origin in ("http://evil.example", "null", f"https://{mine}", f"http://127.0.0.1:{port + 1}", f"http://{mine}.evil.example", "http://localhost"):
            for method, what in (("GET", "open"), ("POST", "run?do=pause")):
                self.assertEqual(viewer.ask(method, page + what, {"Origin": origin})[0], 403, origin)
        status, body = viewer.ask("GET", page)
        self.assertEqual(status, 200)
        self.assertIn(b"connect-src 'self'", body)
        self.assertEqual(viewer.ask("GET", page, {"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"})[0], 200)
        self.assertEqual(viewer.ask("GET", page + "other")[0], 404)
        status, body = viewer.ask("POST", page + "run?do=stop")
        self.assertEqual((status, b"can be watched only" in body), (409, True))
        process.send_signal(signal.SIGINT)
        self.end(process, OK)

    def test_no_other_address_of_this_machine_listens(self):
        self.reference()
        process, viewer = self.serve("view", "alone")
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=10):
            pass
        own = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None)}
        own |= set(subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split())
        for address in {"127.0.0.2", "::1", *own} - {"127.0.0.1"}:
            with self.subTest(address), self.assertRaises(OSError):
                socket.create_connection((address, viewer.port), timeout=2).close()
        with open(f"/proc/{process.pid}/net/tcp") as table:
            mine = [line.split()[1] for line in table if line.split()[3] == "0A" and line.split()[1].endswith(f":{viewer.port:04X}")]
        self.assertEqual(mine, [f"0100007F:{viewer.port:04X}"])

    def test_the_port_is_the_one_asked_for_unless_it_is_taken(self):
        self.reference()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            process, viewer = self.serve("view", "alone", "--port", port, stderr=subprocess.PIPE)
            self.assertNotEqual(viewer.port, port)
            process.terminate()
            self.assertIn(f"port {port} is taken", process.communicate()[1])
        first, viewer = self.serve("view", "alone", "--port", port)
        self.assertEqual(viewer.port, port)
        second, other = self.serve("view", "alone", "--port", port)
        self.assertNotEqual(other.port, port)
        self.assertNotEqual(other.token, viewer.token)
        self.assertEqual(other.open()["title"], viewer.open()["title"])
        for process in (first, second):
            process.terminate()
            self.end(process, OK)

    def test_what_is_refused(self):
        self.write("stones.yaml", STONES)
        before = self.tree()
        for arguments, code, says in (
            (("view", "none"), INPUT_OUTPUT, "no such directory; needed: the output directory of a run"),
            (("view", "none", "--port", "0"), BAD_INPUT, "--port: is '0', must be a whole number from 1 to 65535"),
            (("run", "stones.yaml", "--view", "--port", "http"), BAD_INPUT, "must be a whole number from 1 to 65535"),
            (("run", "stones.yaml", "--port", "8000"), BAD_INPUT, "--port: is for the address of a view; allowed: together with --view"),
        ):
            self.assertIn(says, self.scree(*arguments, code=code).stderr)
        self.assertEqual(self.tree(), before)


class Runs(Viewing):
    def test_looking_pausing_and_stepping_change_nothing(self):
        reference = self.reference()
        process, first = self.serve("run", "stones.yaml", "--output", "seen", "--view")
        self.assertEqual(first.order("pause"), 204)
        said = first.open()
        self.assertTrue(said["can_control"])
        first.look_until(lambda said: said["is_paused"] and said["has_all"])
        time.sleep(0.1)
        count = len(first.frames)
        self.assertLess(count, STONES_FRAMES)
        self.assertEqual(len(self.run_of("seen").frames()), count, "it waits")
        second = Viewer(first.port, first.token)
        second.open()
        for k in range(1, 4):
            self.assertEqual(first.order("step"), 204)
            first.look_until(lambda said: len(first.frames) >= count + k and said["is_paused"])
            time.sleep(0.02)
            first.look()
            self.assertEqual(len(first.frames), count + k, "one frame and no more")
        # Some who look are killed in the middle of a question, or never end it.
        for text in (b"GET /", f"GET /{first.token}/open HTTP/1.1\r\nHost: 127.0.0.1:{first.port}\r\n\r\n".encode(), b"\0" * 5000):
            with socket.create_connection(("127.0.0.1", first.port)) as broken:
                broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                broken.sendall(text)
        self.assertEqual(first.order("jump"), 400)
        self.assertEqual(first.order("go_on"), 204)
        for viewer in (first, second):
            viewer.look_until(lambda said: said["ends"] and said["has_all"])
        self.end(process, OK)
        seen = self.run_of("seen")
        self.assertEqual(seen.state_hash, reference.state_hash)
        self.assert_same_files(seen, reference)
        for viewer in (first, second):
            self.assert_shown(viewer, seen)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", first.port), timeout=2).close()

    def assert_shown(self, viewer, run):
        """A viewer has every frame, with the row of the table, and every grain that was there, once."""
        rows = run.table("series.csv")
        self.assertEqual([frame["time"] for frame in viewer.frames], [time for time, _ in run.frames()])
        for frame, row in zip(viewer.frames, rows[1:]):
            for name, value in zip(rows[0], row):
                self.assertEqual(frame["row"][name], float(value), name)
            there = sum(scale > 0 for scale in frame["poses"][3::4])
            self.assertEqual(there, int(row[rows[0].index("particles")]))
            self.assertEqual(len(frame["poses"]), 4 * frame["grains"])
        ids = [grain for frame in viewer.frames for grain in frame["births"][6::7]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(ids), viewer.frames[-1]["grains"])
        left = sum(float(row[3]) for row in run.table("flow.csv")[1:])
        self.assertAlmostEqual(viewer.frames[-1]["row"]["mass_out [kg]"] / left, 1.0, places=9)

    def test_stop_saves_as_ctrl_c_does(self):
        reference = self.reference()
        process, viewer = self.serve("run", "stones.yaml", "--output", "seen", "--view", "--quiet")
        viewer.order("pause")
        viewer.open()
        self.assertEqual(viewer.order("step"), 204)
        viewer.look_until(lambda said: said["is_paused"] and len(viewer.frames) >= 2)
        self.assertEqual(viewer.order("stop"), 204)
        said = viewer.look_until(lambda said: said["ends"] and said["has_all"])
        self.assertEqual((said["status"], said["is_over"]), ("interrupted", True))
        self.end(process, INTERRUPTED)
        seen = self.run_of("seen")
        self.assertEqual(seen.info["status"], "interrupted")
        # So does Ctrl-C in a pause, and a resumed run can be looked at, too.
        process, viewer = self.serve("resume", "seen", "--view")
        viewer.order("pause")
        viewer.open()
        viewer.look_until(lambda said: said["is_paused"])
        process.send_signal(signal.SIGINT)
        self.end(process, INTERRUPTED)
        self.scree("resume", "seen", "--quiet")
        self.assert_same_files(seen, reference)

    def test_a_failure_is_told_to_those_who_look(self):
        self.write("fast.yaml", FAST)
        process, viewer = self.serve("run", "fast.yaml", "--output", "fast", "--view")
        viewer.open()
        said = viewer.look_until(lambda said: said["ends"] and said["has_all"])
        self.assertRegex(said["status"], r"^stopped: at t = [0-9.]+ s .* particle 2 is so fast")
        self.assertEqual(len(viewer.frames), len(self.run_of("fast").frames()))
        self.end(process, PHYSICS)

    def test_another_process_may_watch_and_be_killed(self):
        self.write("gas.yaml", ENDLESS_GAS)
        run = self.start("run", "gas.yaml", "--output", "gas")
        series = self.here / "gas" / "particles.pvd"
        self.wait_until(lambda: series.exists() and series.read_text().count("DataSet") >= 2, run)
        before = {path.name for path in self.here.iterdir()}
        watcher, viewer = self.serve("view", "gas")
        self.assertFalse(viewer.open()["can_control"])
        viewer.look_until(lambda said: len(viewer.frames) >= 4)
        first = viewer.frames[0]["grains"]
        said = viewer.look_until(lambda said: viewer.frames[-1]["grains"] > first)  # births
        self.assertEqual((said["status"], said["is_over"], said["is_paused"]), ("running", False, False))
        self.assertEqual(viewer.order("stop"), 409)
        watcher.kill()
        watcher.wait()
        self.assertEqual({path.name for path in self.here.iterdir()}, before)
        count = series.read_text().count("DataSet")
        self.wait_until(lambda: series.read_text().count("DataSet") > count, run)
        # What it was asked for it does not know any more; one who comes later knows how the run ended.
        watcher, viewer = self.serve("view", "gas")
        viewer.number = 5
        self.assertTrue(viewer.look()["begin_again"])
        viewer.open()
        run.terminate()
        self.assertEqual(run.wait(), INTERRUPTED)
        said = viewer.look_until(lambda said: said["is_over"] and said["has_all"])
        self.assertEqual(said["status"], "interrupted")
        self.assertEqual(len(viewer.frames), len(self.run_of("gas").frames()))
        self.scree("run", "gas.yaml", "--output", "gas", "--force", "--until", 0.05, "--quiet")
        self.assertTrue(viewer.look()["begin_again"])
        self.assertEqual(viewer.open()["end"], 0.05)
        watcher.terminate()
        self.end(watcher, OK)

    def test_a_terminal_with_a_display_opens_a_browser(self):
        self.reference()
        before = self.tree()
        opener = self.here / "bin" / "xdg-open"
        opener.parent.mkdir()
        opener.write_text(f"#!/bin/sh\necho \"$1\" >{self.here}/opened\n")
        opener.chmod(0o755)
        kept = {name: os.environ.get(name) for name in ("PATH", "DISPLAY", "WAYLAND_DISPLAY")}

        def restore():
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

        self.addCleanup(restore)
        os.environ["PATH"] = f"{opener.parent}:{os.environ['PATH']}"
        os.environ.pop("WAYLAND_DISPLAY", None)
        opened = self.here / "opened"
        for display, is_terminal in (("", True), (":0", False), (":0", True)):
            os.environ["DISPLAY"] = display
            if is_terminal:
                code, text = self.on_terminal(120, "view", "alone", stop_at=b"ends it")
                self.assertEqual(code, OK)
            else:
                process, _ = self.serve("view", "alone")
                process.terminate()
                self.end(process, OK)
            if not (display and is_terminal):
                self.assertFalse(opened.exists())
        self.wait_until_there(opened)
        self.assertEqual(opened.read_text().strip(), ADDRESS.search(text)[0])
        opened.unlink()
        for path in (opener, opener.parent):
            path.unlink() if path.is_file() else path.rmdir()
        self.assertEqual(self.tree(), before)

    def test_watch_on_a_terminal_names_the_view(self):
        self.reference()
        code, text = self.on_terminal(120, "watch", "alone")
        self.assertEqual(code, OK)
        self.assertEqual(text.splitlines()[0], "in a browser: scree view alone")

    def wait_until_there(self, path):
        began = time.monotonic()
        while not (path.exists() and path.read_text()):
            self.assertLess(time.monotonic() - began, PATIENCE)
            time.sleep(0.01)


@unittest.skipUnless(find_browser(), "there is no chromium")
class InABrowser(Viewing):
    def text(self, browser, name):
        return browser.run(f"document.getElementById('{name}').textContent")

    def curve(self, browser, title):
        """How many points the curve of a chart has; 0 if it is not there."""
        return browser.run(
            f"(document.querySelector('svg[aria-label=\"{title}\"] path')?.getAttribute('d') ?? '').split(/[ML]/).length - 1"
        )

    def test_a_run_that_goes_on(self):
        self.write("gas.yaml", ENDLESS_GAS)
        process, viewer = self.serve("run", "gas.yaml", "--output", "gas", "--view", stderr=subprocess.DEVNULL)
        address = f"http://127.0.0.1:{viewer.port}/{viewer.token}/"
        with Browser() as browser:
            browser.window(1100, 700)
            browser.open(address + "#test")
            browser.wait_for("window.scree && scree.source.frames() >= 3")
            browser.wait_for("document.getElementById('play').getAttribute('aria-label') === 'Pause'")
            frames = browser.run("scree.source.frames()")
            browser.wait_for("document.querySelector('svg[aria-label=\"Energy [J]\"] path') !== null")
            points = self.curve(browser, "Energy [J]")
            browser.wait_for(f"scree.source.frames() >= {frames + 3}")
            born = "scree.source.run.framesOf(scree.source.births() - 1)[0]"
            browser.wait_for(f"{born} > 0")  # in a frame that was not the first
            browser.wait_for("scree.frame() === scree.source.frames() - 1")
            self.assertGreater(browser.run("scree.frame()"), frames)
            browser.wait_for(
                f"document.querySelector('svg[aria-label=\"Energy [J]\"] path').getAttribute('d').split(/[ML]/).length > {points + 1}"
            )
            self.assertRegex(self.text(browser, "run-state"), r"^t = [0-9.]+ of 1000 s")
            # Its own pause stops what it shows, the other one the run.
            browser.key(" ")
            shown, made = browser.run("[scree.frame(), scree.source.frames()]")
            browser.wait_for(f"scree.source.frames() > {made}")
            self.assertEqual(browser.run("scree.frame()"), shown)
            browser.key("End")
            browser.run("document.getElementById('hold').click()")
            browser.wait_for("document.getElementById('run').dataset.state === 'paused'")
            browser.wait_for("document.getElementById('hold').textContent === 'go on'")
            viewer.open()
            viewer.look_until(lambda said: said["is_paused"] and said["has_all"])
            made = len(viewer.frames)
            browser.wait_for(f"scree.source.frames() === {made}")
            browser.run("document.getElementById('next').click()")
            browser.wait_for(f"scree.source.frames() === {made + 1} && scree.frame() === {made}")
            if "SCREE_SCREENSHOT" in os.environ:
                browser.settle()
                browser.screenshot(os.environ["SCREE_SCREENSHOT"])
            self.assertEqual(browser.run("document.querySelectorAll('#charts figure').length >= 3"), True)
            browser.run("document.getElementById('hold').click()")
            browser.wait_for(f"scree.source.frames() > {made + 2}")
            # A second click stops it.
            browser.run("document.getElementById('end').click()")
            self.assertEqual(self.text(browser, "end"), "really stop it?")
            browser.run("document.getElementById('end').click()")
            browser.wait_for("document.getElementById('run').dataset.state === 'over'")
            self.end(process, INTERRUPTED)
            self.assertIn("scree resume continues it", self.text(browser, "run-state"))
            browser.wait_for(f"scree.source.frames() === {len(self.run_of('gas').frames())}")
            self.assertEqual(browser.messages(), [])
            self.assertEqual([each for each in browser.requests() if not each.startswith((address, "data:"))], [])

    def test_a_run_that_is_over(self):
        self.reference()
        process, viewer = self.serve("view", "alone")
        with Browser(webgl=False) as browser:
            browser.window(900, 560)
            browser.open(f"http://localhost:{viewer.port}/{viewer.token}/#test&wait")
            browser.wait_for(f"window.scree && scree.source.frames() === {STONES_FRAMES}")
            browser.wait_for("document.getElementById('run').dataset.state === 'over'")
            self.assertEqual(browser.run("scree.frame()"), 0)
            self.assertIn("finished at t = 0.08 s", self.text(browser, "run-state"))
            self.assertTrue(browser.run("document.getElementById('end').hidden"))
            browser.key("End")
            self.assertEqual(browser.run("scree.frame()"), STONES_FRAMES - 1)
            browser.wait_for("document.querySelector('svg[aria-label=\"Mass that left [kg]\"]') !== null")
            self.assertEqual(browser.messages(), [])
            process.send_signal(signal.SIGINT)
            self.end(process, OK)
            browser.wait_for("document.getElementById('run-state').textContent.includes('scree view alone')")


def has_views():
    done = subprocess.run([SCREE, "view", "/nonexistent"], capture_output=True, text=True, check=False)
    return "was built without views" not in done.stderr


if __name__ == "__main__":
    if not has_views():
        print("this scree was built without views")
        sys.exit(77)
    unittest.main()
