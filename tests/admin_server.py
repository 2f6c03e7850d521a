"""The broker's own admin interface over facts that a test makes up, in a thread, on loopback."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from broker.admin.accept import Serve, accept_connections
from broker.admin.http import raise_error
from broker.admin.listener import AdminListener
from broker.admin.server import AdminServer
from broker.common.clock import TrioClock
from broker.security.admin_tokens import NO_TOKENS, AdminTokens
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.facts import FakeFacts


@contextmanager
def serving(
    facts: FakeFacts,
    tokens: AdminTokens = NO_TOKENS,
    context: ssl.SSLContext | None = None,
) -> Iterator[str]:
    """The URL at which *facts* are served; with a *context*, over TLS."""
    listener = AdminListener("127.0.0.1", 0, tokens, context)
    started: list[trio.lowlevel.TrioToken] = []
    scope = trio.CancelScope()

    async def main() -> None:
        started.append(trio.lowlevel.current_trio_token())
        timer = SystemTimer("admin", now_ms=TrioClock().now_ms)
        server = AdminServer(listener, facts, timer)

        async def load() -> Serve:
            return server.serve

        with scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(run_reaper, timer)
                await accept_connections(listener, load, raise_error)

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    try:
        yield listener.url
    finally:
        # The listener has been bound since before the thread began: only its loop may be late.
        while not started and thread.is_alive():
            thread.join(0.001)
        started[0].run_sync_soon(scope.cancel)
        thread.join()
