"""The lag of a replica in words.

    node 3 (paused): 4 records behind, last caught up 14 s ago

The lag is the condition of the request. The time since the replica last had all records of its
leader is independent of it: a replica that caught up long ago may be behind only briefly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antechamber.sentences import durations

# The states that are named because they cause a lag.
_CAUSES = ("paused", "stopped")


def name(replica: Mapping[str, Any]) -> str:
    """The node, with its state if the state causes the lag."""
    state = replica.get("state")
    return f"node {replica['node']}" + (f" ({state})" if state in _CAUSES else "")


def lag(replica: Mapping[str, Any], needed: int, *, brief: bool = False) -> str:
    """The lag in records, and the time since the replica last had none; *brief*: shorter."""
    end, ago_ms = replica["log_end_offset"], replica["caught_up_ms_ago"]
    if end is None:
        behind = "is not running"
    elif end < 0:  # its leader has received no fetch of it
        behind = "has not fetched"
    else:
        count = needed - end
        unit = "" if brief else " record" if count == 1 else " records"
        behind = f"{count:,}{unit} behind"
    if ago_ms is None:
        return behind
    return f"{behind}, last caught up {durations.format_us(ago_ms * 1000)} ago"
