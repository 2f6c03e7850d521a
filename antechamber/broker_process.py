"""A broker as a child process: started, ready, and gone when its owner is.

    owner -- stdin: nothing is ever written; it ends with the owner, however that dies --> broker
    owner <-- stdout: the line that says it is ready, or the end of all output ----------- broker

The broker has a session of its own, so that Ctrl-C in a terminal stops the owner, and the owner
stops the broker when it is done with it.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import IO, Any

from antechamber.process import command, environment

STOP_TIMEOUT_S = 10.0  # twice what an orderly stop may take
_OPTIONS = ("--port", "0", "--admin-port", "0", "--stop-with-stdin")
_COMPLAINT_BYTES_MAX = 8192


class StartError(Exception):
    """The broker could not start as asked; the message is the broker's own line."""


class BrokerProcess:
    """``antechamber serve`` with *arguments*, on free ports; ready once it is made.

    ``ready`` is what its ready file says. Raises `StartError` if it ends instead, or is not ready
    within ``start_timeout_s``.
    """

    def __init__(self, arguments: Sequence[str], start_timeout_s: float) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        with tempfile.TemporaryDirectory(prefix="antechamber-ready-") as folder:
            ready_file = Path(folder) / "ready.json"
            self._child = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
                command([*_OPTIONS, "--ready-file", str(ready_file), *arguments]),
                env=environment(os.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,
            )
            try:
                self._wait_until_ready(start_timeout_s)
                self.ready: dict[str, Any] = json.loads(ready_file.read_text())
            except BaseException:
                self._child.kill()
                self.stop()
                raise

    @property
    def pid(self) -> int:
        """The broker's process id."""
        return self._child.pid

    def exit_code(self, within_s: float = 0) -> int | None:
        """Its exit code, if it has one within that time; minus the signal that killed it."""
        try:
            return self._child.wait(within_s)
        except subprocess.TimeoutExpired:
            return None

    def stderr(self) -> str:
        """The last of what it has complained about."""
        if self._stderr.closed:
            return ""
        # Read by position: the broker shares ours, and writes where it stands.
        fd = self._stderr.fileno()
        start = max(0, os.fstat(fd).st_size - _COMPLAINT_BYTES_MAX)
        return os.pread(fd, _COMPLAINT_BYTES_MAX, start).decode(errors="replace").strip()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Stop it in good order, or by force after *timeout_s*; returns its exit code."""
        self._child.terminate()
        try:
            self._child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._child.kill()
        finally:
            code = self._child.wait()
            for stream in (self._child.stdin, self._child.stdout, self._stderr):
                if stream is not None:
                    stream.close()
        return code

    def _wait_until_ready(self, timeout_s: float) -> None:
        assert self._child.stdout is not None
        try:
            line = _first_line(self._child.stdout, timeout_s)
        except TimeoutError:
            raise StartError(f"the broker was not ready within {timeout_s} s") from None
        if not line:
            code = self._child.wait(STOP_TIMEOUT_S)
            raise StartError(self.stderr() or f"the broker ended with exit code {code}")


def _first_line(stream: IO[bytes], timeout_s: float) -> bytes:
    """The first line, nothing if the stream ends before; raises `TimeoutError`."""
    deadline, said = monotonic() + timeout_s, b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while b"\n" not in said:
            if not selector.select(max(0.0, deadline - monotonic())):
                raise TimeoutError
            part = os.read(stream.fileno(), 4096)
            if not part:
                return b""
            said += part
    return said
