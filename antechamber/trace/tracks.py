"""The tracks of a trace: the connections and the purgatories of each node.

A track is drawn as one or more lanes, whose slices do not overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from antechamber.sentences import phrases
from antechamber.trace.lanes import lanes
from antechamber.trace.spans import Span


class Track(NamedTuple):
    """A connection or a purgatory of a node; tracks sort by node, and connections come first."""

    node: int | None  # None of a proxy's connection, before it knows the nodes
    is_purgatory: bool
    connection: int  # 0 if it is a purgatory
    name: str


class Lane(NamedTuple):
    """One of the lanes of a track, from 0."""

    track: Track
    number: int


def place(lane: Lane) -> tuple[bool, int, bool, int, str, int]:
    """The key by which lanes are sorted; those without a node come first."""
    node, is_purgatory, connection, name = lane.track
    return node is not None, node or 0, is_purgatory, connection, name, lane.number


Interval = tuple[Track, int, int]  # with the begin and the end in microseconds


def connection_tracks(requests: Iterable[Span]) -> dict[tuple[int | None, int], Track]:
    """The track of each connection by node and connection, named after its last client."""
    tracks = {}
    for each in requests:
        node, connection = each.record["node"], each.record["connection"]
        client = f"{each.client}{phrases.authenticated(each.record)}"
        tracks[node, connection] = Track(
            node, False, connection, f"connection {connection}: {client}"
        )
    return tracks


def purgatory_track(node: int | None, purgatory: str) -> Track:
    """The track of a purgatory of a node."""
    return Track(node, True, 0, f"{purgatory} purgatory")


def assigned(intervals: Sequence[Interval]) -> list[Lane]:
    """The lane of each interval; the intervals of a track are in the order of their begins."""
    indexes: defaultdict[Track, list[int]] = defaultdict(list)
    for index, (track, _, _) in enumerate(intervals):
        indexes[track].append(index)
    found: dict[int, Lane] = {}
    for track, members in indexes.items():
        numbers = lanes([intervals[index][1:] for index in members])
        found.update(
            (index, Lane(track, number)) for index, number in zip(members, numbers, strict=True)
        )
    return [found[index] for index in range(len(intervals))]
