"""The fault rules of the cluster: they are set, counted, expire and are removed here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from broker.common.errors import InvalidValue, NoSuchRule, WrongState
from broker.common.state_changes import StateChanges
from broker.faults.actions import Hold, RefuseConnections, StaleMetadata
from broker.faults.index import RuleIndex
from broker.faults.matches import Matches
from broker.faults.named_fields import names_all
from broker.faults.node_change import NodeChange
from broker.faults.read_rule import Possible, read_rule
from broker.faults.request_fault import RequestFault
from broker.faults.rule import FaultRule, Fired, Firing, RuleState
from broker.faults.rule_group import RuleGroup
from broker.faults.rule_spec import FROM_BROKER, PER_CLIENT, Match, RuleSpec
from broker.faults.senders import APIS_OF_BROKERS
from broker.steps.schedule import schedule_once
from protocol.api_names import api_name
from protocol.headers import RequestHeader
from protocol.messages import REQUESTS
from purgatories.timer.system_timer import SystemTimer

RULES_MAX = 1_000
FIRINGS_MAX = 1_000


class FaultRules:
    """All rules; ``changes`` is notified when a rule is set, fires or ends.

    ``for_requests`` has the rules that can fire by API key, and is empty without rules: then a
    request costs one test. ``for_links``, ``for_connections`` and ``for_partitions`` are those of
    links between nodes, of new connections, and of partitions. ``on_change`` are called after each
    change of the four.
    ``firings`` are the last `FIRINGS_MAX` in order, until all rules are removed. Rules expire on
    *timer*; *now_us* is the time by the same clock, in microseconds of Unix time. *snapshot* copies
    the present metadata, and ``change_node`` changes a node.
    """

    def __init__(
        self,
        timer: SystemTimer,
        now_us: Callable[[], int],
        changes: StateChanges,
        possible: Possible,
        snapshot: Callable[[], object],
    ) -> None:
        self.for_requests: dict[int, RuleIndex] = {}
        self.for_links: list[FaultRule] = []
        self.for_connections: list[FaultRule] = []
        self.for_partitions: list[FaultRule] = []
        self.on_change: list[Callable[[], object]] = []
        self.firings = deque[Firing](maxlen=FIRINGS_MAX)
        self.change_node: Callable[[NodeChange], object] = _no_nodes
        self.timer = timer
        self._now_us = now_us
        self._changes = changes
        self._possible = possible
        self._snapshot = snapshot
        self._rules: dict[int, FaultRule] = {}
        self._shared: dict[tuple[Match, str], Matches] = {}
        self._last_id = 0

    # ---------------------------------------------------------------------------- the rules

    def add(self, *given: object) -> list[FaultRule]:
        """Set the rules that are described by JSON objects, or none of them.

        Raises `InvalidValue`, and `WrongState` if a name is in use.
        """
        specs = [self._read(each, index, len(given)) for index, each in enumerate(given)]
        self._check_names(specs)
        if len(self._rules) + len(specs) > RULES_MAX:
            raise WrongState(f"there may be {RULES_MAX} fault rules; remove some")
        rules = [self._set(spec) for spec in specs]
        self._index()
        return rules

    def rule(self, rule_id: int) -> FaultRule:
        """The rule with that id; raises `NoSuchRule`."""
        rule = self._rules.get(rule_id)
        if rule is None:
            known = ", ".join(map(str, self._rules))
            others = f"only {known[:100]}" if known else "and no other"
            raise NoSuchRule(f"there is no fault rule {rule_id}, {others}")
        return rule

    def all(self) -> list[FaultRule]:
        """The rules in the order in which they were set."""
        return list(self._rules.values())

    def remove(self, rule_id: int) -> FaultRule:
        """Remove a rule, and release the requests that it holds; raises `NoSuchRule`."""
        rule = self.rule(rule_id)
        self._remove([rule])
        return rule

    def clear(self) -> int:
        """Remove all rules; returns their number."""
        rules = self.all()
        self._remove(rules)
        self.firings.clear()
        return len(rules)

    # -------------------------------------------------------------------------------- firing

    def fire(
        self, groups: Iterable[RuleGroup], header: RequestHeader, node: int
    ) -> RequestFault | None:
        """Count a request to *node* that matches, and let the first rule that is due fire.

        Returns that rule, and those that also match and corrupt responses: they match only if the
        response has records (`fire_later`). None if there are none of either.
        """
        due: list[tuple[RuleGroup, int]] | None = None
        for group in groups:
            if group.is_counted_in_total:
                matches = group.matches
                count = matches.total = matches.total + 1
            else:
                count = group.count(header.client_id)
            if count >= group.due_from:
                due = due or []
                due.append((group, count))
        return None if due is None else self._first_due(due, header, node)

    def _first_due(
        self, due: Iterable[tuple[RuleGroup, int]], header: RequestHeader, node: int
    ) -> RequestFault | None:
        """As `fire`, of groups that have counted the request."""
        fired: FaultRule | None = None
        later: list[FaultRule] = []
        for group, count in due:
            if group.of_records is not None:
                later.append(group.of_records)
                continue
            rule = group.due(count, header.client_id)
            if rule is not None and (fired is None or rule.id < fired.id):
                fired = rule
        if fired is not None:
            self._fired(fired, header, node)
        later.sort(key=attrgetter("id"))
        return RequestFault(fired, later) if fired is not None or later else None

    def fire_later(self, rule: FaultRule, header: RequestHeader, node: int) -> bool:
        """Count a match of the response; whether the rule fires."""
        if rule.is_removed or rule.state is not RuleState.ACTIVE:
            return False
        if not rule.match(header.client_id):
            return False
        self._fired(rule, header, node)
        return True

    def fire_on(self, rule: FaultRule, node: int | None) -> bool:
        """Count a match of a connection, a partition or a link of *node*; whether it fires."""
        if rule.is_removed or rule.state is not RuleState.ACTIVE or not rule.match(None):
            return False
        self._count(rule, Fired(self._now_us(), node))
        return True

    def refuses(self, node: int, listener: str) -> bool:
        """Whether a rule refuses a new connection to that listener of the node."""
        for rule in list(self.for_connections):
            match = rule.spec.match
            assert match is not None
            is_match = match.node in (None, node) and match.listener in (None, listener)
            if is_match and self.fire_on(rule, node):
                return True
        return False

    def _fired(self, rule: FaultRule, header: RequestHeader, node: int) -> None:
        self._count(
            rule,
            Fired(
                self._now_us(),
                node,
                api_name(header.api_key),
                header.client_id,
                header.correlation_id,
            ),
        )

    def _count(self, rule: FaultRule, fired: Fired) -> None:
        self.firings.append(rule.count_fired(fired))
        if rule.state is not RuleState.ACTIVE:
            self._index()
        self._changes.notify()

    # --------------------------------------------------------------------------- begin, end

    def _read(self, value: object, index: int, count: int) -> RuleSpec:
        try:
            return read_rule(value, self._possible)
        except InvalidValue as error:
            raise InvalidValue(f"rules[{index}]: {error}" if count > 1 else str(error)) from None

    def _check_names(self, specs: Sequence[RuleSpec]) -> None:
        used = {rule.spec.name: rule.id for rule in self.all() if rule.state is RuleState.ACTIVE}
        names = set[str | None]()
        for spec in specs:
            if spec.name is None:
                continue
            if spec.name in used:
                raise WrongState(f"name: fault rule {used[spec.name]} is named {spec.name!r}")
            if spec.name in names:
                raise WrongState(f"name: two rules are named {spec.name!r}")
            names.add(spec.name)

    def _set(self, spec: RuleSpec) -> FaultRule:
        self._last_id += 1
        rule = self._rules[self._last_id] = FaultRule(self._last_id, spec, self._matches(spec))
        if isinstance(spec.action, StaleMetadata):
            rule.image = self._snapshot()
        if spec.for_ms is not None:

            def expire() -> None:
                rule.is_expired = True
                self._index()

            rule.expiry = schedule_once(self.timer, expire, delay_ms=spec.for_ms)
        return rule

    def _matches(self, spec: RuleSpec) -> Matches | None:
        """The matches that are shared by rules of requests; None: the rule has its own.

        The matches of clients are shared only before the first one.
        """
        if spec.match is None or spec.action.is_of_records:
            return None
        key, per_client = (spec.match, spec.per), spec.per == PER_CLIENT
        matches = self._shared.get(key)
        if matches is None or (per_client and matches.total):
            matches = self._shared[key] = Matches(per_client=per_client)
        return matches

    def _remove(self, rules: Sequence[FaultRule]) -> None:
        for rule in rules:
            del self._rules[rule.id]
            rule.is_removed = True
            rule.end()
            if rule.expiry is not None:
                rule.expiry.cancel()
        self._index()
        for rule in rules:
            rule.release()

    def _index(self) -> None:
        """Find the rules that can fire again, after a change."""
        active = list[FaultRule]()
        for rule in self.all():
            if rule.state is RuleState.ACTIVE:
                active.append(rule)
            else:
                rule.end()
        self.for_links = [rule for rule in active if rule.spec.link is not None]
        self.for_connections = [
            rule for rule in active if isinstance(rule.spec.action, RefuseConnections)
        ]
        self.for_partitions = [rule for rule in active if isinstance(rule.spec.action, Hold)]
        in_use = {rule.matches for rule in active}
        self._shared = {key: each for key, each in self._shared.items() if each in in_use}
        by_key: dict[int, list[FaultRule]] = {}
        for rule in active:
            for key in self._keys(rule.spec):
                by_key.setdefault(key, []).append(rule)
        self.for_requests.clear()
        self.for_requests.update({key: RuleIndex(key, rules) for key, rules in by_key.items()})
        for changed in self.on_change:
            changed()
        self._changes.notify()

    def _keys(self, spec: RuleSpec) -> list[int]:
        """The keys of the APIs whose requests may match."""
        match, action = spec.match, spec.action
        if match is None or isinstance(action, RefuseConnections | Hold):
            return []
        apis = self._possible.apis
        if match.api is not None:
            return [apis[match.api].key]
        names: Iterable[str] = action.apis or apis
        if match.origin == FROM_BROKER:
            names = [name for name in names if name in APIS_OF_BROKERS]
        keys = [apis[name].key for name in names]
        return [key for key in keys if names_all(REQUESTS[key], match)]


def _no_nodes(_: NodeChange) -> None:
    """Change nothing: the rules belong to no cluster."""
