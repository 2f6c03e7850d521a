"""ShareFetch: what members acquire, and their sessions, in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from protocol.errors import ErrorCode
from protocol.messages.share_acknowledge import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from tests.batches import batch
from tests.share_group import ShareGroupOnNode, share_group
from tests.share_session import acknowledgement

pytestmark = pytest.mark.anyio

LOCK_MS = 30_000


async def test_records_are_acquired_at_once(tmp_path: Path) -> None:
    """Whole batches, with their bytes, the delivery count, and the lock duration."""
    async with share_group(tmp_path) as g:
        await g.produce(3, 4)
        a = g.member("a")
        assert await a.timed_fetch(max_wait_ms=500) == ("0-6#1", 0)
        assert a.response.acquisition_lock_timeout_ms == LOCK_MS


async def test_bytes_outside_of_the_acquired_records_are_cut_off(tmp_path: Path) -> None:
    """Batches before and after the acquired ones are not sent."""
    async with share_group(tmp_path) as g:
        await g.produce(3, 4, 5)
        a, b = g.member("a"), g.member("b")
        await a.fetch(max_records=1)
        sizes = [len(a.response.responses[0].partitions[0].records)]
        await b.fetch(max_records=1)
        sizes.append(len(b.response.responses[0].partitions[0].records))
        assert sizes == [len(batch(*[b"x"] * 3)), len(batch(*[b"x"] * 4))]


async def test_acknowledgements_and_fetches_in_one_request(tmp_path: Path) -> None:
    """Released records are available when that is stored, so new ones come first."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        a = g.member("a")
        await a.fetch(max_records=1)
        assert await a.fetch(acknowledge=["0-1 accept", "2-4 release"]) == "5-9#1"
        assert await a.fetch() == "2-4#2"


async def test_a_refused_acknowledgement_does_not_end_the_fetch(tmp_path: Path) -> None:
    """The partition has an acknowledgement error beside its records."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        a = g.member("a")
        await a.fetch(max_records=1)
        assert await a.fetch(acknowledge=["0-4 7"]) == "acknowledge error 42 5-9#1"


@pytest.mark.parametrize(
    ("batches", "named"),
    [
        ([[], ["0-4 accept"]], [0, 1]),
        ([[], []], []),
        ([[], ["4-0 accept"]], [1]),
        ([[], [], ["0-4 accept"]], [2]),
    ],
)
async def test_partitions_without_acknowledgements_are_named_beside_others(
    tmp_path: Path, batches: list[list[str]], named: list[int]
) -> None:
    """The others must be valid; the last partition does not exist."""
    async with share_group(tmp_path, 2) as g:
        for partition in range(2):
            await g.produce(5, partition=partition)
        a = g.member("a")
        await a.fetch(0, 1)
        assert _named(await a.client.send(_acknowledgements(g, batches))) == named


@pytest.mark.parametrize(
    ("batch_of_records", "error"),
    [
        ("0-4 7", ErrorCode.INVALID_REQUEST),
        ("4-0 accept", ErrorCode.INVALID_REQUEST),
        ("0-4 accept", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
async def test_acknowledgements_are_checked_before_their_partition(
    tmp_path: Path, batch_of_records: str, error: ErrorCode
) -> None:
    """Invalid ones have their error also in a partition that does not exist."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch(0)
        response = await a.client.send(_acknowledgements(g, [[], [batch_of_records]]))
        assert [each.error_code for each in response.responses[0].partitions] == [error]


async def test_a_session_names_only_partitions_with_news(tmp_path: Path) -> None:
    """The first response has all partitions, later ones those with records or errors."""
    async with share_group(tmp_path, 3) as g:
        a = g.member("a")
        await a.fetch(0, 1, 2)
        assert _named(a.response) == [0, 1, 2]
        await g.produce(1, partition=1)
        await a.fetch()
        assert _named(a.response) == [1]
        await a.fetch(forgotten=[0, 1, 2])
        assert _named(a.response) == []


