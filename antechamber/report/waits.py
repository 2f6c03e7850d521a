"""The waits of a test's requests in sentences: those that wait, the errors, the longest waits.

The functions do no I/O; records are those of `antechamber.explain`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from antechamber.explain import explanation
from antechamber.trace.spans import has_ended

Record = Mapping[str, Any]

_SHOWN_MAX = 5  # requests of each list
_COLUMNS = 98


def wait_lines(records: Sequence[Record]) -> Iterator[str]:
    """Three lists of requests, each of at most five with their explanations.

    A list without requests is left out. A request is explained in the first list that has it.
    """
    explained: set[int] = set()
    for title, found in (
        ("Requests that wait now, the longest wait first:", _waiting(records)),
        ("Responses with an error, the latest first:", _failed(records)),
        ("The longest waits:", _longest(records)),
    ):
        others = [each for each in found if id(each) not in explained]
        if others:
            yield title
            for each in others[:_SHOWN_MAX]:
                yield from _explained(each)
        if len(others) > _SHOWN_MAX:
            yield f"  and {len(others) - _SHOWN_MAX} more"
        explained.update(id(each) for each in others[:_SHOWN_MAX])


def _waiting(records: Sequence[Record]) -> list[Record]:
    waiting = (each for each in records if not has_ended(each))
    return sorted(waiting, key=lambda record: record["arrived_us"])


def _failed(records: Sequence[Record]) -> list[Record]:
    failed = (each for each in records if has_ended(each) and _has_error(each))
    return sorted(failed, key=lambda record: record["arrived_us"], reverse=True)


def _has_error(record: Record) -> bool:
    return bool(record["error"]) or any(each["error"] for each in record["partitions"])


def _longest(records: Sequence[Record]) -> list[Record]:
    waited = (each for each in records if has_ended(each) and each["parked_us"])
    return sorted(waited, key=lambda record: record["parked_us"], reverse=True)


def _explained(record: Record) -> list[str]:
    """The explanation as one item of a list."""
    text = " ".join(explanation(record))
    return textwrap.wrap(
        text, _COLUMNS, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False
    )
