"""The process of ``antechamber record``, which runs until it gets a signal."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

import trio

from recorder.addresses import Address
from recorder.arguments import EXIT_USAGE, Arguments, parse
from recorder.nodes import Nodes
from recorder.probe import problem_of, wants_sasl
from recorder.record_file import RecordFile

EXIT_FAILED, EXIT_INTERRUPTED = 1, 130


class Problem(NamedTuple):
    """Why a recording cannot start, and the exit code."""

    words: str
    exit_code: int = EXIT_FAILED


def main(words: Sequence[str] | None = None) -> int:
    """Record until SIGTERM, SIGINT or SIGHUP and return the exit code."""
    arguments = parse(sys.argv[1:] if words is None else words)
    try:
        file = RecordFile(arguments.records)
    except OSError as error:
        _report(f"--records {arguments.records}: {error.strerror}")
        return EXIT_USAGE
    try:
        problem = trio.run(_record, arguments, file)
    except KeyboardInterrupt:  # during the probe of the upstream
        return EXIT_INTERRUPTED
    finally:
        file.close()
    if problem:
        _report(problem.words)
        return problem.exit_code
    try:
        _print(f"{file.written:,} records in {file.path}\n")
    except OSError as error:
        return _failed(f"cannot write to stdout: {error.strerror}")
    return _failed(f"{file.dropped:,} records were dropped") if file.dropped else 0


def wall_clock() -> int:
    """Return microseconds since the Unix epoch."""
    return time.time_ns() // 1000


async def _record(arguments: Arguments, file: RecordFile) -> Problem | None:
    """Serve until a signal arrives; returns the problem if an argument is wrong."""
    if problem := await problem_of(arguments.upstream):
        return Problem(f"--upstream {arguments.upstream}: {problem}")
    if await wants_sasl(arguments.upstream):
        _report(
            f"{arguments.upstream} requires SASL: the proxy forwards the clients' authentication"
        )
    with trio.open_signal_receiver(*_stop_signals()) as signals:
        async with trio.open_nursery() as nursery:
            nodes = Nodes(arguments.host, nursery, file.keep, wall_clock)
            try:
                port = nodes.serve(arguments.upstream, arguments.port)
            except OSError as error:
                return Problem(_cannot_listen(arguments, error), EXIT_USAGE)
            try:
                _print(
                    f"antechamber records: bootstrap={Address(arguments.host, port)}"
                    f" upstream={arguments.upstream} records={file.path}\n"
                )
            except OSError as error:
                nursery.cancel_scope.cancel()  # the nodes serve already
                return Problem(f"cannot write to stdout: {error.strerror}")
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break
    return None


def _stop_signals() -> list[signal.Signals]:
    """SIGHUP is not among them on Windows, and under ``nohup``, which ignores it."""
    numbers = [signal.SIGTERM, signal.SIGINT]
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:
        numbers.append(hang_up)
    return numbers


def _cannot_listen(arguments: Arguments, error: OSError) -> str:
    """The words of ``antechamber serve`` for a port or a host that cannot be used."""
    if isinstance(error, socket.gaierror):
        return f"--host: {arguments.host!r} cannot be resolved; give an address of this machine"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"--host: {arguments.host!r} is not an address of this machine; give one of its own"
    reason = "in use" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
    return (
        f"--port: port {arguments.port} on {arguments.host} is {reason}; "
        "give a free one, or 0 for any"
    )


def _print(line: str) -> None:
    """Write a line to stdout; raises `OSError`, also if there is no stdout."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        sys.stdout.write(line)
        sys.stdout.flush()
    except OSError:
        sys.stdout = None  # prevents that Python flushes it again at exit
        raise


def _failed(why: str) -> int:
    _report(why)
    return EXIT_FAILED


def _report(what: str) -> None:
    sys.stderr.write(f"antechamber record: {what}\n")


if __name__ == "__main__":
    sys.exit(main())
