"""Decodes and encodes large messages in slices: generators that yield between the items of arrays.

The functions are compiled from the same source as those of `protocol.codec`, with a yield after
every few items. Small messages are decoded in one call: the yields would add a tenth to its time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cache
from struct import error as struct_error
from typing import Any, cast

from protocol.codec import DOES_NOT_FIT, coded, decode, encode_into, is_flexible, unencodable
from protocol.codec_source import CodecSource
from protocol.output import Output
from protocol.structs import struct_reader, struct_writer
from protocol.varints import Malformed
from protocol.wire import has_items

Reader = Callable[[memoryview, int], Generator[int, None, tuple[Any, int]]]
Writer = Callable[[Output, Any], Generator[None, None, None]]


def decode_slices(
    cls: Any, version: int, buf: memoryview, *, items_max: int
) -> Generator[None, None, Any]:
    """Decode a message as `protocol.codec.decode` does; the generator returns it.

    Raises `Malformed`, also if all arrays together have more than *items_max* items.
    """
    read = _reader(cls, version)
    if read is None:
        return decode(cls, version, buf)
    reading, items = read(buf, 0), 0
    while True:
        try:
            items += next(reading)
        except StopIteration as end:
            value, pos = end.value
            break
        except (IndexError, struct_error) as error:
            raise Malformed(str(error)) from None
        if items > items_max:
            raise Malformed(f"more than {items_max} items in the arrays of one request")
        yield
    if pos > len(buf):
        raise Malformed("a value extends beyond the end")
    return value


def encode_item(cls: Any, version: int, value: Any) -> Generator[None, None, bytes]:
    """Encode a struct as it is nested in a message *cls*; the generator returns the bytes.

    They are for a field of type `protocol.schema.encoded`. Raises `Unencodable` as
    `protocol.codec.encode_into`.
    """
    out = Output()
    yield from encode_slices(out, value, version, message=cls)
    return bytes(out)


def encode_slices(
    out: Output, value: Any, version: int, *, message: Any = None
) -> Generator[None, None, None]:
    """Append a message to *out*, or a struct with arrays that is nested in the class *message*.

    Raises `Unencodable` as `protocol.codec.encode_into`.
    """
    cls: Any = type(value)
    write = _writer(cls, version, is_flexible(message or cls, version))
    if write is None:
        encode_into(out, value, version)
        return
    try:
        yield from write(out, value)
    except DOES_NOT_FIT as error:
        raise unencodable(cls, version, error) from error


@cache
def _reader(cls: Any, version: int) -> Reader | None:
    """The sliced reader of a message; None if it has no arrays."""
    plain, tagged = coded(cls, version, is_flexible(cls, version))
    if not has_items(each.wire for each in plain):
        return None
    return cast("Reader", struct_reader(CodecSource("read", cls, sliced=True), cls, plain, tagged))


@cache
def _writer(cls: Any, version: int, is_compact: bool) -> Writer | None:
    """The sliced writer of a message or a struct; None if it has no arrays."""
    plain, tagged = coded(cls, version, is_compact)
    if not has_items((each.wire for each in plain), fixed=False):
        return None
    return cast("Writer", struct_writer(CodecSource("write", cls, sliced=True), plain, tagged))
