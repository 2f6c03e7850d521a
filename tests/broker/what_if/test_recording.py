"""What is read from wait records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from broker.common.errors import StartupError
from broker.common.topic_partition import TopicPartition
from broker.what_if.recording import Turn, read
from tests.broker.what_if.recorded import fetch, file_of, place, produce, recording

ORDERS = TopicPartition("orders", 0)


def test_a_producer_sends_at_recorded_times(tmp_path: Path) -> None:
    """From the first request on, with the bytes of each partition and the time of its handling."""
    [producer] = recording(tmp_path, [produce(20, 6), produce(10, 5)]).producers

    assert [(each.at_ms, each.sizes, each.work_ms) for each in producer.sent] == [
        (0, {ORDERS: 200}, 1),
        (10, {ORDERS: 200}, 1),
    ]


def test_a_consumer_is_a_loop(tmp_path: Path) -> None:
    """Each turn is the time of handling, and that from the response to the next fetch."""
    records = [fetch(0, 500, 7), fetch(511, 100, 7, size=200), fetch(642, 500, 8)]
    [consumer] = recording(tmp_path, records).consumers

    assert (consumer.first_ms, consumer.end_ms) == (0, 642 + 501 / 2)
    assert (consumer.min_bytes, consumer.max_wait_ms) == (1, 500)
    assert consumer.starts == {ORDERS: 7}
    assert (consumer.turns, consumer.empty_turns) == ([Turn(1, 30)], [Turn(1, 10), Turn(1, 0)])


@pytest.mark.parametrize(
    "other",
    [
        {"fault": {"rule": 1, "name": None, "action": "delay"}},
        {"error": 35},
        {"completed_by": {"cause": "disconnect"}},
        {"client_id": "node-2"},
        {"api": "Metadata"},
        {"partitions": [place(0, error=3)]},
    ],
)
def test_other_requests_are_left_out(other: dict[str, object], tmp_path: Path) -> None:
    """Faults, errors, followers, other APIs, and those without a response."""
    found = recording(tmp_path, [produce(0, 0), {**fetch(5, 10, 0, connection=3), **other}])

    assert (len(found.producers), len(found.consumers)) == (1, 0)


def test_followers_are_the_other_replicas(tmp_path: Path) -> None:
    """The delay of a message to or from them is half of the median wait for them."""
    followers = [fetch(0, 1, 0, client_id=f"node-{node}") for node in (2, 3, 3)]
    waiting = [
        produce(at, at, purgatory="Produce", parked_us=us)
        for at, us in ((0, 6000), (1, 8000), (2, 90_000))
    ]
    found = recording(tmp_path, [*followers, *waiting])

    assert (found.replication_factor, found.follower_delay_ms) == (3, 4)
    assert found.producers[0].waits


def test_a_producer_that_never_waits_for_followers_does_not_request_it(tmp_path: Path) -> None:
    """Without followers that cannot be seen, and the default of clients is acks=all."""
    follower = fetch(0, 1, 0, client_id="node-2", connection=9)
    [alone] = recording(tmp_path, [produce(0, 0)]).producers
    [replicated] = recording(tmp_path, [produce(0, 0), follower]).producers

    assert (alone.waits, replicated.waits) == (True, False)


def test_invalid_input_is_one_line(tmp_path: Path) -> None:
    """It names the file, the line and the remedy."""
    usual, remedy = json.dumps(produce(0, 0)), "give a file of antechamber serve --records"
    for lines, words in (
        ([usual, "no JSON"], f"{tmp_path}/waits.jsonl:2 is not a wait record; {remedy}"),
        (["[]"], f"{tmp_path}/waits.jsonl:1 is not a wait record; {remedy}"),
        (['{"api": 1}'], f"{tmp_path}/waits.jsonl:1 is not a wait record; {remedy}"),
        (
            [],
            "there is no Produce and no Fetch of a client that got its response; " + remedy,
        ),
    ):
        with pytest.raises(StartupError) as refused:
            read([file_of(tmp_path, *lines)])
        assert str(refused.value) == f"RECORDS: {words}"
    with pytest.raises(StartupError, match=r"RECORDS: cannot read .*missing: No such file"):
        read([tmp_path / "missing"])


@pytest.mark.parametrize("kept", [1, 20, -2])
def test_a_last_line_that_is_cut_off(kept: int, tmp_path: Path) -> None:
    """It is left out, and its place is known: the broker was killed while it wrote the line."""
    path = file_of(tmp_path, json.dumps(produce(0, 0)))
    cut = json.dumps(produce(5, 1, client_id="ä"), ensure_ascii=False).encode()[:kept]
    path.write_bytes(path.read_bytes() + cut)

    found = read([path])

    assert [len(each.sent) for each in found.producers] == [1]
    assert found.left_out == [f"{path}:2"]


def test_a_last_line_that_is_cut_off_within_a_character(tmp_path: Path) -> None:
    """Its bytes are not text in UTF-8."""
    path = file_of(tmp_path, json.dumps(produce(0, 0)))
    path.write_bytes(path.read_bytes() + '{"client_id": "ä'.encode()[:-1])

    assert read([path]).left_out == [f"{path}:2"]


def test_a_last_line_without_its_end(tmp_path: Path) -> None:
    """A whole record without a line break is read."""
    path = file_of(tmp_path, json.dumps(produce(0, 0)))
    path.write_bytes(path.read_bytes() + json.dumps(produce(5, 1)).encode())

    found = read([path])

    assert [len(each.sent) for each in found.producers] == [2]
    assert found.left_out == []
