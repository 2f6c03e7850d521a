"""The wire's small change."""

from __future__ import annotations

import struct
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.output import SPLICE_BYTES_MIN, Output
from protocol.schema import Sized
from protocol.wire import (
    Malformed,
    array,
    fixed,
    fixed_array,
    length,
    nullable_struct,
    read_uvarint,
    sized,
    uuids,
    write_uvarint,
)

TEXT = Sized("h", text=True)
BYTES = Sized("i")
RECORDS = Sized("i", spliced=True)


@given(st.integers(0, 2**32 - 1))
def test_varints_are_read_as_they_were_written(value: int) -> None:
    """Every 32-bit number takes at most five bytes and comes back."""
    out = Output()
    write_uvarint(out, value)

    assert len(out) <= 5
    assert read_uvarint(memoryview(bytes(out)), 0) == (value, len(out))


@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\x7f"])
def test_a_varint_of_more_than_32_bits_is_malformed(raw: bytes) -> None:
    """A number that never ends, and one that is too large."""
    with pytest.raises(Malformed):
        read_uvarint(memoryview(raw), 0)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("value", [-1, 0, 1, 126, 127, 128, 16_383, 2**31 - 1])
def test_lengths_are_read_as_they_were_written(compact: bool, value: int) -> None:
    """Compact lengths are varints of one more, so that zero is null (KIP-482)."""
    read, write = length("i", compact)
    out = Output()
    write(out, value)

    assert read(memoryview(bytes(out)), 0) == (value, len(out))
    assert len(out) == 4 or compact


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("value", [None, "", "orders", "Größe 漢字"])
def test_text_is_utf_8_behind_its_length(compact: bool, value: str | None) -> None:
    """The length is that of the bytes, not of the characters."""
    read, write = sized(TEXT, nullable=True, compact=compact)
    out = Output()
    write(out, value)

    assert read(memoryview(bytes(out)), 0) == (value, len(out))


def test_text_that_is_no_utf_8_is_refused() -> None:
    """A lone surrogate is none either."""
    read, _ = sized(TEXT, nullable=False, compact=True)

    for raw in (b"\x02\xff", b"\x04\xed\xa0\x80"):
        with pytest.raises(UnicodeDecodeError):
            read(memoryview(raw), 0)


@pytest.mark.parametrize("compact", [False, True])
def test_a_length_beyond_the_end_is_malformed(compact: bool) -> None:
    """Of text, of bytes and of arrays."""
    for fmt, (read, _) in (
        ("h", sized(TEXT, True, compact)),
        ("i", sized(BYTES, True, compact)),
        ("i", array(fixed("b"), True, compact)),
        ("i", fixed_array("b", True, compact)),
    ):
        out = Output()
        length(fmt, compact)[1](out, 4)
        with pytest.raises(Malformed, match="past the end"):
            read(memoryview(bytes(out) + b"abc"), 0)
        assert read(memoryview(bytes(out) + b"abcd"), 0)[1] == len(out) + 4


def test_a_negative_length_is_null_or_malformed() -> None:
    """-1 is null; there is no -2, which only classic lengths can say."""
    for read in (array(fixed("b"), True, False)[0], fixed_array("b", True, False)[0]):
        assert read(memoryview(struct.pack(">i", -1)), 0) == (None, 4)
        with pytest.raises(Malformed, match="-2"):
            read(memoryview(struct.pack(">i", -2)), 0)


@pytest.mark.parametrize("compact", [False, True])
def test_null_is_refused_where_it_is_not_legal(compact: bool) -> None:
    """When read it is the peer's error, when written it is ours."""
    for read, write in (
        sized(TEXT, False, compact),
        sized(BYTES, False, compact),
        array(fixed("b"), False, compact),
        fixed_array("b", False, compact),
    ):
        with pytest.raises(Malformed, match="null"):
            read(memoryview(b"\0" if compact else b"\xff" * 4), 0)
        with pytest.raises(AssertionError, match="null"):
            write(Output(), None)


def test_only_records_are_sent_from_where_they_are() -> None:
    """Other bytes may change before they are sent."""
    large = bytes(SPLICE_BYTES_MIN)
    for kind, own in ((BYTES, False), (RECORDS, True)):
        out = Output()
        sized(kind, False, False)[1](out, large)

        assert any(part is large for part in out.parts()) == own


@given(st.lists(st.integers(-(2**31), 2**31 - 1)), st.booleans())
def test_numbers_lie_in_an_array_as_one_by_one(numbers: list[int], compact: bool) -> None:
    """One `struct` call for all of them gives the same bytes."""
    together, apart = Output(), Output()
    read, write = fixed_array("i", False, compact)
    write(together, numbers)
    array(fixed("i"), False, compact)[1](apart, numbers)

    assert together == apart
    assert read(memoryview(bytes(together)), 0) == (numbers, len(together))


def test_a_uuid_is_sixteen_bytes() -> None:
    """Read again, it is the same object."""
    read, write = uuids()
    out, value = Output(), UUID("00112233-4455-6677-8899-aabbccddeeff")
    write(out, value)
    buf = memoryview(bytes(out))

    assert bytes(out).hex() == "00112233445566778899aabbccddeeff"
    assert read(buf, 0) == (value, 16)
    assert read(buf, 0)[0] is read(buf, 0)[0]
    with pytest.raises(struct.error):
        read(buf[:15], 0)


def test_the_uuids_kept_are_few() -> None:
    """A client that makes up ids does not fill the memory."""
    read, _ = uuids()
    first = read(memoryview(bytes(16)), 0)[0]
    for number in range(5000):
        assert read(memoryview(number.to_bytes(16, "big")), 0)[0].int == number

    assert read(memoryview(bytes(16)), 0)[0] is not first


def test_a_struct_may_be_missing() -> None:
    """One byte tells whether it is there."""
    read, write = nullable_struct(fixed("h"))
    out = Output()
    write(out, None)
    write(out, 7)

    assert bytes(out) == b"\xff\x01\x00\x07"
    assert read(memoryview(b"\xff"), 0) == (None, 1)
    assert read(memoryview(b"\x01\x00\x07"), 0) == (7, 3)
