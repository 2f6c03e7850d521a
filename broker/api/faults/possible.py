"""What fault rules can match in a cluster."""

from __future__ import annotations

from collections.abc import Iterable

from broker.config import Config
from broker.faults.read_rule import Possible
from broker.security.listeners.endpoints import configured_listeners
from protocol.apis import APIS


def possible_matches(config: Config, nodes: Iterable[int]) -> Possible:
    """The APIs that are served, the *nodes*, and the listeners that each of them has."""
    return Possible(
        apis={api.name: api for api in APIS.values()},
        nodes=tuple(nodes),
        listeners=tuple(each.listener for each in configured_listeners(config).bound),
    )
