"""Worker threads from slices: `broker.steps.offloaded`."""

from __future__ import annotations

import pytest

from broker.steps.offload import Inline
from broker.steps.offloaded import offloaded
from broker.steps.queue import Signal
from tests.held_offload import HeldOffload


def fail() -> int:
    raise ValueError("no")


def test_the_slices_continue_when_the_thread_is_done() -> None:
    """With the return value of the computation."""
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


def test_an_inline_computation_needs_no_slice() -> None:
    """It is done before the first yield."""
    with pytest.raises(StopIteration) as end:
        next(offloaded(Inline(), lambda: 7))
    assert end.value.value == 7


def test_an_exception_is_raised_in_the_slices() -> None:
    """The slices may handle it."""
    with pytest.raises(ValueError, match="no"):
        next(offloaded(Inline(), fail))


def test_closed_slices_abandon_the_computation() -> None:
    """It does not begin, if it has not yet."""
    offload = HeldOffload()
    slices = offloaded(offload, fail)
    next(slices)
    slices.close()
    offload.finish_next()

    assert not offload.jobs