async def test_a_partition_of_the_first_request_has_no_news_later(tmp_path: Path) -> None:
    """Also if the first response does not name it, because nothing was to be acquired."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        assert await a.fetch(max_records=0) == ""
        await a.fetch()
        assert _named(a.response) == []


async def test_a_partition_that_cannot_be_locked_is_not_named(tmp_path: Path) -> None:
    """The first response leaves it out if its window is full, as in Kafka."""
    async with share_group(tmp_path, group_share_partition_max_record_locks="100") as g:
        await g.produce(100)
        await g.member("a").fetch()
        b = g.member("b")
        assert await b.fetch() == ""
        assert _named(b.response) == []


async def test_a_negative_limit_of_bytes_is_an_error_of_the_partitions(tmp_path: Path) -> None:
    """It is sent at once."""
    async with share_group(tmp_path) as g:
        result = await g.member("a").timed_fetch(max_bytes=-1, max_wait_ms=500)
        assert result == ("error -1", 0)


async def test_partitions_take_turns(tmp_path: Path) -> None:
    """With few records per fetch each partition gets its turn."""
    async with share_group(tmp_path, 2) as g:
        for partition in (0, 1):
            await g.produce(1, 1, partition=partition)
        a = g.member("a")
        found = [await a.fetch(0, 1, max_records=1)]
        found += [await a.fetch(max_records=1) for _ in range(3)]
        assert sorted(found) == ["0-0#1", "1-1#1", "p1: 0-0#1", "p1: 1-1#1"]
        assert found[:2] == ["0-0#1", "p1: 0-0#1"]


@pytest.mark.parametrize(
    ("epoch", "error"), [(1, "error 122"), (-1, "error 122"), (5, "error 122")]
)
async def test_a_session_must_exist(tmp_path: Path, epoch: int, error: str) -> None:
    """Every epoch but 0 needs a session."""
    async with share_group(tmp_path) as g:
        assert await g.member("a").fetch(epoch=epoch) == error


async def test_a_wrong_epoch_does_not_advance_the_session(tmp_path: Path) -> None:
    """Both APIs use the same sequence of epochs."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        assert await a.fetch(epoch=2) == "error 123"
        assert await a.acknowledge("0-4 accept") == 0
        assert await a.fetch() == ""


async def test_acknowledgements_need_a_session(tmp_path: Path) -> None:
    """The first fetch cannot acknowledge, and an acknowledgement cannot open a session."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        assert await a.fetch(acknowledge=["0-4 accept"]) == "error 42"
        assert await a.acknowledge("0-4 accept", epoch=0) == 123


async def test_a_session_that_is_opened_again_keeps_the_locks(tmp_path: Path) -> None:
    """The records can be acknowledged in the new session."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        assert await a.fetch(epoch=0) == ""
        assert await a.acknowledge("0-4 accept") == 0


async def test_a_session_is_not_opened_with_a_partition_twice(tmp_path: Path) -> None:
    """As in Kafka, this fails the request, and ends the session before; its locks stay."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        assert await a.fetch(0, 0, epoch=0) == "error -1"
        assert await a.fetch(epoch=1) == "error 122"
        assert await b.fetch() == ""


async def test_an_overtaken_fetch_is_refused(tmp_path: Path) -> None:
    """A request that waits while the session goes on ends with an error."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        await a.fetch()
        again = g.member("a")
        again.epoch = 2
        results: list[Any] = []

        async def wait() -> None:
            results.append(await a.timed_fetch(max_wait_ms=500))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.sleep(0.1)
            assert await again.fetch() == ""
        assert results == [("error 123", 500)]


async def test_a_renewal_fetches_nothing(tmp_path: Path) -> None:
    """Its limits must be 0, and the lock begins anew (KIP-1222)."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        await trio.sleep(20)
        renewal: dict[str, Any] = {"renew": True, "acknowledge": ["0-4 renew"]}
        assert await a.fetch(**renewal) == "error 42"
        nothing = {"min_bytes": 0, "max_bytes": 0, "max_records": 0}
        assert await a.fetch(**renewal, **nothing) == ""
        assert await g.member("b").timed_fetch(max_wait_ms=60_000) == ("0-4#2", LOCK_MS)


@pytest.mark.parametrize(
    "parameters", [{"max_records": 0}, {"max_bytes": 0}, {"min_bytes": 0}, {"max_wait_ms": -1}]
)
async def test_without_a_limit_to_wait_for_nothing_waits(
    tmp_path: Path, parameters: dict[str, int]
) -> None:
    """A fetch of nothing, or without a minimum or a time, is answered at once."""
    async with share_group(tmp_path) as g:
        sent = {"max_wait_ms": 500, **parameters}
        assert await g.member("a").timed_fetch(**sent) == ("", 0)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"mode": 7}, "error -1"),
        ({"member_id": ""}, "error 42"),
        ({"member_id": "x" * 37}, "error 42"),
        ({"group_id": None}, "error 42"),
    ],
)
async def test_malformed_requests_are_refused(
    tmp_path: Path, parameters: dict[str, Any], error: str
) -> None:
    """Member ids have at most 36 characters, and modes are known ones."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        for name in ("member_id", "group_id"):
            if name in parameters:
                setattr(a, name, parameters.pop(name))
        assert await a.fetch(**parameters) == error


