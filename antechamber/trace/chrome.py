"""A trace in the Trace Event Format, which Perfetto's viewer, speedscope and Chrome open.

    process   a node, or "bootstrap" for the requests to a proxy before it knows the nodes
    thread    a lane of a connection or of a purgatory
    slice     on a connection: a request, and in it its phases; in a purgatory: a wait
    flow      from the request that completed a wait, by the wait, to the request that had waited

Times are microseconds since the Unix epoch by the broker's clock. The slices of a thread do not
overlap, except that those of phases are in that of their request. Source: the definition of the
format (Trace Event Format, Chromium), phases X, M, s, t and f.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from antechamber.explain import explanation
from antechamber.sentences import phrases
from antechamber.trace.releases import Release, releases
from antechamber.trace.spans import Phase, Record, Span, Wait, spans
from antechamber.trace.tracks import (
    Interval,
    Lane,
    assigned,
    connection_tracks,
    place,
    purgatory_track,
)

Event = dict[str, Any]

# The ids of threads are above those of nodes, which are the processes: a thread with the id of its
# process is its main thread.
_BOOTSTRAP = 1_000_000
_FIRST_THREAD = 1_000_001
_FLOW = {"name": "completed", "cat": "completion"}
_BINDING = {"f": {"bp": "e"}}  # to the enclosing slice; of "s" and "t" this is the only binding


def trace(records: Sequence[Record], source: str) -> dict[str, Any]:
    """The JSON object of a trace of *records*; *source* describes where they are from."""
    return {
        "displayTimeUnit": "ms",
        "otherData": {"source": source, "requests": len(records)},
        "traceEvents": events(records),
    }


def events(records: Sequence[Record]) -> list[Event]:
    """The events: first the names of processes and threads, then slices and flows by time."""
    placed = _Placed(spans(records))
    timed = [*placed.slices(), *placed.flows()]
    # The sort is stable: a request stays before its phases, and a flow after the slices.
    return [*placed.names(), *sorted(timed, key=lambda event: event["ts"])]


class _Position(NamedTuple):
    pid: int
    tid: int


class _Placed:
    """The requests of a trace and their waits, each with its thread."""

    def __init__(self, requests: Sequence[Span]) -> None:
        self._requests = requests
        self._waits = sorted(
            ((each, wait) for each in requests for wait in each.waits),
            key=lambda pair: pair[1].begin_us,
        )
        lanes = assigned([*_connections(requests), *map(_purgatory, self._waits)])
        self._threads = {
            lane: number for number, lane in enumerate(sorted(set(lanes), key=place), _FIRST_THREAD)
        }
        sliced: list[Span | Wait] = [*requests, *(wait for _, wait in self._waits)]
        self._positions = {
            each: _Position(_process(lane), self._threads[lane])
            for each, lane in zip(sliced, lanes, strict=True)
        }

    def names(self) -> Iterator[Event]:
        """The metadata: names of nodes, names and order of threads."""
        for process in dict.fromkeys(map(_process, self._threads)):
            name, rank = (
                ("bootstrap", -1) if process == _BOOTSTRAP else (f"node {process}", process)
            )
            yield _metadata("process_name", process, None, name=name)
            yield _metadata("process_sort_index", process, None, sort_index=rank)
        for lane, thread in self._threads.items():
            yield _metadata("thread_name", _process(lane), thread, name=lane.track.name)
            yield _metadata("thread_sort_index", _process(lane), thread, sort_index=thread)

    def slices(self) -> Iterator[Event]:
        """The requests with their phases, and the waits."""
        for each in self._requests:
            at = self._positions[each]
            name = each.name if each.has_ended else f"{each.name} (waits)"
            yield _slice(at, name, "request", each, _request_facts(each))
            for phase in each.phases:
                yield _slice(at, phase.name, "phase", phase, {})
        for each, wait in self._waits:
            name = f"{each.name} of {each.client}"
            yield _slice(self._positions[wait], name, "wait", wait, _wait_facts(wait))

    def flows(self) -> Iterator[Event]:
        """Three events for each completion of a wait by a request."""
        for number, release in enumerate(releases(self._requests)):
            yield from self._flow(number, release)

    def _flow(self, number: int, release: Release) -> Iterator[Event]:
        by, released, wait = release
        # Within the slices: a viewer attaches an event to the slice of its thread at that time.
        completed_us = max(wait.end_us - 1, wait.begin_us)
        from_us = max(min(completed_us, by.end_us - 1), by.begin_us)
        for phase, each, ts in (
            ("s", by, from_us),
            ("t", wait, max(completed_us, from_us)),
            ("f", released, max(completed_us, from_us)),
        ):
            at = self._positions[each]._asdict()
            yield {**_FLOW, "ph": phase, "id": number, "ts": ts, **at, **_BINDING.get(phase, {})}


def _process(lane: Lane) -> int:
    return _BOOTSTRAP if lane.track.node is None else lane.track.node


def _connections(requests: Sequence[Span]) -> Iterator[Interval]:
    tracks = connection_tracks(requests)
    for each in requests:
        yield tracks[each.record["node"], each.record["connection"]], each.begin_us, each.end_us


def _purgatory(waiting: tuple[Span, Wait]) -> Interval:
    request, wait = waiting
    track = purgatory_track(request.record["node"], wait.purgatory)
    return track, wait.begin_us, wait.end_us


def _metadata(event: str, pid: int, tid: int | None, **args: str | int) -> Event:
    thread = {} if tid is None else {"tid": tid}
    return {"ph": "M", "name": event, "pid": pid, **thread, "args": args}


def _slice(
    at: _Position,
    name: str,
    category: str,
    interval: Span | Phase | Wait,
    args: Mapping[str, Any],
) -> Event:
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": at.pid,
        "tid": at.tid,
        "ts": interval.begin_us,
        "dur": interval.end_us - interval.begin_us,
        "args": args,
    }


def _request_facts(request: Span) -> dict[str, Any]:
    """What a viewer shows about a request."""
    record = request.record
    facts = {
        "client_id": record["client_id"],
        "version": record["version"],
        "partitions": phrases.some(_names(record["partitions"])) if record["partitions"] else "",
        "error": record.get("error", 0),
        "explanation": " ".join(explanation(record)),
    }
    if record.get("fault"):
        facts["fault"] = record["fault"]
    return facts


def _wait_facts(wait: Wait) -> dict[str, Any]:
    """What a viewer shows about a wait: the condition, the timeout and the completion."""
    names = ("waited_for", "timeout_ms", "remaining_ms", "checks", "checked", "completed_by")
    return {name: wait.facts[name] for name in names if name in wait.facts}


def _names(partitions: Iterable[Record]) -> list[str]:
    return [phrases.name(each) for each in partitions]
