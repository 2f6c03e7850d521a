"""Faults of the requests between nodes.

stall                   all requests on their present connections to the node wait   unstall
hold marker request     the next markers that are sent to the node wait              release markers
hold marker response    the node's response to the next markers waits                release markers
delay marker request    the next markers arrive when their sender has repeated them
lose marker request     the connection breaks when the next markers are sent to the node
lose marker response    it breaks when the node has processed them and responds

The same with ``addition``: requests that add partitions to transactions, or verify them. A sender
whose request waits connects again after ``request.timeout.ms`` and repeats it, so the first one
arrives late.
"""

from __future__ import annotations

from tests.simulation.network import SlowNetwork, SlowTransport

# WriteTxnMarkers and AddPartitionsToTxn.
_API_KEYS = {"marker": 27, "addition": 24}


# Later than ``request.timeout.ms`` in runs with transactions, and a new connection.
_LATE_MS = 1300


def _delay(link: SlowTransport) -> None:
    link.stall()
    link.network.delays.after(_LATE_MS, link.unstall)


def _break_response(link: SlowTransport) -> None:
    link.other.breaks_at_next_send = True


_FAULTS = {
    ("hold", "request"): SlowTransport.stall,
    ("hold", "response"): lambda link: link.other.stall(),
    ("delay", "request"): _delay,
    ("lose", "request"): SlowTransport.cut,
    ("lose", "response"): _break_response,
}
REQUEST_FAULTS = (
    {"stall", "unstall"}
    | {f"{verb} {name} {direction}" for verb, direction in _FAULTS for name in _API_KEYS}
    | {f"release {name}s" for name in _API_KEYS}
)


def apply_request_fault(network: SlowNetwork, kind: str, port: int) -> None:
    """Apply one of `REQUEST_FAULTS` to requests of nodes to that port."""
    if kind in ("stall", "unstall"):
        getattr(network, kind)(port)
        return
    verb, name, *rest = kind.split()
    api_key = _API_KEYS[name.removesuffix("s")]
    if verb == "release":
        network.release_requests(port, api_key)
    else:
        [direction] = rest
        network.fail_next_request(port, api_key, _FAULTS[verb, direction])
