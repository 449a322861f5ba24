# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over a pipe by its DevTools protocol; only what the tests need."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One page. Console messages, uncaught errors and requests for anything but the file itself
    end up in self.messages."""

    def __init__(self, program, seconds=60):
        self.deadline = time.monotonic() + seconds
        self.messages = []
        self.number = 0
        self.buffer = b""
        self.home = tempfile.mkdtemp(prefix="refault-chromium-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def descriptors():
            # Chromium reads 3 and writes 4; the copies keep them from being closed on exec.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        arguments = [program, "--headless=new", "--remote-debugging-pipe", "--disable-gpu",
                     "--no-first-run", "--disable-extensions", "--disable-background-networking",
                     "--disable-dev-shm-usage", "--force-device-scale-factor=1",
                     "--hide-scrollbars", "--user-data-dir=" + self.home]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen(arguments + ["about:blank"], preexec_fn=descriptors,
                                        close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.into, 1 << 20)
            if not data:
                raise EOFError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append("console: %s" % params["args"])
        elif method == "Runtime.exceptionThrown":
            self.messages.append("exception: %s" % params["exceptionDetails"])
        elif method == "Log.entryAdded":
            self.messages.append("log: %s" % params["entry"])
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.messages.append("request: " + url)
        return message

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def view(self, width, height=900, dark=False, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def load(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def run(self, script):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Tab": 9, "ArrowLeft": 37, "ArrowUp": 38,
                                             "ArrowRight": 39, "ArrowDown": 40, "Enter": 13,
                                             "End": 35, "Home": 36}[name])

    def screenshot(self, path, selector=None, whole=True):
        """Of one element, the whole page, or what is in the window."""
        options = {"format": "png", "captureBeyondViewport": True}
        if selector:
            box = self.run("(function () { var b = document.querySelector(%s)"
                           ".getBoundingClientRect(); return [b.left + scrollX, b.top + scrollY,"
                           " b.width, b.height]; }())" % json.dumps(selector))
        elif not whole:
            box = [0, 0] + self.run("[innerWidth, innerHeight]")
        else:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            box = [0, 0, size["width"], size["height"]]
        options["clip"] = {"x": box[0], "y": box[1], "width": box[2], "height": box[3],
                           "scale": 1}
        data = self.call("Page.captureScreenshot", **options)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))


def find_program():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None
