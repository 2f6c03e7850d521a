"""The topics that clients requested and that do not exist: such a client waits for a name.

    ordres: requested 12 times by client billing

The function does no I/O; records are those of `antechamber.explain`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from antechamber.sentences import phrases

_SHOWN_MAX = 5


def unknown_topic_lines(
    records: Iterable[Mapping[str, Any]], topics: Iterable[Mapping[str, Any]]
) -> Iterator[str]:
    """A line for each topic and client, the most requests first; *topics* are those that exist."""
    existing = {topic["name"] for topic in topics}
    counts = Counter(
        (name, record["client_id"])
        for record in records
        for name in record.get("unknown_topics", ())
        if name not in existing
    )
    for (name, client_id), count in counts.most_common(_SHOWN_MAX):
        yield f"{name}: requested {phrases.times(count)} by {phrases.client(client_id)}"
    if len(counts) > _SHOWN_MAX:
        yield f"and {len(counts) - _SHOWN_MAX} more"
