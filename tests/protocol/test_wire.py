"""Tests of the readers and writers of wire types."""

from __future__ import annotations

import struct
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec_source import CodecSource
from protocol.output import SPLICE_BYTES_MIN, Output
from protocol.schema import Sized
from protocol.string_limits import StringTooLong
from protocol.varints import Malformed
from protocol.wire import (
    Array,
    FixedArray,
    FixedWidth,
    Nullable,
    Read,
    SizedValue,
    Uuids,
    Wire,
    Write,
)

TEXT = Sized("h", text=True)
BYTES = Sized("i")
RECORDS = Sized("i", spliced=True)
BAD = "\N{REPLACEMENT CHARACTER}"


def reader(wire: Wire) -> Read:
    """A function that reads single values of a type."""
    source = CodecSource("read", Wire)
    wire.read(source, "value")
    source.line("return value, pos")
    return source.function()


def writer(wire: Wire) -> Write:
    """A function that writes single values of a type."""
    source = CodecSource("write", Wire)
    wire.write(source, "it")
    return source.function()


def functions(wire: Wire) -> tuple[Read, Write]:
    """The reader and the writer of a type."""
    return reader(wire), writer(wire)


def sized(kind: Sized, nullable: bool, compact: bool) -> Wire:
    """Text or bytes."""
    return SizedValue(kind, nullable=nullable, compact=compact)


def fixed_array(nullable: bool, compact: bool) -> Wire:
    """An array of bytes, read by one `struct` call."""
    return FixedArray("b", nullable=nullable, compact=compact)


def array(nullable: bool, compact: bool) -> Wire:
    """An array of bytes, read one by one."""
    return Array(FixedWidth("b"), nullable=nullable, compact=compact)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("value", [None, 0, 1, 126, 127, 128, 16_383, 100_000])
def test_lengths_are_read_as_they_were_written(compact: bool, value: int | None) -> None:
    """Compact lengths are varints plus one, so zero is null (KIP-482)."""
    read, write = functions(sized(BYTES, True, compact))
    data = None if value is None else bytes(value)
    out = Output()
    write(out, data)

    assert read(memoryview(bytes(out)), 0) == (data, len(out))
    assert len(out) - (value or 0) == 4 or compact


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("value", [None, "", "orders", "Größe 漢字"])
def test_text_is_utf_8_preceded_by_its_length(compact: bool, value: str | None) -> None:
    """The length of a text is its number of bytes, not of characters."""
    read, write = functions(sized(TEXT, True, compact))
    out = Output()
    write(out, value)

    assert read(memoryview(bytes(out)), 0) == (value, len(out))


def test_malformed_text_is_read_as_java_reads_it() -> None:
    """Each malformed sequence becomes one U+FFFD, also an encoded surrogate."""
    read, _ = functions(sized(TEXT, False, True))

    for raw in (b"\x02\xff", b"\x04\xed\xa0\x80"):
        assert read(memoryview(raw), 0) == (BAD, len(raw))


def test_malformed_text_is_not_longer_than_a_string_when_replaced() -> None:
    """A malformed byte becomes three bytes when it is encoded again."""
    read, _ = functions(sized(TEXT, False, False))
    longest = 32767 // 3

    assert read(memoryview(struct.pack(">h", longest) + b"\xff" * longest), 0)[0] == BAD * longest
    with pytest.raises(Malformed, match="exceeds the maximum size"):
        read(memoryview(struct.pack(">h", longest + 1) + b"\xff" * (longest + 1)), 0)


@pytest.mark.parametrize("compact", [False, True])
def test_a_string_has_at_most_32767_bytes(compact: bool) -> None:
    """The limit also applies where the length is a varint, as in Kafka."""
    read, write = functions(sized(TEXT, False, compact))
    out = Output()
    write(out, "x" * 32767)

    assert read(memoryview(bytes(out)), 0) == ("x" * 32767, len(out))
    with pytest.raises(StringTooLong, match="32767"):
        write(Output(), "x" * 32768)


def test_a_longer_compact_string_is_malformed() -> None:
    """A compact string beyond the limit raises Malformed; null, an unsigned 0, does not."""
    out = Output()
    writer(sized(BYTES, True, True))(out, bytes(32768))
    read, _ = functions(sized(TEXT, True, True))

    with pytest.raises(Malformed, match="32768"):
        read(memoryview(bytes(out)), 0)
    with pytest.raises(Malformed, match="2147483647"):
        read(memoryview(b"\x80\x80\x80\x80\x08"), 0)
    assert read(memoryview(b"\xff\xff\xff\xff\x0f"), 0) == (None, 5)


