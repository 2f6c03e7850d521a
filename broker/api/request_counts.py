"""Counts the requests of all nodes by client and API, so that tests can wait for further ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final, NamedTuple

# The client ids that are counted on their own. The requests of further ones, and of clients with
# longer ids, are counted together.
CLIENTS_MAX: Final = 10_000
CLIENT_ID_CHARACTERS_MAX: Final = 256


class Counted(NamedTuple):
    """A client and the key of an API; the client id is None if the requests have none."""

    client_id: str | None
    api_key: int


# By API key.
Tally = defaultdict[int, int]


class RequestCounts:
    """The requests that have begun: their headers were decoded, and nothing was decided yet."""

    def __init__(self, clients_max: int = CLIENTS_MAX) -> None:
        self._clients_max = clients_max
        self._tallies: dict[str | None, Tally] = {}
        self._others = Tally(int)

    def tally(self, client_id: str | None) -> Tally:
        """The counts of a client, which its connections increment."""
        tally = self._tallies.get(client_id)
        if tally is None:
            is_long = client_id is not None and len(client_id) > CLIENT_ID_CHARACTERS_MAX
            if is_long or len(self._tallies) >= self._clients_max:
                return self._others
            tally = self._tallies[client_id] = Tally(int)
        return tally

    def snapshot(self) -> Counter[Counted]:
        """The present counts; clients beyond the limit are counted without a client id."""
        counts = Counter[Counted]()
        for client_id, tally in (*self._tallies.items(), (None, self._others)):
            for api_key, count in tally.items():
                counts[Counted(client_id, api_key)] += count
        return counts
