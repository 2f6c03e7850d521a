"""Runs a broker as a child process that ends with its parent.

    parent -- stdin: stays empty; it is closed when the parent ends in any way ---> broker
    parent <-- stdout: the line that the broker is ready, or the end of output ---- broker

The broker has a session of its own: Ctrl-C in a terminal interrupts the parent only, and the parent
stops the broker.
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

STOP_TIMEOUT_S = 10.0  # twice the time limit of an orderly stop
_OPTIONS = ("--port", "0", "--admin-port", "0", "--stop-with-stdin")
_COMPLAINT_BYTES_MAX = 8192


class StartError(Exception):
    """The broker could not start; the message is the broker's own error message."""


class BrokerProcess:
    """``antechamber serve`` with *arguments* on free ports, ready after construction.

    ``ready`` is the content of its ready file. Raises `StartError` if the process ends or is not
    ready within ``start_timeout_s``.
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
        """Return the exit code, a negative signal, or None if it still runs after that time."""
        try:
            return self._child.wait(within_s)
        except subprocess.TimeoutExpired:
            return None

    def stderr(self) -> str:
        """Return the last 8 KiB of its stderr."""
        if self._stderr.closed:
            return ""
        # Reads by position: the broker shares the file offset, and writes there.
        fd = self._stderr.fileno()
        start = max(0, os.fstat(fd).st_size - _COMPLAINT_BYTES_MAX)
        return os.pread(fd, _COMPLAINT_BYTES_MAX, start).decode(errors="replace").strip()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Stop it with SIGTERM, or with SIGKILL after *timeout_s*; returns its exit code."""
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
    """Return the first line, or nothing if the stream ends before; raises `TimeoutError`."""
    deadline, received = monotonic() + timeout_s, b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while b"\n" not in received:
            if not selector.select(max(0.0, deadline - monotonic())):
                raise TimeoutError
            part = os.read(stream.fileno(), 4096)
            if not part:
                return b""
            received += part
    return received
