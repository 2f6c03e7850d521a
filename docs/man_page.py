"""The manual page antechamber(1), from the parsers of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from docs.parsers import actions, choices, parsers, summaries

_HEAD = r"""
.SH NAME
antechamber \- a Kafka-protocol broker that delays requests as Kafka does
.SH SYNOPSIS
.B antechamber
.I command
.RI [ option ]...
.SH DESCRIPTION
.B antechamber
starts brokers for tests and studies, and shows for what their requests wait.
Every command has
.BR \-\-help .
"""
_TAIL = r"""
.SH EXIT STATUS
.TP
.B 0
Success; a broker has stopped in order.
.TP
.B 1
The operation has failed. The reason is one line on standard error.
.TP
.B 2
The command line is invalid, or the broker cannot start. The reason is one line on standard error.
.TP
.B 130
Ctrl-C.
.SH ENVIRONMENT
.TP
.B ANTECHAMBER_ADMIN
The URL of the admin interface for the commands that connect to a broker.
.TP
.BR ANTECHAMBER_ADMIN_TOKEN ", " ANTECHAMBER_ADMIN_TOKEN_FILE
The bearer token of the admin interface, or the file with it; of the broker and of the commands.
.TP
.BR ANTECHAMBER_ADMIN_READ_ONLY_TOKEN ", " ANTECHAMBER_ADMIN_READ_ONLY_TOKEN_FILE
The bearer token with which requests cannot change anything, or the file with it; of the broker.
.TP
.B ANTECHAMBER_ADMIN_CA
The file with the certificates that the commands trust, as PEM.
.TP
.B ANTECHAMBER_HOST
The address at which the broker listens.
.TP
.B ANTECHAMBER_STRICT
With 1, an exception that the broker does not expect ends its process.
.TP
.B NO_COLOR
If it is set, no command prints colours.
.TP
.B SPARK_DELTA_JARS
A folder with the jars of Delta Lake, for
.BR "antechamber analyze \-\-format delta" .
.TP
.B SPARK_KAFKA_JARS
A folder with the jars of Spark's Kafka connector, for
.BR "antechamber analyze" .
.SH EXAMPLES
.nf
antechamber serve \-\-topic orders:3
antechamber requests \-\-parked \-\-follow
antechamber explain \-\-api Produce
.fi
"""


def man_page() -> str:
    """The page in roff."""
    lines = [
        r".\" Made by `make docs` from the parsers of the commands.",
        '.TH ANTECHAMBER 1 "" antechamber "User Commands"',
        *_HEAD.strip().splitlines(),
        ".SH COMMANDS",
    ]
    for name, summary in summaries().items():
        lines += [".TP", f".B {name}", f"{_text(summary)}."]
    for name, parser in parsers().items():
        lines += [f".SH OPTIONS OF {name.upper()}", *_options(parser)]
    return "\n".join([*lines, *_TAIL.strip().splitlines(), ""])


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in actions(parser):
        yield ".TP"
        value = "" if action.nargs == 0 else rf" \fI{_text(_value(action))}\fR"
        names = ", ".join(rf"\fB{_text(each)}\fR" for each in action.option_strings)
        yield (names + value).strip()
        text = action.help or ""
        yield _text(text.replace("%(default)s", str(action.default)))
    if not actions(parser):
        yield "None."


def _value(action: argparse.Action) -> str:
    if action.metavar is None and choices(action):
        return "|".join(choices(action))
    metavar = action.metavar or action.dest.upper()
    return metavar if isinstance(metavar, str) else " ".join(metavar)


def _text(text: str) -> str:
    """Escape what roff interprets."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("\n", " ")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
