"""Requests as tables for people: what waits, for what, since when and until when.

  waited     left   request
─────────────────────────────────────────────────────────────
   1.2 s   28.8 s   Produce v9 #12 of producer-1, to node 1
                    orders-0: high watermark 41 of 45
                      node 1           45
                      node 2           45
                      node 3 (paused)  41  4 behind, last caught up 1.3 s ago
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from antechamber import durations, error_names, replicas

Request = Mapping[str, Any]
Drawn = TypeVar("Drawn", bound=RenderableType)

WIDE_COLUMNS = 110  # from here on there is room for times of day
PARTITIONS_MAX = 4  # how many of a request are shown
_BEHIND, _QUIET, _WAITING = "bold red", "dim", "yellow"
_TIME_COLUMNS = 6  # for most times, so that the table does not jump when they change
_KINDS = {
    "members": "the other members",
    "stored": "what its group has written to be stored",
    "flush": "the disk to have its records",
    "steps": "its next turn: it runs in slices",
}
_OFFSETS = {"Produce": "at", "DeleteRecords": "below"}  # of others: from


class ParkedTable:
    """The requests that wait now, *limit* at most; a wide terminal also shows times of day.

    ``shown`` of them are drawn; None: all.
    """

    def __init__(self, requests: Sequence[Request], limit: int, shown: int | None = None) -> None:
        self._requests = requests
        self._limit = limit
        self._shown = shown

    @property
    def drawn(self) -> Sequence[Request]:
        """The requests that are drawn."""
        return self._requests[: self._shown]

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it; rich asks for this."""
        count = len(self._requests)
        if not count:
            yield Text("nothing waits", _QUIET)
            return
        wide = options.max_width >= WIDE_COLUMNS
        table = _table(*(["since", "until"] if wide else []), "waited", "left")
        for request in self.drawn:
            table.add_row(
                *([_since(request), _until(request)] if wide else []),
                Text(durations.format_us(request["parked_us"]), _WAITING),
                _left(request),
                Group(_who(request), *_what_for(request)),
            )
        yield table
        words = f"{count} {'request waits' if count == 1 else 'requests wait'}"
        more = "" if count < self._limit else ", and perhaps more: --limit"
        first = "" if self._shown in (None, count) else f"; the first {self._shown} are shown"
        yield Text(words + more + first, _QUIET)


class AnsweredTable:
    """Requests that have been answered, as their wait records tell; ``shown`` as above."""

    def __init__(self, requests: Sequence[Request], shown: int | None = None) -> None:
        self._requests = requests[:shown]

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        """Draw it; rich asks for this."""
        if not self._requests:
            yield Text("nothing answered", _QUIET)
            return
        table = _table("since", "took", "waited")
        for request in self._requests:
            waited = request["purgatory"] is not None
            table.add_row(
                _since(request),
                durations.format_us(request["total_us"]),
                Text(durations.format_us(request["parked_us"]), _WAITING) if waited else "-",
                Group(
                    _who(request),
                    *_what_for(request),
                    *_ended_by(request),
                    *_stalled(request),
                    *_errors(request),
                ),
            )
        yield table


def ended_wait(request: Request) -> Text:
    """A wait that has ended, in one line: how long it was, whose, and what ended it."""
    waited = Text(f"{durations.format_us(request['parked_us']):>{_TIME_COLUMNS + 2}}  ", _WAITING)
    ended = Text("; ").join([_who(request), *_ended_by(request)])
    return Text.assemble(waited, ended)


def fitting(draw: Callable[[int], Drawn], count: int, console: Console) -> Drawn:
    """What *draw* makes of as many of *count* requests as the terminal has lines for."""

    def is_too_high(shown: int) -> bool:
        return len(console.render_lines(draw(shown), pad=False)) > console.height - 1

    # The first is shown in any case; the cursor has a line of its own.
    return draw(bisect_left(range(2, count + 1), True, key=is_too_high) + 1)


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True, min_width=_TIME_COLUMNS)
    table.add_column("request")
    return table


