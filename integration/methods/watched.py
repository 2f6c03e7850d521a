"""A client whose method calls are noted, so that an entry proves that it calls its method."""

from __future__ import annotations

from typing import Any


class Watched:
    """Stands before *client*: passes everything on, and adds the names that are used to *used*."""

    def __init__(self, client: Any, used: set[str]) -> None:
        self._client = client
        self._used = used

    def __getattr__(self, name: str) -> Any:
        self._used.add(name)
        return getattr(self._client, name)
