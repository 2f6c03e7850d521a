"""Work beside the loop: `broker.storage.background`."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import trio

from broker.storage.background import Background, Inline, Threads, background

pytestmark = pytest.mark.anyio


def fail() -> None:
    raise OSError(5, "Input/output error")


async def done(start: Callable[[Background, Callable[[], None]], None], where: Background) -> None:
    """Start something, and wait until it has told its end."""
    ended = trio.Event()
    start(where, ended.set)
    await ended.wait()


async def test_a_thread_works_and_the_loop_is_told() -> None:
    """What follows runs where the logs are."""
    threads: list[int] = []

    def start(where: Background, end: Callable[[], None]) -> None:
        def then(error: OSError | None) -> None:
            assert error is None
            threads.append(threading.get_ident())
            end()

        where.run(lambda: threads.append(threading.get_ident()), then)

    await done(start, background())
    worker, told = threads
    assert worker != told == threading.get_ident()


async def test_a_failure_in_a_thread_is_told() -> None:
    """It does not end the process."""
    errors: list[OSError | None] = []

    def start(where: Background, end: Callable[[], None]) -> None:
        def then(error: OSError | None) -> None:
            errors.append(error)
            end()

        where.run(fail, then)

    await done(start, Threads())
    assert [error and error.errno for error in errors] == [5]


async def test_soon_is_not_now() -> None:
    """Whoever is at work finishes first."""
    order: list[str] = []

    def start(where: Background, end: Callable[[], None]) -> None:
        def action() -> None:
            order.append("soon")
            end()

        where.soon(action)
        order.append("now")

    await done(start, Threads())
    assert order == ["now", "soon"]


def test_without_a_loop_everything_is_done_at_once() -> None:
    """In tools, and in tests."""
    where = background()
    assert isinstance(where, Inline)
    ends: list[object] = []
    where.run(lambda: ends.append("work"), ends.append)
    where.run(fail, lambda error: ends.append(error and error.errno))
    where.soon(lambda: ends.append("soon"))
    assert ends == ["work", None, 5, "soon"]


async def test_work_that_raises_something_else_has_failed_too() -> None:
    """Whoever waits for it is told of an I/O error; the exception is reported."""
    errors: list[OSError | None] = []
    reported: list[Exception] = []

    def start(where: Background, end: Callable[[], None]) -> None:
        def then(error: OSError | None) -> None:
            errors.append(error)
            end()

        where.run(lambda: 1 // 0, then)  # type: ignore[arg-type]  # it returns nothing

    await done(start, Threads(lambda _what, error: reported.append(error)))
    assert [str(error) for error in errors] == [
        "[Errno 5] ZeroDivisionError: integer division or modulo by zero"
    ]
    assert [type(error) for error in reported] == [ZeroDivisionError]


async def test_what_follows_work_may_raise() -> None:
    """It is reported, and other work goes on."""
    reported: list[Exception] = []
    where = Threads(lambda _what, error: reported.append(error))

    def then(_error: OSError | None = None) -> None:
        raise ZeroDivisionError

    where.run(int, then)  # type: ignore[arg-type]  # it returns nothing of interest
    where.soon(then)
    await done(lambda threads, end: threads.run(int, lambda _: end()), where)  # type: ignore[arg-type]  # the same

    while len(reported) < 2:
        await trio.lowlevel.checkpoint()
    assert [type(error) for error in reported] == [ZeroDivisionError] * 2
