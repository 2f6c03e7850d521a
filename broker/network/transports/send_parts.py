"""Sends several parts with one system call; Windows, which has none for that, sends the first."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

PARTS_MAX = 512  # below every IOV_MAX

Part = bytes | bytearray | memoryview

if sys.platform == "win32":

    def send_parts(connected: socket.socket, parts: Sequence[Part]) -> int:
        """Send what fits into the socket; returns its size in bytes. Raises OSError."""
        return connected.send(parts[0])

else:

    def send_parts(connected: socket.socket, parts: Sequence[Part]) -> int:
        """Send what fits into the socket; returns its size in bytes. Raises OSError."""
        return connected.sendmsg(parts[:PARTS_MAX])
