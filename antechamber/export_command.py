"""``antechamber export``: writes a trace of requests to a file, for a viewer of traces.

The requests are those of a running broker, or those of recorded files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from antechamber import phrases
from antechamber.admin_client import AdminClient
from antechamber.command_line import CommandParser, run
from antechamber.trace.sources import InvalidRecords, broker_records, file_records
from antechamber.trace.trace_file import trace_text, write_trace
from antechamber.usage_error import UsageError

_DESCRIPTION = """\
Write a trace of requests: a track for each connection and each purgatory, a
slice for each request and its phases, and an arrow from the request that
completed a wait to the request that had waited.

The requests are the latest ones of a running broker (antechamber serve
--record) and those that wait in it, or those of files with wait records
(antechamber serve --records, antechamber record).
"""


def export(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _export)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    command = CommandParser("export", _DESCRIPTION)
    add = command.add_argument
    add(
        "--perfetto",
        metavar="FILE",
        required=True,
        help="write the Trace Event Format, which ui.perfetto.dev, speedscope and Chrome open; "
        "- is the standard output",
    )
    add("source", metavar="SOURCE", nargs="*", help="a file with wait records")
    return command


def _export(client: AdminClient, given: argparse.Namespace) -> None:
    try:
        records = [*file_records(given.source)] if given.source else broker_records(client)
    except InvalidRecords as error:
        raise UsageError(f"SOURCE: {error}") from None
    source = ", ".join(given.source) if given.source else client.url
    if given.perfetto == "-":
        sys.stdout.write(trace_text(records, source))
        return
    try:
        write_trace(given.perfetto, records, source)
    except OSError as error:
        words = f"cannot write {given.perfetto}: {error.strerror}"
        raise UsageError(f"--perfetto: {words}") from None
    count = phrases.counted(len(records), "request")
    sys.stdout.write(f"{count} in {given.perfetto}\n")
