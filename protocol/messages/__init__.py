"""The requests and responses of the protocol; one module for each API.

A module is imported when the classes of its API are first requested: a broker that starts receives
requests of a few APIs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from protocol.apis import APIS


class MessageClasses(Mapping[int, Any]):
    """The classes of all requests, or of all responses, by API key."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._imported: dict[int, Any] = {}

    def __getitem__(self, api_key: int) -> Any:
        cls = self._imported.get(api_key)
        if cls is None:
            api = APIS[api_key]
            module = import_module(f"{__name__}.{api.snake_case_name}")
            cls = self._imported[api_key] = getattr(module, api.name + self._suffix)
        return cls

    def __iter__(self) -> Iterator[int]:
        return iter(APIS)

    def __len__(self) -> int:
        return len(APIS)


REQUESTS: Final = MessageClasses("Request")
RESPONSES: Final = MessageClasses("Response")
