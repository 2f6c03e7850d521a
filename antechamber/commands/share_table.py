"""The table of share partitions.

group workers, orders-0, node 1: start offset 2, high watermark 10, lag 6
  5 acquired, 1 available, 8 of 2,000 in flight
  fetched by billing (a) and shop (b)
    offsets  state         delivery  member  lock expires in
          2  acquired      1 of 5    a                29.9 s
        3-4  acknowledged  1 of 5
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from antechamber.sentences import durations, phrases

SharePartition = Mapping[str, Any]

_STYLES = {"acquired": "yellow", "available": "green", "acknowledged": "dim", "archived": "dim"}
_QUIET = "dim"
_WITHOUT_OFFSETS = {
    "loading": "its leader reads the stored state",
    "stored": "no member has fetched it yet",
}


class ShareTable:
    """Share partitions with their batches; only the first *shown* of them, unless it is None."""

    def __init__(self, found: Sequence[SharePartition], shown: int | None = None) -> None:
        self._found = found
        self._shown = shown

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        """Draw the table; called by rich."""
        if not self._found:
            yield Text("there is no share partition", _QUIET)
        for each in self._found[: self._shown]:
            yield from _lines(each)
            if each["batches"]:
                yield _batches(each)
            if (left_out := each["batch_count"] - len(each["batches"])) > 0:
                yield Text(f"    and {left_out:,} more", _QUIET)
        more = 0 if self._shown is None else len(self._found) - self._shown
        if more > 0:
            yield Text(f"and {phrases.counted(more, 'more share partition')}", _QUIET)


def _lines(each: SharePartition) -> Iterator[Text]:
    leader = "no leader" if each["node"] < 0 else f"node {each['node']}"
    head = f"group {each['group']}, {phrases.name(each)}"
    yield Text.assemble((head, "bold"), f", {leader}: {_progress(each)}")
    if each["start_offset"] is not None:
        yield Text(f"  {_counts(each)}")
        yield Text(f"  {_members(each)}", _QUIET)


def _progress(each: SharePartition) -> str:
    if each["state"] == "invalid":
        return "its stored state cannot be used"
    if each["start_offset"] is None:
        return _WITHOUT_OFFSETS[each["state"]]
    words = f"start offset {each['start_offset']}"
    if each["high_watermark"] is not None:
        words += f", high watermark {each['high_watermark']}, lag {each['lag']}"
    return words


def _counts(each: SharePartition) -> str:
    most = "" if each["in_flight_max"] is None else f" of {each['in_flight_max']:,}"
    states = f"{each['acquired']:,} acquired, {each['available']:,} available"
    return f"{states}, {each['in_flight']:,}{most} in flight"


def _members(each: SharePartition) -> str:
    if each["state"] == "stored":
        return "stored by the share coordinator; no member has a session"
    members = [_member(member) for member in each["members"]]
    return f"fetched by {phrases.some(members)}" if members else "no member fetches it"


def _member(member: Mapping[str, Any]) -> str:
    """The member, and its client id if the coordinator of the group knows it."""
    name, client_id = member["member"], member["client_id"]
    return f"{client_id} ({name})" if client_id else f"{name}"


def _batches(each: SharePartition) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for name in ("offsets", "state", "delivery", "member", "lock expires in"):
        justify: JustifyMethod = "right" if name in ("offsets", "lock expires in") else "left"
        table.add_column(justify=justify, overflow="fold")
    names = ("    offsets", "state", "delivery", "member", "lock expires in")
    table.add_row(*(Text(name, _QUIET) for name in names))
    for batch in each["batches"]:
        table.add_row(*(Text(cell, _STYLES[batch["state"]]) for cell in _cells(each, batch)))
    return table


def _cells(each: SharePartition, batch: Mapping[str, Any]) -> tuple[str, ...]:
    first, last = batch["first_offset"], batch["last_offset"]
    state = f"{batch['state']}, being stored" if batch["is_being_stored"] else batch["state"]
    most = each["delivery_count_limit"]
    left_ms = batch["lock_expires_in_ms"]
    return (
        f"    {first}" if first == last else f"    {first}-{last}",
        state,
        f"{batch['delivery_count']}" + ("" if most is None else f" of {most}"),
        batch["member"] or "",
        "" if left_ms is None else durations.format_us(left_ms * 1000),
    )
