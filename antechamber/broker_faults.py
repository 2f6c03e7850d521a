"""`BrokerFaults`: the fault rules of a running broker, by which requests fail.

    with kafka.faults.add("close", when="after", api="Produce", times=1) as lost:
        producer.send("orders", b"one")                # its first response is lost
        lost.wait_fired()

A rule is removed at the end of a ``with`` statement, or by `FaultRule.remove`. The fields are
those of docs/reference/admin.md#fault-rules.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from antechamber.admin_client import AdminClient
from antechamber.unknown_words import unknown_word
from antechamber.waits import WAIT_TIMEOUT_S

_DETAILS = ("error", "when", "ms", "of", "bytes_per_second", "at")
_OF_LINKS = "link() sets the rules of links"
_OF_NODES = 'add_rules({"action": {"type": "node", "do": "stop", "node": 1}}) stops a node'
# Properties of rules that are no arguments, and what to do instead.
_ELSEWHERE = {
    "from": "give sender",
    "do": _OF_NODES,
    "percent": _OF_LINKS,
    "seed": _OF_LINKS,
    "to": _OF_LINKS,
}


class FaultRule:
    """A rule that was set; its counts are read from the broker each time."""

    def __init__(self, client: AdminClient, rule_id: int) -> None:
        self._client = client
        self.id = rule_id

    def facts(self) -> dict[str, Any]:
        """Return all fields, as ``GET /v1/faults/{id}``; `AdminError` if it was removed."""
        return self._client.fault(self.id)

    @property
    def matched(self) -> int:
        """How many requests have matched."""
        return int(self.facts()["matched"])

    @property
    def fired(self) -> int:
        """How often it has fired."""
        return int(self.facts()["fired"])

    @property
    def state(self) -> str:
        """``active``, ``spent`` or ``expired``."""
        return str(self.facts()["state"])

    def wait_fired(self, count: int = 1, timeout: float = WAIT_TIMEOUT_S) -> dict[str, Any]:
        """Wait until it has fired *count* times, and return its fields; raises ``TimeoutError``."""
        found = self._client.wait("fault_fired", timeout, rule=self.id, count=count)
        return dict(found["fault"])

    def remove(self) -> None:
        """Remove it; requests that it delays continue at once."""
        self._client.remove_fault(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.remove()


class BrokerFaults:
    """Sets, lists and removes rules; an invalid one raises `AdminError` with the reason."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    def add(
        self,
        action: str,
        *,
        api: str | None = None,
        version: int | None = None,
        client: str | None = None,
        principal: str | None = None,
        listener: str | None = None,
        node: int | None = None,
        topic: str | None = None,
        partition: int | None = None,
        group: str | None = None,
        transactional_id: str | None = None,
        sender: str | None = None,
        nth: int | None = None,
        times: int | None = None,
        per: str | None = None,
        for_ms: int | None = None,
        name: str | None = None,
        **details: str | float,
    ) -> FaultRule:
        """Set a rule for requests, connections or partitions: *action*, *details*, what matches.

        *details* are ``error``, ``when``, ``ms``, ``of``, ``bytes_per_second`` and ``at``.
        *sender* is the property ``from``: ``client`` (default), ``broker`` or ``any``.

        Raises ``TypeError`` for another argument, and for a rule that is given as one object.
        """
        match = {
            "api": api,
            "version": version,
            "client": client,
            "principal": principal,
            "listener": listener,
            "node": node,
            "topic": topic,
            "partition": partition,
            "group": group,
            "transactional_id": transactional_id,
            "from": sender,
        }
        limits = {"nth": nth, "times": times, "per": per, "for_ms": _for_ms(for_ms), "name": name}
        names = ["sender" if name == "from" else name for name in (*match, *limits)]
        given = _action(action, details, names)
        rule = {"match": _given(match), "action": given, **_given(limits)}
        return self.add_rules(rule)[0]

    def link(
        self,
        action: str,
        from_node: int | str | None = None,
        to_node: int | str | None = None,
        *,
        nth: int | None = None,
        times: int | None = None,
        for_ms: int | None = None,
        name: str | None = None,
        **details: float,
    ) -> FaultRule:
        """Set a rule for what *from_node* sends to *to_node*: ``delay``, ``loss`` or ``cut``.

        A node is an id or ``"controller"``; None is any node. *details* are ``ms`` of a delay, and
        ``percent`` and ``seed`` of a loss. The other direction needs another rule.
        """
        limits = {"nth": nth, "times": times, "for_ms": _for_ms(for_ms), "name": name}
        link = _given({"from": from_node, "to": to_node})
        rule = {"link": link, "action": {"type": action, **details}, **_given(limits)}
        return self.add_rules(rule)[0]

    def add_rules(self, *rules: Mapping[str, Any]) -> list[FaultRule]:
        """Set rules that are given as JSON objects: all of them, or none."""
        for rule in rules:
            if not isinstance(rule, Mapping):
                raise TypeError(
                    f"rules: {rule!r} is not one rule; give each as an argument of its own"
                )
        added = self._client.add_faults([dict(rule) for rule in rules])
        return [FaultRule(self._client, rule["id"]) for rule in added]

    def all(self) -> list[dict[str, Any]]:
        """Return the fields of all rules, those that have ended included."""
        return self._client.faults()

    def firings(self) -> list[dict[str, Any]]:
        """Return the last 1,000 requests, connections and links that a rule fired on, in order."""
        return self._client.firings()

    def clear(self) -> None:
        """Remove all rules."""
        self._client.clear_faults()


def _for_ms(number: object) -> object:
    if isinstance(number, timedelta):
        raise TypeError(f"for_ms: {number!r} is not a number of milliseconds")
    return number


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _action(kind: object, details: Mapping[str, Any], others: Collection[str]) -> dict[str, Any]:
    """The action of a rule; *others* are the arguments of the method."""
    if not isinstance(kind, str):
        raise TypeError(f"action: {kind!r} is not text; add_rules() takes rules as JSON objects")
    for name in details:
        if name in _ELSEWHERE:
            raise TypeError(f"argument {name!r} is unknown; {_ELSEWHERE[name]}")
        if name not in _DETAILS:
            raise TypeError(f"argument {unknown_word(name, [*others, *_DETAILS])}")
    return {"type": kind, **details}
