"""The sessions of nodes with the controller: a node that a rule cuts off from it is fenced.

    connected --either direction is cut--> waiting for broker.session.timeout.ms --> fenced
        ^                                      |                                       |
        `------------- both directions work again -----------------------------------'

Heartbeats are not modelled: the session of a node begins anew at the time of the cut, and the node
is unfenced when both directions work and the changes that were withheld have arrived (Kafka's
``BrokerHeartbeatManager``, whose nodes send a heartbeat every ``broker.heartbeat.interval.ms``).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from broker.common.errors import WrongState
from broker.config import Config
from broker.controller.controller import Controller
from broker.faults.rule_spec import CONTROLLER
from broker.links.links import Links
from broker.steps.schedule import schedule_once
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class BrokerSessions:
    """Fences and unfences the nodes with these ids as the rules about their links change."""

    def __init__(
        self,
        links: Links,
        controller: Controller,
        timer: SystemTimer,
        node_ids: Iterable[int],
        config: Config,
    ) -> None:
        self._links = links
        self._controller = controller
        self._timer = timer
        self._node_ids = tuple(node_ids)
        self._timeout_ms = config.broker_session_timeout_ms
        self._expirations: dict[int, TimerTask] = {}
        self._expired: set[int] = set()
        links.on_change(self._rules_changed)

    def check_may_register(self, node_id: int) -> None:
        """Raise `WrongState` if a rule cuts a direction between the node and the controller."""
        if self._is_cut_off(node_id):
            raise WrongState(
                f"node {node_id} cannot register: a fault rule cuts its link to the controller; "
                "remove the rule first"
            )

    def stopped(self, node_id: int) -> None:
        """End the session of a node that has stopped: a start registers it again."""
        self._expired.discard(node_id)
        self._cancel(node_id)

    def _is_cut_off(self, node_id: int) -> bool:
        ends = node_id, CONTROLLER
        return any(self._links.direction(*each).is_cut for each in (ends, ends[::-1]))

    def _rules_changed(self) -> None:
        for node_id in self._node_ids:
            if self._is_cut_off(node_id):
                self._begin(node_id)
            else:
                self._cancel(node_id)
                self._resume(node_id)

    def _begin(self, node_id: int) -> None:
        if node_id not in self._expirations and self._controller.image.alive(node_id):
            self._expirations[node_id] = schedule_once(
                self._timer, partial(self._expire, node_id), delay_ms=self._timeout_ms
            )

    def _cancel(self, node_id: int) -> None:
        task = self._expirations.pop(node_id, None)
        if task is not None:
            task.cancel()

    def _expire(self, node_id: int) -> None:
        if self._controller.image.alive(node_id):
            self._expired.add(node_id)
            self._controller.expire_session(node_id)

    def _resume(self, node_id: int) -> None:
        if node_id in self._expired:
            self._expired.discard(node_id)
            self._controller.resume_session(node_id)
