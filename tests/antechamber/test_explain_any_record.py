"""Every record has an explanation, whatever it lacks."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from antechamber.explain import explanation
from tests.pipeline.drawn_records import records, without_nulls


@given(records)
def test_a_record_that_lacks_any_fields_is_explained(record: dict[str, Any]) -> None:
    """A null field and a missing one have the same words, and neither appears in them."""
    sentences = explanation(record)

    assert sentences == explanation(without_nulls(record))
    assert all(each.endswith(".") for each in sentences)
    assert "None" not in " ".join(sentences)


def test_the_smallest_record_is_explained() -> None:
    """The API and the total time are known."""
    assert explanation({"api": "Fetch", "total_us": 0}) == [
        (
            "Fetch of a client without an id requested data from a node, and was completed "
            "immediately."
        ),
        "It took 0 µs.",
    ]


def test_a_wait_without_an_amount_is_explained() -> None:
    """A Fetch that waited for bytes, of which the record has neither `need` nor `had`."""
    record = {
        "api": "Fetch",
        "purgatory": "Fetch",
        "waited_for": {"kind": "min_bytes"},
        "completed_by": {"cause": "timeout"},
        "parked_us": 500_000,
        "total_us": 500_000,
    }

    assert explanation(record)[0] == (
        "Fetch of a client without an id requested data from a node, waited 500 ms in the Fetch "
        "purgatory, and timed out."
    )


def test_a_completion_without_a_cause_is_explained() -> None:
    """Kafka's request log has no cause."""
    record = {"api": "JoinGroup", "correlation_id": 3, "purgatory": "Rebalance", "total_us": 9}

    assert explanation(record)[0] == (
        "JoinGroup 3 of a client without an id was sent to a node, waited 0 µs in the Rebalance "
        "purgatory, and was completed by an unknown cause."
    )
