"""Leaves the kernel with memory that a measurement can write to at once.

A virtual machine may return free memory to its host. Then the first write to each page takes
several microseconds, until the host has provided it: writing a new file of 1 GB took 1.7 s of
processor time on one machine, and 0.2 s when the pages had been in use shortly before. That is a
property of the host, and it is more than most brokers need for the same gigabyte.

The pages of a scratch file that is written and deleted are used next. The kernel returns free pages
about two seconds later, so this is done before each measurement of each system.
"""

from __future__ import annotations

import tempfile

_PIECE_BYTES = 1 << 20


def warm_pages(megabytes: float) -> None:
    """Write and delete a scratch file of that size, in the folder of temporary files."""
    piece = bytes(_PIECE_BYTES)
    with tempfile.TemporaryFile(buffering=0) as scratch:
        for _ in range(int(megabytes)):
            scratch.write(piece)
