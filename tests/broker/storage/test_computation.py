"""Computations between steps: `broker.storage.computation`."""

from __future__ import annotations

from itertools import count

import pytest

from broker.storage.computation import Computation


def test_a_computation_runs_once() -> None:
    """The result is kept from the run."""
    numbers = count(1)
    computation = Computation(lambda: next(numbers), 0)
    computation.run()
    assert (computation.result(), computation.result()) == (1, 1)


def test_a_result_that_was_not_computed_is_computed_when_it_is_needed() -> None:
    """Tools need no threads."""
    assert Computation(lambda: 7, 0).result() == 7


def test_an_exception_is_raised_where_the_result_is_needed() -> None:
    """Not in the thread."""
    computation = Computation(lambda: 1 // 0, 0)
    computation.run()
    with pytest.raises(ZeroDivisionError):
        computation.result()
