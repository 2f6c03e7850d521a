"""The command line of ``antechamber analyze`` and of ``spark-submit pipeline/__main__.py``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

EXIT_USAGE = 2
OUT = "wait-analysis"
WINDOW_S = 60

_EPILOG = """\
sources:
  records.jsonl 'logs/*.jsonl.gz'  files, folders, patterns
  rows.parquet                     the same in Parquet
  kafka://127.0.0.1:9092/records   a topic of records

try:
  antechamber analyze records.jsonl
      tables and report.html in wait-analysis/
  antechamber analyze --compare ours.jsonl kafka.jsonl
      two sets of records in one report
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

    @property
    def streamed(self) -> bool:
        """Whether new records are added to the results of an earlier run."""
        return self.follow or self.catch_up


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"{self.prog}: {message}; see --help\n")


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
    values = vars(given)
    values["sources"] = tuple(given.sources)
    values["compare"] = tuple(given.compare) if given.compare else None
    values["settings"] = dict(given.settings)
    return Arguments(**values)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    command = _Parser(
        prog="antechamber analyze",
        description="Make latency tables and a report from wait records, on Spark.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("sources", nargs="*", metavar="SOURCE", help="files or a topic of records")
    add("--compare", nargs=2, metavar=("A", "B"), help="compare two sources")
    add("--out", default=OUT, metavar="DIR", help=f"tables go here (default: {OUT})")
    add("--report", metavar="FILE", help="the page (default: report.html in a local --out)")
    add(
        "--window",
        type=_seconds,
        default=WINDOW_S,
        metavar="SECONDS",
        dest="window_s",
        help="length of the tables' windows, a divisor of 3600",
    )
    add("--catch-up", action="store_true", help="add the new records since the last run, then end")
    add("--follow", action="store_true", help="add new records until Ctrl-C")
    add("--master", help="Spark's master (default: local[*], or what spark-submit says)")
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


def _seconds(text: str) -> int:
    seconds = int(text) if text.isdecimal() else 0
    # A window whose length divides an hour is within one partition of a table.
    if seconds < 1 or 3600 % seconds:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a window length: a divisor of 3600, such as 1, 10, 60 or 600"
        )
    return seconds


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value
