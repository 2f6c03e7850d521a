"""Tests of calls between steps: `broker.storage.cleaner.offloadable_call`."""

from __future__ import annotations

from itertools import count

import pytest

from broker.storage.cleaner.offloadable_call import OffloadableCall


def test_a_call_runs_once() -> None:
    """`result` returns the result of `run`."""
    numbers = count(1)
    call = OffloadableCall(lambda: next(numbers), 0)
    call.run()
    assert (call.result(), call.result()) == (1, 1)


def test_a_result_is_computed_when_needed() -> None:
    """As in tools, which do not use threads."""
    assert OffloadableCall(lambda: 7, 0).result() == 7


def test_an_exception_is_raised_by_result() -> None:
    """And not by `run`."""
    call = OffloadableCall(lambda: 1 // 0, 0)
    call.run()
    with pytest.raises(ZeroDivisionError):
        call.result()
