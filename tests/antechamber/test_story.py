"""One request's story, word by word."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.story import story
from tests.facts import answered_fetch, parked_fetch, parked_produce

Record = dict[str, Any]


def _fetch(cause: str | None = None, **fields: Any) -> Record:
    """The fetch that was released, or that ended otherwise."""
    return answered_fetch() | ({} if cause is None else {"completed_by": {"cause": cause}}) | fields


def _produce(cause: str = "high_watermark", **fields: Any) -> Record:
    """Three records that waited for node 3."""
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
    partition = answered_fetch()["partitions"][0] | {"offset": 40, "records": 3, "bytes": 240}
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
    return answered_fetch() | values | fields


def _partitions(count: int, **fields: Any) -> list[Record]:
    [first] = answered_fetch()["partitions"]
    return [first | {"partition": index} | fields for index in range(count)]


def test_a_fetch_that_a_produce_released() -> None:
    """What it asked for, what it found, how long it waited, and who brought the rest."""
    assert story(_fetch()) == [
        (
            "Fetch 12 of client reader asked node 1 for 1,000 bytes of orders-0 from offset 42, "
            "found 312, waited 183 ms in the Fetch purgatory, was looked at three times, and was "
            "released by Produce 17 of client billing, which brought it to 1,204 bytes."
        ),
        (
            "It took 183 ms in all: 120 µs in the handler, 183 ms waiting and 30 µs until the "
            "answer was with the kernel."
        ),
    ]


def test_a_produce_that_waited_for_a_replica() -> None:
    """Which one, and how far it was known to be."""
    assert story(_produce())[0] == (
        "Produce 17 of client billing brought 3 records for orders-0 at offset 40 to node 1, "
        "waited 183 ms in the Produce purgatory for node 3, last seen at 40 of 43, was looked at "
        "three times, and was released by Fetch 99 of node 3, which brought the high watermark of "
        "orders-0 to 43."
    )


def test_a_produce_that_waited_for_two() -> None:
    """Where it is known which of them was the last, that one is told."""
    waited_for = _produce()["waited_for"] | {"behind": [2, 3], "behind_at": [-1, 41]}
    [timed_out, _] = story(_produce("timeout", waited_for=waited_for))
    [released, _] = story(_produce(waited_for=waited_for))

    assert "for node 2, not seen yet, and node 3, last seen at 41 of 43, was" in timed_out
    assert "for node 3, last seen at 41 of 43, was" in released


def test_a_produce_that_waited_for_nodes_that_were_held() -> None:
    """Each with what it was; a node that ran is its number alone."""
    states = {"behind": [2, 3], "behind_at": [40, 41], "behind_states": ["running", "paused"]}
    waited_for = _produce()["waited_for"] | states
    [timed_out, _] = story(_produce("timeout", waited_for=waited_for))
    [released, _] = story(_produce(waited_for=waited_for))

    assert "for node 2, last seen at 40 of 43, and node 3 (paused), last seen at" in timed_out
    assert "for node 3 (paused), last seen at 41 of 43, was" in released


def test_a_produce_that_a_smaller_in_sync_set_released() -> None:
    """No replica fetched, and no request brought it about."""
    by = {"cause": "high_watermark", "topic": "orders", "partition": 0, "offset": 43}

    assert story(_produce(completed_by=by))[0].endswith(
        "and was released because the in-sync set of orders-0 changed, which brought the high "
        "watermark of orders-0 to 43."
    )


def test_a_produce_whose_replicas_were_there() -> None:
    """Only the high watermark was not."""
    waited_for = _produce()["waited_for"] | {"behind": [], "behind_at": []}

    assert (
        "purgatory for the high watermark of orders-0, 40 of 43, was"
        in (story(_produce(waited_for=waited_for))[0])
    )


def test_a_fetch_whose_time_was_up() -> None:
    """What there was, and what was missing."""
    told = story(_fetch("timeout", partitions=_partitions(1, bytes=312)))

    assert told[0] == (
        "Fetch 12 of client reader asked node 1 for 1,000 bytes of orders-0 from offset 42, "
        "waited 183 ms in the Fetch purgatory, was looked at three times, and ended with its time "
        "of 500 ms: 312 bytes were there, 688 were missing."
    )


def test_one_byte_is_told_as_one() -> None:
    """The long poll that everybody asks for."""
    nothing = {"kind": "min_bytes", "need": 1, "had": 0}

    assert story(_fetch("timeout", waited_for=nothing))[0].endswith(
        "ended with its time of 500 ms: 0 bytes were there, 1 was missing."
    )


def test_a_produce_whose_time_was_up() -> None:
    """Who was missing, and that its client was told so."""
    told = story(_produce("timeout", partitions=_partitions(1, error=7)))

    assert "for node 3, last seen at 40 of 43, was" in told[0]
    assert told[0].endswith(
        "ended with its time of 30,000 ms: the high watermark of orders-0 was 40 of 43."
    )
    assert told[1] == "The answer refused orders-0 with error 7 (REQUEST_TIMED_OUT)."


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ({"cause": "leadership"}, "was answered because the leadership moved."),
        (
            {"cause": "leadership", "topic": "orders", "partition": 0},
            "was answered because the leadership of orders-0 moved.",
        ),
        (
            {"cause": "deleted", "topic": "orders", "partition": 0},
            "was answered because orders-0 was deleted.",
        ),
        (
            {
                "cause": "deleted",
                "topic": "orders",
                "partition": 0,
                "request": {"api": "DeleteTopics", "client_id": "admin", "correlation_id": 3},
            },
            "was answered because orders-0 was deleted by DeleteTopics 3 of client admin.",
        ),
        (
            {"cause": "high_watermark", "topic": "orders", "partition": 0, "offset": 43},
            "was released by a new high watermark of orders-0, which brought it to 1,204 bytes.",
        ),
        ({"cause": "disconnect"}, "was abandoned: its client went away."),
        ({"cause": "shutdown"}, "was never answered: its node stopped."),
        (
            {"cause": "append", "topic": "orders", "partition": 0},
            "was released by an append to orders-0, which brought it to 1,204 bytes.",
        ),
        ({"cause": "solar_flare"}, "was released by solar flare, which brought it to 1,204 bytes."),
    ],
)
def test_every_end_has_its_words(by: Record, words: str) -> None:
    """A cause that nobody knows yet is told as it is."""
    assert story(_fetch(completed_by=by))[0].endswith(f", and {words}")


def test_a_fetch_answered_at_once() -> None:
    """It never waited."""
    record = _fetch("arrival", purgatory=None, waited_for=None, parked_us=0, total_us=150)

    assert story(record) == [
        (
            "Fetch 12 of client reader asked node 1 for data of orders-0 from offset 42, and got "
            "1,204 bytes at once."
        ),
        (
            "It took 150 µs in all: 120 µs in the handler and 30 µs until the answer was with the "
            "kernel."
        ),
    ]


def test_refusals_at_once() -> None:
    """Of the whole, or of partitions."""
    never: Record = {"purgatory": None, "waited_for": None}
    whole = _fetch("error", error=71, partitions=[], **never)
    partly = _produce("error", partitions=_partitions(1, error=3, records=0), **never)

    assert story(whole)[0] == (
        "Fetch 12 of client reader asked node 1 for data, and was refused at once with error "
        "71 (INVALID_FETCH_SESSION_EPOCH)."
    )
    unplaced = _produce("error", partitions=_partitions(1, error=3, records=1, offset=-1), **never)
    assert "brought 1 record for orders-0 to node 1" in story(unplaced)[0]
    assert story(partly)[0] == (
        "Produce 17 of client billing brought records for orders-0 to node 1, and was answered at "
        "once; refused: orders-0 with error 3 (UNKNOWN_TOPIC_OR_PARTITION)."
    )


def test_a_request_about_nothing_in_particular() -> None:
    """And by somebody without a name."""
    record = _fetch(
        "arrival", api="Metadata", client_id=None, partitions=[], purgatory=None, waited_for=None
    )
    assert story(record)[0] == (
        "Metadata 12 of a client without a name asked node 1, and was answered at once."
    )


def test_a_connection_that_was_closed_for_an_error() -> None:
    """Before any answer; an acks=0 produce that failed, for one."""
    record = _produce("error", purgatory=None, waited_for=None, partitions=[])

    assert story(record)[0] == (
        "Produce 17 of client billing asked node 1, and was never answered: its connection was "
        "closed for an error."
    )


def test_groups() -> None:
    """A join waits for the other members."""
    waited_for = {"kind": "members", "group": "g"}
    fields: Record = {"api": "JoinGroup", "purgatory": "Rebalance", "waited_for": waited_for}
    fields |= {"partitions": [], "checks": 0}
    request = {"api": "JoinGroup", "client_id": "first", "correlation_id": 3}

    assert story(_fetch(completed_by={"cause": "members", "request": request}, **fields))[0] == (
        "JoinGroup 12 of client reader asked node 1 about group g, waited 183 ms in the Rebalance "
        "purgatory for the other members of its group, and was released by JoinGroup 3 of client "
        "first."
    )
    assert story(_fetch("timeout", **fields))[0].endswith(
        "and was released when time was up for the members of its group."
    )


@pytest.mark.parametrize(
    ("api", "what"),
    [("OffsetCommit", "its offsets"), ("Heartbeat", "what its group has written")],
)
def test_what_a_group_writes_is_waited_for(api: str, what: str) -> None:
    """A commit's own offsets, or what others wrote before."""
    fields: Record = {"api": api, "purgatory": "Produce", "partitions": [], "checks": 0}
    waited_for = {"kind": "stored", "group": "g"}

    assert story(_fetch("timeout", waited_for=waited_for, timeout_ms=5000, **fields))[0] == (
        f"{api} 12 of client reader asked node 1 about group g, waited 183 ms in the Produce "
        f"purgatory for {what} to be stored, and ended with its time of 5,000 ms."
    )


