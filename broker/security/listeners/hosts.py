"""The hosts at which bound sockets can be reached."""

from __future__ import annotations

import socket

_WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to


def reachable(bind_host: str) -> str:
    """The host at which this machine reaches a socket that is bound to *bind_host*."""
    return "127.0.0.1" if bind_host in _WILDCARDS else bind_host


def host_and_port(host: str, port: int) -> str:
    """An address as clients write it, and as a URL has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def without_brackets(host: str) -> str:
    """The *host* of an option, where an IPv6 address may be in brackets."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def own_host(bind_host: str) -> str:
    """The host that clients are given for a listener without advertised host.

    For all addresses it is the canonical name of this machine, as in Kafka, if it can be resolved.
    """
    if bind_host not in _WILDCARDS:
        return bind_host
    name = socket.getfqdn()
    try:
        socket.getaddrinfo(name, None)
    except (OSError, UnicodeError):
        return reachable(bind_host)
    return name
