"""``antechamber wheel``: shows the timing wheels of a broker, or the path of given delays.

With ``--of`` no broker is needed: the package `purgatories` computes the path in a process of its
own. Otherwise the wheels are those of ``GET /v1/timers``, with ``--follow`` redrawn twice a second,
or those of a recording, which is the output of ``--follow --json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from shutil import get_terminal_size
from string import ascii_lowercase
from time import sleep
from typing import Any

from antechamber.admin_client import AdminClient
from antechamber.commands.command_line import CommandParser, run
from antechamber.commands.ring import CURRENT, Symbol, duration, ring, side_by_side
from antechamber.process import command, environment
from antechamber.usage_error import CommandFailed, UsageError

_FOLLOW_INTERVAL_S = 0.5
_CLEAR = "\x1b[H\x1b[2J"
_DESCRIPTION = f"""\
Show the timing wheels of a running broker, or the path of tasks through wheels.

Each level is a ring of buckets, clockwise from the top. A number is how many
tasks a bucket holds, + is ten or more, {CURRENT} is the current tick.

  antechamber wheel --follow              the wheels that hold tasks, updated
  antechamber wheel --timer Fetch         only the timer of the Fetch purgatory
  antechamber wheel --of 450 446 19 20    the path of tasks with these delays
  antechamber wheel --of 450 --cancel 450@100
                                          the same; one is cancelled at 100 ms
  antechamber wheel --follow --json > timers.jsonl
                                          record the wheels twice a second
  antechamber wheel --from timers.jsonl   a recording; --follow at its speed
"""

_TIMER_FIELDS = frozenset({"node", "name", "now_ms", "size", "next_expiration_ms", "levels"})
_LEVEL_FIELDS = frozenset({"tick_ms", "wheel_size", "current_index", "buckets"})

Snapshot = Mapping[str, Any]


def wheel(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run(parser(), arguments, _show)


def parser() -> CommandParser:
    """The parser of the command's arguments."""
    made = CommandParser("wheel", _DESCRIPTION)
    add = made.add_argument
    add("--follow", action="store_true", help="continue until Ctrl-C")
    add("--timer", metavar="NAME", help="only this timer: Produce, Fetch, Rebalance, ...")
    add("--node", metavar="ID", type=_whole, help="only the timers of this node")
    add("--of", metavar="MS", nargs="+", type=_whole, help="no broker: tasks with these delays")
    add("--cancel", metavar="MS@TIME", action="append", default=[], help="cancel a task of --of")
    add("--from", metavar="FILE", dest="recording", type=Path, help="no broker: a recording")
    add("--json", action="store_true", help="one JSON object a line, instead of rings")
    return made


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _show(client: AdminClient, given: argparse.Namespace) -> None:
    if given.of:
        _check_alone("--of", given, ("--follow", "--timer", "--node", "--from"))
        for step in _path(given.of, given.cancel):
            sys.stdout.write(json.dumps(step) + "\n" if given.json else _step(step, given.of))
        return
    if given.cancel:
        raise UsageError("--cancel needs --of, whose tasks it cancels")
    for snapshot in _snapshots(client, given):
        timers = [timer for timer in snapshot if _is_wanted(timer, given)]
        if given.json:
            sys.stdout.write(json.dumps(timers) + "\n")
        else:
            text = "\n".join(_timer(timer) for timer in timers) or "no timer holds a task\n"
            sys.stdout.write((_CLEAR if given.follow else "") + text)
        sys.stdout.flush()


def _check_alone(option: str, given: argparse.Namespace, others: Sequence[str]) -> None:
    """Raise `UsageError` if one of the *others* is given too, which would have no effect."""
    for each in others:
        name = "recording" if each == "--from" else each.removeprefix("--")
        if getattr(given, name) not in (None, False):
            raise UsageError(f"{each}: it has no effect with {option}; give one of them")


def _snapshots(client: AdminClient, given: argparse.Namespace) -> Iterator[Sequence[Snapshot]]:
    """The timers of the broker or of a recording: once, or repeatedly with ``--follow``."""
    if given.recording is not None:
        yield from _recorded(given.recording, _FOLLOW_INTERVAL_S if given.follow else 0)
        return
    timers = client.timers()
    _check_selection(timers, given)
    yield timers
    while given.follow:
        sleep(_FOLLOW_INTERVAL_S)
        yield client.timers()


