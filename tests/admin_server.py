"""The broker's own admin interface over facts that a test makes up, in a thread, on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from broker.admin.server import serve_admin
from broker.common.clock import TrioClock
from broker.network.listener import listen
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.facts import FakeFacts


@contextmanager
def serving(facts: FakeFacts, token: str | None = None) -> Iterator[str]:
    """The URL at which *facts* are served."""
    listener = listen("--admin-port", "127.0.0.1", 0)
    url = "http://{}:{}".format(*listener.getsockname()[:2])
    tokens: list[trio.lowlevel.TrioToken] = []
    scope = trio.CancelScope()

    async def main() -> None:
        tokens.append(trio.lowlevel.current_trio_token())
        timer = SystemTimer("admin", now_ms=TrioClock().now_ms)
        with scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(run_reaper, timer)
                await serve_admin(listener, facts, timer, token=token)

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    try:
        yield url
    finally:
        # The listener has been bound since before the thread began: only its loop may be late.
        while not tokens and thread.is_alive():
            thread.join(0.001)
        tokens[0].run_sync_soon(scope.cancel)
        thread.join()
