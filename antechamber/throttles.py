"""Words for the quotas by which clients were throttled, in a wait record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# How rates are measured, by quota.
_UNITS = {
    "producer_byte_rate": "bytes per second",
    "consumer_byte_rate": "bytes per second",
    "request_percentage": "percent of a processor",
    "controller_mutation_rate": "partitions per second",
}

# In the place of a quota: a fault rule throttles the client.
_FAULT_RULE = "fault_rule"


def is_fault(throttle: Mapping[str, Any]) -> bool:
    """Whether a fault rule throttles, and not a quota."""
    return bool(throttle["quota"] == _FAULT_RULE)


def exceeded(throttle: Mapping[str, Any]) -> str:
    """The quota, whose it is, and the measured and the allowed rate; or a fault rule."""
    quota = throttle["quota"]
    if is_fault(throttle):
        return "a fault rule"
    unit = _UNITS.get(quota, "per second")
    return (
        f"the quota {quota} of {_entity(throttle)}: {throttle['rate']:,.1f} instead of "
        f"{throttle['limit']:,g} {unit}"
    )


def _entity(throttle: Mapping[str, Any]) -> str:
    named = (("user", throttle["user"]), ("client", throttle["client_id"]))
    return " and ".join(f"{kind} {name}" for kind, name in named if name is not None)
