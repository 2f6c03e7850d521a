"""Kafka's DelayedFetchTest, and every case A to H of DelayedFetch."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from purgatories.delayed_operation import DelayedOperation
from purgatories.expiration_meter import ExpirationMeter
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus


class At(NamedTuple):
    """An offset in a segment at a position; without segment and position it is message-only."""

    message_offset: int
    segment_base_offset: int = -1
    relative_position_in_segment: int = -1


class UnknownLeaderEpochError(Exception):
    pass


class Source:
    """Logs with the end offsets that the test sets."""

    def __init__(self, **ends: At | None) -> None:
        self.ends = ends
        self.throttled = False
        self.diverging = False
        self.newer_epoch = False
        self.newly_changed: list[FetchPartitionStatus[str]] = []

    def changed(self) -> Sequence[FetchPartitionStatus[Any]]:
        changed, self.newly_changed = self.newly_changed, []
        return changed

    def end_offset(self, key: str, current_leader_epoch: int) -> At | None:
        if self.newer_epoch:
            raise UnknownLeaderEpochError
        return self.ends[key]

    def diverges(self, key: str, last_fetched_epoch: int, fetch_offset: int) -> bool:
        return self.diverging

    def is_throttled(self, key: str) -> bool:
        return self.throttled


class Fetch:
    """A fetch of partitions a, b, … from their start offsets."""

    def __init__(
        self,
        source: Source,
        min_bytes: int = 1,
        max_bytes: int = 1000,
        epoch: int = -1,
        unread: str = "",
        **starts: At,
    ) -> None:
        self.responses = 0
        statuses = {
            key: FetchPartitionStatus(key, start, max_bytes, epoch, epoch)
            for key, start in starts.items()
        }
        self.unread = {key: statuses.pop(key) for key in unread}
        self.operation = DelayedFetch(
            *(500, min_bytes, list(statuses.values()), source, self._respond, "consumer"),
            list(self.unread.values()),
        )

    def _respond(self) -> None:
        self.responses += 1

    def completes(self) -> bool:
        done = self.operation.try_complete()
        assert self.responses == done
        return done


def test_fetch_with_fenced_epoch() -> None:
    """DelayedFetchTest.testFetchWithFencedEpoch: completes; the read returns the error (A-E)."""
    assert Fetch(Source(a=None), a=At(500, 0, 0)).completes()


def test_not_leader_or_follower() -> None:
    """DelayedFetchTest.testNotLeaderOrFollower: one such partition completes the whole fetch."""
    assert Fetch(Source(a=At(500, 0, 0), b=None), a=At(500, 0, 0), b=At(1, 0, 1)).completes()


def test_diverging_epoch() -> None:
    """DelayedFetchTest.testDivergingEpoch: case H."""
    source = Source(a=At(500, 0, 0))
    source.diverging = True
    assert Fetch(source, epoch=5, a=At(500, 0, 0)).completes()


def test_divergence_is_checked_only_with_an_epoch() -> None:
    """A fetch without a last fetched epoch is not checked for divergence."""
    source = Source(a=At(500, 0, 0))
    source.diverging = True
    assert not Fetch(source, a=At(500, 0, 0)).completes()


@pytest.mark.parametrize(("end", "completes"), [(0, True), (500, False)])
def test_delayed_fetch_with_message_only_high_watermark(end: int, completes: bool) -> None:
    """DelayedFetchTest.testDelayedFetchWithMessageOnlyHighWatermark (KAFKA-16452)."""
    assert Fetch(Source(a=At(end)), a=At(450, 0, 10)).completes() is completes


def test_message_only_start_waits() -> None:
    """With a message-only start the distance in bytes is unknown, and the fetch waits."""
    assert not Fetch(Source(a=At(500, 0, 900)), a=At(450)).completes()


def test_error_for_a_newer_leader_epoch_propagates() -> None:
    """The error for an epoch newer than the leader's propagates to the caller."""
    source = Source(a=At(500, 0, 0))
    source.newer_epoch = True
    fetch = Fetch(source, a=At(500, 0, 0))
    with pytest.raises(UnknownLeaderEpochError):
        fetch.operation.try_complete()
    assert fetch.responses == 0


def test_a_partition_that_is_not_read_is_checked_when_it_has_changed() -> None:
    """The source reports the change once; later checks add up its bytes too."""
    source = Source(a=At(501, 0, 1), b=At(501, 0, 1))
    fetch = Fetch(source, 2, unread="b", a=At(500, 0, 0), b=At(500, 0, 0))
    assert not fetch.completes()
    source.newly_changed = [fetch.unread["b"]]
    assert fetch.completes()


