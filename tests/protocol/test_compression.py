"""Tests of the four compression codecs."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka import codec as kafka_python

from protocol.compression import Codec, compress, decompress, decompressed_pieces
from protocol.corrupt_records import CorruptRecords

LIMIT = 1 << 20
CODECS = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]
TEXT = b"the quick brown fox " * 5000

ENCODE: dict[Codec, Callable[[bytes], bytes]] = {
    Codec.GZIP: kafka_python.gzip_encode,
    Codec.SNAPPY: kafka_python.snappy_encode,
    Codec.LZ4: kafka_python.lz4_encode,
    Codec.ZSTD: kafka_python.zstd_encode,
}
DECODE: dict[Codec, Callable[[bytes], bytes]] = {
    Codec.GZIP: kafka_python.gzip_decode,
    Codec.SNAPPY: kafka_python.snappy_decode,
    Codec.LZ4: kafka_python.lz4_decode,
    Codec.ZSTD: kafka_python.zstd_decode,
}


@pytest.mark.parametrize("codec", CODECS)
@given(data=st.binary(max_size=2000))
def test_compressed_data_is_decompressed(codec: Codec, data: bytes) -> None:
    """Decompression returns the compressed data, also if that is empty."""
    assert bytes(decompress(codec, compress(codec, data), LIMIT)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_kafka_python_reads_what_we_write(codec: Codec) -> None:
    """The framing of each codec is the one that clients use."""
    assert DECODE[codec](compress(codec, TEXT)) == TEXT


@pytest.mark.parametrize("codec", CODECS)
def test_we_read_what_kafka_python_writes(codec: Codec) -> None:
    """kafka-python's blocks are decompressed, also from a view into a batch."""
    assert bytes(decompress(codec, memoryview(ENCODE[codec](TEXT)), LIMIT)) == TEXT


def test_snappy_without_framing_is_read() -> None:
    """A bare snappy block, as librdkafka writes it, is decompressed."""
    bare = kafka_python.snappy_encode(TEXT, xerial_compatible=False)
    assert decompress(Codec.SNAPPY, bare, LIMIT) == TEXT


def test_gzip_members_follow_each_other() -> None:
    """All members are decompressed, and other bytes at the end are ignored, as in Java."""
    data = gzip.compress(b"one ") + gzip.compress(b"two") + b"padding"
    assert decompress(Codec.GZIP, data, LIMIT) == b"one two"


def test_no_compression_is_a_codec_too() -> None:
    """The codec NONE returns the data unchanged."""
    assert compress(Codec.NONE, memoryview(b"abc")) == b"abc"


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4, Codec.ZSTD])
def test_levels_are_passed_on(codec: Codec) -> None:
    """The content is the same at every level."""
    assert bytes(decompress(codec, compress(codec, TEXT, 1), LIMIT)) == TEXT


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_beyond_the_limit_is_corrupt(codec: Codec) -> None:
    """A small block that decompresses to more than the limit is refused."""
    bomb = compress(codec, bytes(LIMIT + 1))
    assert bytes(decompress(codec, bomb, LIMIT + 1)) == bytes(LIMIT + 1)
    with pytest.raises(CorruptRecords, match="more than is allowed"):
        decompress(codec, bomb, LIMIT)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("data", [b"", b"\xff", b"not compressed at all"])
def test_bytes_that_are_no_block_are_corrupt(codec: Codec, data: bytes) -> None:
    """Each codec's error is raised as CorruptRecords."""
    with pytest.raises(CorruptRecords):
        decompress(codec, data, LIMIT)


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_cut_short_is_corrupt(codec: Codec) -> None:
    """A truncated block raises CorruptRecords."""
    with pytest.raises(CorruptRecords):
        decompress(codec, compress(codec, TEXT)[:-5], LIMIT)


