"""Parts of English sentences: names, clients, counts and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TIMES = ("never", "once", "twice", "three times", "four times", "five times")
_PARTITIONS_MAX = 3
_ANONYMOUS = "User:ANONYMOUS"


def name(partition: Mapping[str, Any]) -> str:
    """The name of a partition, such as ``orders-0``; that of its topic if the number is missing."""
    topic, number = partition.get("topic"), partition.get("partition")
    if topic is None:
        return "a partition"
    return str(topic) if number is None else f"{topic}-{number}"


def client(client_id: str | None) -> str:
    """The client by its id: ``client reader``."""
    return f"client {client_id}" if client_id else "a client without an id"


def authenticated(request: Mapping[str, Any]) -> str:
    """What follows a client's id: `` (User:alice, listener SASL_SSL)``; empty if it is anonymous.

    Records of older brokers have neither principal nor listener.
    """
    principal, listener = request.get("principal"), request.get("listener")
    if principal in (None, _ANONYMOUS):
        return ""
    return f" ({principal})" if listener is None else f" ({principal}, listener {listener})"


def times(count: int) -> str:
    """How often something happened: ``twice``."""
    return _TIMES[count] if count < len(_TIMES) else f"{count:,} times"


def were(count: int) -> str:
    """The verb after a number of things: ``was`` or ``were``."""
    return "was" if count == 1 else "were"


def counted(count: int, unit: str) -> str:
    """A number of things: ``1 byte``, ``1,204 bytes``."""
    return f"{count:,} {unit}" + ("" if count == 1 else "s")


def some(words: Sequence[str]) -> str:
    """A list of the first three, and the number of the others."""
    more = len(words) - _PARTITIONS_MAX
    shown = list(words[:_PARTITIONS_MAX])
    return listed([*shown, f"{more} more"] if more > 0 else shown)


def listed(words: Sequence[str]) -> str:
    """A list: ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
