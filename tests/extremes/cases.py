"""Every API and version with each of its values at each end of its type."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

from protocol.schema import Sized
from tests.extremes.encoder import encode_with
from tests.extremes.places import Place, places
from tests.extremes.valid_requests import World, valid_requests
from tests.extremes.values import extremes

CORRELATION_ID = 7
_CLIENT_ID = Place(("client id",), Sized("h", text=True), nullable=True)


class Case(NamedTuple):
    """A request with one extreme value: what it is, and its header and body."""

    name: str
    version: int
    what: str
    frame: bytes


def cases(cls: Any, version: int, topic: str, topic_id: UUID) -> Iterator[Case]:
    """All cases of an API in a version, with a topic that is there."""
    numbers = count(1)
    compact = version >= cls.__spec__.flexible
    shapes = len(list(valid_requests(cls, version, World(topic, topic_id, "x"))))
    for shape in range(shapes):
        request = _request(cls, version, shape, World(topic, topic_id, "x"))
        for place in (_CLIENT_ID, *places(request, version)):
            in_header = place is _CLIENT_ID
            for what, _ in extremes(place, "x", compact=compact and not in_header):
                unique = f"api{cls.__spec__.key}-v{version}-{next(numbers)}"
                request = _request(cls, version, shape, World(topic, topic_id, unique))
                values = dict(extremes(place, unique, compact=compact and not in_header))
                raw = values[what]
                name = f"{cls.__name__} v{version} {shape} {place} {what}"
                head = struct.pack(">hhi", cls.__spec__.key, version, CORRELATION_ID)
                head += raw if in_header else b"\0\1c"
                head += b"\0" if compact else b""
                body = encode_with(request, version, place.path, raw)
                yield Case(name, version, what, head + body)


def _request(cls: Any, version: int, shape: int, world: World) -> Any:
    return list(valid_requests(cls, version, world))[shape]