async def test_an_unknown_partition_does_not_end_the_wait(tmp_path: Path) -> None:
    """It has its error in the response, which waits for the others."""
    async with share_group(tmp_path) as g:
        assert await g.member("a").timed_fetch(0, 7, max_wait_ms=500) == ("p7: error 3", 500)


async def test_partitions_of_known_positions_are_read_first(tmp_path: Path) -> None:
    """Those at whose ends a fetch has waited; the others have a new position after each fetch."""
    async with share_group(tmp_path, 2) as g:
        a = g.member("a")
        await a.fetch(0, 1)
        await g.produce(1, 1, 1)
        found = [await a.fetch(max_records=1, mode=1)]
        await g.produce(1, 1, partition=1)
        found += [await a.fetch(max_records=1, mode=1) for _ in range(2)]
        assert found == ["0-0#1", "p1: 0-0#1", "1-1#1"]


async def test_each_of_two_reads_has_a_first_batch(tmp_path: Path) -> None:
    """However few bytes are asked for: the second read is of partitions without a position."""
    async with share_group(tmp_path, 2) as g:
        a = g.member("a")
        await a.fetch(0, 1)
        await g.produce(1, 1)
        await g.produce(1, 1, partition=1)
        found = [await a.fetch(max_bytes=100) for _ in range(2)]
        assert found == ["p1: 0-0#1", "0-0#1 p1: 1-1#1"]


async def test_a_deleted_log_start_moves_the_window(tmp_path: Path) -> None:
    """The fetch that detects it is empty, the next one begins at the log start."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        partition = next(iter(g.node.node.replicas.partitions.values()))
        partition.delete_records(7)
        a = g.member("a")
        assert await a.timed_fetch(max_wait_ms=500) == ("", 0)
        assert await a.fetch() == "7-9#1"


def _acknowledgements(g: ShareGroupOnNode, batches: list[list[str]]) -> ShareAcknowledgeRequest:
    """A request of the member a with *batches* of each partition."""
    partitions = [
        AcknowledgePartition(
            partition_index=index, acknowledgement_batches=list(map(acknowledgement, each))
        )
        for index, each in enumerate(batches)
    ]
    return ShareAcknowledgeRequest(
        group_id="g",
        member_id="a",
        share_session_epoch=1,
        is_renew_ack=False,
        topics=[AcknowledgeTopic(topic_id=g.topic_id, partitions=partitions)],
    )


def _named(response: Any) -> list[int]:
    return [data.partition_index for topic in response.responses for data in topic.partitions]


async def test_an_unknown_acquire_mode_fails_the_fetch(tmp_path: Path) -> None:
    """The acknowledgements take effect, and the session continues, as in Kafka."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        a = g.member("a")
        await a.fetch(max_records=1)
        sent = a.request(acknowledge=["0-4 release"])
        sent.share_acquire_mode = 2

        response = await a.client.send(sent)
        a.advance(sent)

        assert response.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        # The release may be stored before the next fetch or after it.
        fetched = [await a.fetch(max_records=1) for _ in range(2)]
        assert sorted(fetched) == ["0-4#2", "5-9#1"]


async def test_an_unknown_acquire_mode_without_a_fetch_is_ignored(tmp_path: Path) -> None:
    """The session is found first, and its final request fetches nothing."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        await a.fetch()
        errors = []
        for epoch in (9, -1, -1):
            sent = a.request(epoch=epoch)
            sent.topics, sent.share_acquire_mode = [], 2
            errors.append((await a.client.send(sent)).error_code)

        assert errors == [
            ErrorCode.INVALID_SHARE_SESSION_EPOCH,
            ErrorCode.NONE,
            ErrorCode.SHARE_SESSION_NOT_FOUND,
        ]
