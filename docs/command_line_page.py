"""The page of the command line, from the parsers of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from docs.parsers import actions, parsers
from docs.tables import GENERATED, table

_HEAD = """\
# Command line

`antechamber COMMAND [OPTION]...`; `antechamber help` lists the commands, and each command has
`--help`. `fault`, `clock`, `reset`, `topic`, `requests`, `groups`, `connections`, `wait`,
`sessions`, `share`, `transactions`, `explain`, `export` and `wheel` are clients of a running
broker's [admin interface](admin.md).

| exit code | meaning |
| --- | --- |
| 0 | done; a broker: shut down cleanly |
| 1 | the operation failed: one line on stderr |
| 2 | the command line is invalid, or the broker cannot start: one line on stderr |
| 3 | `chaos`: the program fails without faults too; `analyze`: a threshold is exceeded |
| 130 | interrupted by Ctrl-C |
"""


def command_line() -> str:
    """Return the page."""
    sections = [line for parser in parsers().values() for line in _section(parser)]
    return "\n".join([GENERATED, _HEAD, *sections])


def _section(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## `{parser.prog}`\n"
    yield _text(parser.description)
    rows = [(_names(each), _meaning(each), _default(each)) for each in actions(parser)]
    if rows:
        yield table(("argument", "meaning", "default"), rows)
    if parser.epilog:
        yield _text(parser.epilog)


def _text(text: str | None) -> str:
    """Return one paragraph as it is, and a text with a layout as a block."""
    text = (text or "").rstrip()
    if "\n\n" not in text and "\n " not in text:
        return f"{text}\n"
    return f"```text\n{text}\n```\n"


def _names(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else _value(action)
    if not action.option_strings:
        return f"`{value}`"
    return ", ".join(f"`{name} {value}`".replace(" `", "`") for name in action.option_strings)


def _value(action: argparse.Action) -> str:
    metavar = action.metavar or action.dest.upper()
    return metavar.replace("|", "\\|") if isinstance(metavar, str) else " ".join(metavar)


def _meaning(action: argparse.Action) -> str:
    # The default has a column of its own.
    text = (action.help or "").replace(" (%(default)s)", "")
    return text.replace("%%", "%").replace("|", "\\|")


def _default(action: argparse.Action) -> str:
    if action.default is None or action.nargs == 0 or action.default in ([], argparse.SUPPRESS):
        return ""
    return f"`{action.default}`"