@pytest.mark.parametrize("compact", [False, True])
def test_an_array_beyond_the_end_is_malformed(compact: bool) -> None:
    """An array beyond the end raises Malformed; one that ends at the end does not."""
    head = b"\x05" if compact else b"\0\0\0\x04"
    for wire in (array(True, compact), fixed_array(True, compact)):
        read = reader(wire)
        with pytest.raises(Malformed, match="beyond the end"):
            read(memoryview(head + b"abc"), 0)
        assert read(memoryview(head + b"abcd"), 0)[1] == len(head) + 4


@pytest.mark.parametrize("compact", [False, True])
def test_a_length_beyond_the_end_ends_beyond_it(compact: bool) -> None:
    """The next read raises an error, or the returned position is beyond the end."""
    head = b"\x05" if compact else b"\0\0\0\x04"
    read = reader(sized(BYTES, True, compact))

    assert read(memoryview(head + b"abc"), 0)[1] == len(head) + 4


def test_a_negative_length_is_null() -> None:
    """Every negative length is null, not only -1, as in Kafka's generated classes."""
    for wire in (array(True, False), fixed_array(True, False), sized(BYTES, True, False)):
        read = reader(wire)
        for length in (-1, -2, -(2**31)):
            assert read(memoryview(struct.pack(">i", length)), 0) == (None, 4)


@pytest.mark.parametrize("compact", [False, True])
def test_null_is_refused_where_it_is_not_legal(compact: bool) -> None:
    """Reading an illegal null raises Malformed; writing one raises Python's own exception."""
    for wire in (
        sized(TEXT, False, compact),
        sized(BYTES, False, compact),
        array(False, compact),
        fixed_array(False, compact),
    ):
        read, write = functions(wire)
        with pytest.raises(Malformed, match="null"):
            read(memoryview(b"\0" if compact else b"\xff" * 4), 0)
        with pytest.raises((AttributeError, TypeError), match="None"):
            write(Output(), None)


def test_only_records_are_sent_without_a_copy() -> None:
    """Values other than records are copied, because they may change before they are sent."""
    large = bytes(SPLICE_BYTES_MIN)
    for kind, own in ((BYTES, False), (RECORDS, True)):
        out = Output()
        writer(sized(kind, False, False))(out, large)

        assert any(part is large for part in out.parts()) == own


@given(st.lists(st.integers(-(2**31), 2**31 - 1)), st.booleans())
def test_numbers_are_packed_as_one_by_one(numbers: list[int], compact: bool) -> None:
    """One `struct` call for all numbers gives the same bytes."""
    together, apart = Output(), Output()
    read, write = functions(FixedArray("i", nullable=False, compact=compact))
    write(together, numbers)
    one_by_one = Array(FixedWidth("i"), nullable=False, compact=compact)
    writer(one_by_one)(apart, numbers)

    assert together == apart
    assert read(memoryview(bytes(together)), 0) == (numbers, len(together))


def test_a_uuid_is_sixteen_bytes() -> None:
    """A UUID that is read again is the same object."""
    read, write = functions(Uuids())
    out, value = Output(), UUID("00112233-4455-6677-8899-aabbccddeeff")
    write(out, value)
    buf = memoryview(bytes(out))

    assert bytes(out).hex() == "00112233445566778899aabbccddeeff"
    assert read(buf, 0) == (value, 16)
    assert read(buf, 0)[0] is read(buf, 0)[0]
    with pytest.raises(struct.error):
        read(buf[:15], 0)


def test_the_uuids_kept_are_few() -> None:
    """The UUID cache is limited, so a client with random ids does not fill the memory."""
    read = reader(Uuids())
    first = read(memoryview(bytes(16)), 0)[0]
    for number in range(5000):
        assert read(memoryview(number.to_bytes(16, "big")), 0)[0].int == number

    assert read(memoryview(bytes(16)), 0)[0] is not first


def test_a_struct_may_be_missing() -> None:
    """A byte says whether the struct is present."""
    read, write = functions(Nullable(FixedWidth("h"), null=0xFF))
    out = Output()
    write(out, None)
    write(out, 7)

    assert bytes(out) == b"\xff\x01\x00\x07"
    assert read(memoryview(b"\xff"), 0) == (None, 1)
    assert read(memoryview(b"\x01\x00\x07"), 0) == (7, 3)
