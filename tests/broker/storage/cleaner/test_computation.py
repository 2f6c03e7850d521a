"""Tests of computations between steps: `broker.storage.cleaner.computation`."""

from __future__ import annotations

from itertools import count

import pytest

from broker.storage.cleaner.computation import Computation


def test_a_computation_runs_once() -> None:
    """`result` returns the result of `run`."""
    numbers = count(1)
    computation = Computation(lambda: next(numbers), 0)
    computation.run()
    assert (computation.result(), computation.result()) == (1, 1)


def test_a_result_is_computed_when_needed() -> None:
    """As in tools, which do not use threads."""
    assert Computation(lambda: 7, 0).result() == 7


def test_an_exception_is_raised_by_result() -> None:
    """And not by `run`."""
    computation = Computation(lambda: 1 // 0, 0)
    computation.run()
    with pytest.raises(ZeroDivisionError):
        computation.result()
