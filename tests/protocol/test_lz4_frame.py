"""Tests of the blocks of an LZ4 frame."""

from __future__ import annotations

import random

import lz4.frame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.corrupt_records import CorruptRecords
from protocol.lz4_frame import lz4_blocks, xxh32

BLOCK_SIZES = [
    lz4.frame.BLOCKSIZE_MAX64KB,
    lz4.frame.BLOCKSIZE_MAX256KB,
    lz4.frame.BLOCKSIZE_MAX1MB,
    lz4.frame.BLOCKSIZE_MAX4MB,
]
TEXT = b"the quick brown fox " * 20_000


def frame(data: bytes = TEXT, **options: object) -> bytes:
    """A frame with independent blocks, by the reference library."""
    written: bytes = lz4.frame.compress(data, **{"block_linked": False, **options})
    return written


def read(data: bytes) -> bytes:
    return b"".join(lz4_blocks(memoryview(data)))


@pytest.mark.parametrize("block_size", BLOCK_SIZES)
@pytest.mark.parametrize("block_checksum", [False, True])
@pytest.mark.parametrize("content_checksum", [False, True])
@pytest.mark.parametrize("store_size", [False, True])
def test_a_frame_of_every_kind_is_read(
    block_size: int, block_checksum: bool, content_checksum: bool, store_size: bool
) -> None:
    """Blocks of every size, compressed and stored, with and without checksums, are decompressed."""
    data = TEXT + random.Random(1).randbytes(100_000)
    written = frame(
        data,
        block_size=block_size,
        block_checksum=block_checksum,
        content_checksum=content_checksum,
        store_size=store_size,
    )
    assert read(written) == data


@given(st.binary(max_size=500))
def test_short_frames_are_read(data: bytes) -> None:
    """Short frames are decompressed, also an empty one."""
    assert read(frame(data)) == data


def test_blocks_that_depend_on_each_other_are_refused() -> None:
    """Linked blocks are refused as in Kafka, whose reader keeps only one block."""
    with pytest.raises(CorruptRecords, match="depend on each other"):
        read(frame(block_linked=True, block_size=lz4.frame.BLOCKSIZE_MAX64KB))


def test_what_follows_the_end_mark_is_not_read() -> None:
    """Bytes after the end mark are ignored, whether they are a frame or not."""
    assert read(frame() + frame() + b"rest") == TEXT


def test_a_frame_that_is_cut_short_is_corrupt() -> None:
    """A frame that is truncated anywhere raises CorruptRecords."""
    whole = frame(b"some text, some more text, some more text")
    for length in range(len(whole)):
        with pytest.raises(CorruptRecords):
            read(whole[:length])


def test_a_changed_header_is_corrupt() -> None:
    """A changed header raises CorruptRecords because of its checksum, if not earlier."""
    whole = frame()
    for at in range(7):
        for bit in range(8):
            changed = bytearray(whole)
            changed[at] ^= 1 << bit
            with pytest.raises(CorruptRecords):
                read(bytes(changed))


def test_a_changed_block_with_a_checksum_is_corrupt() -> None:
    """A changed block raises CorruptRecords, whether it is stored or compressed."""
    for data in (TEXT, random.Random(2).randbytes(5000)):
        changed = bytearray(frame(data, block_checksum=True))
        changed[30] ^= 1
        with pytest.raises(CorruptRecords):
            read(bytes(changed))


def test_a_block_that_claims_too_much_is_corrupt() -> None:
    """A block that exceeds the size in the header raises CorruptRecords."""
    changed = bytearray(frame(block_size=lz4.frame.BLOCKSIZE_MAX64KB, store_size=False))
    changed[7:11] = (1 << 20).to_bytes(4, "little")
    with pytest.raises(CorruptRecords, match="exceeds 65536"):
        read(bytes(changed))


@pytest.mark.parametrize(
    ("data", "digest"),
    [(b"", 0x02CC5D05), (b"a", 0x550D7456), (b"abc", 0x32D153FF), (b"abcdefgh", 0x0BB3C6BB)],
)
def test_xxh32_of_short_data(data: bytes, digest: int) -> None:
    """The digests are those of the reference implementation."""
    assert xxh32(data) == digest
