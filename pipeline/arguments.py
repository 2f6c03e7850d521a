"""The command line of ``antechamber analyze`` and of ``spark-submit pipeline/__main__.py``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pipeline.limits import LEAST, METRICS, Limit, limit
from pipeline.output.manifest import DELTA, PARQUET

EXIT_USAGE = 2
EXIT_EXCEEDED = 3
OUT = "wait-analysis"
WINDOW_S = 60

_EPILOG = """\
sources:
  records.jsonl 'logs/*.jsonl.gz'  files, folders, patterns
  rows.parquet                     the same in Parquet
  kafka-request.log*               the request log of Apache Kafka
  kafka://127.0.0.1:9092/records   a topic of records

try:
  antechamber analyze records.jsonl
      tables and report.html in wait-analysis/
  antechamber analyze --compare ours.jsonl kafka.jsonl
      two sets of records in one report
  antechamber analyze --compare before.jsonl after.jsonl --fail-above p99=25%
      exit code 3 if an API is slower than that
  antechamber analyze kafka://127.0.0.1:9092/records --catch-up
"""


@dataclass(frozen=True)
class Arguments:
    """The parsed arguments."""

    sources: tuple[str, ...]
    compare: tuple[str, str] | None
    out: str
    report: str | None
    window_s: int
    follow: bool
    catch_up: bool
    master: str | None
    settings: dict[str, str]
    verbose: bool
    check: bool = False
    log_time_zone: str = "UTC"
    table_format: str = PARQUET
    hgrm: str | None = None
    summary: str | None = None
    limits: tuple[Limit, ...] = ()
    least: int = LEAST

    @property
    def streamed(self) -> bool:
        """Whether new records are added to the results of an earlier run."""
        return self.follow or self.catch_up


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ")
        self.exit(EXIT_USAGE, f"{self.prog}: {message}; {self.prog} --help lists the options\n")


def parse(words: Sequence[str]) -> Arguments:
    """Parse *words*; for invalid arguments, prints one line to stderr and exits."""
    command = parser()
    given = command.parse_args(words)
    if not given.check and bool(given.sources) == bool(given.compare):
        command.error("give a SOURCE, or two after --compare")
    if given.follow and given.catch_up:
        command.error("--follow and --catch-up exclude each other")
    if given.compare and (given.follow or given.catch_up):
        command.error("--compare reads two finished sets; it cannot follow")
    if given.limits and not given.compare:
        command.error("--fail-above needs --compare")
    values = vars(given)
    values["limits"] = tuple(given.limits)
    values["sources"] = tuple(given.sources)
    values["compare"] = tuple(given.compare) if given.compare else None
    values["settings"] = dict(given.settings)
    return Arguments(**values)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    command = _Parser(
        prog="antechamber analyze",
        allow_abbrev=False,
        description="Make latency tables and a report from wait records, on Spark.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("sources", nargs="*", metavar="SOURCE", help="files or a topic of records")
    add("--compare", nargs=2, metavar=("A", "B"), help="compare two sources")
    add("--out", default=OUT, metavar="DIR", help="tables go here (%(default)s)")
    add(
        "--format",
        choices=(PARQUET, DELTA),
        default=PARQUET,
        dest="table_format",
        help="format of the tables: Parquet files or Delta Lake (%(default)s)",
    )
    add("--report", metavar="FILE", help="the page (report.html in a local --out)")
    _add_figures(command)
    add(
        "--window",
        type=_seconds,
        default=WINDOW_S,
        metavar="SECONDS",
        dest="window_s",
        help="length of the tables' windows, a divisor of 3600 (%(default)s)",
    )
    add(
        "--log-time-zone",
        type=_time_zone,
        default="UTC",
        metavar="ZONE",
        help="time zone of times without an offset in request logs, such as Europe/Berlin "
        "(%(default)s)",
    )
    add("--catch-up", action="store_true", help="add the new records since the last run, then end")
    add("--follow", action="store_true", help="add new records until Ctrl-C")
    add("--master", help="Spark's master (local[*], or what spark-submit says)")
    add(
        "--conf",
        action="append",
        default=[],
        type=_setting,
        metavar="KEY=VALUE",
        dest="settings",
        help="a setting of Spark; may be repeated",
    )
    add("--verbose", action="store_true", help="show Spark's own log and long traces")
    add("--check", action="store_true", help="only check that Java, Spark and its connector exist")
    return command


def _add_figures(command: argparse.ArgumentParser) -> None:
    """Add the options for files of other programs, and for checks in CI."""
    add = command.add_argument
    add("--hgrm", metavar="DIR", help="write a .hgrm histogram of each API to this folder")
    add("--summary", metavar="FILE", help="write the figures of each API to this file, as JSON")
    add(
        "--fail-above",
        action="append",
        default=[],
        type=_limit,
        metavar="LIMIT",
        dest="limits",
        help="with --compare: exit code 3 if B is slower than A by more than [API:]METRIC=N%% or"
        f" [API:]METRIC=Nms, where METRIC is one of {', '.join(METRICS)}; may be repeated",
    )
    add(
        "--least",
        type=_count,
        default=LEAST,
        metavar="N",
        help="compare APIs with at least N requests in A and in B (%(default)s)",
    )


def _seconds(text: str) -> int:
    seconds = int(text) if text.isdecimal() else 0
    # A window whose length divides an hour is within one partition of a table.
    if seconds < 1 or 3600 % seconds:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a window length: a divisor of 3600, such as 1, 10, 60 or 600"
        )
    return seconds


def _time_zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time zone such as Europe/Berlin or UTC"
        ) from None
    return text


def _limit(text: str) -> Limit:
    try:
        return limit(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 up")
    return int(text)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value
