"""When each frame of a connection had been read whole, in however many pieces it came."""

from __future__ import annotations

from collections import deque


class Arrivals:
    """Notes how many bytes had come by when; ``frame`` takes frames in order."""

    __slots__ = ("_received", "_taken", "_times")

    def __init__(self) -> None:
        self._received = 0
        self._taken = 0
        self._times: deque[tuple[int, float]] = deque()

    def received(self, count: int, now_ms: float) -> None:
        """*count* more bytes have come."""
        self._received += count
        self._times.append((self._received, now_ms))

    def frame(self, size: int) -> float:
        """When the last byte of the next frame, *size* bytes with its length, had come."""
        self._taken += size
        assert self._taken <= self._received
        times = self._times
        while times[0][0] < self._taken:
            times.popleft()
        return times[0][1]
