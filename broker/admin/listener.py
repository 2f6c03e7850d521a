"""The address of the admin interface: its socket, its URL, and who may use it."""

from __future__ import annotations

import ssl
from ipaddress import ip_address

from broker.admin.access import AccessRules
from broker.network.listener import listen
from broker.security.admin_tokens import NO_TOKENS, AdminTokens
from broker.security.listeners.hosts import reachable

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class AdminListener:
    """A listening ``socket`` at *host* and *port*, 0: any free port; raises `StartupError`.

    With a *context*, the interface is served over TLS. Addresses other than loopback need *tokens*.
    ``url`` is an address by which this machine reaches it.
    """

    def __init__(
        self,
        host: str,
        port: int,
        tokens: AdminTokens = NO_TOKENS,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.socket = listen("--admin-port", host, port)
        self.context = context
        bound_host, bound_port = self.socket.getsockname()[:2]
        self.rules = access_rules((bound_host, bound_port), tokens)
        scheme = "http" if context is None else "https"
        self.url = f"{scheme}://{_address(reachable(host), bound_port)}"

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()


def access_rules(address: tuple[str, int], tokens: AdminTokens) -> AccessRules:
    """The rules for requests to *address*."""
    host, port = address
    if not ip_address(host.partition("%")[0]).is_loopback:
        return AccessRules(None, tokens)
    return AccessRules(frozenset(_address(name, port) for name in (host, *_LOOPBACK)), tokens)


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
