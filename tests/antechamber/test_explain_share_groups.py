"""The explanation of share requests."""

from __future__ import annotations

from typing import Any

from antechamber.explain import explanation
from tests.facts import completed_fetch

WAITED_FOR = {"kind": "share_records", "group": "workers", "need": 1, "had": 0}
LOCKED = {"acquired": 10, "member": "a", "lock_expires_in_ms": 30_000}


def _share_fetch(completed_by: dict[str, Any], **waited_for: Any) -> str:
    record = completed_fetch()
    record["api"] = "ShareFetch"
    record["purgatory"] = "ShareFetch"
    record["waited_for"] = {**WAITED_FOR, **waited_for}
    record["completed_by"] = completed_by
    return " ".join(explanation(record))


def test_a_share_fetch_names_its_group_and_who_has_the_records() -> None:
    """The lock that expires first is named."""
    words = _share_fetch({"cause": "timeout"}, **LOCKED)

    assert "for group workers from node 1" in words
    assert "for records that group workers can acquire: 10 records were acquired" in words
    assert "the lock of member a had 30.0 s left" in words


def test_each_lock_is_named_with_its_records() -> None:
    """A lock may have one record; released records and a full window are reasons as well."""
    one = {"topic": "orders", "partition": 0, "first_offset": 7, "last_offset": 7}
    locks = [
        {**one, "last_offset": 9, "member": "a", "delivery_count": 1, "lock_expires_in_ms": 900},
        {**one, "member": "b", "delivery_count": 2, "lock_expires_in_ms": 30_000},
    ]
    words = _share_fetch(
        {"cause": "timeout"}, **LOCKED, locks=locks, available=3, full_window="orders-0"
    )

    assert (
        "10 records were acquired, 7-9 of orders-0 by member a (delivered once, 900 ms left) and 7 "
        "of orders-0 by member b (delivered twice, 30.0 s left); 3 released records were "
        "available; no further record of orders-0 may be in flight"
    ) in words


def test_the_records_of_an_expired_lock_are_named() -> None:
    """With the member that held them, and how often they had been delivered."""
    lock = {"first_offset": 0, "last_offset": 9, "member": "a", "delivery_count": 3}
    by = {"cause": "lock_expired", "topic": "orders", "partition": 0, "lock": lock}

    assert (
        "was completed by the expiry of the lock of member a on 0-9 of orders-0, delivered three "
        "times"
    ) in _share_fetch(by)


def test_an_expired_lock_is_named() -> None:
    """No request has completed it."""
    words = _share_fetch({"cause": "lock_expired", "topic": "orders", "partition": 0})

    assert "was completed by the expiry of a lock on records of orders-0" in words


def test_the_acknowledgement_of_another_member_is_named() -> None:
    """Its request is known if it was stored at once."""
    request = {"api": "ShareAcknowledge", "client_id": "b", "correlation_id": 7}
    words = _share_fetch({"cause": "acknowledgement", "request": request})

    assert "was completed by ShareAcknowledge 7 of client b" in words


def test_acknowledgements_that_are_stored_are_waited_for() -> None:
    """The wait is named in words."""
    words = _share_fetch({"cause": "coordinator"}, kind="share_state")

    assert "for the acknowledgements of group workers to be stored" in words


def test_a_transaction_is_named_beside_the_locks() -> None:
    """It holds back further records."""
    words = _share_fetch(
        {"cause": "timeout"},
        **LOCKED,
        topic="orders",
        partition=0,
        offset=42,
        transaction={"transactional_id": "billing", "state": "open", "held_ms": 300},
    )

    assert (
        "30.0 s left; offset 42 of orders-0 was held back by the open transaction of producer "
        "billing for 300 ms, "
    ) in words


def test_the_delay_of_a_refused_session_is_named() -> None:
    """It ends after its time."""
    record = completed_fetch() | {"api": "ShareFetch", "purgatory": "ShareSessionLimit"}
    record |= {"timeout_ms": 700, "completed_by": {"cause": "timeout"}}
    record["waited_for"] = {"kind": "share_session_limit", "group": "workers"}

    words = " ".join(explanation(record))

    assert "for the delay of a refused share session" in words
    assert "was completed after 700 ms" in words
