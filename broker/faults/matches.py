"""How often requests have matched what fault rules match.

Rules that match the same requests share their count, so that a request is counted once for all of
them.
"""

from __future__ import annotations

# Whose matches are counted; the count of the client that was seen first is dropped.
CLIENTS_MAX = 10_000


class Matches:
    """The number of matches: ``total``, and with *per_client* also that of each client id.

    Without it, `add` only increments ``total``, which callers may do themselves.
    """

    __slots__ = ("_by_client", "is_per_client", "total")

    def __init__(self, *, per_client: bool = False) -> None:
        self.total = 0
        self.is_per_client = per_client
        self._by_client: dict[str | None, int] | None = {} if per_client else None

    def add(self, client_id: str | None) -> int:
        """Count a match; returns which one it is, of all or of the client."""
        self.total += 1
        counts = self._by_client
        if counts is None:
            return self.total
        if client_id not in counts and len(counts) >= CLIENTS_MAX:
            del counts[next(iter(counts))]
        count = counts[client_id] = counts.get(client_id, 0) + 1
        return count

    def of(self, client_id: str | None) -> int:
        """The number of matches that are counted with one of the client."""
        return self.total if self._by_client is None else self._by_client.get(client_id, 0)
