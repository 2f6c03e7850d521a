"""The four codecs of record batches, by cramjam, framed as Kafka's clients frame them.

Output is bounded: whoever decompresses says how much he is ready to hold, so a small block that
unfolds to gigabytes costs no more than that.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from enum import IntEnum

import cramjam

Buffer = bytes | bytearray | memoryview


class CorruptRecords(ValueError):  # noqa: N818 - it names what the bytes are
    """Bytes that are no record batch, or a compressed block that does not unfold."""


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
    try:
        unfold = _DECOMPRESS[codec]
    except KeyError:
        raise CorruptRecords(f"unknown compression codec {codec}") from None
    return unfold(data, limit)


# --------------------------------------------------------------------------------------- gzip

_GZIP_WBITS = 31
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_DEFAULT_LEVEL = 6


def _gzip(data: Buffer, level: int | None) -> bytes:
    deflate = zlib.compressobj(
        _GZIP_DEFAULT_LEVEL if level is None else level, zlib.DEFLATED, _GZIP_WBITS
    )
    return deflate.compress(data) + deflate.flush()


def _gunzip(data: Buffer, limit: int) -> bytes:
    """One member after the other; as in Java's GZIPInputStream, what is none ends the block."""
    parts: list[bytes] = []
    rest: Buffer = data
    while not parts or rest[: len(_GZIP_MAGIC)] == _GZIP_MAGIC:
        inflate = zlib.decompressobj(_GZIP_WBITS)
        try:
            part = inflate.decompress(rest, limit + 1)
        except zlib.error as error:
            raise CorruptRecords(f"gzip: {error}") from None
        limit -= len(part)
        if limit < 0:
            raise _too_long("gzip")
        if not inflate.eof:
            raise CorruptRecords("gzip: the block ends before its end mark")
        parts.append(part)
        rest = inflate.unused_data
    return parts[0] if len(parts) == 1 else b"".join(parts)


# ------------------------------------------------------------------------------------- snappy

# xerial's framing: a 16-byte header, then blocks with their lengths. Java always writes it;
# librdkafka may write one bare block.
_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"
_XERIAL_BLOCK_BYTES = 32 * 1024


def _snappy(data: Buffer, _level: int | None) -> bytes:
    view = memoryview(data)
    out = bytearray(_XERIAL_HEADER)
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(view[start : start + _XERIAL_BLOCK_BYTES]))
        out += len(block).to_bytes(4, "big")
        out += block
    return bytes(out)


def _unsnappy(data: Buffer, limit: int) -> bytes:
    view = memoryview(data)
    if view[: len(_XERIAL_MAGIC)] != _XERIAL_MAGIC:
        return _unsnappy_block(view, limit)
    parts: list[bytes] = []
    position = len(_XERIAL_HEADER)
    while position < len(view):
        start = position + 4
        position = start + int.from_bytes(view[start - 4 : start], "big", signed=True)
        if not start <= position <= len(view):
            raise CorruptRecords("snappy: a block's length lies")
        part = _unsnappy_block(view[start:position], limit)
        limit -= len(part)
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _unsnappy_block(block: memoryview, limit: int) -> bytes:
    try:
        if cramjam.snappy.decompress_raw_len(block) > limit:
            raise _too_long("snappy")
        return bytes(cramjam.snappy.decompress_raw(block))
    except cramjam.DecompressionError as error:
        raise CorruptRecords(str(error)) from None


# -------------------------------------------------------------------------------- lz4 and zstd


def _lz4(data: Buffer, level: int | None) -> bytes:
    """An LZ4 frame with independent blocks: Kafka's Java reader accepts no linked ones."""
    compressor = cramjam.lz4.Compressor(level=level, content_checksum=False, block_linked=False)
    compressor.compress(bytes(data))
    return bytes(compressor.finish())


def _unlz4(data: Buffer, limit: int) -> memoryview:
    return _into_buffer("lz4", cramjam.lz4.decompress_into, data, limit)


_ZSTD_DEFAULT_LEVEL = 3


def _zstd(data: Buffer, level: int | None) -> bytes:
    return bytes(cramjam.zstd.compress(data, _ZSTD_DEFAULT_LEVEL if level is None else level))


def _unzstd(data: Buffer, limit: int) -> memoryview:
    return _into_buffer("zstd", cramjam.zstd.decompress_into, data, limit)


_FIRST_GUESS_BYTES = 16 * 1024
_USUAL_RATIO = 8
_BUFFER_FULL = ("failed to write whole buffer", "Destination buffer is too small")


def _into_buffer(
    name: str, decompress_into: Callable[[Buffer, bytearray], int], data: Buffer, limit: int
) -> memoryview:
    """Decompress into a buffer that grows until the block fits or *limit* is reached.

    That the buffer is too small, cramjam tells by text only.
    """
    size = min(limit, max(_FIRST_GUESS_BYTES, _USUAL_RATIO * len(data)))
    while True:
        out = bytearray(size)
        try:
            return memoryview(out)[: decompress_into(data, out)]
        except cramjam.DecompressionError as error:
            if not any(text in str(error) for text in _BUFFER_FULL):
                raise CorruptRecords(f"{name}: {error}") from None
            if size >= limit:
                raise _too_long(name) from None
        size = min(limit, size * 4)


def _too_long(name: str) -> CorruptRecords:
    return CorruptRecords(f"{name}: the block unfolds to more than is allowed")


def _plain(data: Buffer, _level: int | None) -> bytes:
    return bytes(data)


_COMPRESS: dict[int, Callable[[Buffer, int | None], bytes]] = {
    Codec.NONE: _plain,
    Codec.GZIP: _gzip,
    Codec.SNAPPY: _snappy,
    Codec.LZ4: _lz4,
    Codec.ZSTD: _zstd,
}
_DECOMPRESS: dict[int, Callable[[Buffer, int], bytes | memoryview]] = {
    Codec.GZIP: _gunzip,
    Codec.SNAPPY: _unsnappy,
    Codec.LZ4: _unlz4,
    Codec.ZSTD: _unzstd,
}
