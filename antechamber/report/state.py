"""The state of a cluster in a few lines: nodes, the partitions that differ, and the clock.

    3 nodes: 1 and 2 are running, 3 is paused
    2 topics with 4 partitions, of which 1 is not replicated completely:
      orders-0: leader 1, in sync 1 and 2 of 1, 2 and 3, high watermark 41 of 45
    The clock is frozen.

The functions do no I/O; their arguments are responses of the admin interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from antechamber.sentences import awaited, phrases

Facts = Mapping[str, Any]

_PARTITIONS_MAX = 5


def state_lines(cluster: Facts, clock: Facts) -> Iterator[str]:
    """The lines; *cluster* is `GET /v1/cluster`, *clock* is `GET /v1/clock`."""
    yield _nodes(cluster["nodes"])
    yield from _topics(cluster["topics"])
    if clock["speed"] == 0:
        yield "The clock is frozen."
    elif clock["speed"] != 1:
        yield f"The clock runs {clock['speed']:g} times as fast as real time."


def error_lines(statistics: Facts) -> Iterator[str]:
    """The exceptions that the broker did not expect, from `GET /v1/statistics`."""
    for where, errors in _unexpected(statistics):
        counts = [f"{count} of {api}" for api, count in errors["requests"].items() if count]
        if errors["others"]:
            counts.append(f"{errors['others']} outside of requests")
        if counts:
            yield f"{where}: {phrases.listed(counts)}"


def rule_lines(rules: Iterable[Facts]) -> Iterator[str]:
    """The fault rules that have fired, from `GET /v1/faults`."""
    for rule in rules:
        if rule["fired"]:
            name = f" ({rule['name']})" if rule.get("name") else ""
            action = rule["action"]["type"]
            yield f"rule {rule['id']}{name}, {action}: fired {phrases.times(rule['fired'])}"


def lock_lines(share_partitions: Iterable[Facts]) -> Iterator[str]:
    """The share partitions of which members hold records, from `GET /v1/share_partitions`."""
    for each in share_partitions:
        if each["acquired"]:
            held = [batch for batch in each["batches"] if batch["lock_expires_in_ms"] is not None]
            first = min(held, key=lambda batch: batch["lock_expires_in_ms"], default=None)
            whose = "" if first is None else f"; the first lock to expire: {awaited.lock(first)}"
            count = phrases.counted(each["acquired"], "record")
            yield f"{phrases.name(each)}: members of group {each['group']} hold {count}{whose}"


def _nodes(nodes: Iterable[Facts]) -> str:
    states: dict[str, list[str]] = {}
    for node in nodes:
        states.setdefault(node["state"], []).append(str(node["id"]))
    parts = [
        f"{phrases.listed(ids)} {'is' if len(ids) == 1 else 'are'} {state}"
        for state, ids in states.items()
    ]
    return f"{phrases.counted(sum(map(len, states.values())), 'node')}: {', '.join(parts)}"


def _topics(topics: Iterable[Facts]) -> Iterator[str]:
    partitions = [
        (f"{topic['name']}-{each['partition']}", each)
        for topic in topics
        for each in topic["partitions"]
    ]
    count = phrases.counted(len({name.rpartition("-")[0] for name, _ in partitions}), "topic")
    total = f"{count} with {phrases.counted(len(partitions), 'partition')}"
    differing = [(name, each) for name, each in partitions if _differs(each)]
    if not differing:
        yield total
        return
    are = "is" if len(differing) == 1 else "are"
    yield f"{total}, of which {len(differing)} {are} not replicated completely:"
    for name, each in differing[:_PARTITIONS_MAX]:
        yield f"  {name}: {_partition(each)}"
    if len(differing) > _PARTITIONS_MAX:
        yield f"  and {len(differing) - _PARTITIONS_MAX} more"


def _differs(partition: Facts) -> bool:
    return (
        partition["leader"] == -1
        or len(partition["isr"]) < len(partition["replicas"])
        or partition["high_watermark"] != partition["log_end_offset"]
    )


def _partition(partition: Facts) -> str:
    leader = "no leader" if partition["leader"] == -1 else f"leader {partition['leader']}"
    in_sync = phrases.listed([str(node) for node in sorted(partition["isr"])] or ["none"])
    replicas = phrases.listed([str(each["node"]) for each in partition["replicas"]])
    offsets = f"high watermark {partition['high_watermark']} of {partition['log_end_offset']}"
    return f"{leader}, in sync {in_sync} of {replicas}, {offsets}"


def _unexpected(statistics: Facts) -> Iterator[tuple[str, Facts]]:
    for node in statistics.get("nodes", ()):
        yield f"node {node['id']}", node["unexpected_errors"]
    if "unexpected_errors" in statistics:
        yield "all nodes", statistics["unexpected_errors"]
