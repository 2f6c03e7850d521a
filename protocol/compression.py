"""The four compression codecs of record batches, by cramjam, with the framing that Kafka uses.

A block is decompressed either as a whole, up to the caller's limit, or in pieces
(`decompressed_pieces`), one of which is in memory at a time. With zstd the only piece is the whole
block, because cramjam decodes it into one buffer; so zstd has a limit of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from enum import IntEnum
from mmap import mmap

from protocol.corrupt_records import CorruptRecords
from protocol.lz4_frame import lz4_blocks

Buffer = bytes | bytearray | memoryview

PIECE_BYTES_MAX = 256 * 1024
ZSTD_BYTES_MAX = 128 * 1024 * 1024


class TooLong(CorruptRecords):
    """A block that decompresses to more than the limit."""


class Codec(IntEnum):
    """The codec of a batch: the low three bits of its attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """Compress *data*; *level* is the codec's own, None its default."""
    return _COMPRESS[Codec(codec)](data, level)


def decompress(codec: int, data: Buffer, limit: int) -> bytes | memoryview:
    """Decompress *data* to at most *limit* bytes; raises `CorruptRecords`."""
    if codec == Codec.ZSTD:
        return _into_buffer(data, limit)
    parts: list[bytes | memoryview] = []
    for part in decompressed_pieces(codec, data, max(1, limit)):
        limit -= len(part)
        if limit < 0:
            raise TooLong(
                f"{Codec(codec).name.lower()}: the block decompresses to more than is allowed"
            )
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def decompressed_pieces(
    codec: int, data: Buffer, piece_max: int = PIECE_BYTES_MAX
) -> Iterator[bytes | memoryview]:
    """Decompress *data* in pieces; raises `CorruptRecords`.

    A piece has at most *piece_max* bytes or, if that is more, the size of a block of the codec's
    framing: at most 4 MB with lz4; with snappy it is limited by the block's length.
    """
    try:
        pieces = _PIECES[codec]
    except KeyError:
        raise CorruptRecords(f"unknown compression codec {codec}") from None
    return pieces(memoryview(data), piece_max)


def decompressed_slices(codec: int, block: memoryview) -> Iterator[bytes | memoryview]:
    """Yield the decompressed *block* (*block* itself without a codec) in slices of limited size.

    Raises `CorruptRecords`.
    """
    for piece in decompressed_pieces(codec, block) if codec else (block,):
        yield from slices(piece)


def slices(data: bytes | memoryview) -> Iterator[bytes | memoryview]:
    """Yield *data* in slices of `PIECE_BYTES_MAX`."""
    for start in range(0, len(data), PIECE_BYTES_MAX):
        yield data[start : start + PIECE_BYTES_MAX]


# --------------------------------------------------------------------------------------- gzip

_GZIP_WBITS = 31
_GZIP_MEMBER = b"\x1f\x8b\x08"  # the method is deflate
_GZIP_HEADER_BYTES = 10
_GZIP_DEFAULT_LEVEL = 6


def _gzip(data: Buffer, level: int | None) -> bytes:
    deflate = zlib.compressobj(
        _GZIP_DEFAULT_LEVEL if level is None else level, zlib.DEFLATED, _GZIP_WBITS
    )
    return deflate.compress(data) + deflate.flush()


# Input of one zlib call: zlib copies what it does not use of this after a member.
_GZIP_INPUT_BYTES = 8 * 1024


def _gunzip(data: memoryview, piece_max: int) -> Iterator[bytes]:
    """Decompress consecutive members; as in Java's GZIPInputStream, other bytes end the block.

    Bytes after a member are recognised as a member by their header only.
    """
    at, end, first = 0, len(data), True
    while first or (data[at : at + 3] == _GZIP_MEMBER and end - at > _GZIP_HEADER_BYTES):
        first = False
        inflate = zlib.decompressobj(_GZIP_WBITS)
        given: Buffer = b""
        while not inflate.eof:
            if not given:
                given = data[at : at + _GZIP_INPUT_BYTES]
                at += len(given)
            try:
                part = inflate.decompress(given, piece_max)
            except zlib.error as error:
                raise CorruptRecords(f"gzip: {error}") from None
            given = inflate.unconsumed_tail
            if part:
                yield part
            elif at == end and not given and not inflate.eof:
                raise CorruptRecords("gzip: the block ends before its end mark")
        at -= len(inflate.unused_data)


# ------------------------------------------------------------------------------------- snappy

# xerial's framing: a 16-byte header, then blocks with their lengths. Java always writes it;
# librdkafka may write one bare block.
_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"
_XERIAL_BLOCK_BYTES = 32 * 1024


