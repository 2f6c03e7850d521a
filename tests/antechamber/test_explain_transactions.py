"""The explanations of requests that wait for transactions or end them."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.explain import explanation
from tests.facts import completed_fetch, parked_fetch

Record = dict[str, Any]


def completed(completed_by: Record | None = None, **fields: Any) -> Record:
    """A completed request."""
    return completed_fetch() | ({"completed_by": completed_by} if completed_by else {}) | fields


def _held_back(state: str = "open", transactional_id: str | None = "billing-1") -> Record:
    """What a read_committed fetch waits for at the last stable offset."""
    transaction = {"transactional_id": transactional_id, "producer_id": 7, "producer_epoch": 2}
    return {
        "kind": "transaction",
        "topic": "orders",
        "partition": 0,
        "offset": 120,
        "need": 1,
        "had": 0,
        "transaction": transaction | {"state": state, "held_ms": 4200},
    }


def _ended(outcome: str = "commit", **fields: Any) -> Record:
    """The marker of a transaction as a cause."""
    transaction = {"transactional_id": "billing-1", "producer_id": 7, "outcome": outcome}
    request = {"api": "WriteTxnMarkers", "client_id": "marker-sender", "correlation_id": 5}
    by = {"cause": "transaction", "topic": "orders", "partition": 0, "request": request}
    return by | {"transaction": transaction | {"held_ms": 5300}} | fields


def test_a_fetch_that_an_open_transaction_holds_back() -> None:
    """The sentence names the offset, the producer and the duration."""
    waiting = parked_fetch() | {"waited_for": _held_back()}
    decided = parked_fetch() | {"waited_for": _held_back("decided")}
    unknown = parked_fetch() | {"waited_for": _held_back(transactional_id=None)}

    assert (
        "for offset 120 of orders-0, held back by the open transaction of producer billing-1 for "
        "4.2 s," in explanation(waiting)[0]
    )
    assert (
        "held back by the transaction of producer billing-1, whose marker is not replicated, for "
        "4.2 s," in explanation(decided)[0]
    )
    assert (
        "transaction of producer id 7, which no coordinator knows, for" in explanation(unknown)[0]
    )


def test_a_fetch_that_the_marker_of_a_transaction_completed() -> None:
    """The sentence names the outcome and the request that wrote or replicated the marker."""
    [written, _] = explanation(completed(_ended(), waited_for=_held_back()))
    by = _ended("abort", replica=3)
    by["request"] = {"api": "Fetch", "client_id": "node-3", "correlation_id": 9}
    [replicated, _] = explanation(completed(by, waited_for=_held_back()))

    assert written.endswith(
        "and was completed by the commit of the transaction of producer billing-1 in orders-0 when "
        "WriteTxnMarkers 5 of client marker-sender wrote its marker; it had held back the last "
        "stable offset for 5.3 s."
    )
    assert "by the abort of the transaction of producer billing-1 in orders-0 when" in replicated
    assert "when Fetch 9 of node 3 replicated its marker;" in replicated


def test_a_fetch_that_times_out_at_the_last_stable_offset() -> None:
    """What it waited for is named once."""
    [timed_out, _] = explanation(
        completed({"cause": "timeout"}, waited_for=_held_back(), timeout_ms=500)
    )

    assert "held back by the open transaction of producer billing-1 for 4.2 s, was" in timed_out
    assert timed_out.endswith("and timed out after 500 ms.")


def test_markers_name_the_transaction_that_they_end() -> None:
    """If all of them are of one."""
    transaction = {"transactional_id": "billing-1", "producer_id": 7, "outcome": "abort"}
    waited_for = {"kind": "markers", "need": 2, "had": 1}
    [one, _] = explanation(completed(waited_for=waited_for | {"transaction": transaction}))
    [several, _] = explanation(completed(waited_for=waited_for))

    assert "for the abort of the transaction of producer billing-1 in 2 partitions," in one
    assert "for markers in 2 partitions," in several


def test_a_first_batch_that_waits_for_its_verification_and_its_replication() -> None:
    """The sentence has both waits, each with its own duration."""
    earlier = {
        "parked_us": 90_000,
        "purgatory": "Produce",
        "waited_for": {"kind": "transaction_coordinator", "transactional_id": "b", "node": 2},
        "timeout_ms": 30_000,
        "checks": 0,
        "completed_by": {"cause": "coordinator"},
    }
    behind = {"behind": [3], "behind_at": [4], "behind_states": ["running"]}
    waited_for = {"kind": "high_watermark", "topic": "orders", "partition": 0, "need": 5, "had": 4}

    [sentence, *_] = explanation(
        completed(
            api="Produce",
            purgatory="Produce",
            parked_us=110_000,
            waited_for=waited_for | behind,
            earlier_waits=[earlier],
        )
    )

    assert (
        ", waited 90 ms for the coordinator of transactional id b, node "
        "2, then waited 20 ms in the Produce purgatory for node 3, last known at 4 of 5, was "
        "checked" in sentence
    )


def test_a_request_that_waits_for_the_record_of_its_transaction() -> None:
    """The sentence names the state and the epoch in the record, if they were recorded."""
    waited_for = {"kind": "transaction_state", "transactional_id": "b"}
    written = {"state": "PrepareCommit", "producer_epoch": 4}

    [with_state, *_] = explanation(completed(waited_for=waited_for | written))
    [without, *_] = explanation(completed(waited_for=waited_for))

    assert "for the record of transactional id b (PrepareCommit, epoch 4) to be" in with_state
    assert "for the record of transactional id b to be replicated" in without


@pytest.mark.parametrize(("node", "where"), [(2, ", node 2"), (None, "")])
def test_a_wait_for_the_coordinator_of_a_transaction(node: int | None, where: str) -> None:
    """A Produce with the first batch of a transaction waits for its verification."""
    waited_for = {"kind": "transaction_coordinator", "transactional_id": "billing", "node": node}
    by = {"cause": "coordinator"}
    record = completed(by, api="Produce", purgatory="Produce", waited_for=waited_for)

    assert (
        f"waited 183 ms for the coordinator of transactional id billing{where}, was "
        "checked three times, and was completed by the response of the coordinator."
    ) in explanation(record)[0]


@pytest.mark.parametrize(
    ("transactional_id", "what"),
    [
        ("billing", "the record of transactional id billing"),
        (None, "the records of its transactions"),
    ],
)
def test_a_wait_for_the_record_of_a_transaction(transactional_id: str | None, what: str) -> None:
    """The requests of transactional producers wait for its replication."""
    waited_for = {"kind": "transaction_state", "transactional_id": transactional_id}
    by = {"cause": "timeout"}
    record = completed(by, api="EndTxn", purgatory="Produce", waited_for=waited_for)

    assert f"in the Produce purgatory for {what} to be replicated" in explanation(record)[0]


def test_a_wait_for_markers() -> None:
    """A WriteTxnMarkers waits until they are replicated."""
    waited_for = {"kind": "markers", "need": 3, "had": 1}
    by = {"cause": "timeout"}
    record = completed(by, api="WriteTxnMarkers", purgatory="Produce", waited_for=waited_for)

    [sentence, *_] = explanation(record)
    assert "in the Produce purgatory for markers in 3 partitions" in sentence
    assert sentence.endswith("and timed out after 500 ms: 2 were missing.")
