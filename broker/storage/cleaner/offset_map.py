"""The latest offset of each key in the dirty part of a log (Kafka's ``OffsetMap``)."""

from __future__ import annotations

from hashlib import blake2b

# About 100 MB of memory when full; the next compaction handles the other keys.
KEYS_MAX = 500_000

# Longer keys are replaced by a digest, which is longer than any key that is not replaced.
_KEY_BYTES = 24
_DIGEST_BYTES = 32


class OffsetMap:
    """Invariant: every record with a key up to ``latest_offset`` has been put in.

    That may be an offset within a batch, which may have more keys than the map.
    """

    def __init__(self, keys_max: int = KEYS_MAX) -> None:
        self.latest_offset = -1
        self._keys_max = keys_max
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, key: bytes, offset: int) -> bool:
        """Set the latest offset of *key*; False if the map is full."""
        short = _short(key)
        if short not in self._offsets and len(self._offsets) >= self._keys_max:
            return False
        self._offsets[short] = self.latest_offset = offset
        return True

    def get(self, key: bytes) -> int:
        """The latest offset of *key*; -1 if there is none."""
        return self._offsets.get(_short(key), -1)


def _short(key: bytes) -> bytes:
    return key if len(key) <= _KEY_BYTES else blake2b(key, digest_size=_DIGEST_BYTES).digest()
