"""The command line of ``antechamber what-if``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from broker.command_line.one_line_parser import OneLineParser
from broker.command_line.whole_number import whole_number
from broker.what_if.settings import Settings
from protocol.lazy_dataclass import dataclass

REPLICAS_MAX = 10
DELAY_MS_MAX = 60_000

_DESCRIPTION = """\
Replay recorded produces and fetches in virtual time under other settings, and
print the percentiles of their latency beside the recorded ones. The error of
the prediction for the unchanged settings comes first.
"""
_EPILOG = """\
example:
  antechamber serve --records waits.jsonl
  antechamber what-if waits.jsonl --max-wait-ms 100
"""


@dataclass(frozen=True)
class Arguments:
    """The parsed arguments of ``antechamber what-if``."""

    records: Sequence[Path]
    settings: Settings
    json: bool


def parse(words: Sequence[str]) -> Arguments:
    """Parse *words*; raises `StartupError`."""
    given = parser().parse_args(words)
    settings = Settings(**{each.name: getattr(given, each.name) for each in fields(Settings)})
    return Arguments(given.records, settings, given.json)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    command = OneLineParser(
        prog="antechamber what-if",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = command.add_argument
    for option, low, high, text in (
        ("--min-bytes", 0, 2**31 - 1, "fetch.min.bytes of all consumers"),
        ("--max-wait-ms", 0, 2**31 - 1, "fetch.max.wait.ms of all consumers"),
        ("--linger-ms", 0, DELAY_MS_MAX, "send the produces of this time together, at its end"),
        ("--replication-factor", 1, REPLICAS_MAX, "the replicas of each partition"),
        (
            "--follower-delay-ms",
            0,
            DELAY_MS_MAX,
            "delay of each message between a leader and a follower",
        ),
    ):
        number = whole_number(option, low, high)
        add(option, type=number, metavar="N", help=f"{text}; by default as recorded")
    add("--json", action="store_true", help="print JSON")
    add("records", nargs="+", type=Path, metavar="RECORDS", help="a file with wait records")
    return command
