"""Kafka's DelayedFetchTest, and every case of its letters A to H."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from purgatories.delayed_operation import DelayedOperation
from purgatories.expiration_meter import ExpirationMeter
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus


class At(NamedTuple):
    """An offset in a segment at a position; by itself it is message-only."""

    message_offset: int
    segment_base_offset: int = -1
    relative_position_in_segment: int = -1


class UnknownLeaderEpochError(Exception):
    pass


class Source:
    """Logs that end where they are told to."""

    def __init__(self, **ends: At | None) -> None:
        self.ends = ends
        self.throttled = False
        self.diverging = False
        self.newer_epoch = False

    def end_offset(self, key: str, current_leader_epoch: int) -> At | None:
        if self.newer_epoch:
            raise UnknownLeaderEpochError
        return self.ends[key]

    def diverges(self, key: str, last_fetched_epoch: int, fetch_offset: int) -> bool:
        return self.diverging

    def is_throttled(self, key: str) -> bool:
        return self.throttled


class Fetch:
    """A fetch of partitions a, b, … from their starts."""

    def __init__(
        self,
        source: Source,
        min_bytes: int = 1,
        max_bytes: int = 1000,
        epoch: int = -1,
        **starts: At,
    ) -> None:
        self.answers = 0
        statuses = [
            FetchPartitionStatus(key, start, max_bytes, epoch, epoch)
            for key, start in starts.items()
        ]
        self.operation = DelayedFetch(500, min_bytes, statuses, source, self._answer)

    def _answer(self) -> None:
        self.answers += 1

    def completes(self) -> bool:
        done = self.operation.try_complete()
        assert self.answers == done
        return done


def test_fetch_with_fenced_epoch() -> None:
    """DelayedFetchTest.testFetchWithFencedEpoch: complete now, the read tells (case E, and A-D)."""
    assert Fetch(Source(a=None), a=At(500, 0, 0)).completes()


def test_not_leader_or_follower() -> None:
    """DelayedFetchTest.testNotLeaderOrFollower: one such partition ends the wait for all."""
    assert Fetch(Source(a=At(500, 0, 0), b=None), a=At(500, 0, 0), b=At(1, 0, 1)).completes()


def test_diverging_epoch() -> None:
    """DelayedFetchTest.testDivergingEpoch: case H."""
    source = Source(a=At(500, 0, 0))
    source.diverging = True
    assert Fetch(source, epoch=5, a=At(500, 0, 0)).completes()


def test_divergence_is_asked_about_only_with_an_epoch() -> None:
    """A fetch that names no last fetched epoch cannot diverge."""
    source = Source(a=At(500, 0, 0))
    source.diverging = True
    assert not Fetch(source, a=At(500, 0, 0)).completes()


@pytest.mark.parametrize(("end", "completes"), [(0, True), (500, False)])
def test_delayed_fetch_with_message_only_high_watermark(end: int, completes: bool) -> None:
    """DelayedFetchTest.testDelayedFetchWithMessageOnlyHighWatermark (KAFKA-16452)."""
    assert Fetch(Source(a=At(end)), a=At(450, 0, 10)).completes() is completes


def test_message_only_start_waits() -> None:
    """No distance in bytes can be told."""
    assert not Fetch(Source(a=At(500, 0, 900)), a=At(450)).completes()


def test_newer_leader_epoch_flies_out() -> None:
    """An epoch the leader does not know yet is not a reason to answer."""
    source = Source(a=At(500, 0, 0))
    source.newer_epoch = True
    fetch = Fetch(source, a=At(500, 0, 0))
    with pytest.raises(UnknownLeaderEpochError):
        fetch.operation.try_complete()
    assert fetch.answers == 0


def test_start_beyond_the_end() -> None:
    """Case F1: the leader's log was truncated."""
    assert Fetch(Source(a=At(400, 0, 40)), a=At(500, 0, 50)).completes()


def test_start_at_the_end_on_an_older_segment_waits() -> None:
    """Equal offsets: the log has just rolled, and nothing has come yet."""
    assert not Fetch(Source(a=At(500, 500, 0)), a=At(500, 0, 999)).completes()


def test_start_on_an_older_segment() -> None:
    """Case F2: there is data, however many bytes."""
    assert Fetch(Source(a=At(501, 500, 1)), min_bytes=10**9, a=At(499, 0, 999)).completes()


def test_start_on_a_newer_segment_counts_nothing() -> None:
    """The log was truncated and has grown past the start again: positions cannot be compared."""
    assert not Fetch(Source(a=At(501, 0, 5000)), a=At(499, 400, 10)).completes()


def test_throttled_follower_on_an_older_segment_waits() -> None:
    """Case F2 does not hold for who must wait for the quota."""
    source = Source(a=At(501, 500, 1))
    source.throttled = True
    assert not Fetch(source, a=At(499, 0, 999)).completes()


def test_bytes_of_all_partitions_add_up() -> None:
    """Case G: 60 and 40 are the 100 asked for."""
    for end_of_b, completes in ((50, True), (49, False)):
        source = Source(a=At(9, 0, 60), b=At(9, 0, end_of_b))
        fetch = Fetch(source, min_bytes=100, a=At(5, 0, 0), b=At(5, 0, 10))
        assert fetch.completes() is completes


def test_a_partition_counts_no_more_than_it_may_return() -> None:
    """The distance is cut to the partition's max_bytes."""
    source = Source(a=At(9, 0, 5000))
    assert not Fetch(source, min_bytes=1001, max_bytes=1000, a=At(5, 0, 0)).completes()
    assert Fetch(source, min_bytes=1000, max_bytes=1000, a=At(5, 0, 0)).completes()


def test_throttled_follower_counts_nothing() -> None:
    """Its bytes are not there yet."""
    source = Source(a=At(9, 0, 60))
    source.throttled = True
    assert not Fetch(source, a=At(5, 0, 0)).completes()


def test_unknown_start_is_skipped() -> None:
    """The first read found no place in the log: nothing to compare with."""
    assert not Fetch(Source(a=None), a=At(-1)).completes()


def test_expiry_is_marked_by_kind_of_fetcher() -> None:
    """Followers' and consumers' expiries are counted apart; the answer is given all the same."""
    meter = ExpirationMeter()
    answers: list[int] = []
    for fetcher in ("follower", "consumer", "consumer"):
        operation: DelayedOperation = DelayedFetch(
            500, 1, [], Source(), lambda: answers.append(1), fetcher
        )
        operation.expirations = meter
        operation.run()
    assert meter.by_tag() == {"follower": 1, "consumer": 2}
    assert len(answers) == 3
