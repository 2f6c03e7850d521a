"""Waiting for a worker thread in slices: `broker.steps.offloaded`."""

from __future__ import annotations

import pytest

from broker.steps.offload import Inline
from broker.steps.offloaded import offloaded
from broker.steps.queue import Signal
from tests.held_offload import HeldOffload


def fail() -> int:
    raise ValueError("no")


def test_the_slices_go_on_when_the_thread_is_done() -> None:
    """With what the computation has returned."""
    offload = HeldOffload()
    slices = offloaded(offload, lambda: 7)
    signal = next(slices)
    assert isinstance(signal, Signal)
    assert not signal.is_set

    offload.finish_next()

    assert signal.is_set
    with pytest.raises(StopIteration) as end:
        next(slices)
    assert end.value.value == 7


def test_what_is_done_at_once_needs_no_slice() -> None:
    """Inline, that is."""
    with pytest.raises(StopIteration) as end:
        next(offloaded(Inline(), lambda: 7))
    assert end.value.value == 7


def test_an_exception_is_raised_in_the_slices() -> None:
    """It is theirs to handle."""
    with pytest.raises(ValueError, match="no"):
        next(offloaded(Inline(), fail))


def test_slices_that_are_closed_abandon_the_computation() -> None:
    """It does not begin, if it has not yet."""
    offload = HeldOffload()
    slices = offloaded(offload, fail)
    next(slices)
    slices.close()
    offload.finish_next()

    assert not offload.jobs