def _check_selection(timers: Sequence[Snapshot], given: argparse.Namespace) -> None:
    """Raise `CommandFailed` if the broker has no timer of ``--node`` or ``--timer``."""
    for what, field, wanted in (("node", "node", given.node), ("timer", "name", given.timer)):
        known = {timer[field]: None for timer in timers}
        if wanted is not None and wanted not in known:
            names = ", ".join(map(str, known))
            raise CommandFailed(f"there is no {what} {wanted}, only {names}")


def _recorded(file: Path, interval_s: float) -> Iterator[Sequence[Snapshot]]:
    """The snapshots of a recording, one a line; raises `UsageError` for a line that is none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"--from: cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--from: {file} is not a recording") from None
    for number, line in enumerate(lines, 1):
        if number > 1:
            sleep(interval_s)
        try:
            content = json.loads(line)
        except ValueError as error:
            raise UsageError(f"--from: line {number} of {file} is not JSON: {error}") from error
        # The output of this command, or the response of `GET /v1/timers`.
        timers = content.get("timers") if isinstance(content, dict) else content
        if not isinstance(timers, list) or not all(map(_is_timer, timers)):
            words = "has no timers; record them with wheel --follow --json"
            raise UsageError(f"--from: line {number} of {file} {words}")
        yield timers


def _is_timer(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() >= _TIMER_FIELDS
        and isinstance(value["levels"], list)
        and all(
            isinstance(level, dict) and level.keys() >= _LEVEL_FIELDS for level in value["levels"]
        )
    )


def _is_wanted(timer: Snapshot, given: argparse.Namespace) -> bool:
    if given.node is not None and timer["node"] != given.node:
        return False
    if given.timer is None:
        return bool(timer["size"])
    return bool(timer["name"] == given.timer)


def _path(delays_ms: Sequence[int], cancelled: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The steps that `purgatories.timer` prints; raises `UsageError` with its message."""
    words = [*map(str, delays_ms), *(f"--cancel={each}" for each in cancelled)]
    done = subprocess.run(  # noqa: S603 - our own interpreter
        command(words, "purgatories.timer"),
        env=environment(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        line = done.stderr.strip().rpartition("error: ")[2].removeprefix("argument ")
        raise UsageError(line.replace("delay_ms:", "--of:"))
    return map(json.loads, done.stdout.splitlines())


def _step(step: Mapping[str, Any], delays_ms: Sequence[int]) -> str:
    """One step of a path: what happens, and the rings in which each task has its letter."""
    letters = {
        f"{ms:,} ms": letter
        for ms, letter in zip(dict.fromkeys(delays_ms), ascii_lowercase, strict=False)
    }

    def symbol(tasks: Mapping[str, int]) -> str:
        (label, *others) = tasks
        return _count(tasks) if others else letters.get(label, "1")

    timer = step["timer"]
    events = "".join(f"  {event}{_letter(event, letters)}\n" for event in step["events"])
    return f"at {timer['now_ms']:,} ms\n{events}{_rings(timer, symbol)}\n"


def _letter(event: str, letters: Mapping[str, str]) -> str:
    if not event.endswith("is added"):
        return ""
    label = event.removeprefix("the task of ").removesuffix(" is added")
    return f": {letters[label]}" if label in letters else ""


def _timer(timer: Snapshot) -> str:
    """A timer of a broker: its counts, what its buckets hold, and its rings."""
    next_ms = timer["next_expiration_ms"]
    due = (
        ""
        if next_ms is None
        else f", the next bucket fires in {max(0, next_ms - timer['now_ms']):,.0f} ms"
    )
    lines = [f"node {timer['node']}, {timer['name']}: {timer['size']:,} waiting{due}"]
    for number, level in enumerate(timer["levels"], 1):
        for bucket in sorted(level["buckets"], key=itemgetter("at_ms")):
            tasks = ", ".join(f"{count:,} {kind}" for kind, count in bucket["tasks"].items())
            in_ms = bucket["at_ms"] - timer["now_ms"]
            lines.append(f"  level {number}, in {duration(max(0, round(in_ms)))}: {tasks}")
    return "\n".join([*lines, _rings(timer, _count)])


def _rings(timer: Snapshot, symbol: Symbol) -> str:
    rings = [ring(level, number, symbol) for number, level in enumerate(timer["levels"], 1)]
    lines = side_by_side(rings, get_terminal_size().columns)
    return "".join(f"{line}\n" for line in ["", *lines])


def _count(tasks: Mapping[str, int]) -> str:
    total = sum(tasks.values())
    return str(total) if total < 10 else "+"
