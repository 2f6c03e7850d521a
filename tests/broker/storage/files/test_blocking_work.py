"""Tests of work in threads: `broker.storage.files.blocking_work`."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import trio

from broker.storage.files.blocking_work import BlockingWork, Inline, Threads, blocking_work

pytestmark = pytest.mark.anyio


def fail() -> None:
    raise OSError(5, "Input/output error")


async def done(
    start: Callable[[BlockingWork, Callable[[], None]], None], where: BlockingWork
) -> None:
    """Start work, and wait until its end has been reported."""
    ended = trio.Event()
    start(where, ended.set)
    await ended.wait()


async def test_work_runs_in_a_thread_and_ends_on_the_loop() -> None:
    """*then* is called in the event loop's thread."""
    threads: list[int] = []

    def start(where: BlockingWork, end: Callable[[], None]) -> None:
        def then(error: OSError | None) -> None:
            assert error is None
            threads.append(threading.get_ident())
            end()

        where.run(lambda: threads.append(threading.get_ident()), then)

    await done(start, blocking_work())
    worker, caller = threads
    assert worker != caller == threading.get_ident()


async def test_an_os_error_in_a_thread_is_passed_on() -> None:
    """It does not end the process."""
    errors: list[OSError | None] = []

    def start(where: BlockingWork, end: Callable[[], None]) -> None:
        def then(error: OSError | None) -> None:
            errors.append(error)
            end()

        where.run(fail, then)

    await done(start, Threads())
    assert [error and error.errno for error in errors] == [5]


async def test_soon_runs_after_the_present_call() -> None:
    """The calling function returns first."""
    order: list[str] = []

    def start(where: BlockingWork, end: Callable[[], None]) -> None:
        def action() -> None:
            order.append("soon")
            end()

        where.soon(action)
        order.append("now")

    await done(start, Threads())
    assert order == ["now", "soon"]


def test_without_a_loop_work_runs_immediately() -> None:
    """As in tools and in tests."""
    where = blocking_work()
    assert isinstance(where, Inline)
    ends: list[object] = []
    where.run(lambda: ends.append("work"), ends.append)
    where.run(fail, lambda error: ends.append(error and error.errno))
    where.soon(lambda: ends.append("soon"))
    assert ends == ["work", None, 5, "soon"]


async def test_another_exception_of_work_is_an_io_error() -> None:
    """The exception is reported, and *then* gets an OSError."""
    errors: list[OSError | None] = []
    reported: list[Exception] = []

    def start(where: BlockingWork, end: Callable[[], None]) -> None:
        def then(error: OSError | None) -> None:
            errors.append(error)
            end()

        def divide() -> None:
            raise ZeroDivisionError("by zero")

        where.run(divide, then)

    await done(start, Threads(lambda _what, error: reported.append(error)))
    assert [str(error) for error in errors] == ["[Errno 5] ZeroDivisionError: by zero"]
    assert [type(error) for error in reported] == [ZeroDivisionError]


async def test_an_exception_of_then_is_reported() -> None:
    """Other work continues."""
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
