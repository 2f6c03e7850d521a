"""The order in which Kafka's assignors iterate over the members of a group.

``TargetAssignmentBuilder`` copies the table of members into a ``HashMap`` and adds the member whose
heartbeat it handles. Assignors decide ties by this order.
"""

from __future__ import annotations

from collections.abc import Collection

from broker.common.java_hash import in_hash_order, in_timeline_order, string_hash


def in_assignment_order(member_ids: Collection[str], former: Collection[str]) -> list[str]:
    """Return *member_ids* in that order; *former* were members before the heartbeat."""
    kept = [each for each in in_timeline_order(former, string_hash) if each in member_ids]
    return in_hash_order(list(dict.fromkeys([*kept, *member_ids])), string_hash)
