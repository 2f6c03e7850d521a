"""The versions of the requests that each method sends, as recorded by our broker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from integration.methods.comparison import Key

# Sent periodically, independent of the client's calls.
_BY_TIME = frozenset({"Heartbeat", "ConsumerGroupHeartbeat"})

# Sent at a time that the client chooses: a method may return before it.
IN_THE_BACKGROUND = frozenset(
    {
        *("ApiVersions", "Fetch", "FindCoordinator", "InitProducerId", "JoinGroup", "LeaveGroup"),
        *("ListOffsets", "Metadata", "OffsetFetch", "OffsetForLeaderEpoch", "SyncGroup"),
        *("ShareAcknowledge", "ShareFetch", "ShareGroupHeartbeat"),
    }
)

# Versions by the name of the API.
Uses = dict[str, list[int]]


def read_uses(records: Path) -> dict[tuple[str, str], Uses]:
    """Return the requests of a run by client and method, merged over its shapes."""
    used: dict[tuple[str, str], dict[str, set[int]]] = {}
    for record in map(json.loads, records.read_text().splitlines()):
        key = _key(record["client_id"] or "")
        if key is not None and record["api"] not in _BY_TIME:
            of_method = used.setdefault((key.client, key.method), {})
            of_method.setdefault(record["api"], set()).add(record["version"])
    return {
        method: {api: sorted(versions) for api, versions in sorted(apis.items())}
        for method, apis in used.items()
    }


def of_client(uses: Mapping[tuple[str, str], Uses], client: str) -> Uses:
    """Return the requests of all methods of a client."""
    used: dict[str, set[int]] = {}
    for (name, _), apis in uses.items():
        for api, versions in apis.items() if name == client else ():
            used.setdefault(api, set()).update(versions)
    return {api: sorted(versions) for api, versions in used.items()}


def _key(client_id: str) -> Key | None:
    """Parse the client id that `Fixtures` sets."""
    parts = client_id.split("/")
    return Key(*parts) if len(parts) == 3 else None