def test_a_deletion_of_records() -> None:
    """It waits for the low watermark."""
    waited_for = {"kind": "low_watermark", "topic": "orders", "partition": 0, "need": 42, "had": 7}
    record = _fetch(
        "timeout", api="DeleteRecords", purgatory="DeleteRecords", waited_for=waited_for
    )

    assert story(record)[0] == (
        "DeleteRecords 12 of client reader asked node 1 to delete orders-0 below offset 42, waited "
        "183 ms in the DeleteRecords purgatory for every replica of orders-0 to begin at 42, was "
        "looked at three times, and ended with its time of 500 ms: the low watermark of orders-0 "
        "was 7 of 42."
    )


def test_many_partitions_are_not_all_named() -> None:
    """The first three, and how many more."""
    assert (
        "orders-0 from offset 42, orders-1 from offset 42, orders-2 from offset 42 and 2 more"
        in (story(_fetch(partitions=_partitions(5)))[0])
    )


def test_what_waits_still() -> None:
    """Since when, and for how long at most."""
    assert story(parked_fetch()) == [
        (
            "Fetch 3 of client consumer-1 asked node 2 for 1 byte of orders-0 from offset 45 and "
            "orders-1 from offset 45, has 0, and waits in the Fetch purgatory, 327 ms so far "
            "and 173 ms more at most."
        )
    ]
    assert story(parked_produce()) == [
        (
            "Produce 12 of client producer-1 brought 4 records for orders-0 at offset 41 to node 1"
            ", and waits in the Produce purgatory for node 3 (paused): 4 records behind, last "
            "caught up 1.3 s ago, 1.2 s so far and 28.8 s more at most."
        )
    ]


def test_a_produce_that_waits_still_tells_how_many_records_it_brought() -> None:
    """The broker does not count them then, but knows where they begin and end."""
    produce = parked_produce()
    [partition] = produce["partitions"]
    del partition["records"]

    assert "brought 4 records for orders-0 at offset 41 to node 1, and waits" in story(produce)[0]


def test_a_produce_that_waited_for_the_disk() -> None:
    """Nobody held it up but the flush."""
    told = _produce("flush", waited_for={"kind": "flush"}, timeout_ms=None)
    assert "in the Produce purgatory for the disk to have its records" in story(told)[0]
    assert "released by the flush" in story(told)[0]


@pytest.mark.parametrize(
    ("api", "words"),
    [("CreateTopics", " of CreateTopics 3 of client admin"), (None, "")],
)
def test_a_step_that_held_it_up_is_named(api: str | None, words: str) -> None:
    """With the request whose work it was, if it was one's."""
    step = {"api": api, "client_id": "admin", "correlation_id": 3, "ms": 120}

    told = story(_fetch(stalled_by=step))

    assert f"It had to wait for a step{words}, which took 120 ms." in told
    assert story(_fetch(stalled_by=None)) == story(_fetch())
