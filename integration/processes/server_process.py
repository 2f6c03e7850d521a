"""A server as a child process that never outlives the test run.

Each child leads its own process group, so that its children end with it, and an exit handler kills
the processes that a crashed run has left. Output is written to files, because a full pipe would
block a server.
"""

from __future__ import annotations

import atexit
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from integration.machine.deadlines import WITHIN_SECONDS, eventually

_living: set[ServerProcess] = set()

# Below the ports that Linux chooses for outgoing connections.
_PORTS = range(12_000, 32_000)
# Each process of pytest-xdist has ports of its own.
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_candidates = itertools.count(os.getpid() // _WORKERS * _WORKERS + _WORKER, _WORKERS)
_ports_lock = threading.Lock()


class ServerProcess:
    """A running command, with its output in files."""

    def __init__(self, command: Sequence[str | Path], outputs: Path) -> None:
        outputs.mkdir(parents=True, exist_ok=True)
        self.stdout_path = outputs / "stdout"
        self.stderr_path = outputs / "stderr"
        self.started = time.perf_counter()
        with self.stdout_path.open("wb") as out, self.stderr_path.open("wb") as err:
            self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        _living.add(self)

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._child.poll()

    def stdout(self) -> str:
        """Return its output so far."""
        return self.stdout_path.read_text(errors="replace")

    def stderr(self) -> str:
        """Return its stderr so far."""
        return self.stderr_path.read_text(errors="replace")

    def signal(self, number: signal.Signals) -> None:
        """Send the server a signal."""
        self._child.send_signal(number)

    def pause(self) -> None:
        """Stop all its threads, and wait until they have stopped; its connections remain open."""
        self.signal(signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def resume(self) -> None:
        """Let a paused server continue."""
        self.signal(signal.SIGCONT)

    def wait(self, within: float) -> int:
        """Wait for the end, and return the exit code."""
        try:
            code = self._child.wait(within)
        finally:
            if self._child.returncode is not None:
                _living.discard(self)
        return code

    def stop(self, within: float = WITHIN_SECONDS) -> int:
        """Terminate it, and kill it if it does not end in time."""
        if self.exit_code is None:
            self.signal(signal.SIGTERM)
        try:
            return self.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill it and its children."""
        if self.exit_code is None:
            os.killpg(self.pid, signal.SIGKILL)
        self.wait(WITHIN_SECONDS)


@atexit.register
def _end_what_is_left() -> None:
    for process in list(_living):
        process.kill()


if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
    # By default SIGTERM ends Python without its exit handlers.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def free_ports(count: int) -> list[int]:
    """Free loopback ports, none of which this process has been given before.

    Servers that start at the same time would otherwise get the same port.
    """
    found: list[int] = []
    with _ports_lock:
        while len(found) < count:
            port = _PORTS[next(_candidates) % len(_PORTS)]
            with suppress(OSError):
                socket.create_server(("127.0.0.1", port)).close()
                found.append(port)
    return found


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a server's folder, by name; files that it removes meanwhile are left out."""
    found = {}
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            found[path.name] = path.read_bytes()
    return found


def wait_for_listener(process: ServerProcess, host: str, port: int, *, within: float) -> None:
    """Wait until the port accepts connections; raises with the stderr if the process ends."""

    def listening() -> bool:
        if process.exit_code is not None:
            last = (process.stdout() + process.stderr())[-2000:]
            raise RuntimeError(f"the server ended with {process.exit_code}: {last}")
        with socket.socket() as probe:
            return probe.connect_ex((host, port)) == 0

    eventually(listening, f"a listener on {host}:{port}", within=within)
