"""``antechamber export``: writes a trace of requests to a file, or sends it to a collector.

The requests are those of a running broker, or those of recorded files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, run
from antechamber.sentences import phrases
from antechamber.trace.followed_requests import follow
from antechamber.trace.sources import InvalidRecords, broker_records, file_records
from antechamber.trace.spans import Record
from antechamber.trace.trace_file import trace_text, write_trace
from antechamber.usage_error import UsageError

if TYPE_CHECKING:
    from antechamber.trace.otlp import Collector

_EXTRA = "pip install 'antechamber[otlp]'"

_DESCRIPTION = """\
Write a trace of requests: a track for each connection and each purgatory, a
slice for each request and its phases, and an arrow from the request that
completed a wait to the request that had waited. Or send each request as a
span of OpenTelemetry, with its phases and waits as children and a link to
the request that completed a wait.

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
        help="write the Trace Event Format, which ui.perfetto.dev, speedscope and Chrome open; "
        "- is the standard output",
    )
    add(
        "--otlp",
        metavar="URL",
        help="send spans to this collector by OTLP over HTTP, such as http://127.0.0.1:4318",
    )
    add("--follow", action="store_true", help="with --otlp: send new requests until Ctrl-C")
    add("source", metavar="SOURCE", nargs="*", help="a file with wait records")
    return command


def _export(client: AdminClient, given: argparse.Namespace) -> None:
    if (given.perfetto is None) == (given.otlp is None):
        raise UsageError("give --perfetto FILE or --otlp URL")
    if given.follow and (given.otlp is None or given.source):
        raise UsageError("--follow: it needs --otlp and a running broker")
    if given.follow:
        follow(client, _collector(given.otlp))
        return
    try:
        records = _records(client, given.source)
    except InvalidRecords as error:
        raise UsageError(f"SOURCE: {error}") from None
    if given.otlp is not None:
        _send(records, _collector(given.otlp))
        return
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
    hint = "" if records or given.source else "; serve with --record to have completed requests"
    sys.stdout.write(f"{count} in {given.perfetto}{hint}\n")


def _records(client: AdminClient, files: Sequence[str]) -> Sequence[Record]:
    return [*file_records(files, _report_cut)] if files else broker_records(client)


def _report_cut(where: str) -> None:
    sys.stderr.write(f"antechamber export: {where} is cut off and left out\n")


def _collector(url: str) -> Collector:
    try:
        from antechamber.trace.otlp import Collector
    except ModuleNotFoundError as missing:
        raise UsageError(f"--otlp: {missing.name} is not installed; {_EXTRA}") from None
    try:
        return Collector(url)
    except ValueError as error:
        raise UsageError(f"--otlp: {error}") from None


def _send(records: Sequence[Record], collector: Collector) -> None:
    collector.reach()
    count = phrases.counted(collector.send(records), "span")
    sys.stdout.write(f"{count} at {collector.url}\n")
