"""Tests of invalid arguments of a purgatory, and of operations that raise."""

from __future__ import annotations

import logging
from math import inf

import pytest

from tests.purgatories.manual_clock import MockOperation, MockPurgatory


@pytest.fixture
def mock() -> MockPurgatory:
    return MockPurgatory()


def test_no_keys_are_refused(mock: MockPurgatory) -> None:
    """An empty list of keys raises ValueError and does not change the operation."""
    operation = MockOperation()
    with pytest.raises(ValueError, match="keys"):
        mock.watch(operation, [])
    assert not operation.is_completed
    assert operation.checks == 0


def test_key_that_cannot_be_hashed(mock: MockPurgatory) -> None:
    """The caller gets the TypeError; the operation is abandoned even if a key is watched."""
    operation = MockOperation()
    with pytest.raises(TypeError):
        mock.watch(operation, ["fine", ["not", "hashable"]])  # type: ignore[list-item] # the point
    assert operation.is_completed
    assert operation.completions == 0
    assert mock.purgatory.num_delayed() == 0
    assert mock.check("fine") == 0
    assert mock.purgatory.watched() == 0


def test_checking_a_key_that_cannot_be_hashed(mock: MockPurgatory) -> None:
    """Checking an unhashable key raises TypeError."""
    with pytest.raises(TypeError):
        mock.check([])  # type: ignore[arg-type] # the point


def test_operation_added_twice_is_moved_and_gains_keys(mock: MockPurgatory) -> None:
    """An operation that is added twice has one timer entry and completes once for all its keys."""
    operation = MockOperation(100)
    mock.watch(operation, ["a"])
    mock.clock.now_ms = 50
    mock.watch(operation, ["a", "b"])
    assert mock.purgatory.num_delayed() == 1
    assert mock.purgatory.watched() == 2
    mock.let_time_pass(149)
    assert not operation.is_completed
    mock.let_time_pass(150)
    assert operation.completions == 1


def test_completed_operation_added_again_is_left_alone(mock: MockPurgatory) -> None:
    """A completed operation is not watched, timed or completed again."""
    operation = MockOperation(completable=True)
    assert mock.watch(operation, ["a"])
    assert not mock.watch(operation, ["a"])
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.num_delayed() == 0
    assert operation.completions == 1


@pytest.mark.parametrize("failing_look", [1, 2])
def test_try_complete_that_raises_at_first(mock: MockPurgatory, failing_look: int) -> None:
    """The caller gets the exception, and no callback runs later."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            if self.checks == failing_look:
                raise ZeroDivisionError
            return False

    operation = Failing()
    with pytest.raises(ZeroDivisionError):
        mock.watch(operation, ["a"])
    assert operation.is_completed
    assert mock.purgatory.num_delayed() == 0
    assert mock.check("a") == 0
    assert operation.completions == 0


def test_on_complete_that_raises_at_first(mock: MockPurgatory) -> None:
    """The operation is completed once, and the caller gets the exception."""

    class Failing(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            raise ZeroDivisionError

    operation = Failing(completable=True)
    with pytest.raises(ZeroDivisionError):
        mock.watch(operation, ["a"])
    assert operation.completions == 1
    assert mock.purgatory.watched() == 0


def test_on_complete_that_raises_in_a_check(
    mock: MockPurgatory, caplog: pytest.LogCaptureFixture
) -> None:
    """The operation is removed from its list, and the next operation is checked."""

    class Failing(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            raise ZeroDivisionError

    failing, other = Failing(), MockOperation()
    for operation in (failing, other):
        mock.watch(operation, ["a"])
        operation.completable = True
    with caplog.at_level(logging.ERROR):
        assert mock.check("a") == 1
    assert (failing.completions, other.completions) == (1, 1)
    assert mock.purgatory.watched() == 0
    assert "ZeroDivisionError" in caplog.text


class FailingToComplete(MockOperation):
    def on_complete(self) -> None:
        raise ZeroDivisionError


class FailingToExpire(MockOperation):
    def on_expiration(self) -> None:
        raise ZeroDivisionError


@pytest.mark.parametrize("failing_type", [FailingToComplete, FailingToExpire])
def test_operation_that_raises_at_expiry(
    failing_type: type[MockOperation], mock: MockPurgatory, caplog: pytest.LogCaptureFixture
) -> None:
    """Other operations that expire at the same time still expire."""
    failing, other = failing_type(20), MockOperation(20)
    mock.watch(failing, ["a"])
    mock.watch(other, ["a"])
    with caplog.at_level(logging.ERROR):
        mock.let_time_pass(20)
    assert other.expiries == 1
    assert failing.is_completed
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("delay_ms", [-(2**63), -1, 0])
def test_timeout_that_is_over_completes_at_the_next_step(
    mock: MockPurgatory, delay_ms: int
) -> None:
    """try_complete_else_watch returns False; the operation completes in the next step."""
    operation = MockOperation(delay_ms)
    assert not mock.watch(operation, ["a"])
    assert not operation.is_completed
    mock.timer.advance_clock(0)
    assert operation.expiries == 1


@pytest.mark.parametrize("delay_ms", [2**63, inf])
def test_enormous_timeout_waits(mock: MockPurgatory, delay_ms: float) -> None:
    """An operation with an enormous timeout waits, and an event can complete it."""
    operation = MockOperation(delay_ms)
    mock.watch(operation, ["a"])
    mock.let_time_pass(10**15)
    assert not operation.is_completed
    operation.completable = True
    assert mock.check("a") == 1
