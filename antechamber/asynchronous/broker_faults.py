"""The asynchronous form of `antechamber.broker_faults`: made by `make docs`, do not edit."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from anyio import move_on_after

from antechamber.asynchronous.admin_client import AsyncAdminClient
from antechamber.asynchronous.http_client import CLEANUP_TIMEOUT_S
from antechamber.broker_faults import _action, _for_ms, _given
from antechamber.waits import WAIT_TIMEOUT_S


class AsyncFaultRule:
    """A rule that was set; its counts are read from the broker each time."""

    def __init__(self, client: AsyncAdminClient, rule_id: int) -> None:
        self._client = client
        self.id = rule_id

    async def facts(self) -> dict[str, Any]:
        """Return all fields, as ``GET /v1/faults/{id}``; `AdminError` if it was removed."""
        return await self._client.fault(self.id)

    async def matched(self) -> int:
        """How many requests have matched."""
        return int((await self.facts())["matched"])

    async def fired(self) -> int:
        """How often it has fired."""
        return int((await self.facts())["fired"])

    async def state(self) -> str:
        """``active``, ``spent`` or ``expired``."""
        return str((await self.facts())["state"])

    async def wait_fired(self, count: int = 1, timeout: float = WAIT_TIMEOUT_S) -> dict[str, Any]:
        """Wait until it has fired *count* times, and return its fields; raises ``TimeoutError``."""
        found = await self._client.wait("fault_fired", timeout, rule=self.id, count=count)
        return dict(found["fault"])

    async def remove(self) -> None:
        """Remove it; requests that it delays continue at once."""
        await self._client.remove_fault(self.id)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        with move_on_after(CLEANUP_TIMEOUT_S, shield=True):
            await self.remove()


class AsyncBrokerFaults:
    """Sets, lists and removes rules; an invalid one raises `AdminError` with the reason."""

    def __init__(self, client: AsyncAdminClient) -> None:
        self._client = client

    async def add(
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
    ) -> AsyncFaultRule:
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
        return (await self.add_rules(rule))[0]

    async def link(
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
    ) -> AsyncFaultRule:
        """Set a rule for what *from_node* sends to *to_node*: ``delay``, ``loss`` or ``cut``.

        A node is an id or ``"controller"``; None is any node. *details* are ``ms`` of a delay, and
        ``percent`` and ``seed`` of a loss. The other direction needs another rule.
        """
        limits = {"nth": nth, "times": times, "for_ms": _for_ms(for_ms), "name": name}
        link = _given({"from": from_node, "to": to_node})
        rule = {"link": link, "action": {"type": action, **details}, **_given(limits)}
        return (await self.add_rules(rule))[0]

    async def add_rules(self, *rules: Mapping[str, Any]) -> list[AsyncFaultRule]:
        """Set rules that are given as JSON objects: all of them, or none."""
        for rule in rules:
            if not isinstance(rule, Mapping):
                raise TypeError(
                    f"rules: {rule!r} is not one rule; give each as an argument of its own"
                )
        added = await self._client.add_faults([dict(rule) for rule in rules])
        return [AsyncFaultRule(self._client, rule["id"]) for rule in added]

    async def all(self) -> list[dict[str, Any]]:
        """Return the fields of all rules, those that have ended included."""
        return await self._client.faults()

    async def firings(self) -> list[dict[str, Any]]:
        """Return the last 1,000 requests, connections and links that a rule fired on, in order."""
        return await self._client.firings()

    async def clear(self) -> None:
        """Remove all rules."""
        await self._client.clear_faults()
