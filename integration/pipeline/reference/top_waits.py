"""`top_waits`: the 100 longest of each purgatory and role, with the sentences of `explain`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from antechamber.explain import explanation
from integration.pipeline.reference.blame import steps
from integration.pipeline.reference.record import PHASES, Record, Row, cause
from integration.pipeline.reference.roles import role

LONGEST = 100
SAME = (
    *(f"{phase}_us" for phase in PHASES),
    *("purgatory", "api", "node", "connection", "client_id", "principal"),
    *("listener", "correlation_id"),
)


def top_waits(records: Iterable[Record]) -> list[Row]:
    """The rows of the table."""
    by_purgatory: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.get("purgatory") is not None:
            by_purgatory[(record["purgatory"], role(record))].append(record)
    return [
        {
            **{name: record.get(name) for name in SAME},
            "rank": rank,
            "role": role(record),
            "waits": steps(record),
            "arrived": record["arrived_us"],
            "cause": cause(record),
            "explanation": " ".join(explanation(record)),
        }
        for waits in by_purgatory.values()
        for rank, record in enumerate(sorted(waits, key=_order)[:LONGEST], 1)
    ]


def _order(record: Record) -> tuple[object, ...]:
    """The longest wait is first; of equal ones the earliest; then by node and connection."""
    names = ("node", "connection", "correlation_id")
    numbers = [record.get(name) for name in names]
    known = [(number is None, number or 0) for number in numbers]
    return (-record["parked_us"], record["arrived_us"], *known)
