"""Checks a trace against the definition of the Trace Event Format, for the phases that we write."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

Event = dict[str, Any]

_METADATA = {
    "process_name": ("name", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}


def check_trace(trace: Any) -> list[Event]:
    """Assert that *trace* is valid, also as JSON, and return its events."""
    document = json.loads(json.dumps(trace))
    assert document == trace
    assert document["displayTimeUnit"] in ("ms", "ns")
    assert isinstance(document["otherData"], dict)
    events: list[Event] = document["traceEvents"]
    for event in events:
        _check_event(event)
    timed = [event for event in events if event["ph"] != "M"]
    assert timed == sorted(timed, key=lambda event: event["ts"])
    _check_names(events)
    _check_nesting(phase(events, "X"))
    _check_flows(events)
    return events


def phase(events: Iterable[Event], *phases: str) -> list[Event]:
    """The events of these phases."""
    return [event for event in events if event["ph"] in phases]


def _check_event(event: Event) -> None:
    assert event["name"]
    assert isinstance(event["name"], str)
    assert isinstance(event["pid"], int)
    if event["ph"] == "M":
        key, kind = _METADATA[event["name"]]
        assert isinstance(event["args"][key], kind)
        return
    assert isinstance(event["tid"], int)
    assert isinstance(event["ts"], int), "microseconds"
    assert isinstance(event["cat"], str)
    if event["ph"] == "X":
        assert isinstance(event["dur"], int)
        assert event["dur"] >= 0
        assert isinstance(event["args"], dict)
    else:
        assert event["ph"] in "stf"
        assert isinstance(event["id"], int)
        assert (event.get("bp") == "e") == (event["ph"] == "f")


def _check_names(events: list[Event]) -> None:
    """Each process and thread with events has one name, and a thread is in one process."""
    named = [event for event in events if event["name"] in ("process_name", "thread_name")]
    keys = [(event["pid"], event.get("tid")) for event in named]
    assert len(keys) == len(set(keys))
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] != "M"}
    assert used | {(pid, None) for pid, _ in used} == set(keys)
    assert len({tid for _, tid in used}) == len(used)


def _check_nesting(slices: list[Event]) -> None:
    """A slice of a thread is within the slice that is open at its begin."""
    opened: defaultdict[int, list[int]] = defaultdict(list)
    for event in slices:
        ends = opened[event["tid"]]
        begin, end = event["ts"], event["ts"] + event["dur"]
        while ends and (ends[-1] < begin or ends[-1] == begin < end):
            ends.pop()
        assert not ends or end <= ends[-1], event
        ends.append(end)


def _check_flows(events: list[Event]) -> None:
    """A flow has one begin and one end, goes forwards, and its events are within slices."""
    flows: defaultdict[int, list[Event]] = defaultdict(list)
    for event in phase(events, "s", "t", "f"):
        flows[event["id"]].append(event)
    slices = phase(events, "X")
    for flow in flows.values():
        assert [event["ph"] for event in flow] == ["s", "t", "f"]
        assert len({(event["name"], event["cat"]) for event in flow}) == 1
        for event in flow:
            assert any(
                each["tid"] == event["tid"]
                and each["ts"] <= event["ts"] <= each["ts"] + each["dur"]
                for each in slices
            ), event
