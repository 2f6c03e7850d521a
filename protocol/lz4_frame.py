"""Decompresses the blocks of an LZ4 frame one by one (Kafka's ``Lz4BlockInputStream``).

As in Kafka the blocks must be independent; the checksums of the header and of blocks are verified,
that of the content is not; bytes after the end mark are not read. cramjam decodes whole frames, so
each block is passed to it as a frame of one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from struct import Struct

from protocol.corrupt_records import CorruptRecords

_MAGIC = 0x184D2204
_START = Struct("<IBB")
_SIZE = Struct("<I")
_END_MARK = bytes(4)

_VERSION, _INDEPENDENT, _BLOCK_CHECKSUM = 0x40, 0x20, 0x10
_CONTENT_SIZE, _CONTENT_CHECKSUM, _RESERVED = 0x08, 0x04, 0x03
_VERSION_MASK = 0xC0
_CONTENT_SIZE_BYTES = 8
_CHECKSUM_BYTES = 4
_RATIO_MAX = 256  # no block decompresses to more than this for each of its bytes
_STORED = 0x8000_0000  # in a block's size: it is not compressed
# By the number in the block descriptor, 4 to 7.
_BLOCK_BYTES_MAX = {4: 64 << 10, 5: 256 << 10, 6: 1 << 20, 7: 4 << 20}


def lz4_blocks(data: memoryview, _piece_max: int = 0) -> Iterator[bytes | memoryview]:
    """Yield the content of each block of the frame in *data*; raises `CorruptRecords`."""
    flags, descriptor, at = _header(data)
    block_max = _BLOCK_BYTES_MAX[descriptor >> 4]
    one_block = _frame_header(flags & ~(_CONTENT_SIZE | _CONTENT_CHECKSUM), descriptor)
    checksum_bytes = _CHECKSUM_BYTES if flags & _BLOCK_CHECKSUM else 0
    out = bytearray()
    while True:
        if len(data) - at < _SIZE.size:
            raise CorruptRecords("lz4: the frame ends before its end mark")
        (size,) = _SIZE.unpack_from(data, at)
        stored_bytes = size & ~_STORED
        if not stored_bytes:
            return
        if stored_bytes > block_max:
            raise CorruptRecords(f"lz4: a block of {stored_bytes} bytes exceeds {block_max}")
        end = at + _SIZE.size + stored_bytes + checksum_bytes
        if end > len(data):
            raise CorruptRecords("lz4: the frame ends inside a block")
        if size & _STORED and not checksum_bytes:
            yield data[at + _SIZE.size : end]
        else:
            if len(out) < block_max:
                out = bytearray(min(block_max, _RATIO_MAX * stored_bytes))
            count = _decompress_into(one_block + data[at:end] + _END_MARK, out)
            yield bytes(memoryview(out)[:count])
        at = end


def _header(data: memoryview) -> tuple[int, int, int]:
    """Flags, block descriptor, and where the first block begins."""
    if len(data) <= _START.size:
        raise CorruptRecords("lz4: the block is shorter than a frame's header")
    magic, flags, descriptor = _START.unpack_from(data)
    if magic != _MAGIC:
        raise CorruptRecords("lz4: the block is not a frame")
    if flags & _VERSION_MASK != _VERSION or flags & _RESERVED:
        raise CorruptRecords(f"lz4: unknown flags {flags:#x}")
    if not flags & _INDEPENDENT:
        raise CorruptRecords("lz4: blocks that depend on each other are not supported")
    if descriptor >> 4 not in _BLOCK_BYTES_MAX or descriptor & 0x0F:
        raise CorruptRecords(f"lz4: unknown block descriptor {descriptor:#x}")
    at = _START.size + (_CONTENT_SIZE_BYTES if flags & _CONTENT_SIZE else 0)
    if at >= len(data) or data[at] != _header_checksum(bytes(data[4:at])):
        raise CorruptRecords("lz4: the checksum of the frame's header is wrong")
    return flags, descriptor, at + 1


def _frame_header(flags: int, descriptor: int) -> bytes:
    start = _START.pack(_MAGIC, flags, descriptor)
    return start + bytes((_header_checksum(start[4:]),))


def _decompress_into(frame: bytes, out: bytearray) -> int:
    import cramjam  # slow to import, and rarely needed

    try:
        return int(cramjam.lz4.decompress_into(frame, out))
    except cramjam.DecompressionError as error:
        raise CorruptRecords(f"lz4: {error}") from None


@lru_cache(maxsize=64)  # most frames have one of a few headers
def _header_checksum(descriptor: bytes) -> int:
    """The second byte of the descriptor's XXH32, whose seed is 0."""
    return xxh32(descriptor) >> 8 & 0xFF


_PRIME_1, _PRIME_2, _PRIME_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_PRIME_4, _PRIME_5 = 0x27D4EB2F, 0x165667B1
_32_BITS = 0xFFFF_FFFF


def xxh32(data: bytes) -> int:
    """XXH32 with seed 0 of fewer than 16 bytes; a header is never longer."""
    assert len(data) < 16
    digest = _PRIME_5 + len(data)
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        digest = digest + int.from_bytes(data[at : at + 4], "little") * _PRIME_3 & _32_BITS
        digest = _rotated(digest, 17) * _PRIME_4 & _32_BITS
    for byte in data[whole:]:
        digest = digest + byte * _PRIME_5 & _32_BITS
        digest = _rotated(digest, 11) * _PRIME_1 & _32_BITS
    digest = (digest ^ digest >> 15) * _PRIME_2 & _32_BITS
    digest = (digest ^ digest >> 13) * _PRIME_3 & _32_BITS
    return digest ^ digest >> 16


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> 32 - bits) & _32_BITS
