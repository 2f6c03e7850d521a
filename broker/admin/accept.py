"""Accepts connections to the admin interface, which is loaded for the first one.

The interface is eighty modules, and many brokers get no connection to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from broker.admin.listener import AdminListener
from broker.process.descriptors import OVERLOADED
from purgatories.on_error import OnError

# New connections wait in the backlog while the process has no free descriptor.
_OVERLOAD_PAUSE_S = 0.1

# Serves one connection until it is closed.
Serve = Callable[[trio.SocketStream], Awaitable[None]]


async def accept_connections(
    listener: AdminListener, load: Callable[[], Awaitable[Serve]], on_error: OnError
) -> None:
    """Accept connections until cancelled, and serve each by the function that *load* returns.

    *on_error* receives an exception of *load*. The connection is then closed, and the next one
    loads again.
    """
    accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener.socket))
    serve: Serve | None = None
    async with accepting, trio.open_nursery() as nursery:
        while True:
            try:
                stream = await accepting.accept()
            except OSError as error:
                if error.errno in OVERLOADED:
                    await trio.sleep(_OVERLOAD_PAUSE_S)
            else:
                if serve is None:
                    try:
                        serve = await load()
                    except Exception as error:
                        await trio.aclose_forcefully(stream)
                        on_error("loading the admin interface", error)
                        continue
                nursery.start_soon(serve, stream)