@pytest.mark.parametrize("length", [-1, 10_000])
def test_a_false_snappy_block_length_is_corrupt(length: int) -> None:
    """A negative length and one beyond the end raise CorruptRecords."""
    framed = bytearray(compress(Codec.SNAPPY, TEXT))
    framed[16:20] = length.to_bytes(4, "big", signed=True)
    with pytest.raises(CorruptRecords, match="snappy"):
        decompress(Codec.SNAPPY, framed, LIMIT)


@pytest.mark.parametrize("codec", [0, 5, 7])
def test_an_unknown_codec_is_corrupt(codec: int) -> None:
    """Numbers without a codec raise CorruptRecords; the attributes have three bits."""
    with pytest.raises(CorruptRecords, match="unknown"):
        decompress(codec, b"", LIMIT)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_pieces_are_the_block(codec: Codec) -> None:
    """The pieces form the block; none is much larger than the given maximum."""
    plain = bytes(3_000_000)
    pieces = [bytes(each) for each in decompressed_pieces(codec, compress(codec, plain), 50_000)]
    assert b"".join(pieces) == plain
    assert max(map(len, pieces)) <= max(50_000, 4 << 20 if codec is Codec.LZ4 else 32 * 1024)


def test_many_empty_gzip_members_are_read_in_linear_time() -> None:
    """The bytes after a member are not copied for each member: zlib gets small inputs."""
    member = gzip.compress(b"")
    given: list[int] = []

    class Counting:
        """Counts the bytes that zlib is given."""

        def __init__(self, wbits: int) -> None:
            self._inflate = zlib.decompressobj(wbits)

        def __getattr__(self, name: str) -> object:
            return getattr(self._inflate, name)

        def decompress(self, data: bytes, most: int) -> bytes:
            given.append(len(data))
            return self._inflate.decompress(data, most)

    with patch("protocol.compression.zlib") as patched:
        patched.decompressobj, patched.error = Counting, zlib.error
        pieces = list(decompressed_pieces(Codec.GZIP, member * 2000 + gzip.compress(b"end")))

    assert pieces == [b"end"]
    assert max(given) <= 8192


def test_a_snappy_length_that_cannot_be_is_corrupt_before_memory_is_taken() -> None:
    """A header may claim 4 GB; no block decompresses to more than 22 times its size."""
    claims = b"\xff\xff\xff\xff\x0f" + bytes(100)
    with pytest.raises(CorruptRecords, match="longer than it can be"):
        decompress(Codec.SNAPPY, claims, 1 << 40)


def test_a_snappy_block_of_the_largest_ratio_is_read() -> None:
    """A repeated byte gives the largest ratio and is decompressed."""
    plain = bytes(1 << 20)
    bare = kafka_python.snappy_encode(plain, xerial_compatible=False)
    assert len(plain) / len(bare) > 20
    assert decompress(Codec.SNAPPY, bare, len(plain)) == plain


@pytest.mark.parametrize("rest", [b"\x1f\x8b", b"\x1f\x8b" + b"\xff" * 60, bytes(50)])
def test_what_follows_a_gzip_member_without_a_header_is_not_read(rest: bytes) -> None:
    """Bytes after a member are ignored, as in Java, also if they begin like a header."""
    assert decompress(Codec.GZIP, gzip.compress(TEXT) + rest, LIMIT) == TEXT


def test_a_gzip_member_that_is_damaged_is_corrupt() -> None:
    """A damaged member raises CorruptRecords, whether it is the first or a later one."""
    member = bytearray(gzip.compress(TEXT))
    member[20:40] = b"\xff" * 20
    with pytest.raises(CorruptRecords):
        decompress(Codec.GZIP, gzip.compress(b"one") + member, LIMIT)


def test_snappy_streams_follow_each_other() -> None:
    """Concatenated streams are decompressed; fewer than four final bytes are ignored."""
    streams = compress(Codec.SNAPPY, b"one ") + compress(Codec.SNAPPY, b"two") + b"\0\0"
    assert decompress(Codec.SNAPPY, streams, LIMIT) == b"one two"
