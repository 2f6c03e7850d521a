"""A proxy of a client that notes method calls, to check that a shape calls its method."""

from __future__ import annotations

from typing import Any


class Watched:
    """Forwards everything to *client*, and adds the used names to *used*."""

    def __init__(self, client: Any, used: set[str]) -> None:
        self._client = client
        self._used = used

    def __getattr__(self, name: str) -> Any:
        self._used.add(name)
        return getattr(self._client, name)
