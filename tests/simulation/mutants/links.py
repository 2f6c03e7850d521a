"""Mutants of links with faults: between nodes, and between a node and the controller."""

from __future__ import annotations

import pytest

from broker.controller.feeds.metadata_route import MetadataRoute
from broker.controller.links.controller_request import ControllerRequest
from broker.controller.links.sessions import BrokerSessions
from broker.links.direction import Direction
from tests.simulation.mutants.registry import mutant


@mutant(10_004)
def lost_requests_to_the_controller_are_not_sent_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ControllerRequest, "_timed_out", ControllerRequest.cancel)


@mutant(10_105)
def lost_metadata_are_not_sent_again(patch: pytest.MonkeyPatch) -> None:
    carry = MetadataRoute.carry

    def once(self: MetadataRoute, deliver: object) -> bool:
        self.resend_ms = None  # type: ignore[assignment]  # as for messages of other kinds
        return carry(self, deliver)  # type: ignore[arg-type]  # what it was called with

    patch.setattr(MetadataRoute, "carry", once)


@mutant(10_000)
def nodes_that_were_cut_off_stay_fenced(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BrokerSessions, "_resume", lambda _self, _node_id: None)


@mutant(10_000)
def delayed_messages_are_lost_when_their_rule_ends(patch: pytest.MonkeyPatch) -> None:
    deliver_due = Direction._deliver_due  # noqa: SLF001 - a mutant replaces it

    def forget(self: Direction) -> None:
        if not self.faults:
            self._queue.clear()
        deliver_due(self)

    patch.setattr(Direction, "_deliver_due", forget)
