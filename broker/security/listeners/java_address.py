"""An address as Java writes it (``InetAddress.getHostAddress``), since ACLs compare it as text."""

from __future__ import annotations


def java_address(peer: str) -> str:
    """The text for the numeric address of a peer; any other text is returned unchanged.

    IPv4 is dotted, also if it is mapped into IPv6. IPv6 is not compressed:
    ``::1`` is ``0:0:0:0:0:0:0:1``.
    """
    if ":" not in peer:
        return peer
    import ipaddress  # slow to import, and rarely needed

    address, percent, zone = peer.partition("%")
    try:
        parsed = ipaddress.IPv6Address(address)
    except ValueError:
        return peer
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    number = int(parsed)
    words = (number >> shift & 0xFFFF for shift in range(112, -1, -16))
    return ":".join(f"{word:x}" for word in words) + percent + zone
