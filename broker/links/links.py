"""The directions between all nodes and the controller, and the rules that apply to each.

A node's connection to itself is not a link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from broker.links.direction import Direction, End, LinkFault
from purgatories.timer.system_timer import SystemTimer


class LinkRule(LinkFault, Protocol):
    """An active rule and the directions that it concerns."""

    def concerns(self, sender: End, receiver: End) -> bool:
        """Whether the rule is about messages from *sender* to *receiver*."""
        ...


class Links:
    """Creates each direction when it is first used; ``timer`` measures the delays."""

    def __init__(self, timer: SystemTimer) -> None:
        self._timer = timer
        self._directions: dict[tuple[End, End], Direction] = {}
        self._rules: Sequence[LinkRule] = ()
        self._listeners: list[Callable[[], object]] = []

    def direction(self, sender: End, receiver: End) -> Direction:
        """The direction from *sender* to *receiver*."""
        direction = self._directions.get((sender, receiver))
        if direction is None:
            direction = self._directions[sender, receiver] = Direction(self._timer)
            direction.set_faults(self.rules_between(sender, receiver))
        return direction

    def rules_between(self, sender: End, receiver: End) -> list[LinkRule]:
        """The active rules about messages from *sender* to *receiver*."""
        if sender == receiver:
            return []
        return [rule for rule in self._rules if rule.concerns(sender, receiver)]

    def set_rules(self, rules: Sequence[LinkRule]) -> None:
        """Replace the active rules; messages that only ended rules withheld are delivered."""
        self._rules = rules
        for (sender, receiver), direction in list(self._directions.items()):
            direction.set_faults(self.rules_between(sender, receiver))
        for listener in self._listeners:
            listener()

    def on_change(self, listener: Callable[[], object]) -> None:
        """Call *listener* whenever the rules have changed."""
        self._listeners.append(listener)
