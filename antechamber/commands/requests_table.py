"""Tables of waiting and completed requests.

waited     left   request
───────────────────────────────────────────────────────────────────────────
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

from antechamber.sentences import (
    awaited,
    durations,
    error_names,
    fault_phrases,
    phrases,
    replicas,
    throttles,
)

Request = Mapping[str, Any]
Drawn = TypeVar("Drawn", bound=RenderableType)

WIDE_COLUMNS = 110  # from this width on, times of day are shown
PARTITIONS_MAX = 4  # of one request
_BEHIND, _QUIET, _WAITING = "bold red", "dim", "yellow"
_TIME_COLUMNS = 6  # fits most durations, so that the column width is stable
_KINDS = {
    "members": "the other members",
    "failed_authentication": "the delay after a failed login",
    "share_session_limit": "the delay of a refused share session",
    "stored": "the records of its group to be stored",
    "applied": "all nodes to apply its change",
    "flush": "its records to be flushed to disk",
    "markers": "markers of transactions",
    "transaction_state": "the record of its transaction to be replicated",
    "share_records": "records to acquire, bytes",
    "share_state": "its acknowledgements to be stored",
    "transaction_coordinator": "the coordinator of its transaction",
    "steps": "its next slice on the event loop",
}
_OFFSETS = {"Produce": "at", "DeleteRecords": "below"}  # "from" for other APIs


class ParkedTable:
    """A table of the waiting requests, at most *limit*; a wide terminal also shows times of day.

    ``shown`` of them are drawn, or all if it is None.
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
        """Draw the table; called by rich."""
        count = len(self._requests)
        if not count:
            yield Text("no request waits", _QUIET)
            return
        wide = options.max_width >= WIDE_COLUMNS
        table = _table(*(["since", "until"] if wide else []), "waited", "left")
        for request in self.drawn:
            table.add_row(
                *([_since(request), _until(request)] if wide else []),
                Text(durations.format_us(request["parked_us"]), _WAITING),
                _left(request),
                Group(_title(request), *_condition_lines(request)),
            )
        yield table
        words = f"{count} {'request waits' if count == 1 else 'requests wait'}"
        more = "" if count < self._limit else ", and perhaps more: --limit"
        first = "" if self._shown in (None, count) else f"; the first {self._shown} are shown"
        yield Text(words + more + first, _QUIET)


class CompletedTable:
    """A table of completed requests from their wait records; ``shown`` as in `ParkedTable`."""

    def __init__(self, requests: Sequence[Request], shown: int | None = None) -> None:
        self._requests = requests[:shown]

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        """Draw the table; called by rich."""
        if not self._requests:
            yield Text("no request completed", _QUIET)
            return
        table = _table("since", "took", "waited")
        for request in self._requests:
            waited = request["purgatory"] is not None
            table.add_row(
                _since(request),
                durations.format_us(request["total_us"]),
                Text(durations.format_us(request["parked_us"]), _WAITING) if waited else "-",
                Group(
                    _title(request),
                    *_condition_lines(request),
                    *_ended_by(request),
                    *_faulted(request),
                    *_throttled(request),
                    *_stalled(request),
                    *_errors(request),
                ),
            )
        yield table


def ended_wait(request: Request) -> Text:
    """A completed wait in one line: its duration, its request and its cause of completion."""
    waited = Text(f"{durations.format_us(request['parked_us']):>{_TIME_COLUMNS + 2}}  ", _WAITING)
    ended = Text("; ").join([_title(request), *_ended_by(request)])
    return Text.assemble(waited, ended)


def fitting(draw: Callable[[int], Drawn], count: int, console: Console) -> Drawn:
    """Return *draw* of the largest number of requests that fits the terminal, of *count*."""

    def is_too_high(shown: int) -> bool:
        return len(console.render_lines(draw(shown), pad=False)) > console.height - 1

    # The first request is always shown; the cursor takes one line.
    return draw(bisect_left(range(2, count + 1), True, key=is_too_high) + 1)


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True, min_width=_TIME_COLUMNS)
    table.add_column("request")
    return table


