"""docs/client_methods.json: the observed requests and outcomes of each method."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from integration.methods.uses import Uses

OBSERVATIONS = Path(__file__).parents[2] / "docs" / "client_methods.json"


@dataclass(frozen=True)
class Seen:
    """The requests of a method, and how each of its shapes ends on a real Kafka."""

    requests: Uses
    ends: Mapping[str, str]


@dataclass(frozen=True)
class Client:
    """One class of a library's release, with the observations of its methods."""

    release: str
    methods: Mapping[str, Seen]


def read_observations() -> dict[str, Client]:
    """Read the file; returns the observations by client."""
    if not OBSERVATIONS.exists():
        return {}
    written: dict[str, Any] = json.loads(OBSERVATIONS.read_text())
    return {
        client: Client(
            each["release"], {name: Seen(**seen) for name, seen in each["methods"].items()}
        )
        for client, each in written.items()
    }


def write_observations(seen: Mapping[str, Client]) -> None:
    """Write the observations of these clients to the file, and keep those of the others."""
    clients = read_observations() | dict(seen)
    OBSERVATIONS.write_text(
        "{\n" + ",\n".join(_client(name, clients[name]) for name in sorted(clients)) + "\n}\n"
    )


def _client(name: str, client: Client) -> str:
    return f'"{name}": {{"release": "{client.release}", "methods": {{\n{_methods(client)}\n}}}}'


def _methods(client: Client) -> str:
    def lines() -> Iterable[str]:
        for name, seen in sorted(client.methods.items()):
            yield f'"{name}": {json.dumps({"requests": seen.requests, "ends": dict(seen.ends)})}'

    return ",\n".join(lines())
