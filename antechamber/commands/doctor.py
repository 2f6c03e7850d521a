"""``antechamber doctor``: checks on this machine what the commands need.

Each check is one line, printed as soon as it is done: ``ok``, ``missing`` for what only some
commands need, or ``failed`` if no broker can start. The exit code is 1 if a check has failed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from antechamber.commands.doctor_checks import (
    ADMIN_PORT,
    PORT,
    Finding,
    analysis,
    broker,
    clients,
    engine,
    extras,
    port,
    python,
)
from antechamber.commands.local_parser import LocalParser

EXIT_FAILED = 1

_DESCRIPTION = """\
Check what the commands need on this machine: Python, the default ports, a start
of a broker, clients, Java, Spark and its Kafka connector, a container engine.
"""
_EPILOG = """\
ok: found; missing: only some commands need it; failed: no broker can start, and
the exit code is 1.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command's arguments."""
    return LocalParser("doctor", _DESCRIPTION, _EPILOG)


def doctor(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    parser().parse_args(arguments)
    return report(_findings(), sys.stdout.write)


def report(findings: Iterator[Finding], write: Callable[[str], object]) -> int:
    """Write each finding as one line; returns the exit code."""
    failed = False
    for finding in findings:
        write(f"{finding.state:<8} {finding.text}\n")
        sys.stdout.flush()
        failed |= finding.state == "failed"
    return EXIT_FAILED if failed else 0


def _findings() -> Iterator[Finding]:
    yield python()
    yield port("serve", PORT)
    yield port("the admin interface", ADMIN_PORT)
    yield broker()
    yield from clients()
    yield from extras()
    yield from analysis()
    yield engine()