def _who(request: Request) -> Text:
    """API and version, correlation id, the client and the node it asked."""
    client = request["client_id"]
    return Text.assemble(
        (f"{request['api']} v{request['version']}", "bold"),
        f" #{request['correlation_id']} of {'a client without id' if client is None else client}",
        f", to node {request['node']}",
    )


def _what_for(request: Request) -> Iterator[Text | Table]:
    """The condition, and what each partition has of it."""
    waited_for, partitions = request["waited_for"], request["partitions"]
    replicated = [each for each in partitions if each.get("replicas")]
    shown = (replicated or partitions)[:PARTITIONS_MAX]
    more = len(partitions) - len(shown)
    for each in replicated[:PARTITIONS_MAX]:
        reached = f"high watermark {each['high_watermark']} of {each['needed_offset']}"
        yield Text(f"{each['topic']}-{each['partition']}: {reached}")
        yield _replicas(each["replicas"], each["needed_offset"])
    if replicated:
        if more:
            yield Text(f"and {more} more partitions", _QUIET)
        return
    words = [] if waited_for is None else [_condition(waited_for)]
    at = _OFFSETS.get(request["api"], "from")
    words += [f"{each['topic']}-{each['partition']} {at} {each['offset']}" for each in shown]
    if words:
        yield Text(", ".join(words) + (f" and {more} more" if more else ""))


def _condition(waited_for: Mapping[str, Any]) -> str:
    kind: str = waited_for["kind"]
    words = _KINDS.get(kind, kind.replace("_", " "))
    if "had" not in waited_for:
        return words
    reached = f"{waited_for['had']} of {waited_for['need']}"
    return f"{reached} bytes" if kind == "min_bytes" else f"{words} {reached}"


def _replicas(found: Iterable[Mapping[str, Any]], needed: int) -> Table:
    """One line a replica: where its log ends, how far it is behind and when it last was not."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for each in found:
        end, words, style = each["log_end_offset"], [], _QUIET
        if each["behind"]:
            words = [replicas.lag(each, needed, brief=True)]
            style = _BEHIND
        if not each["in_sync"]:
            words.append("not in sync")
            style = _QUIET  # nobody waits for it
        known = "-" if end is None or end < 0 else str(end)
        cells = (f"  {replicas.name(each)}", known, ", ".join(words))
        table.add_row(*(Text(cell, style) for cell in cells))
    return table


def _ended_by(request: Request) -> Iterator[Text]:
    """What ended its wait, and whose request that was; nothing if it never waited."""
    if request["purgatory"] is None:
        return
    completed_by = request["completed_by"]
    words = f"ended by {completed_by['cause'].replace('_', ' ')}"
    if (by := completed_by.get("request")) is not None:
        words += f", {by['api']} #{by['correlation_id']} of {by['client_id']}"
    yield Text(words, _QUIET)


def _stalled(request: Request) -> Iterator[Text]:
    """The step of the broker's loop that it had to wait for."""
    step = request.get("stalled_by")
    if step is not None:
        words = f"behind a step of {step['ms']:,} ms"
        if step["api"] is not None:
            client = step["client_id"] or "a client without id"
            words += f", {step['api']} #{step['correlation_id']} of {client}"
        yield Text(words, _BEHIND)


def _errors(request: Request) -> Iterator[Text]:
    """What the answer refused: the whole, or partitions of it, each error once."""
    codes = {request["error"], *(each.get("error", 0) for each in request["partitions"])} - {0}
    for code in sorted(codes):
        yield Text(error_names.format_code(code), _BEHIND)


def _left(request: Request) -> str:
    remaining_ms = request["remaining_ms"]
    return "-" if remaining_ms is None else durations.format_us(max(remaining_ms, 0) * 1000)


def _since(request: Request) -> str:
    return _time_of_day(request["arrived_us"])


def _until(request: Request) -> str:
    if request["remaining_ms"] is None:
        return "-"
    now_us = request["arrived_us"] + request["parked_us"]
    return _time_of_day(now_us + request["remaining_ms"] * 1000)


def _time_of_day(moment_us: float) -> str:
    return datetime.fromtimestamp(moment_us / 1e6).astimezone().strftime("%H:%M:%S.%f")[:-3]
