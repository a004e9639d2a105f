"""A real browser, driven over a pipe by the DevTools protocol. Standard library only."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 120.0  # s


def find_browser():
    """Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """A headless browser without a network, with software rendering or without WebGL at all."""

    def __init__(self, webgl=True):
        self.profile = tempfile.mkdtemp(prefix="scree-browser-")
        to_browser, our_end = os.pipe()
        our_other_end, from_browser = os.pipe()
        drawing = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] if webgl else ["--disable-3d-apis"]

        def connect():
            # The protocol's pipes are the numbers 3 and 4. Copies beyond them, as either may be one of these.
            ends = [os.dup2(end, 60 + k) for k, end in enumerate((to_browser, from_browser))]
            for number, end in zip((3, 4), ends):
                os.dup2(end, number)

        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-extensions",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", *drawing,
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=connect, close_fds=False, start_new_session=True,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.out, self.back = our_end, our_other_end
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in pages if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0.0, end - time.monotonic()))
            more = os.read(self.back, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("the browser does not answer")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        """Calls a method of the protocol; what happens meanwhile is kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def window(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, address):
        """Opens a page anew, and forgets what happened before."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=address)

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait_for(self, script):
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(script):
            if time.monotonic() > end:
                raise RuntimeError(f"never true: {script}; the page says: {self.run('document.body.innerText')[:500]}")
            time.sleep(0.02)

    def settle(self):
        """Until what is due is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 and kind == "keyDown" else "")
        self.settle()

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def drag(self, start, end):
        """The pointer goes down at a point, in steps to another, and up."""
        places = [[a + share * (b - a) for a, b in zip(start, end)] for share in (0.25, 0.5, 0.75, 1)]
        for kind, (x, y) in [("mousePressed", start), *(("mouseMoved", place) for place in places), ("mouseReleased", end)]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.settle()

    def spread(self, x, y, before, after):
        """Two fingers beside a point, so many pixels from it, go apart."""
        self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        for kind, away in (("touchStart", before), ("touchMove", after), ("touchEnd", None)):
            fingers = [] if away is None else [{"x": x - away, "y": y, "id": 0}, {"x": x + away, "y": y, "id": 1}]
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=fingers)
        self.call("Emulation.setTouchEmulationEnabled", enabled=False)
        self.settle()

    def wheel(self, x, y, by):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)
        self.settle()

    def screenshot(self, path):
        picture = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as file:
            file.write(picture)

    def messages(self):
        """What the page wrote on the console, and what went wrong in it."""
        self.run("1")  # all that happened before has arrived then
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event["method"] in kinds]

    def requests(self):
        """The addresses that the page asked for."""
        self.run("1")
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def tree(self):
        """(role, name) of all that people with a screen reader meet."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return {
            (node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")
        }
