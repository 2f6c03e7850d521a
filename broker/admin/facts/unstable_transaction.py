"""The transaction that holds back the last stable offset of a partition."""

from __future__ import annotations

from collections.abc import Callable

from broker.admin.facts.json_object import JsonObject
from broker.storage.log.readable_log import ReadableLog
from broker.wait_records.wait import name_transaction


def held_back_by(
    log: ReadableLog, transactional_id: Callable[[int], str | None]
) -> JsonObject | None:
    """The transaction, or None if the last stable offset is the high watermark.

    Its ``state`` is open, or decided while its marker is not replicated.
    """
    unstable = log.producer_state_manager.transactions.first_unstable()
    if unstable is None or log.last_stable_offset == log.high_watermark:
        return None
    facts: JsonObject = {
        "producer_id": unstable.producer_id,
        "state": "decided" if unstable.is_decided else "open",
        "first_offset": unstable.first_offset,
        "held_ms": int(unstable.held_ms),
    }
    name_transaction(facts, transactional_id)
    return facts
