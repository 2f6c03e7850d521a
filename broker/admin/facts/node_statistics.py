"""The part of a node in the statistics of the admin interface."""

from __future__ import annotations

from math import inf

from broker.node import Node
from purgatories.timer.system_timer import SystemTimer


def node_statistics(node: Node) -> dict[str, object]:
    """The sizes and counters of docs/reference/admin.md."""
    return {
        "id": node.id,
        "connections": len(node.connections),
        "fetch_sessions": len(node.fetch_sessions),
        "following": len(node.replication.fetchers),
        "purgatories": [purgatory.statistics() for purgatory in node.purgatories],
        "timers": [_of_timer(timer) for timer in node.timers()],
        "transactions": _of_transactions(node),
        "unexpected_errors": node.unexpected_errors.statistics(),
    }


def _of_transactions(node: Node) -> dict[str, object]:
    sender, load_times_ms = node.partition_sender, node.transactions.runtime.load_times_ms
    return {
        "open": len(node.transactions.states.ongoing),
        "unknown_destination_queue_size": node.marker_channel.unknown_destination_queue_size,
        "log_append_retry_queue_size": node.transactions.log_append_retry_queue_size,
        "verifications": sender.verifications,
        "verification_failures": sender.verification_failures,
        "verification_time_max_ms": max(sender.verification_times_ms, default=None),
        "partition_load_time_max_ms": max(load_times_ms, default=None),
    }


def _of_timer(timer: SystemTimer) -> dict[str, object]:
    """``next_step_ms``: until the timer moves or runs tasks; None if none are pending."""
    next_ms = timer.next_expiration_ms
    step_ms = None if next_ms == inf else max(0, int(next_ms - timer.now_ms()))
    return {"name": timer.name, "pending": timer.size, "next_step_ms": step_ms}