def _title(request: Request) -> Text:
    """API and version, correlation id, client with its principal, and node."""
    client = request["client_id"] or "a client without an id"
    return Text.assemble(
        (f"{request['api']} v{request['version']}", "bold"),
        f" #{request['correlation_id']} of {client}{phrases.authenticated(request)}",
        f", to node {request['node']}",
    )


def _condition_lines(request: Request) -> Iterator[Text | Table]:
    """The condition, and the state of each partition."""
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
    if fault_phrases.is_held(request):
        words = [fault_phrases.holds(request)]
    at = _OFFSETS.get(request["api"], "from")
    words += [
        f"{each['topic']}-{each['partition']}"
        + (f" {at} {each['offset']}" if each["offset"] >= 0 else "")
        for each in shown
    ]
    if words:
        yield Text(", ".join(words) + (f" and {more} more" if more else ""))
    yield from _locks(waited_for or {})


def _locks(waited_for: Mapping[str, Any]) -> Iterator[Text]:
    """The locks that keep records of a share group from a share fetch."""
    for each in waited_for.get("locks", ()):
        yield Text(f"  {awaited.lock(each)}", _WAITING)
    if "available" in waited_for:
        yield Text(f"  {phrases.counted(waited_for['available'], 'record')} available", _QUIET)
    if "full_window" in waited_for:
        yield Text(f"  no further record of {waited_for['full_window']} may be in flight", _BEHIND)


def _condition(waited_for: Mapping[str, Any]) -> str:
    kind: str = waited_for["kind"]
    if kind == "transaction":
        return _open_transaction(waited_for)
    words = _KINDS.get(kind, kind.replace("_", " "))
    if "had" not in waited_for:
        return words
    reached = f"{waited_for['had']} of {waited_for['need']}"
    return f"{reached} bytes" if kind == "min_bytes" else f"{words} {reached}"


def _open_transaction(waited_for: Mapping[str, Any]) -> str:
    """The transaction that holds back the last stable offset, and for how long."""
    transaction = waited_for["transaction"]
    name = transaction["transactional_id"]
    producer = f"producer id {transaction['producer_id']}" if name is None else name
    held = durations.format_us(transaction["held_ms"] * 1000)
    at = f"{waited_for['topic']}-{waited_for['partition']} at {waited_for['offset']}"
    return f"{transaction['state']} transaction of {producer} holds {at} for {held}"


def _replicas(found: Iterable[Mapping[str, Any]], needed: int) -> Table:
    """One line for each replica: its log end offset and its lag."""
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
            style = _QUIET  # no request waits for it
        known = "-" if end is None or end < 0 else str(end)
        cells = (f"  {replicas.name(each)}", known, ", ".join(words))
        table.add_row(*(Text(cell, style) for cell in cells))
    return table


def _ended_by(request: Request) -> Iterator[Text]:
    """The cause of completion and its request, if the request waited."""
    if request["purgatory"] is None:
        return
    completed_by = request["completed_by"]
    words = f"ended by {completed_by['cause'].replace('_', ' ')}"
    if (by := completed_by.get("request")) is not None:
        words += f", {by['api']} #{by['correlation_id']} of {by['client_id']}"
    yield Text(words, _QUIET)


def _faulted(request: Request) -> Iterator[Text]:
    """The fault rule that fired on it, if it was not held."""
    for words in fault_phrases.fired(request):
        yield Text(words.rstrip("."), _BEHIND)


def _throttled(request: Request) -> Iterator[Text]:
    """The quota for which it was queued, and the one that it has exceeded."""
    if (muted_by := request.get("muted_by")) is not None:
        yield Text(f"queued because of {throttles.exceeded(muted_by)}", _BEHIND)
    if (throttle := request.get("throttle")) is not None:
        yield Text(
            f"throttled for {throttle['ms']:,} ms by {throttles.exceeded(throttle)}", _BEHIND
        )


def _stalled(request: Request) -> Iterator[Text]:
    """The long step of the broker's event loop that delayed the request."""
    step = request.get("stalled_by")
    if step is not None:
        words = f"delayed by a step of {step['ms']:,} ms"
        if step["api"] is not None:
            client = step["client_id"] or "a client without an id"
            words += f", {step['api']} #{step['correlation_id']} of {client}"
        yield Text(words, _BEHIND)


def _errors(request: Request) -> Iterator[Text]:
    """The errors of the response and its partitions, each once."""
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
