"""Tests of structs, with and without tagged fields."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.codec import Malformed, decode, encode
from protocol.codec_source import CodecSource
from protocol.schema import int8, int16, int32, message, since, string, struct
from protocol.structs import struct_reader
from protocol.tagged_fields import TAGS_PER_STRUCT_MAX
from protocol.varints import write_uvarint


@message(99, versions=(0, 2), flexible=1)
class Example:
    """A field of variable size between fields of fixed width, and tagged fields."""

    a: int8
    b: int16
    text: string
    c: int32 = 0
    later: int32 = since(2, default=-1)
    tags: list[int8] = since(1, tag=0, factory=list)
    part: Part | None = since(1, tag=1, default=None)


@struct
class Part:
    """Fields of fixed width only."""

    x: int8
    y: int8 = 5


CLASSIC = b"\x01\x00\x02\x00\x01t\x00\x00\x00\x03"
FLEXIBLE = b"\x01\x00\x02\x02t\x00\x00\x00\x03"


def test_fields_are_in_the_order_of_the_class() -> None:
    """Adjacent fields of fixed width have the same bytes as single ones."""
    assert encode(Example(a=1, b=2, text="t", c=3), 0) == CLASSIC
    assert decode(Example, 0, CLASSIC) == Example(a=1, b=2, text="t", c=3)


def test_a_flexible_struct_ends_with_its_tagged_fields() -> None:
    """A zero byte if there are none, else their number, and tag, size and value of each."""
    plain = Example(a=1, b=2, text="t", c=3)
    tagged = Example(a=1, b=2, text="t", c=3, tags=[8], part=Part(x=9))

    assert encode(plain, 1) == FLEXIBLE + b"\x00"
    assert encode(tagged, 1) == FLEXIBLE + b"\x02" + b"\x00\x02\x02\x08" + b"\x01\x03\x09\x05\x00"
    for message_ in (plain, tagged):
        assert decode(Example, 1, encode(message_, 1)) == message_


def test_a_tagged_field_with_its_default_is_not_sent() -> None:
    """A tagged field equal to its default is absent, also if another one is sent."""
    raw = encode(Example(a=1, b=2, text="t", c=3, tags=[], part=Part(x=9)), 1)

    assert raw == FLEXIBLE + b"\x01" + b"\x01\x03\x09\x05\x00"


@pytest.mark.parametrize("count", [126, 127, 20_000])
def test_a_large_tagged_field_has_a_size_of_several_bytes(count: int) -> None:
    """The field after it follows its last byte."""
    sent = Example(a=1, b=2, text="t", c=3, tags=[8] * count, part=Part(x=9))
    length = bytearray()
    write_uvarint(length, count + 1)
    size = bytearray()
    write_uvarint(size, len(length) + count)

    field = b"\x00" + size + length + b"\x08" * count
    assert encode(sent, 1) == FLEXIBLE + b"\x02" + field + b"\x01\x03\x09\x05\x00"
    assert decode(Example, 1, encode(sent, 1)) == sent


def test_absent_fields_are_never_shared() -> None:
    """Each object has its own empty list."""
    one, other = decode(Example, 0, CLASSIC), decode(Example, 0, CLASSIC)

    assert one.tags == []
    assert one.tags is not other.tags


def test_unknown_tagged_fields_are_skipped() -> None:
    """Unknown tagged fields before and after known ones are skipped, in any struct."""
    tags = b"\x03" + b"\x01\x06\x09\x05\x01\x07\x01z" + b"\x02\x03abc" + b"\x63\x00"

    assert decode(Example, 1, FLEXIBLE + tags).part == Part(x=9)


@pytest.mark.parametrize(
    ("tags", "tail"),
    [
        (b"\x03\x63\x00" + b"\x01\x03\x07\x07\x00" + b"\x00\x02\x02\x08", b""),  # in any order
        (b"\x02" + b"\x00\x02\x02\x09" + b"\x00\x02\x02\x08", b""),  # the last of two is used
        (b"\x01\x00\x01\x02\x08", b""),  # longer than its size
        (b"\x01\x00\x03\x02\x08", b"\x08"),  # shorter than its size, which is not skipped
        (b"\x01\x00\x7f\x02\x08", b""),  # a size beyond the end
        (b"\x01\x00\xff\xff\xff\xff\x0f\x02\x08", b""),  # a size below zero
    ],
)
def test_a_known_tagged_field_is_read_whatever_its_size_says(tags: bytes, tail: bytes) -> None:
    """The size is only used to skip unknown fields, as in Kafka."""
    assert decode(Example, 1, FLEXIBLE + tags + tail).tags == [8]


# The varint of the first count that is refused.
MANY_TAGS = b"\x80\x01"


@pytest.mark.parametrize("tag", [b"\x01\x03\x09\x05\x00", b"\x64\x00"], ids=["known", "unknown"])
def test_the_number_of_tagged_fields_is_limited(tag: bytes) -> None:
    """Also of a repeated one: millions of them would be read in one step."""
    most = TAGS_PER_STRUCT_MAX

    decode(Example, 1, FLEXIBLE + bytes([most]) + tag * most)
    with pytest.raises(Malformed, match=f"more than {most} tagged fields"):
        decode(Example, 1, FLEXIBLE + MANY_TAGS + tag * (most + 1))


def test_a_negative_number_of_tagged_fields_is_none() -> None:
    """A negative number of tagged fields is read as 0."""
    assert decode(Example, 1, FLEXIBLE + b"\xff\xff\xff\xff\x0f\x00\x02\x02\x08").tags == []


@pytest.mark.parametrize(
    "tags",
    [
        b"",
        b"\x01",
        b"\x01\x63\x7f",  # an unknown field extends beyond the end
        b"\x01\x63\xff\xff\xff\xff\x0f",  # and one is of a negative size
        b"\x01\x00\x02\x03\x08",  # an array of two in two bytes
        b"\x01\x00\x01\x00",  # null
        b"\x02\x00\x02\x02\x08",  # one of two
        b"\xff\xff\xff\xff\x07",  # two billion
    ],
)
def test_tagged_fields_that_are_not_there_are_malformed(tags: bytes) -> None:
    """Numbers, sizes and values are checked against the available bytes."""
    with pytest.raises(Malformed):
        decode(Example, 1, FLEXIBLE + tags)


def test_a_field_that_came_later_needs_a_default() -> None:
    """A field without a default could not be set in versions that do not have it."""

    @struct
    class Careless:
        old: int8
        new: int8 = since(1)

    cls: Any = Careless
    with pytest.raises(AssertionError, match="needs a default"):
        struct_reader(CodecSource("read", cls), cls, [], None)
