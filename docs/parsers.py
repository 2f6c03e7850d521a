"""The parsers of all commands, from which pages, completions and the manual are made."""

from __future__ import annotations

import argparse
import re

from antechamber import cli
from antechamber.commands import (
    chaos,
    clock,
    completion,
    connections,
    doctor,
    explain,
    export,
    fault,
    groups,
    requests,
    reset,
    sessions,
    share,
    topic,
    transactions,
    wait,
    wheel,
)
from broker.command_line import arguments as serve_arguments
from broker.what_if import arguments as what_if_arguments
from pipeline import arguments as analyze_arguments
from recorder import arguments as record_arguments

_SUMMARY = re.compile(r"^  ([\w-]+) {2,}(.*)$", re.MULTILINE)


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, by its name, in the order of ``antechamber help``."""
    modules = (
        serve_arguments,
        fault,
        chaos,
        clock,
        reset,
        topic,
        requests,
        groups,
        connections,
        wait,
        sessions,
        share,
        transactions,
        explain,
        export,
        wheel,
        record_arguments,
        what_if_arguments,
        analyze_arguments,
        doctor,
        completion,
    )
    found = {parser.prog.split()[1]: parser for parser in (each.parser() for each in modules)}
    assert found.keys() == set(cli.COMMANDS) - {"help"}
    return found


def summaries() -> dict[str, str]:
    """The line of each command in ``antechamber help``."""
    return dict(_SUMMARY.findall(cli.HELP))


def actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments of a parser, without ``--help``."""
    return [each for each in parser._actions if each.dest != "help"]  # noqa: SLF001 - there is no other way to list them


def takes_value(action: argparse.Action) -> bool:
    """Whether an option is followed by a value."""
    return action.nargs != 0


def takes_file(action: argparse.Action) -> bool:
    """Whether the value of an argument is a path."""
    return action.metavar in ("FILE", "DIR", "SOURCE", "RECORDS") or "FILE" in str(action.metavar)


def choices(action: argparse.Action) -> list[str]:
    """The allowed values of an argument; none if they are not a list."""
    return [str(each) for each in action.choices or ()]