def test_all_partitions_are_known_whether_they_are_read_or_not() -> None:
    """For descriptions of the wait."""
    fetch = Fetch(Source(), unread="b", a=At(500), b=At(600))
    assert [(each.key, each.start) for each in fetch.operation.partitions] == [
        ("a", At(500)),
        ("b", At(600)),
    ]
    assert not fetch.operation.has_one_key


def test_start_beyond_the_end() -> None:
    """Case F1: the leader's log was truncated."""
    assert Fetch(Source(a=At(400, 0, 40)), a=At(500, 0, 50)).completes()


def test_start_at_the_end_on_an_older_segment_waits() -> None:
    """With equal offsets the log has just rolled, and there is no data yet."""
    assert not Fetch(Source(a=At(500, 500, 0)), a=At(500, 0, 999)).completes()


def test_start_on_an_older_segment() -> None:
    """Case F2: data exists, so the fetch completes whatever its size."""
    assert Fetch(Source(a=At(501, 500, 1)), min_bytes=10**9, a=At(499, 0, 999)).completes()


def test_start_on_a_newer_segment_counts_nothing() -> None:
    """After a truncation the log has grown past the start: positions are not comparable."""
    assert not Fetch(Source(a=At(501, 0, 5000)), a=At(499, 400, 10)).completes()


def test_throttled_follower_on_an_older_segment_waits() -> None:
    """Case F2 does not apply to a follower that is throttled."""
    source = Source(a=At(501, 500, 1))
    source.throttled = True
    assert not Fetch(source, a=At(499, 0, 999)).completes()


def test_bytes_of_all_partitions_add_up() -> None:
    """Case G: 60 and 40 bytes reach min_bytes of 100."""
    for end_of_b, completes in ((50, True), (49, False)):
        source = Source(a=At(9, 0, 60), b=At(9, 0, end_of_b))
        fetch = Fetch(source, min_bytes=100, a=At(5, 0, 0), b=At(5, 0, 10))
        assert fetch.completes() is completes


def test_a_partition_counts_no_more_than_it_may_return() -> None:
    """The distance counts up to the partition's max_bytes."""
    source = Source(a=At(9, 0, 5000))
    assert not Fetch(source, min_bytes=1001, max_bytes=1000, a=At(5, 0, 0)).completes()
    assert Fetch(source, min_bytes=1000, max_bytes=1000, a=At(5, 0, 0)).completes()


def test_throttled_follower_counts_nothing() -> None:
    """The bytes of a throttled partition do not count."""
    source = Source(a=At(9, 0, 60))
    source.throttled = True
    assert not Fetch(source, a=At(5, 0, 0)).completes()


def test_throttled_partitions_are_listed() -> None:
    """Except those whose start is unknown, which are not checked."""
    source = Source(a=At(9, 0, 60), b=None)
    fetch = Fetch(source, a=At(5, 0, 0), b=At(-1)).operation
    before = fetch.throttled()

    source.throttled = True

    assert (before, fetch.throttled()) == ([], ["a"])


def test_unknown_start_is_skipped() -> None:
    """A partition whose start is unknown is skipped."""
    assert not Fetch(Source(a=None), a=At(-1)).completes()


def test_expiry_is_marked_by_kind_of_fetcher() -> None:
    """Expiries of followers and consumers are counted separately; the fetch completes anyway."""
    meter = ExpirationMeter()
    responses: list[int] = []
    for fetcher in ("follower", "consumer", "consumer"):
        operation: DelayedOperation = DelayedFetch(
            500, 1, [], Source(), lambda: responses.append(1), fetcher
        )
        operation.expirations = meter
        operation.run()
    assert meter.by_tag() == {"follower": 1, "consumer": 2}
    assert len(responses) == 3


def test_an_end_that_is_the_start_itself_means_that_nothing_has_changed() -> None:
    """The same object: the log was neither extended nor truncated, so it cannot have diverged."""
    start = At(5, 0, 100)
    source = Source(a=start)
    source.diverging = True
    fetch = Fetch(source, epoch=1, a=start)

    assert not fetch.operation.safe_try_complete()
    assert fetch.operation.available_bytes() == 0


def test_a_released_fetch_keeps_nothing_of_its_request() -> None:
    """It may remain in the lists of other keys until these are purged."""
    source = Source(a=At(5, 0, 50))
    fetch = Fetch(source, a=At(0, 0, 0))
    fetch.operation.on_error = fetch.operation.on_check = list[object]().append
    alive = weakref.ref(source), weakref.ref(fetch)
    operation = fetch.operation
    assert fetch.completes()

    operation.release()
    del source, fetch

    assert [each() for each in alive] == [None, None]
    assert (operation.partitions, operation.on_error, operation.on_check) == ((), None, None)
