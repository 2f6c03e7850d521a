"""The addresses of clients as quotas and limits compare them: Java's ``InetAddress.equals``.

An IPv6 address has several texts and may have a zone, and an IPv4 address may be mapped to IPv6.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import sys
from collections.abc import Iterator

from broker.security.listeners.java_address import java_address

log = logging.getLogger("antechamber.quotas")

_LOCALHOST = "127.0.0.1"
_HOSTS_FILE = (
    os.path.join(os.environ.get("SYSTEMROOT", ""), "System32", "drivers", "etc", "hosts")
    if sys.platform == "win32"
    else "/etc/hosts"
)


def canonical(address: str) -> str:
    """The text by which an address is compared; ``localhost`` is 127.0.0.1."""
    if ":" in address:
        return java_address(address.partition("%")[0])
    return _LOCALHOST if address == "localhost" else address


def canonical_host(host: str, hosts_file: str = _HOSTS_FILE) -> str | None:
    """The address of a host as `canonical` returns it; None if it is not known.

    A name has its address in the hosts file, an IPv4 address if there is one. Kafka also asks the
    name servers, which the event loop cannot wait for.
    """
    address = canonical(host)
    if _is_numeric(address):
        return address
    return min(_addresses(host, hosts_file), key=lambda each: ":" in each, default=None)


def _is_numeric(address: str) -> bool:
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return False
    return True


def _addresses(host: str, hosts_file: str) -> Iterator[str]:
    """The addresses of a name in the hosts file."""
    try:
        with open(hosts_file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                address, *names = line.partition("#")[0].lower().split() or [""]
                if host.lower() in names:
                    yield canonical(address)
    except OSError as error:
        log.warning("the hosts file %s cannot be read: %s", hosts_file, error.strerror)
