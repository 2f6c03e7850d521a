"""What is raised for bytes that are no record batch."""

from __future__ import annotations


class CorruptRecords(ValueError):  # noqa: N818 - it names what the bytes are
    """Bytes that are no record batch, or a compressed block that cannot be decompressed."""
