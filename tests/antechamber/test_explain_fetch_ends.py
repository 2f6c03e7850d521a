"""What the explanation says about the event that ended the wait of a fetch."""

from __future__ import annotations

from typing import Any

from antechamber.explain import explanation
from tests.facts import completed_fetch


def _ended(error: int = 0, size: int = 320, **by: Any) -> list[str]:
    """The explanation of a fetch that needed 1,000 bytes, and found 312."""
    record = completed_fetch()
    record["completed_by"] |= {"topic": "orders", "partition": 0, **by}
    record["partitions"][0] |= {"bytes": size, "error": error}
    return explanation(record)


def test_enough_bytes_are_named() -> None:
    """They are those of the response."""
    assert _ended(size=1000)[0].endswith("of client billing, which increased it to 1,000 bytes.")


def test_less_than_was_required_is_no_increase() -> None:
    """As a limit of bytes below the minimum, or a quota, ends it."""
    assert _ended(size=999)[0].endswith("of client billing.")


def test_a_new_segment_is_the_reason() -> None:
    """A fetch from an earlier segment gets what is there, which may be less than it required."""
    words = "of client billing, because orders-0 continues in another segment, from offset 42 on."

    assert _ended(segment=42)[0].endswith(words)


def test_an_error_is_the_reason() -> None:
    """The next sentence has it."""
    waited, error, *_ = _ended(error=1, size=0)

    assert waited.endswith("of client billing, because a partition could not be read.")
    assert error == "The response has error 1 (OFFSET_OUT_OF_RANGE) for orders-0."
