"""Tests of `broker.process.stop_signals`."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
import trio

from broker.process.stop_signals import stop_signals
from tests.hang_up import default_hang_up

pytestmark = pytest.mark.anyio

STOPS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]
DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """The handlers of the test run."""
    handlers = {number: signal.getsignal(number) for number in STOPS}
    with default_hang_up():
        yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", STOPS)
async def test_a_signal_is_received(number: signal.Signals) -> None:
    """The receiver returns its number."""
    with stop_signals() as received:
        signal.raise_signal(number)
        assert await anext(received) == number


@pytest.mark.parametrize("number", STOPS)
async def test_a_second_signal_is_ignored(number: signal.Signals) -> None:
    """Nothing reads it, and it does not interrupt the end of the process."""
    with stop_signals() as received:
        signal.raise_signal(number)
        assert await anext(received) == number
        signal.raise_signal(number)
    await trio.lowlevel.checkpoint()  # where an interrupt would be raised
    assert signal.getsignal(number) not in DEFAULTS


@pytest.mark.parametrize("number", STOPS)
async def test_a_signal_after_the_receiver_is_ignored(number: signal.Signals) -> None:
    """The process ends then."""
    with stop_signals():
        pass
    signal.raise_signal(number)
    await trio.lowlevel.checkpoint()  # where an interrupt would be raised
    assert signal.getsignal(number) not in DEFAULTS


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no SIGHUP")
async def test_an_ignored_hang_up_remains_ignored() -> None:
    """A broker that nohup has started serves after its terminal is closed."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stop_signals():
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
