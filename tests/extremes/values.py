"""The values at the ends of each wire type, as bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple, get_origin

from protocol.schema import Fixed, Sized, Uuid
from tests.extremes.encoder import length
from tests.extremes.places import Place

STRING_SIZES = (0, 32_767, 32_768, 65_536)
_FLOATS = {
    "-max": -1.7976931348623157e308,
    "max": 1.7976931348623157e308,
    "tiny": 1e-300,
    "nan": float("nan"),
    "inf": float("inf"),
}


class Extreme(NamedTuple):
    """A value in words, and its bytes."""

    what: str
    raw: bytes


def extremes(place: Place, unique: str, *, compact: bool) -> Iterator[Extreme]:
    """What to write in *place*; long texts begin with *unique*."""
    hint = place.hint
    if get_origin(hint) is list:
        yield Extreme("null", length(None, "i", compact=compact))
        yield Extreme("empty", length(0, "i", compact=compact))
        return
    match hint:
        case Fixed(format_):
            yield from _numbers(format_)
        case Uuid():
            yield Extreme("zero", bytes(16))
            yield Extreme("ones", b"\xff" * 16)
        case Sized(format_, True):
            yield Extreme("null", length(None, format_, compact=compact))
            for count in STRING_SIZES:
                text = unique.ljust(count, "x")[:count].encode()
                yield Extreme(f"{count} bytes", length(count, format_, compact=compact) + text)
            # Malformed UTF-8 becomes three times as long when it is sent back.
            size = length(32_767, format_, compact=compact)
            yield Extreme("32767 bad bytes", size + b"\xff" * 32_767)
        case Sized(format_, False):
            yield Extreme("null", length(None, format_, compact=compact))
            yield Extreme("empty", length(0, format_, compact=compact))
        case _ if place.nullable:
            yield Extreme("null", b"\xff")


def _numbers(format_: str) -> Iterator[Extreme]:
    if format_ == "d":
        for what, number in _FLOATS.items():
            yield Extreme(what, struct.pack(">d", number))
        return
    size = struct.calcsize(f">{format_}")
    bits = 8 * size
    if format_ == "?":
        ends = (0, 255)
    elif format_.isupper():
        ends = (0, (1 << bits) - 1)
    else:
        ends = (1 << bits - 1, (1 << bits - 1) - 1)  # two's complement
    for what, number in zip(("lowest", "highest"), ends, strict=True):
        yield Extreme(what, number.to_bytes(size, "big"))
