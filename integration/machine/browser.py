"""A page in headless Chromium, driven by the DevTools protocol over two pipes.

with browser(path, folder) as page:
    page.open("http://127.0.0.1:9644/")
    page.evaluate("document.title")
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from integration.machine.deadlines import eventually
from integration.machine.requirements import need

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
]
# A browser drops its requests, also those to loopback, when an interface of the machine appears or
# disappears. The tests with containers do that while those with a browser run.
_DROPPED = "net::ERR_NETWORK_CHANGED"
# Chromium reads commands from descriptor 3 and writes to 4; the program moves ours there.
_START = """
import fcntl, os, sys
commands, results = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(results, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def browser_path() -> str:
    """The path of a browser; the test is skipped if there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    need("chromium", None if found else f"none of {', '.join(BROWSERS)} on the PATH")
    assert found
    return found


class Page:
    """A page: ``console`` has its errors and warnings, ``requested`` the URLs of its requests.

    Requests that the browser drops because the machine's network changes are not errors.
    """

    def __init__(self, commands: int, results: int) -> None:
        self.console: list[str] = []
        self.requested: list[str] = []
        self._commands, self._results = commands, results
        self._received = b""
        self._number = 0
        self._session: str | None = None
        self._dropped = False

    def attach(self) -> None:
        """Make the page, and record what it does from now on."""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        attached = self.command("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable")

    def open(self, url: str) -> None:
        """Go to an address, and return when the document and what it names are loaded."""
        eventually(lambda: self._load(url), f"the document {url}")

    def _load(self, url: str) -> bool:
        """Load a document; returns False if the browser has dropped a part of it."""
        self._dropped = False
        self.command("Page.navigate", url=url)
        eventually(lambda: self.evaluate("document.readyState === 'complete'"), "the document")
        return not self._dropped

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, or of the promise that it is."""
        result = self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window, also below that of the narrowest real one."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, color_scheme: str) -> None:
        """Prefer the color scheme ``light`` or ``dark``."""
        feature = {"name": "prefers-color-scheme", "value": color_scheme}
        self.command("Emulation.setEmulatedMedia", features=[feature])

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        """Write a picture of the *whole* page, or of the window."""
        taken = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(taken["data"]))

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            received = self._receive()
            if received.get("id") == self._number:
                assert "error" not in received, received
                return dict(received["result"])
            self._record(received.get("method", ""), received.get("params", {}))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            part = os.read(self._results, 1 << 16)
            assert part, "the browser has ended"
            self._received += part
        message, _, self._received = self._received.partition(b"\0")
        return dict(json.loads(message))

    def _record(self, method: str, event: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requested.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.console.append(str(event["exceptionDetails"]))
        elif method == "Network.loadingFailed" and event["errorText"] == _DROPPED:
            self._dropped = True
        elif method == "Log.entryAdded" and _DROPPED not in event["entry"]["text"]:
            self.console.append(event["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.console.append(str(event["args"]))


@contextmanager
def browser(path: str, profile: Path) -> Iterator[Page]:
    """A page of a new browser whose files are in the folder *profile*."""
    commands, write_commands = os.pipe()
    read_results, results = os.pipe()
    start = [sys.executable, "-c", _START, str(commands), str(results), path]
    running = subprocess.Popen(
        [*start, *_FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(commands, results),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(results)
    try:
        page = Page(write_commands, read_results)
        page.attach()
        yield page
    finally:
        os.close(write_commands)  # the browser ends
        os.close(read_results)
        try:
            running.wait(30)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
