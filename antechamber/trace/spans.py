"""The interval of a request, of its phases and of its waits, from its wait record.

A record has lengths and one time, its arrival. The phases are in the order of the record: queued,
handled, parked, sent. A request that waited several times is handled between its waits too; this
time is in the phase ``handled``, before the first wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Record = Mapping[str, Any]


class Phase(NamedTuple):
    """``queued``, ``handled``, ``parked`` or ``sent``; microseconds since the Unix epoch."""

    name: str
    begin_us: int
    end_us: int


@dataclass(frozen=True, eq=False)
class Wait:
    """A wait in a purgatory; *facts* are the fields of the record that describe it."""

    purgatory: str
    begin_us: int
    end_us: int
    facts: Record


@dataclass(frozen=True, eq=False)
class Span:
    """A request from its arrival to its end, or until now if it still waits."""

    record: Record
    begin_us: int
    end_us: int
    phases: Sequence[Phase]
    waits: Sequence[Wait]

    @property
    def has_ended(self) -> bool:
        """Whether the request has its response, or was abandoned."""
        return has_ended(self.record)

    @property
    def name(self) -> str:
        """The API and the correlation id: ``Fetch 12``."""
        return f"{self.record['api']} {self.record['correlation_id']}"

    @property
    def client(self) -> str:
        """The client id, or a description of a client without one."""
        return self.record["client_id"] or "a client without an id"


def has_ended(record: Record) -> bool:
    """Whether it is the record of a request that has ended, and not of one that waits."""
    return "completed_by" in record


def spans(records: Sequence[Record]) -> list[Span]:
    """The span of each record, in the order of the arrivals."""
    return sorted(map(span, records), key=lambda each: (each.begin_us, each.end_us))


def span(record: Record) -> Span:
    """The span of one record: a completed one, or one of a request that waits."""
    begin_us = record["arrived_us"]
    if not has_ended(record):
        end_us = begin_us + record["parked_us"]
        parked = [Phase("parked", begin_us, end_us)]
        return Span(record, begin_us, end_us, parked, _present_wait(record, begin_us, end_us))
    phases = list(_phases(record))
    parked_us = next((each.begin_us for each in phases if each.name == "parked"), begin_us)
    end_us = begin_us + record["total_us"]
    return Span(record, begin_us, end_us, phases, list(_waits(record, parked_us)))


def _phases(record: Record) -> Iterator[Phase]:
    """The phases of a completed request, without those of 0 µs."""
    now_us = record["arrived_us"]
    for name, field in (
        ("queued", "queued_us"),
        ("handled", "local_us"),
        ("parked", "parked_us"),
        ("sent", "send_us"),
    ):
        if record[field]:
            yield Phase(name, now_us, now_us + record[field])
        now_us += record[field]


def _waits(record: Record, begin_us: int) -> Iterator[Wait]:
    """The waits of a completed request, one after the other."""
    earlier: Sequence[Record] = record.get("earlier_waits") or ()
    last_us = record["parked_us"] - sum(each["parked_us"] for each in earlier)
    for facts in (*earlier, {**record, "parked_us": last_us}):
        end_us = begin_us + facts["parked_us"]
        if facts["purgatory"]:
            yield Wait(facts["purgatory"], begin_us, end_us, facts)
        begin_us = end_us


def _present_wait(record: Record, begin_us: int, end_us: int) -> list[Wait]:
    purgatory = record["purgatory"]
    return [Wait(purgatory, begin_us, end_us, record)] if purgatory else []
