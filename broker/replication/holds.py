"""What fault rules hold at the leaders of partitions: high watermarks and in-sync replicas.

    leader --would advance the high watermark, or request a change of the ISR--> a rule holds it?
       no: as without rules            yes: the rule counts it; checked again when the rules change

The high watermark does not advance beyond the held offset, so followers, consumers and the requests
that wait for it get no greater one. It never decreases: an offset below it holds it where it is. A
held in-sync set is not changed by a request of the leader; the controller still removes a node that
has stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from broker.common.topic_partition import TopicPartition
from broker.faults.actions import HoldHighWatermark, HoldIsr
from broker.faults.fault_rules import FaultRules
from broker.faults.rule import FaultRule


class Hold:
    """What *rule* holds of the partitions that it concerns.

    ``high_watermark`` is the offset that the high watermark does not exceed; None: it is not held.
    """

    __slots__ = ("_faults", "high_watermark", "holds_isr", "rule")

    def __init__(self, rule: FaultRule, faults: FaultRules) -> None:
        action = rule.spec.action
        self.rule = rule
        self._faults = faults
        self.high_watermark = action.at if isinstance(action, HoldHighWatermark) else None
        self.holds_isr = isinstance(action, HoldIsr)

    def concerns(self, key: TopicPartition) -> bool:
        """Whether the rule is about that partition."""
        match = self.rule.spec.match
        assert match is not None
        return match.topic == key.topic and match.partition in (None, key.partition)

    def count_firing(self, node_id: int) -> None:
        """Count that the rule has prevented a change by the leader on that node."""
        self._faults.fire_on(self.rule, node_id)


class Holds:
    """The active holds of the cluster; *on_change* is called when they have changed."""

    def __init__(self, faults: FaultRules, on_change: Callable[[], object]) -> None:
        self._faults = faults
        self._on_change = on_change
        self._active: list[Hold] = []
        faults.on_change.append(self._rules_changed)

    def of(self, key: TopicPartition) -> Sequence[Hold]:
        """The holds of a partition."""
        if not self._active:
            return ()
        return [hold for hold in self._active if hold.concerns(key)]

    def _rules_changed(self) -> None:
        rules = self._faults.for_partitions
        if rules != [hold.rule for hold in self._active]:
            self._active = [Hold(rule, self._faults) for rule in rules]
            self._on_change()
