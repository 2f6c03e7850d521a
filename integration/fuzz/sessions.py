"""The session of a hostile connection: the frames it sends, and the way it ends."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from integration.fuzz.frames import damaged
from integration.fuzz.values import Drawing
from protocol.headers import encode_request

_FRAMES_MAX = 8
# The broker does not detect a disconnect during a parked request if more than 1 MB is pipelined.
_BYTES_MAX = 900_000
_CLIENT_IDS = ("fuzz", "", None, "\x1b]0;x\x07", "c" * 300)
# APIs of groups, followers and producers are related by the values they return: a session often
# uses those of one kind.
_RELATED = (
    (11, 14, 12, 13, 8, 9, 10, 15, 16, 42, 47),
    (68, 69, 8, 9, 10, 11, 13, 16, 42),
    (1, 23, 2, 0, 21, 60),
    (22, 0, 1, 2, 61),
    (19, 20, 37, 3, 32, 33, 44, 43, 45, 46, 75),
)


class End(StrEnum):
    """The way in which the client disconnects."""

    WAIT = "wait"  # reads all responses first
    CLOSE = "close"  # closes in order, responses unread
    RESET = "reset"  # closes without reading, so that the peer gets a reset
    HALF = "half"  # shuts down for writing, and continues to read


class Session(NamedTuple):
    """One connection."""

    frames: tuple[bytes, ...]
    end: End
    # For each frame its API and version if it is a valid request, so that the response can be
    # decoded; None for others.
    requests: tuple[tuple[int, int] | None, ...]


class Sessions:
    """Draws sessions; *recorded* are frames of real clients, *spared* as in `Drawing`."""

    def __init__(
        self,
        chance: random.Random,
        served: dict[int, Any],
        recorded: Sequence[bytes],
        spared: Collection[object] = (),
    ) -> None:
        self._chance = chance
        self._served = served
        self._recorded = list(recorded)
        self.drawing = Drawing(chance, spared=spared)
        self._correlation_id = 0

    def draw(self) -> Session:
        """Draw the next session."""
        chance = self._chance
        keys = list(self._served)
        if chance.random() < 0.6:
            keys = [key for key in chance.choice(_RELATED) if key in self._served] or keys
        frames: list[bytes] = []
        requests: list[tuple[int, int] | None] = []
        for _ in range(chance.randint(1, _FRAMES_MAX)):
            frame, request = self._frame(keys)
            if sum(map(len, frames)) + len(frame) > _BYTES_MAX:
                break
            frames.append(frame)
            requests.append(request)
        end = chance.choice((End.WAIT, End.WAIT, End.WAIT, End.CLOSE, End.RESET, End.HALF))
        return Session(tuple(frames), end, tuple(requests))

    def _frame(self, keys: list[int]) -> tuple[bytes, tuple[int, int] | None]:
        chance = self._chance
        if self._recorded and chance.random() < 0.3:
            return damaged(chance, chance.choice(self._recorded), self._recorded), None
        key = chance.choice(keys)
        cls = self._served[key]
        version = chance.choice(cls.__spec__.versions)
        self._correlation_id += 1
        frame = encode_request(
            self.drawing.message(cls, version),
            version,
            self._correlation_id,
            chance.choice(_CLIENT_IDS),
        )
        if chance.random() < 0.25:
            return damaged(chance, frame, self._recorded), None
        return frame, (key, version)
