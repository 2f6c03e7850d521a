"""How long members keep records."""

from __future__ import annotations

import pytest

from broker.share.persister import PersisterStateBatch
from broker.wait_records.causes import CauseKind
from protocol.errors import ErrorCode
from tests.broker.share.bench import LOCK_MS, Bench, Settings


@pytest.fixture
def bench() -> Bench:
    """Member a has acquired the records 0 to 9."""
    bench = Bench()
    bench.acquire("a", "0-9")
    return bench


def test_a_lock_ends_at_its_time(bench: Bench) -> None:
    """The records are available again after the lock duration, and not before."""
    bench.wait(LOCK_MS - 1)
    assert bench.runs() == ["0-9 ACQUIRED #1 a"]
    bench.wait(1)
    assert bench.runs() == ["0-9 AVAILABLE #1"]
    assert bench.changes == [CauseKind.LOCK_EXPIRED]


def test_the_expiry_is_written(bench: Bench) -> None:
    """A new leader knows how often the records have been delivered."""
    bench.wait(LOCK_MS)
    (write,) = bench.persister.writes
    assert write.batches == (PersisterStateBatch(0, 9, 0, 1),)


def test_the_expiry_of_the_last_delivery_archives() -> None:
    """A record that no member acknowledges leaves the window after the last delivery."""
    bench = Bench(Settings(delivery_count_limit=2))
    for _ in range(2):
        bench.acquire("a", "0-9")
        bench.wait(LOCK_MS)
    assert bench.offsets == (10, 10)
    assert bench.partition.records.complete_count == 0


def test_an_expiry_that_cannot_be_written_stays(bench: Bench) -> None:
    """Memory changes first, and is not rolled back."""
    bench.persister.error = ErrorCode.COORDINATOR_NOT_AVAILABLE
    bench.wait(LOCK_MS)
    assert bench.runs() == ["0-9 AVAILABLE #1"]


def test_acknowledged_records_have_no_lock(bench: Bench) -> None:
    """The timer has no task after the last record of an acquisition is acknowledged."""
    bench.acknowledge("a", "0-4 accept")
    assert bench.timer.size == 1
    bench.acknowledge("a", "5-9 release")
    assert bench.timer.size == 0


def test_only_the_rest_of_an_acquisition_expires(bench: Bench) -> None:
    """Records that were acknowledged before keep their state."""
    bench.acknowledge("a", "0-4 accept")
    bench.wait(LOCK_MS)
    assert bench.runs() == ["0-4 ACKNOWLEDGED #1", "5-9 AVAILABLE #1"]


def test_a_late_acknowledgement_is_refused(bench: Bench) -> None:
    """After the expiry the member is not the owner any more."""
    bench.wait(LOCK_MS)
    assert bench.acknowledge("a", "0-9 accept") is ErrorCode.INVALID_RECORD_STATE


def test_a_new_acquisition_has_a_lock_of_its_own(bench: Bench) -> None:
    """The lock of the first member does not end that of the second."""
    bench.wait(20_000)
    bench.acknowledge("a", "0-9 release")
    bench.acquire("b", "0-9")
    bench.wait(20_000)
    assert bench.runs() == ["0-9 ACQUIRED #2 b"]


def test_a_renewal_begins_the_full_duration(bench: Bench) -> None:
    """A renewed lock ends one lock duration after the renewal; nothing is written (KIP-1222)."""
    bench.wait(20_000)
    assert bench.acknowledge("a", "0-9 renew") is ErrorCode.NONE
    assert bench.persister.writes == []
    bench.wait(LOCK_MS - 1)
    assert bench.runs() == ["0-9 ACQUIRED #1 a"]
    bench.wait(1)
    assert bench.runs() == ["0-9 AVAILABLE #1"]


def test_a_part_can_be_renewed(bench: Bench) -> None:
    """The other records of the acquisition keep their lock."""
    bench.wait(20_000)
    bench.acknowledge("a", "0-4 renew")
    bench.wait(10_000)
    assert bench.runs() == ["0-4 ACQUIRED #1 a", "5-9 AVAILABLE #1"]


def test_renewals_can_be_disabled(bench: Bench) -> None:
    """``share.renew.acknowledge.enable=false`` refuses them."""
    bench.settings.renew_acknowledge_enable = False
    assert bench.acknowledge("a", "0-9 renew") is ErrorCode.INVALID_RECORD_STATE


def test_a_new_duration_applies_to_later_acquisitions(bench: Bench) -> None:
    """Locks that run keep the duration that they began with."""
    bench.settings.record_lock_duration_ms = 1000
    bench.acquire("b", "10-19")
    bench.wait(1000)
    assert bench.runs() == ["0-9 ACQUIRED #1 a", "10-19 AVAILABLE #1"]


def test_fencing_ends_all_locks(bench: Bench) -> None:
    """A share partition that is not used any more has no timer tasks."""
    bench.partition.fence()
    assert bench.timer.size == 0
    assert bench.acknowledge("a", "0-9 accept") is ErrorCode.NOT_LEADER_OR_FOLLOWER
