"""The APIs that a connection may use, with their handlers, each loaded when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from broker.api.request import Request

# Returns the response, an `Outcome`, or a generator that returns one of them.
Handler = Callable[[Request[Any]], object]

# The class of the requests, and their handler.
ServedApi = tuple[Any, Handler]


class Apis:
    """The APIs with the keys *api_keys*; *load* returns the class and the handler of one."""

    def __init__(self, api_keys: Iterable[int], load: Callable[[int], ServedApi]) -> None:
        self.api_keys = frozenset(api_keys)
        self._load = load
        self.loaded: dict[int, ServedApi] = {}

    def get(self, api_key: int) -> ServedApi | None:
        """The class and the handler; None if the API is not served."""
        served = self.loaded.get(api_key)
        if served is None and api_key in self.api_keys:
            served = self.loaded[api_key] = self._load(api_key)
        return served
