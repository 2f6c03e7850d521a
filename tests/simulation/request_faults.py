"""Faults of the requests between nodes.

stall                     all requests on their present connections to the node wait  unstall
hold marker requests      markers on their present connections to the node wait    release markers
hold marker responses     the node's responses to them wait                        release markers
lose marker request       connections break when the next markers are sent to the node
lose marker response      they break when the node has processed them and responds

The same with ``addition``: requests that add partitions to transactions, or verify them. A sender
whose request waits connects again after ``request.timeout.ms``, so a held request arrives late, and
a second time.
"""

from __future__ import annotations

from tests.simulation.network import SlowNetwork, SlowTransport

# WriteTxnMarkers and AddPartitionsToTxn.
_API_KEYS = {
    "marker": 27,
    "addition": 24,
}
REQUEST_FAULTS = (
    {"stall", "unstall"}
    | {
        f"{verb} {name} {direction}"
        for name in _API_KEYS
        for verb, directions in (
            ("hold", ("requests", "responses")),
            ("lose", ("request", "response")),
        )
        for direction in directions
    }
    | {f"release {name}s" for name in _API_KEYS}
)


def apply_request_fault(network: SlowNetwork, kind: str, port: int) -> None:
    """Apply one of `REQUEST_FAULTS` to the connections of nodes to that port."""
    if kind in ("stall", "unstall"):
        getattr(network, kind)(port)
        return
    verb, name, *direction = kind.split()
    for link in network.links_of_nodes(port, _API_KEYS[name.removesuffix("s")]):
        if verb == "release":
            link.unstall()
            link.other.unstall()
            continue
        side: SlowTransport = link if direction[0].startswith("request") else link.other
        if verb == "hold":
            side.stall()
        else:
            side.breaks_at_next_send = True
