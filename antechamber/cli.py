"""The command line: selects the command, and reports an unknown one.

``serve``, ``record``, ``what-if`` and ``analyze`` replace this process with their own one, so that
signals, exit code and pid belong to the command. Each command imports its modules itself, to keep
the start fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from antechamber.output import guarded
from antechamber.process import become, command, environment
from antechamber.unknown_words import closest

EXIT_USAGE = 2

HELP = """\
antechamber: a Kafka-protocol broker in Python that waits as Apache Kafka does.

usage: antechamber COMMAND [OPTION]...

  serve         start a broker, by default on 127.0.0.1:9092, until Ctrl-C
  fault         make a node or requests of a running broker fail
  chaos         run a program under drawn faults, and shrink those that break it
  clock         freeze a running broker's clock, or move it forwards
  reset         remove what clients have made in a running broker
  topic         compact, roll or expire a topic, or elect its leaders
  requests      show what waits in a running broker, for what and until when
  groups        show the groups: members, partitions, committed offsets and lags
  connections   show the connected clients
  wait          wait for a state, such as an assignment or a lag of 0
  sessions      show the sessions of group members, and how long they last
  share         show the in-flight records of share groups, and their locks
  transactions  show open and hanging transactions, and abort hanging ones
  explain       explain one request: what it waited for, and what completed it
  export        write a trace of requests for a viewer, such as Perfetto's
  wheel         show the timing wheels of a broker, or the path of delays
  record        run a proxy before any Kafka that records the waits of requests
  what-if       predict latencies of recorded requests under other settings
  analyze       make latency tables and a report from wait records, on Spark
  doctor        check what the commands need on this machine
  completion    print the completions of bash, zsh or fish
  help          show this text, or the options of a COMMAND

  --version     show the version

try:
  antechamber serve --topic orders:3      with a topic of three partitions
  antechamber serve --port 0              on a free port, which it prints
  antechamber requests --parked --follow  the waiting requests, updated
  antechamber explain --api Produce       why the latest produce took so long
  antechamber serve --help                all options; every command has --help
"""


COMMANDS = (
    "serve",
    "fault",
    "chaos",
    "clock",
    "reset",
    "topic",
    "requests",
    "groups",
    "connections",
    "wait",
    "sessions",
    "share",
    "transactions",
    "explain",
    "export",
    "wheel",
    "record",
    "what-if",
    "analyze",
    "doctor",
    "completion",
    "help",
)

# The commands that are processes of another package.
_PACKAGES = {
    "serve": "broker",
    "record": "recorder",
    "what-if": "broker.what_if",
    "analyze": "pipeline",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return guarded("antechamber", lambda: _main(words))


def _main(words: list[str]) -> int:
    match words:
        case [name, *rest] if name in _PACKAGES:
            return _become(_PACKAGES[name], rest)
        case [name, *rest] if name in COMMANDS and name != "help":
            return _run(name, rest)
        case ["--version" | "-V"]:
            from antechamber.versions import own_build, own_version

            sys.stdout.write(f"antechamber {own_version()} ({own_build()})\n")
        case [] | ["--help" | "-h", *_] | ["help"] | ["help", "help" | "--help" | "-h"]:
            sys.stdout.write(HELP)
        case ["help", name]:
            return _main([name, "--help"])
        case ["help", _, extra, *_]:
            sys.stderr.write(f"antechamber: help: {extra!r} is one word too many\n")
            return EXIT_USAGE
        case [unknown, *_]:
            sys.stderr.write(f"antechamber: {_unknown(unknown)}\n")
            return EXIT_USAGE
    return 0


def _run(name: str, arguments: list[str]) -> int:
    """Run a command in this process: the function of its name, in a module of its own."""
    module = import_module(f"antechamber.commands.{name}")
    exit_code: int = getattr(module, name)(arguments)
    return exit_code


def _become(package: str, arguments: list[str]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    return become(command(arguments, package), environment(os.environ))


def _unknown(argument: str) -> str:
    what = "option" if argument.startswith("-") else "command"
    close = closest(argument, COMMANDS)
    hint = f"did you mean {close}?" if close else "antechamber help lists the commands"
    return f"unknown {what} {argument!r}; {hint}"
