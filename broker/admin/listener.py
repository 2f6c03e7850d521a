"""The address of the admin interface: its socket, its URL, and the tokens of its clients."""

from __future__ import annotations

import ssl

from broker.network.listeners.listening_socket import listen
from broker.security.admin_tokens import NO_TOKENS, AdminTokens
from broker.security.listeners.hosts import host_and_port, reachable


class AdminListener:
    """A listening ``socket`` at *host* and *port*, 0: any free port; raises `StartupError`.

    With a *context*, the interface is served over TLS. Addresses other than loopback need *tokens*.
    ``address`` is where it is bound, and ``url`` how this machine reaches it.
    """

    def __init__(
        self,
        host: str,
        port: int,
        tokens: AdminTokens = NO_TOKENS,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.socket = listen("--admin-port", host, port, of_host="--admin-host")
        self.tokens = tokens
        self.context = context
        self.address: tuple[str, int] = self.socket.getsockname()[:2]
        scheme = "http" if context is None else "https"
        self.url = f"{scheme}://{host_and_port(reachable(host), self.address[1])}"

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()
