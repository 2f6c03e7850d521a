"""What fault rules can match in a cluster."""

from __future__ import annotations

from collections.abc import Iterable

from broker.api.table import HANDLERS
from broker.config import Config
from broker.faults.read_rule import Possible
from broker.security.listeners.endpoints import configured_listeners


def possible_matches(config: Config, nodes: Iterable[int]) -> Possible:
    """The APIs that are served, the *nodes*, and the listeners that each of them has."""
    return Possible(
        apis={cls.__name__.removesuffix("Request"): cls for cls in HANDLERS},
        nodes=tuple(nodes),
        listeners=tuple(each.listener for each in configured_listeners(config).bound),
    )
