"""What acknowledgements do, and which are refused."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.share.acknowledgement import read_acknowledgements
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.share.bench import LOCK_MS, Bench, Settings, parse_acknowledgement

NONE, STATE, INVALID = (
    ErrorCode.NONE,
    ErrorCode.INVALID_RECORD_STATE,
    ErrorCode.INVALID_REQUEST,
)


@pytest.fixture
def bench() -> Bench:
    """Member a has the records 0 to 9, member b those from 10 to 19."""
    bench = Bench()
    bench.acquire("a", "0-9 10-19", 10)
    bench.acquire("b", "0-9 10-19", 10)
    return bench


def test_accepted_records_move_the_start(bench: Bench) -> None:
    """Records at the start leave the window when they are complete."""
    assert bench.acknowledge("a", "0-9 accept") is NONE
    assert bench.offsets == (10, 20)
    assert bench.runs() == ["10-19 ACQUIRED #1 b"]


def test_records_complete_in_the_middle_stay(bench: Bench) -> None:
    """The start waits for the first record that is not complete."""
    bench.acknowledge("a", "3-9 accept")
    bench.acknowledge("b", "10-19 reject")
    assert bench.offsets == (0, 20)
    bench.acknowledge("a", "0-2 gap")
    assert bench.offsets == (20, 20)
    assert bench.runs() == []


def test_each_type_has_its_state(bench: Bench) -> None:
    """A list of types acknowledges each offset with its own."""
    bench.acknowledge("a", "1-4 gap accept release reject")
    assert bench.runs()[:6] == [
        "0-0 ACQUIRED #1 a",
        "1-1 ARCHIVED #1",
        "2-2 ACKNOWLEDGED #1",
        "3-3 AVAILABLE #1",
        "4-4 ARCHIVED #1",
        "5-9 ACQUIRED #1 a",
    ]


def test_a_release_after_the_last_delivery_archives() -> None:
    """A record is not delivered more often than the limit."""
    bench = Bench(Settings(delivery_count_limit=2))
    for _ in range(2):
        bench.acquire("a", "0-9")
        bench.acknowledge("a", "0-9 release")
    assert bench.offsets == (10, 10)


def test_a_lower_limit_applies_to_records_in_flight(bench: Bench) -> None:
    """The limit of the time of the release counts."""
    bench.acknowledge("a", "0-9 release")
    bench.acquire("a", "0-9", 10)
    bench.settings.delivery_count_limit = 2
    bench.acknowledge("a", "0-9 release")
    assert bench.offsets == (10, 20)


@pytest.mark.parametrize(
    ("batch", "error"),
    [
        ("10-19 accept", STATE),
        ("5-14 accept", STATE),
        ("15-25 accept", INVALID),
        ("20-25 accept", INVALID),
        ("0-0 accept", NONE),
    ],
)
def test_only_own_records_can_be_acknowledged(bench: Bench, batch: str, error: ErrorCode) -> None:
    """Records of others are refused, and offsets after the end as well."""
    assert bench.acknowledge("a", batch) is error


def test_a_bad_batch_refuses_the_good_ones(bench: Bench) -> None:
    """Acknowledgements of a partition are applied all or none."""
    assert bench.acknowledge("a", "0-4 accept", "10-12 accept") is STATE
    assert bench.runs() == ["0-4 ACQUIRED #1 a", "5-9 ACQUIRED #1 a", "10-19 ACQUIRED #1 b"]
    assert bench.persister.writes == []


def test_an_offset_cannot_be_named_twice(bench: Bench) -> None:
    """The second batch finds the offset in another state."""
    assert bench.acknowledge("a", "0-5 accept", "5-9 accept") is STATE
    assert bench.runs() == ["0-5 ACQUIRED #1 a", "6-9 ACQUIRED #1 a", "10-19 ACQUIRED #1 b"]


def test_a_renewed_record_can_be_acknowledged_in_the_same_request(bench: Bench) -> None:
    """A renewal changes no state."""
    assert bench.acknowledge("a", "0-4 renew", "4-4 accept", "5-9 accept") is NONE
    assert bench.runs()[:2] == ["0-3 ACQUIRED #1 a", "4-4 ACKNOWLEDGED #1"]


def test_renewals_before_a_refused_record_stay(bench: Bench) -> None:
    """The other acknowledgements of the request are undone."""
    bench.wait(LOCK_MS - 1)
    assert bench.acknowledge("a", "0-4 renew", "5-5 accept", "100-104 accept") is INVALID
    bench.wait(1)
    assert bench.runs()[:2] == ["0-4 ACQUIRED #1 a", "5-5 AVAILABLE #1"]
    bench.wait(LOCK_MS - 1)
    assert bench.runs()[0] == "0-4 AVAILABLE #1"


def test_a_record_is_renewed_twice_in_a_request(bench: Bench) -> None:
    """It has one lock, which begins with the request."""
    bench.wait(1000)
    assert bench.acknowledge("a", "0-0 renew", "0-0 renew") is NONE
    bench.wait(LOCK_MS - 1000)
    assert bench.runs()[:2] == ["0-0 ACQUIRED #1 a", "1-9 AVAILABLE #1"]
    bench.wait(1000)
    assert bench.runs()[0] == "0-0 AVAILABLE #1"


@pytest.mark.parametrize(
    ("batch", "error"),
    [("0-9 renew", STATE), ("100-104 renew", INVALID), ("10-19 renew", STATE)],
)
def test_disabled_renewals_are_refused_after_other_checks(
    bench: Bench, batch: str, error: ErrorCode
) -> None:
    """Offsets and owners are checked first."""
    bench.settings.renew_acknowledge_enable = False
    assert bench.acknowledge("a", batch) is error


def test_the_batch_before_the_first_offset_is_checked() -> None:
    """As in Kafka, if no batch has that offset, because the log was compacted."""
    bench = Bench()
    bench.acquire("a", "0-4")
    bench.acquire("b", "10-14", fetch_offset=5)
    assert bench.acknowledge("b", "7-14 accept") is STATE
    assert bench.acknowledge("b", "10-14 accept") is NONE


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        (["0-9 accept", "9-9 accept"], "The batch is not in the acquired state."),
        (["0-5 accept", "5-9 accept"], "The offset is not acquired."),
        (["0-9 accept", "9-25 accept"], "The last offset in request is past acquired records."),
        (["0-5 accept", "10-12 accept"], "Member is not the owner of batch record"),
    ],
)
def test_batches_are_checked_one_after_another(
    bench: Bench, batches: list[str], message: str
) -> None:
    """Each first for its end, then for its offsets, as they are after the batches before it."""
    with pytest.raises(ApiError) as refused:
        bench.partition.acknowledge("a", list(map(parse_acknowledgement, batches)), lambda *_: None)
    assert refused.value.message is not None
    assert refused.value.message.endswith(message)


def test_a_refused_acknowledgement_of_a_part_splits_its_batch(bench: Bench) -> None:
    """Later refusals are then about an offset and not about the batch."""
    assert bench.acknowledge("a", "0-4 accept", "10-12 accept") is STATE
    assert [each.is_split for each in bench.partition.records.window.batches] == [True, False]


def test_records_are_acknowledged_once(bench: Bench) -> None:
    """A second acknowledgement finds the records in another state."""
    bench.acknowledge("a", "5-9 accept")
    assert bench.acknowledge("a", "5-9 accept") is STATE


def test_offsets_below_the_start_are_accepted_silently(bench: Bench) -> None:
    """Records that have left the window are skipped, also in a batch with others."""
    bench.acknowledge("a", "0-4 accept")
    assert bench.acknowledge("a", "0-4 accept") is NONE
    assert bench.acknowledge("a", "0-9 accept") is NONE
    assert bench.offsets == (10, 20)


def test_an_empty_window_has_no_records_to_acknowledge() -> None:
    """Before the first acquisition nothing is in flight."""
    assert Bench().acknowledge("a", "0-4 accept") is STATE


def test_the_end_of_a_session_releases_everything(bench: Bench) -> None:
    """What the member has acquired becomes available, with the same count."""
    bench.release("a")
    assert bench.runs() == ["0-9 AVAILABLE #1", "10-19 ACQUIRED #1 b"]
    assert bench.acquire("c", "0-9 10-19") == "0-9#2"


@pytest.mark.parametrize(
    ("batches", "may_renew"),
    [
        ([(4, 3, [1])], True),
        ([(0, 3, [])], True),
        ([(0, 3, [1, 1])], True),
        ([(0, 3, [5])], True),
        ([(0, 3, [-1])], True),
        ([(0, 3, [4])], False),
        ([(5, 9, [1]), (2, 4, [1])], True),
    ],
)
def test_malformed_batches_are_refused(
    batches: list[tuple[int, int, list[int]]], may_renew: bool
) -> None:
    """Offsets in another order, wrong numbers of types, and unknown types are invalid."""
    with pytest.raises(ApiError) as refused:
        finish(read_acknowledgements(batches, may_renew=may_renew))
    assert refused.value.code is INVALID