def _snappy(data: Buffer, _level: int | None) -> bytes:
    import cramjam  # slow to import, and rarely needed

    view = memoryview(data)
    out = bytearray(_XERIAL_HEADER)
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(view[start : start + _XERIAL_BLOCK_BYTES]))
        out += len(block).to_bytes(4, "big")
        out += block
    return bytes(out)


# The maximum ratio of decompressed to compressed bytes of any element of a snappy block.
_SNAPPY_RATIO_MAX = 22


def _unsnappy(data: memoryview, _piece_max: int) -> Iterator[bytes | memoryview]:
    if data[: len(_XERIAL_MAGIC)] != _XERIAL_MAGIC:
        yield _unsnappy_block(data)
        return
    position = 0
    while len(data) - position >= 4:
        if data[position : position + len(_XERIAL_MAGIC)] == _XERIAL_MAGIC:
            position += len(_XERIAL_HEADER)  # streams may be concatenated
            continue
        start = position + 4
        position = start + int.from_bytes(data[start - 4 : start], "big", signed=True)
        if not start <= position <= len(data):
            raise CorruptRecords("snappy: a block's length is wrong")
        yield _unsnappy_block(data[start:position])


def _unsnappy_block(block: memoryview) -> memoryview:
    import cramjam  # slow to import, and rarely needed

    try:
        size = cramjam.snappy.decompress_raw_len(block)
        if size > _SNAPPY_RATIO_MAX * (len(block) + 1):
            raise CorruptRecords("snappy: a block claims to be longer than it can be")
        out = bytearray(size)
        return memoryview(out)[: cramjam.snappy.decompress_raw_into(block, out)]
    except cramjam.DecompressionError as error:
        raise CorruptRecords(str(error)) from None


# -------------------------------------------------------------------------------- lz4 and zstd


def _lz4(data: Buffer, level: int | None) -> bytes:
    """An LZ4 frame with independent blocks: Kafka's Java reader rejects linked ones."""
    import cramjam  # slow to import, and rarely needed

    compressor = cramjam.lz4.Compressor(level=level, content_checksum=False, block_linked=False)
    compressor.compress(bytes(data))
    return bytes(compressor.finish())


_ZSTD_DEFAULT_LEVEL = 3


def _zstd(data: Buffer, level: int | None) -> bytes:
    import cramjam  # slow to import, and rarely needed

    return bytes(cramjam.zstd.compress(data, _ZSTD_DEFAULT_LEVEL if level is None else level))


def _unzstd(data: memoryview, _piece_max: int) -> Iterator[memoryview]:
    yield _into_buffer(data, ZSTD_BYTES_MAX)


_FIRST_GUESS_BYTES = 16 * 1024
_USUAL_RATIO = 8
# Larger buffers are mapped with the limit's size: untouched pages use no memory.
_GROWN_BYTES_MAX = 1024 * 1024
_BUFFER_FULL = ("failed to write whole buffer", "Destination buffer is too small")


def _into_buffer(data: Buffer, limit: int) -> memoryview:
    """Decompress into a buffer that grows until the block fits or *limit* is reached.

    Only the message of cramjam's error shows that a buffer is too small.
    """
    import cramjam  # slow to import, and rarely needed

    size = min(limit, max(_FIRST_GUESS_BYTES, _USUAL_RATIO * len(data)))
    while True:
        large = size > _GROWN_BYTES_MAX
        size = limit if large else size
        out = mmap(-1, size) if large else bytearray(size)
        try:
            return memoryview(out)[: cramjam.zstd.decompress_into(data, out)]
        except cramjam.DecompressionError as error:
            if not any(text in str(error) for text in _BUFFER_FULL):
                raise CorruptRecords(f"zstd: {error}") from None
            if size >= limit:
                raise _too_long(Codec.ZSTD) from None
        size = min(limit, size * 4)


def _too_long(codec: int) -> TooLong:
    return TooLong(f"{Codec(codec).name.lower()}: the block decompresses to more than is allowed")


def _plain(data: Buffer, _level: int | None) -> bytes:
    return bytes(data)


_COMPRESS: dict[int, Callable[[Buffer, int | None], bytes]] = {
    Codec.NONE: _plain,
    Codec.GZIP: _gzip,
    Codec.SNAPPY: _snappy,
    Codec.LZ4: _lz4,
    Codec.ZSTD: _zstd,
}
_PIECES: dict[int, Callable[[memoryview, int], Iterator[bytes | memoryview]]] = {
    Codec.GZIP: _gunzip,
    Codec.SNAPPY: _unsnappy,
    Codec.LZ4: lz4_blocks,
    Codec.ZSTD: _unzstd,
}
