"""Which request released which: the completions that wait records attribute to a request.

A record names the request that completed its wait by API, client id and correlation id. Several
connections can have a client id in common, so the name may fit several requests. Of those that had
arrived, the one that was in progress at the end of the wait, at the same node and with the same
partition is preferred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from antechamber.trace.spans import Record, Span, Wait

_Name = tuple[str, str | None, int]


class Release(NamedTuple):
    """*by* completed the *wait* of *released*."""

    by: Span
    released: Span
    wait: Wait


def releases(requests: Sequence[Span]) -> Iterator[Release]:
    """The completions among *requests*, in their order; those by other requests are left out."""
    named: defaultdict[_Name, list[Span]] = defaultdict(list)
    for each in requests:
        named[_name(each.record)].append(each)
    for released in requests:
        for wait in released.waits:
            request = wait.facts.get("completed_by", {}).get("request")
            if request is None:
                continue
            candidates = [
                each
                for each in named.get(_name(request), ())
                if each is not released and each.begin_us <= wait.end_us
            ]
            if candidates:
                by = max(candidates, key=lambda each: _fit(each, released, wait))
                yield Release(by, released, wait)


def names(records: Iterable[Record]) -> set[_Name]:
    """The names of the requests, by which records refer to them."""
    return {*map(_name, records)}


def awaits_releaser(record: Record, known: Container[_Name]) -> bool:
    """Whether a request completed a wait of *record* whose name is not among the *known* ones."""
    for facts in (record, *(record.get("earlier_waits") or ())):
        request = (facts.get("completed_by") or {}).get("request")
        if request is not None and _name(request) not in known:
            return True
    return False


def _name(request: Record) -> _Name:
    return request["api"], request["client_id"], request["correlation_id"]


def _fit(each: Span, released: Span, wait: Wait) -> tuple[bool, bool, bool, int]:
    """How well a request fits: the largest value is the best."""
    by = wait.facts["completed_by"]
    has_partition = any(
        (partition["topic"], partition["partition"]) == (by.get("topic"), by.get("partition"))
        for partition in each.record["partitions"]
    )
    same_node = each.record["node"] == released.record["node"]
    return each.end_us >= wait.end_us, same_node, has_partition, each.begin_us
