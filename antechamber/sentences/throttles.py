"""Words for the quotas by which clients were throttled, in a wait record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antechamber.sentences import durations, phrases

# How rates are measured, by quota.
_UNITS = {
    "producer_byte_rate": "bytes per second",
    "consumer_byte_rate": "bytes per second",
    "request_percentage": "percent of a processor",
    "controller_mutation_rate": "partitions per second",
}

# Whose quota it is: the words, and the field with the name.
_ENTITIES = (("user", "user"), ("client", "client_id"))

# In the place of a quota: a fault rule throttles the client.
_FAULT_RULE = "fault_rule"

_LEADER_RATE = "leader.replication.throttled.rate"


def sentences(record: Mapping[str, Any]) -> list[str]:
    """The quotas that its client has exceeded, by an earlier request and by this one.

    For the fetch of a follower: the partitions that the leader throttled.
    """
    words = []
    if throttled := (record.get("waited_for") or {}).get("throttled"):
        partitions = phrases.some([phrases.name(each) for each in throttled])
        words.append(f"{_LEADER_RATE} throttled {partitions}.")
    if (muted_by := record.get("muted_by")) is not None:
        why = f"an earlier request had {_met(muted_by)}"
        words.append(f"It was queued because its connection was muted{_for(muted_by)}: {why}.")
    if (throttle := record.get("throttle")) is not None:
        words.append(f"It has {_met(throttle)}. Its connection was muted{_for(throttle)}.")
    return words


def is_fault(throttle: Mapping[str, Any]) -> bool:
    """Whether a fault rule throttles, and not a quota."""
    return bool(throttle.get("quota") == _FAULT_RULE)


def exceeded(throttle: Mapping[str, Any]) -> str:
    """The quota, whose it is, and the measured and the allowed rate; or a fault rule."""
    quota, rate, limit = (throttle.get(name) for name in ("quota", "rate", "limit"))
    if is_fault(throttle):
        return "a fault rule"
    if quota is None:  # as in Kafka's request log
        return "a quota"
    words = f"the quota {quota}{_entity(throttle)}"
    if rate is None or limit is None:
        return words
    return f"{words}: {rate:,.1f} instead of {limit:,g} {_UNITS.get(quota, 'per second')}"


def _met(throttle: Mapping[str, Any]) -> str:
    return f"{'met' if is_fault(throttle) else 'exceeded'} {exceeded(throttle)}"


def _for(throttle: Mapping[str, Any]) -> str:
    ms = throttle.get("ms")
    return "" if ms is None else f" for {durations.format_us(ms * 1000)}"


def _entity(throttle: Mapping[str, Any]) -> str:
    named = [(kind, throttle.get(name)) for kind, name in _ENTITIES]
    words = [f"{kind} {name}" for kind, name in named if name is not None]
    return f" of {' and '.join(words)}" if words else ""
