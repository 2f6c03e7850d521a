"""A fault rule about a link, as the directions of links see it."""

from __future__ import annotations

from random import Random

from broker.faults.actions import LinkCut, LinkDelay, LinkLoss
from broker.faults.fault_rules import FaultRules
from broker.faults.rule import FaultRule
from broker.links.direction import End
from broker.links.links import Links


class FaultOfLink:
    """What *rule* does with the messages of the directions that it concerns."""

    __slots__ = ("_draws", "_faults", "delay_ms", "is_cut", "is_loss", "rule")

    def __init__(self, rule: FaultRule, faults: FaultRules) -> None:
        self.rule = rule
        self._faults = faults
        action = rule.spec.action
        self.delay_ms = float(action.ms) if isinstance(action, LinkDelay) else 0.0
        self.is_cut = isinstance(action, LinkCut)
        self.is_loss = isinstance(action, LinkLoss)
        self._draws = Random(action.seed) if isinstance(action, LinkLoss) else None  # noqa: S311 - a test repeats its draws

    @property
    def is_over(self) -> bool:
        """Whether the rule was removed or has expired; one that is spent is not over."""
        return self.rule.is_removed or self.rule.is_expired

    @property
    def label(self) -> dict[str, object]:
        """The rule as wait records have it."""
        return self.rule.label

    def concerns(self, sender: End, receiver: End) -> bool:
        """Whether the rule is about messages from *sender* to *receiver*."""
        link = self.rule.spec.link
        assert link is not None
        return link.concerns(sender, receiver)

    def affects_message(self) -> bool:
        """Count a message; a rule that loses messages draws whether it is this one."""
        action = self.rule.spec.action
        if self._draws is not None and isinstance(action, LinkLoss):
            is_drawn = self._draws.uniform(0, 100) < action.percent
            if not is_drawn:
                self.rule.match(None)
                return False
        return self._faults.fire_on(self.rule, self._sender())

    def _sender(self) -> int | None:
        link = self.rule.spec.link
        return link.from_node if link is not None and isinstance(link.from_node, int) else None


def apply_link_rules(faults: FaultRules, links: Links) -> None:
    """Keep the rules of *links* the active ones of *faults*."""
    known: dict[int, FaultOfLink] = {}

    def changed() -> None:
        active = [rule.id for rule in faults.for_links]
        if active == list(known):
            return
        fresh = {
            rule.id: known.get(rule.id) or FaultOfLink(rule, faults) for rule in faults.for_links
        }
        known.clear()
        known.update(fresh)
        links.set_rules(list(fresh.values()))

    faults.on_change.append(changed)
