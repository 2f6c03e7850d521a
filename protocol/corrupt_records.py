"""The exception for bytes that are not a valid record batch."""

from __future__ import annotations


class CorruptRecords(ValueError):  # noqa: N818 - it names what the bytes are
    """Invalid bytes of a record batch, or a compressed block that cannot be decompressed."""
