"""Listening sockets, which are bound before anything else is started.

So a port that is in use is reported at once.
"""

from __future__ import annotations

import errno
import socket
from typing import Final

from broker.common.errors import StartupError
from broker.network.listeners.address_option import ADDRESS_OPTION

BACKLOG: Final = 4096


def listen(
    what: str, host: str, port: int, *, of_host: str = "", host_by: str = "", port_by: str = ""
) -> socket.socket:
    """A listening socket for *what*; an empty host is all addresses. Raises `StartupError`.

    An error about the host is about *of_host*, by default *what*. *host_by* and *port_by* say how
    another host and another port are given.
    """
    of_host = of_host or what
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise StartupError(
            f"{of_host}: {host!r} cannot be resolved; give an address of this machine{host_by}"
        ) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, ADDRESS_OPTION, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise StartupError(
                f"{of_host}: {host!r} is not an address of this machine; "
                f"give one of its own{host_by}"
            ) from None
        reason = "in use" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
        raise StartupError(
            f"{what}: port {port} on {host or 'all addresses'} is {reason}; "
            f"give a free one{port_by}, or 0 for any"
        ) from None
    listener.setblocking(False)
    return listener
