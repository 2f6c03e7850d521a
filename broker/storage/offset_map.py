"""The latest offset of each key in the part of a log that is to be compacted (``OffsetMap``)."""

from __future__ import annotations

from hashlib import blake2b

# About 100 MB of memory when full; what does not fit is left to the next run.
KEYS_MAX = 500_000

# Longer keys are stood for by a digest, which no key of this length or less can be.
_KEY_BYTES = 24
_DIGEST_BYTES = 32


class OffsetMap:
    """Invariant: every record up to ``latest_offset`` that has a key has been put in."""

    def __init__(self, keys_max: int = KEYS_MAX) -> None:
        self.latest_offset = -1
        self._keys_max = keys_max
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, key: bytes, offset: int) -> bool:
        """The key has a record there; False if it cannot be remembered."""
        short = _short(key)
        if short not in self._offsets and len(self._offsets) >= self._keys_max:
            return False
        self._offsets[short] = offset
        return True

    def get(self, key: bytes) -> int:
        """The key's latest offset; -1 if there is none."""
        return self._offsets.get(_short(key), -1)


def _short(key: bytes) -> bytes:
    return key if len(key) <= _KEY_BYTES else blake2b(key, digest_size=_DIGEST_BYTES).digest()
