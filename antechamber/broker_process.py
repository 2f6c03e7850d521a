"""Runs a broker as a child process that ends with its parent.

    parent -- stdin: stays empty; it is closed when the parent ends in any way ---> broker
    parent <-- stdout: the line that the broker is ready, or the end of output ---- broker

The broker has a session of its own: Ctrl-C in a terminal interrupts the parent only, and the parent
stops the broker.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any

from antechamber.admin_errors import NoBroker
from antechamber.child import ask_to_end, detached
from antechamber.process import command, environment

STOP_TIMEOUT_S = 10.0  # twice the time limit of an orderly stop
_ENDING_S = 1.0  # the time between closed connections and the end of a process
_ADMIN_PREFIX = "ANTECHAMBER_ADMIN"
_PORTS = ("--port", "0", "--admin-port", "0")
_OPTIONS = (*_PORTS, "--admin-protocol", "http", "--stop-with-stdin")
_COMPLAINT_BYTES_MAX = 8192


class StartError(Exception):
    """The broker could not start; the message is the broker's own error message."""

    __module__ = "antechamber"  # tracebacks show the public name


class BrokerProcess:
    """``antechamber serve`` with *arguments* on free ports.

    ``ready`` is the content of its ready file, after `wait_until_ready`.
    """

    ready: dict[str, Any]

    def __init__(self, arguments: Sequence[str]) -> None:
        # The broker has the same file position, but its writes append.
        self._stderr = tempfile.TemporaryFile("a+b", buffering=0)  # noqa: SIM115 - `stop` closes it
        self._folder = tempfile.TemporaryDirectory(prefix="antechamber-ready-")
        self._ready_file = Path(self._folder.name) / "ready.json"
        self._child = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
            command([*_OPTIONS, "--ready-file", str(self._ready_file), *arguments]),
            env=_without_admin(environment(os.environ)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            **detached(),
        )

    def wait_until_ready(self, timeout_s: float | None) -> None:
        """Wait for the ready file; raises `StartError`, and then the process has ended.

        The process has ended by itself, or was not ready within *timeout_s*; None is no limit.
        Another thread may end the wait by `stop`.
        """
        __tracebackhide__ = True
        try:
            self._wait_until_ready(timeout_s)
            self.ready = json.loads(self._ready_file.read_text("utf-8"))
        except BaseException:
            self._child.kill()
            self.stop()
            raise
        self._folder.cleanup()

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
        size = os.fstat(self._stderr.fileno()).st_size
        self._stderr.seek(max(0, size - _COMPLAINT_BYTES_MAX))
        return (self._stderr.read() or b"").decode(errors="replace").strip()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Stop it in order, or with SIGKILL after *timeout_s*; returns its exit code."""
        ask_to_end(self._child)
        try:
            self._child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._child.kill()
        finally:
            code = self._child.wait()
            for stream in (self._child.stdin, self._child.stdout, self._stderr):
                if stream is not None:
                    stream.close()
            self._folder.cleanup()
        return code

    def raise_if_ended(self) -> None:
        """Raise `NoBroker`, with the last line of stderr, if the process has ended or ends now."""
        code = self.exit_code(within_s=_ENDING_S)
        if code is not None:
            last = self.stderr().rpartition("\n")[2]
            words = f"the broker has ended with exit code {code}" + (f": {last}" if last else "")
            raise NoBroker(words) from None

    def _wait_until_ready(self, timeout_s: float | None) -> None:
        __tracebackhide__ = True
        assert self._child.stdout is not None
        try:
            line = first_line(self._child.stdout, timeout_s)
        except TimeoutError:
            raise StartError(f"the broker was not ready within {timeout_s} s") from None
        if not line:
            code = self._child.wait(STOP_TIMEOUT_S)
            raise StartError(self.stderr() or f"the broker ended with exit code {code}")


def _without_admin(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment without the options of another broker's admin interface."""
    return {name: each for name, each in variables.items() if not name.startswith(_ADMIN_PREFIX)}


def first_line(stream: IO[bytes], timeout_s: float | None) -> bytes:
    """Return the first line, or nothing if the stream ends before; raises `TimeoutError`.

    A thread reads it, because Windows can wait for sockets only, and not for pipes. After a timeout
    the thread ends with the process that writes.
    """
    lines: list[bytes] = []

    def read() -> None:
        # A start that is cancelled closes the stream, perhaps before this thread reads.
        with suppress(ValueError):
            lines.append(stream.readline())

    reader = Thread(target=read, daemon=True)
    reader.start()
    reader.join(timeout_s)
    if reader.is_alive():
        raise TimeoutError
    return lines[0] if lines and lines[0].endswith(b"\n") else b""
