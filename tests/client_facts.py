"""Facts of groups, offsets and connections for tests of the admin interface's clients."""

from __future__ import annotations

from broker.admin.facts.json_object import JsonObject


def group_member(member: str, **assignment: list[int]) -> JsonObject:
    """A member of a group and its partitions by topic."""
    return {
        "member": member,
        "instance": None,
        "client_id": "billing",
        "host": "/127.0.0.1",
        "assignment": assignment,
    }


def known_group(name: str, state: str, *members: JsonObject) -> JsonObject:
    """A classic group without committed offsets."""
    return {
        "node": 1,
        "group": name,
        "protocol": "classic",
        "protocol_type": "consumer",
        "state": state,
        "members": list(members),
        "offsets": [],
    }


def committed_offset(index: int, offset: int, end: int) -> JsonObject:
    """A committed offset in a partition of the topic orders."""
    return {
        "topic": "orders",
        "partition": index,
        "offset": offset,
        "metadata": "",
        "log_end_offset": end,
        "lag": end - offset,
    }


def open_connection(client_id: str | None, number: int = 1) -> JsonObject:
    """A connection to node 1."""
    return {
        "node": 1,
        "connection": number,
        "client_id": client_id,
        "software": "librdkafka",
        "software_version": "2.3.0",
        "address": f"127.0.0.1:{40_000 + number}",
        "listener": "PLAINTEXT",
        "principal": "User:ANONYMOUS",
        "since_us": 1_700_000_000_000_000,
        "idle_ms": 1200,
        "requests": 7,
        "is_waiting": False,
    }


def in_flight_batch(
    first: int,
    last: int,
    state: str = "available",
    member: str | None = None,
    left_ms: int | None = None,
    *,
    deliveries: int = 1,
    is_being_stored: bool = False,
) -> JsonObject:
    """Offsets with one state."""
    return {
        "first_offset": first,
        "last_offset": last,
        "state": state,
        "delivery_count": deliveries,
        "member": member,
        "lock_expires_in_ms": left_ms,
        "is_being_stored": is_being_stored,
    }


def share_partition(index: int, *batches: JsonObject, **changed: object) -> JsonObject:
    """A share partition of the group workers and the topic orders, which node 1 leads."""
    return {
        "node": 1,
        "group": "workers",
        "topic": "orders",
        "partition": index,
        "state": "active",
        "leader_epoch": 0,
        "start_offset": 0,
        "end_offset": 9,
        "next_offset": 10,
        "high_watermark": 10,
        "lag": 10,
        "in_flight_max": 2000,
        "delivery_count_limit": 5,
        "lock_duration_ms": 30_000,
        "in_flight": 10,
        "acquired": 0,
        "available": 0,
        "complete": 0,
        "members": [{"member": "m-1", "client_id": "billing"}],
        "batch_count": len(batches),
        "batches": list(batches),
        **changed,
    }
