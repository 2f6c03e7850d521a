"""Draws the rules of a schedule that a correct client survives.

The faults are those that Kafka's protocol requires clients to handle: errors that are retriable,
lost responses, closed connections, delays that are shorter than the usual timeouts, throttling, and
one node that stops or pauses for a while. Each client id has its own count of requests, so that a
rule hits the same requests of a client whatever other clients do. All node faults of a schedule
concern the same node, so that the others have the records. A schedule depends only on the seed and
the number of nodes.
"""

from __future__ import annotations

from typing import NamedTuple

from antechamber.chaos.shrink import Rule
from antechamber.chaos.split_mix import SplitMix

RULES_MIN, RULES_MAX = 3, 8
_NODE_FAULTS_PERCENT = 70  # of the schedules for several nodes
# The requests that most rules hit: the first ones of a client.
EARLY_NTH_MAX = 4
_EARLY_PERCENT = 75


class _Api(NamedTuple):
    """The faults of one API: errors before and after the effect, and which request can be hit."""

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...] = ()
    nth_max: int = 3


_MOVED = ("NOT_LEADER_OR_FOLLOWER",)
_COORDINATOR = ("NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS")
# An API that occurs twice is drawn twice as often.
_PRODUCE = _Api(
    "Produce",
    (*_MOVED, "NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR"),
    ("NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT"),
    nth_max=30,
)
_FETCH = _Api("Fetch", (*_MOVED, "UNKNOWN_LEADER_EPOCH", "KAFKA_STORAGE_ERROR"), nth_max=30)
_COMMIT = _Api("OffsetCommit", _COORDINATOR, ("COORDINATOR_NOT_AVAILABLE",), nth_max=6)
_APIS = (
    _PRODUCE,
    _PRODUCE,
    _PRODUCE,
    _FETCH,
    _FETCH,
    _COMMIT,
    _COMMIT,
    _Api("Metadata", ()),
    _Api("InitProducerId", _COORDINATOR),
    _Api("FindCoordinator", ("COORDINATOR_NOT_AVAILABLE",)),
    _Api("JoinGroup", _COORDINATOR),
    _Api("SyncGroup", (*_COORDINATOR, "REBALANCE_IN_PROGRESS")),
    _Api("Heartbeat", ("NOT_COORDINATOR", "REBALANCE_IN_PROGRESS")),
    _Api("OffsetFetch", _COORDINATOR),
    _Api("ListOffsets", _MOVED),
)
_EFFECTS = (
    *("error", "error", "error"),
    *("error_after", "error_after"),
    *("lost_response", "lost_response", "lost_response"),
    *("close", "close"),
    *("delay_response", "delay_response", "delay_request"),
    "throttle",
)


def draw(seed: int, brokers: int) -> list[Rule]:
    """Return the rules of *seed* for a cluster of *brokers* nodes."""
    numbers = SplitMix(seed)
    count = numbers.between(RULES_MIN, RULES_MAX)
    rules = [_request_fault(numbers) for _ in range(count)]
    if brokers > 1 and numbers.chance(_NODE_FAULTS_PERCENT):
        rules += _node_faults(numbers, brokers)
    return [{"name": f"{index}-{name}", **rule} for index, (name, rule) in enumerate(rules, 1)]


def _request_fault(numbers: SplitMix) -> tuple[str, Rule]:
    api, effect = numbers.choice(_APIS), numbers.choice(_EFFECTS)
    if (effect == "error" and not api.before) or (effect == "error_after" and not api.after):
        effect = "lost_response"
    rule = {
        "match": {"api": api.name},
        "nth": _nth(numbers, api.nth_max),
        "per": "client",
        "times": numbers.between(1, 2),
        "action": _action(numbers, api, effect),
    }
    return effect.replace("_", "-"), rule


def _nth(numbers: SplitMix, nth_max: int) -> int:
    """Mostly one of the first requests, which short programs send too."""
    is_early = numbers.chance(_EARLY_PERCENT)
    return numbers.between(1, min(nth_max, EARLY_NTH_MAX) if is_early else nth_max)


def _action(numbers: SplitMix, api: _Api, effect: str) -> Rule:
    match effect:
        case "error":
            return {"type": "error", "error": numbers.choice(api.before), "when": "before"}
        case "error_after":
            return {"type": "error", "error": numbers.choice(api.after), "when": "after"}
        case "lost_response":
            return {"type": "close", "when": "after"}
        case "close":
            return {"type": "close", "when": "before"}
        case "delay_response":
            return {"type": "delay", "ms": numbers.between(1, 20) * 50, "of": "response"}
        case "delay_request":
            return {"type": "delay", "ms": numbers.between(1, 20) * 50, "of": "request"}
    assert effect == "throttle"
    return {"type": "throttle", "ms": numbers.between(1, 10) * 100}


def _node_faults(numbers: SplitMix, brokers: int) -> list[tuple[str, Rule]]:
    node = numbers.between(1, brokers)
    return [_node_fault(numbers, node) for _ in range(numbers.between(1, 2))]


def _node_fault(numbers: SplitMix, node: int) -> tuple[str, Rule]:
    change = numbers.choice(("stop", "pause"))
    rule = {
        "match": {"api": numbers.choice(("Produce", "Produce", "Fetch", "OffsetCommit"))},
        "nth": _nth(numbers, 20),
        "times": 1,
        "action": {
            "type": "node",
            "do": change,
            "node": node,
            "ms": numbers.between(5, 30) * 100,
        },
    }
    return f"{change}-node-{node}", rule
