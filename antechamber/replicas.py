"""What a replica lacks and why, for people.

    node 3 (paused): 4 records behind, last caught up 14 s ago

How far it is behind is what the request waits for. When it last had all that its leader had is
something else: a replica that caught up long ago may be behind for a millisecond only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antechamber import durations

# What a node is, where that is the cause; a node that runs is named by its number alone.
_CAUSES = ("paused", "stopped")


def name(replica: Mapping[str, Any]) -> str:
    """The node, with its state if that is the reason why it is behind."""
    state = replica.get("state")
    return f"node {replica['node']}" + (f" ({state})" if state in _CAUSES else "")


def lag(replica: Mapping[str, Any], needed: int, *, brief: bool = False) -> str:
    """How far it is behind, and when it last was not; *brief*: where there is little room."""
    end, ago_ms = replica["log_end_offset"], replica["caught_up_ms_ago"]
    if end is None:
        behind = "does not run"
    elif end < 0:  # its leader has not heard of it
        behind = "has not fetched"
    else:
        count = needed - end
        unit = "" if brief else " record" if count == 1 else " records"
        behind = f"{count:,}{unit} behind"
    if ago_ms is None:
        return behind
    return f"{behind}, last caught up {durations.format_us(ago_ms * 1000)} ago"
