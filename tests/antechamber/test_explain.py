"""The explanations of requests, compared as whole sentences."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.explain import explanation
from tests.facts import completed_fetch, parked_fetch, parked_produce

Record = dict[str, Any]


def _fetch(cause: str | None = None, **fields: Any) -> Record:
    """A completed fetch, by default one that a produce completed."""
    return (
        completed_fetch() | ({} if cause is None else {"completed_by": {"cause": cause}}) | fields
    )


def _produce(cause: str = "high_watermark", **fields: Any) -> Record:
    """A completed produce of three records that waited for node 3."""
    by: Record = {"cause": cause}
    if cause == "high_watermark":
        request = {"api": "Fetch", "client_id": "node-3", "correlation_id": 99}
        by |= {"topic": "orders", "partition": 0, "offset": 43, "replica": 3, "request": request}
    waited_for = {
        "kind": "high_watermark",
        "topic": "orders",
        "partition": 0,
        "need": 43,
        "had": 40,
        "behind": [3],
        "behind_at": [40],
    }
    partition = completed_fetch()["partitions"][0] | {"offset": 40, "records": 3, "bytes": 240}
    values = {
        "api": "Produce",
        "client_id": "billing",
        "correlation_id": 17,
        "purgatory": "Produce",
        "waited_for": waited_for,
        "timeout_ms": 30_000,
        "completed_by": by,
        "partitions": [partition],
    }
    return completed_fetch() | values | fields


def _partitions(count: int, **fields: Any) -> list[Record]:
    [first] = completed_fetch()["partitions"]
    return [first | {"partition": index} | fields for index in range(count)]


def test_a_fetch_that_a_produce_completed() -> None:
    """The sentences give the requested and found bytes, the wait, and the completing request."""
    assert explanation(_fetch()) == [
        (
            "Fetch 12 of client reader requested at least 1,000 bytes from node 1 (orders-0 from "
            "offset 42), found 312, waited 183 ms in the Fetch purgatory, was checked three "
            "times, and was completed by Produce 17 of client billing, which increased it to 1,204 "
            "bytes."
        ),
        (
            "It took 183 ms in total: 120 µs in the handler, 183 ms waiting and 30 µs sending the "
            "response."
        ),
    ]


def test_a_produce_that_waited_for_a_replica() -> None:
    """The sentence names the replica and its last known log end offset."""
    assert explanation(_produce())[0] == (
        "Produce 17 of client billing sent 3 records for orders-0 at offset 40 to node 1, "
        "waited 183 ms in the Produce purgatory for node 3, last known at 40 of 43, was checked "
        "three times, and was completed by Fetch 99 of node 3, which advanced the high watermark "
        "of orders-0 to 43."
    )


def test_a_produce_that_waited_for_two_replicas() -> None:
    """If the last replica to catch up is known, only that one is named."""
    waited_for = _produce()["waited_for"] | {"behind": [2, 3], "behind_at": [-1, 41]}
    [timed_out, _] = explanation(_produce("timeout", waited_for=waited_for))
    [completed, _] = explanation(_produce(waited_for=waited_for))

    assert "for node 2, not known yet, and node 3, last known at 41 of 43, was" in timed_out
    assert "for node 3, last known at 41 of 43, was" in completed


def test_a_produce_that_waited_for_paused_nodes() -> None:
    """The state of a node is named unless the node was running."""
    states = {"behind": [2, 3], "behind_at": [40, 41], "behind_states": ["running", "paused"]}
    waited_for = _produce()["waited_for"] | states
    [timed_out, _] = explanation(_produce("timeout", waited_for=waited_for))
    [completed, _] = explanation(_produce(waited_for=waited_for))

    assert "for node 2, last known at 40 of 43, and node 3 (paused), last known" in timed_out
    assert "for node 3 (paused), last known at 41 of 43, was" in completed


def test_a_produce_that_a_smaller_in_sync_set_completed() -> None:
    """Neither a fetch nor another request completed it."""
    by = {"cause": "high_watermark", "topic": "orders", "partition": 0, "offset": 43}

    assert explanation(_produce(completed_by=by))[0].endswith(
        "and was completed because the in-sync replicas of orders-0 changed, which advanced the "
        "high watermark of orders-0 to 43."
    )


def test_a_produce_whose_replicas_had_caught_up() -> None:
    """It waited only for the high watermark."""
    waited_for = _produce()["waited_for"] | {"behind": [], "behind_at": []}

    assert (
        "purgatory for the high watermark of orders-0, at 40 of 43, was"
        in (explanation(_produce(waited_for=waited_for))[0])
    )


def test_a_fetch_that_timed_out() -> None:
    """The sentence gives the available and the missing bytes."""
    sentences = explanation(_fetch("timeout", partitions=_partitions(1, bytes=312)))

    assert sentences[0] == (
        "Fetch 12 of client reader requested at least 1,000 bytes from node 1 (orders-0 from "
        "offset 42), waited 183 ms in the Fetch purgatory, was checked three times, and timed out "
        "after 500 ms: 312 bytes were available, 688 were missing."
    )


def test_one_byte_is_singular() -> None:
    """min_bytes is 1 in most long polls."""
    nothing = {"kind": "min_bytes", "need": 1, "had": 0}

    assert explanation(_fetch("timeout", waited_for=nothing))[0].endswith(
        "timed out after 500 ms: 0 bytes were available, 1 was missing."
    )


def test_a_produce_that_timed_out() -> None:
    """The sentences name the replica that was behind, and the error in the response."""
    sentences = explanation(_produce("timeout", partitions=_partitions(1, error=7)))

    assert "for node 3, last known at 40 of 43, was" in sentences[0]
    assert sentences[0].endswith(
        "timed out after 30,000 ms: the high watermark of orders-0 was 40 of 43."
    )
    assert sentences[1] == "The response has error 7 (REQUEST_TIMED_OUT) for orders-0."


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ({"cause": "leadership"}, "was completed because the leadership changed."),
        (
            {"cause": "leadership", "topic": "orders", "partition": 0},
            "was completed because the leadership of orders-0 changed.",
        ),
        (
            {"cause": "deleted", "topic": "orders", "partition": 0},
            "was completed because orders-0 was deleted.",
        ),
        (
            {
                "cause": "deleted",
                "topic": "orders",
                "partition": 0,
                "request": {"api": "DeleteTopics", "client_id": "admin", "correlation_id": 3},
            },
            "was completed because orders-0 was deleted by DeleteTopics 3 of client admin.",
        ),
        (
            {"cause": "high_watermark", "topic": "orders", "partition": 0, "offset": 43},
            "was completed by a new high watermark of orders-0, which increased it to 1,204 bytes.",
        ),
        ({"cause": "disconnect"}, "was abandoned: its client disconnected."),
        ({"cause": "shutdown"}, "got no response: its node stopped."),
        (
            {"cause": "append", "topic": "orders", "partition": 0},
            "was completed by an append to orders-0, which increased it to 1,204 bytes.",
        ),
        (
            {"cause": "solar_flare"},
            "was completed by solar flare, which increased it to 1,204 bytes.",
        ),
    ],
)
def test_each_cause_is_described(by: Record, words: str) -> None:
    """An unknown cause is printed as it is."""
    assert explanation(_fetch(completed_by=by))[0].endswith(f", and {words}")


def test_a_fetch_completed_immediately() -> None:
    """The sentence does not mention a wait."""
    record = _fetch("arrival", purgatory=None, waited_for=None, parked_us=0, total_us=150)

    assert explanation(record) == [
        (
            "Fetch 12 of client reader requested data from node 1 (orders-0 from offset 42), and "
            "got 1,204 bytes immediately."
        ),
        "It took 150 µs in total: 120 µs in the handler and 30 µs sending the response.",
    ]


def test_immediate_errors() -> None:
    """An error belongs to the whole request or to partitions."""
    never: Record = {"purgatory": None, "waited_for": None}
    whole = _fetch("error", error=71, partitions=[], **never)
    partly = _produce("error", partitions=_partitions(1, error=3, records=0), **never)

    assert explanation(whole)[0] == (
        "Fetch 12 of client reader requested data from node 1, and was rejected immediately with "
        "error 71 (INVALID_FETCH_SESSION_EPOCH)."
    )
    unplaced = _produce("error", partitions=_partitions(1, error=3, records=1, offset=-1), **never)
    assert "sent 1 record for orders-0 to node 1" in explanation(unplaced)[0]
    assert explanation(partly)[0] == (
        "Produce 17 of client billing sent records for orders-0 to node 1, and was completed "
        "immediately with error 3 (UNKNOWN_TOPIC_OR_PARTITION) for orders-0."
    )


def test_a_request_without_partitions_and_client_id() -> None:
    """The sentence has neither a topic nor a client id."""
    record = _fetch(
        "arrival", api="Metadata", client_id=None, partitions=[], purgatory=None, waited_for=None
    )
    assert explanation(record)[0] == (
        "Metadata 12 of a client without an id was sent to node 1, and was completed immediately."
    )


def test_topics_that_did_not_exist() -> None:
    """A Metadata request named them."""
    record = _fetch(
        "arrival",
        api="Metadata",
        partitions=[],
        purgatory=None,
        waited_for=None,
        unknown_topics=["ordres", "bils"],
    )
    assert explanation(record)[1] == "Topics that did not exist: ordres and bils."


def test_a_consumer_that_was_directed_to_another_node() -> None:
    """The leader is in another rack than the consumer."""
    record = _fetch("arrival", purgatory=None, waited_for=None, preferred_read_replicas=[3, 2])

    assert explanation(record)[1] == (
        "The consumer was directed to replicas in its rack: node 3 and node 2."
    )


def test_a_connection_that_was_closed_because_of_an_error() -> None:
    """A failed produce with acks=0 gets no response."""
    record = _produce("error", purgatory=None, waited_for=None, partitions=[])

    assert explanation(record)[0] == (
        "Produce 17 of client billing was sent to node 1, and got no response: its connection was "
        "closed because of an error."
    )


def test_a_join() -> None:
    """A JoinGroup waits for the other members of its group."""
    waited_for = {"kind": "members", "group": "g"}
    fields: Record = {"api": "JoinGroup", "purgatory": "Rebalance", "waited_for": waited_for}
    fields |= {"partitions": [], "checks": 0}
    request = {"api": "JoinGroup", "client_id": "first", "correlation_id": 3}

    assert explanation(_fetch(completed_by={"cause": "members", "request": request}, **fields))[
        0
    ] == (
        "JoinGroup 12 of client reader was sent to node 1 for group g, waited 183 ms in the "
        "Rebalance purgatory for the other members of its group, and was completed by JoinGroup 3 "
        "of client first."
    )
    assert explanation(_fetch("timeout", **fields))[0].endswith(
        "and was completed when the time for the members of its group to join expired."
    )


def test_a_failed_login() -> None:
    """Its response waits for the end of the delay."""
    fields: Record = {"purgatory": "FailedAuthentication", "timeout_ms": 100}
    fields |= {"waited_for": {"kind": "failed_authentication"}, "partitions": [], "checks": 0}

    assert explanation(_fetch("timeout", **fields))[0].endswith(
        " for the delay after a failed login, and was completed after 100 ms."
    )


@pytest.mark.parametrize(
    ("api", "what"),
    [("OffsetCommit", "its offsets"), ("Heartbeat", "the records of its group")],
)
def test_a_wait_for_the_records_of_a_group(api: str, what: str) -> None:
    """A commit waits for its own offsets, other requests for earlier records of the group."""
    fields: Record = {"api": api, "purgatory": "Produce", "partitions": [], "checks": 0}
    waited_for = {"kind": "stored", "group": "g"}

    assert explanation(_fetch("timeout", waited_for=waited_for, timeout_ms=5000, **fields))[0] == (
        f"{api} 12 of client reader was sent to node 1 for group g, waited 183 ms in the Produce "
        f"purgatory for {what} to be stored, and timed out after 5,000 ms."
    )


def test_a_deletion_of_records() -> None:
    """A DeleteRecords waits for the low watermark."""
    waited_for = {"kind": "low_watermark", "topic": "orders", "partition": 0, "need": 42, "had": 7}
    record = _fetch(
        "timeout", api="DeleteRecords", purgatory="DeleteRecords", waited_for=waited_for
    )

    assert explanation(record)[0] == (
        "DeleteRecords 12 of client reader requested the deletion of orders-0 below offset 42 on "
        "node 1, waited 183 ms in the DeleteRecords purgatory for every replica of orders-0 to "
        "reach log start offset 42, was checked three times, and timed out after 500 ms: the low "
        "watermark of orders-0 was 7 of 42."
    )


def test_only_three_partitions_are_named() -> None:
    """The sentence names the first three partitions, and the number of the others."""
    assert (
        "orders-0 from offset 42, orders-1 from offset 42, orders-2 from offset 42 and 2 more"
        in (explanation(_fetch(partitions=_partitions(5)))[0])
    )


def test_a_request_that_still_waits() -> None:
    """The sentence gives the time waited so far and the time until the timeout."""
    assert explanation(parked_fetch()) == [
        (
            "Fetch 3 of client consumer-1 requested at least 1 byte from node 2 (orders-0 from "
            "offset 45 and orders-1 from offset 45), has 0, and waits in the Fetch purgatory, 327 "
            "ms so far and 173 ms more at most."
        )
    ]
    assert explanation(parked_produce()) == [
        (
            "Produce 12 of client producer-1 sent 4 records for orders-0 at offset 41 to node 1"
            ", and waits in the Produce purgatory for node 3 (paused): 4 records behind, last "
            "caught up 1.3 s ago, 1.2 s so far and 28.8 s more at most."
        )
    ]


def test_the_record_count_of_a_produce_that_still_waits() -> None:
    """The count is computed from the offsets, because the record has none yet."""
    produce = parked_produce()
    [partition] = produce["partitions"]
    del partition["records"]

    assert (
        "sent 4 records for orders-0 at offset 41 to node 1, and waits" in explanation(produce)[0]
    )


def test_a_produce_that_waited_for_a_flush() -> None:
    """The flush is both the condition and the cause of completion."""
    flushed = _produce("flush", waited_for={"kind": "flush"}, timeout_ms=None)
    assert (
        "in the Produce purgatory for its records to be flushed to disk" in explanation(flushed)[0]
    )
    assert "completed by the flush" in explanation(flushed)[0]


@pytest.mark.parametrize(
    ("api", "words"),
    [("CreateTopics", " for CreateTopics 3 of client admin"), (None, "")],
)
def test_a_long_step_is_named(api: str | None, words: str) -> None:
    """The sentence names the request that the step belongs to, if there is one."""
    step = {"api": api, "client_id": "admin", "correlation_id": 3, "ms": 120}

    sentences = explanation(_fetch(stalled_by=step))

    assert f"Before it was read or completed, a step of 120 ms{words} delayed it." in sentences
    assert explanation(_fetch(stalled_by=None)) == explanation(_fetch())
