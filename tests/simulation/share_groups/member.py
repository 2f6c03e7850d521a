"""A member of the share group: it sends heartbeats, fetches, and acknowledges at random.

It has a session with each node that leads one of its partitions. It may lose its connection, open a
session again, send an epoch twice, or acknowledge what another member has. From the end of the
faults on it accepts everything.
"""

from __future__ import annotations

from random import Random
from typing import Any
from uuid import UUID

import trio

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.share_fetch import AcknowledgementBatch
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.client import Client
from tests.simulation.connections import Connections
from tests.simulation.coordinator_lookup import coordinator_of
from tests.simulation.network import SlowNetwork
from tests.simulation.share_groups.ledger import Ledger
from tests.simulation.share_groups.plan import GROUP, TOPIC, SharePlan
from tests.simulation.share_groups.session import Batches, Session, acknowledged
from tests.simulation.violation import Violation

ACCEPT, RELEASE, REJECT, RENEW = 1, 2, 3, 4
HEARTBEAT_MS = 500
WAITS_MS = (0, 100, 800)
# A client closes its connection if no response comes in this time.
LIMITS_S = (1.5, 8.0, 60.0)
# Latencies of a simulated network, and what the loop needs besides.
LATE_MS = 100


class Member:
    """One member; *others* are all members, itself included."""

    def __init__(
        self,
        number: int,
        plan: SharePlan,
        cluster: Cluster,
        network: SlowNetwork,
        connections: Connections,
        ledger: Ledger,
        topic_id: UUID,
        others: list[Member],
    ) -> None:
        self.member_id = f"m{number}"
        self.is_over = False
        self.sessions: dict[int, Session] = {}
        self._random = Random(f"member {plan.seed} {number}")
        self._plan = plan
        self._cluster = cluster
        self._network = network
        self._connections = connections
        self._ledger = ledger
        self._topic_id = topic_id
        self._others = others
        self._epoch = 0
        self._heartbeat_due_ms = 0.0
        self._is_full = True
        self._assigned: list[int] = []

    async def run(self) -> None:
        """Fetch and acknowledge until cancelled."""
        while True:
            await trio.sleep(self._random.uniform(0.001, 0.06))
            if self._cluster.clock.now_ms() >= self._heartbeat_due_ms:
                await self._heartbeat()
            session = self._session()
            if session is not None and not await self._act(session):
                self._log(f"closes its session with node {session.node_id}")
                session.client.close()
                self.sessions.pop(session.node_id, None)

    def _log(self, text: str) -> None:
        self._connections.log(f"{self.member_id} {text}")

    # ------------------------------------------------------------------------------- membership

    async def _heartbeat(self) -> None:
        self._heartbeat_due_ms = self._cluster.clock.now_ms() + HEARTBEAT_MS
        request = ShareGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=self.member_id,
            member_epoch=self._epoch,
            subscribed_topic_names=[TOPIC] if self._is_full or not self._epoch else None,
        )
        answer = await self._connections.exchange(
            f"{self.member_id} heartbeat {self._epoch}", request, 1, self._coordinator(), limit_s=2
        )
        # A lost response, or the one before an error, may have had the assignment; only a full
        # request is sure to get it. Java's consumer does the same.
        self._is_full = answer is None or answer.response.error_code != ErrorCode.NONE
        if answer is None:
            return
        response = answer.response
        error = ErrorCode(response.error_code)
        if error in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH):
            self._epoch = 0
        elif not error:
            self._epoch = response.member_epoch
            if response.assignment is not None:
                self._assigned = [
                    each
                    for of_topic in response.assignment.topic_partitions
                    for each in of_topic.partitions
                ]
        self._log(f"heartbeat: {error.name}, epoch {self._epoch}, {self._assigned}")

    def _coordinator(self) -> int:
        return coordinator_of(GROUP, GROUP_METADATA_TOPIC, self._cluster.controller.image)

    # --------------------------------------------------------------------------------- sessions

    def _session(self) -> Session | None:
        """A session in which records are held, or one with a leader; None without a leader."""
        holding = [each for each in self.sessions.values() if any(each.held.values())]
        if holding and self._random.random() < 0.5:
            return self._random.choice(holding)
        leaders = sorted({self._leader(each) for each in self._assigned} - {-1})
        if not leaders:
            return self._random.choice(holding) if holding else None
        return self._session_with(self._random.choice(leaders))

    def _session_with(self, node_id: int) -> Session | None:
        if node_id not in self.sessions:
            session = self._open(node_id)
            if session is None:
                return None
            self.sessions[node_id] = session
        return self.sessions[node_id]

    def _open(self, node_id: int) -> Session | None:
        try:
            client = Client(*self._network.join(self._cluster.members[node_id].broker.port))
        except ConnectionRefusedError:
            return None
        return Session(node_id, client, self.member_id, self._topic_id)

    def _leader(self, partition: int) -> int:
        return self._connections.leader(TopicPartition(TOPIC, partition))

    # ---------------------------------------------------------------------------------- actions

    async def _act(self, session: Session) -> bool:
        """Do one thing; returns whether the session goes on."""
        if not session.epoch:
            return await self._fetch(session, {})
        chance = self._random.random()
        if chance < 0.02 and not self.is_over:
            return False  # the connection is closed
        if chance < 0.05 and not self.is_over:
            return self._reopen(session)
        if chance < 0.08 and not self.is_over:
            return await self._end(session)
        return await self._acknowledge_or_fetch(session, self._draw_action())

    async def _acknowledge_or_fetch(self, session: Session, action: str) -> bool:
        if action == "forget":
            session.held = {}  # the locks end
        if action == "stale epoch":
            return await self._send_stale(session)
        if action == "of another member":
            return await self._acknowledge_for_another(session)
        if action == "renew":
            return await self._acknowledge(session, self._batches(session, action), renew=True)
        batches = self._batches(session, action)
        if batches and self._random.random() < 0.5:
            return await self._acknowledge(session, batches)
        return await self._fetch(session, batches)

    def _draw_action(self) -> str:
        if self.is_over:
            return "accept"
        actions = self._plan.actions
        return self._random.choices(list(actions), list(actions.values()))[0]

    def _batches(self, session: Session, action: str) -> Batches:
        """Acknowledgements of what is held; removes it, unless the locks are renewed."""
        batches: Batches = {}
        if action == "keep":
            return batches
        for partition, held in session.held.items():
            if held:
                batches[partition] = [
                    self._batch(first, last, action) for first, last in sorted(held)
                ]
        if action != "renew":
            session.held = {
                partition: [
                    (done.last_offset + 1, last)
                    for done, (_, last) in zip(batches[partition], sorted(held), strict=True)
                    if done.last_offset < last
                ]
                for partition, held in session.held.items()
                if held
            }
        return batches

    def _batch(self, first: int, last: int, action: str) -> AcknowledgementBatch:
        random = self._random
        types = [{"release": RELEASE, "reject": REJECT, "renew": RENEW}.get(action, ACCEPT)]
        if action == "accept a part":
            last = random.randint(first, last)
        elif action == "mixed":
            kinds = random.choices((ACCEPT, RELEASE, REJECT, 0), (5, 5, 1, 1), k=last - first + 1)
            types = list(kinds)
        return AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=types)

    async def _fetch(self, session: Session, batches: Batches) -> bool:
        random = self._random
        here = [each for each in self._assigned if self._leader(each) == session.node_id]
        wait_ms = random.choice(WAITS_MS)
        request = session.fetch_request(
            here, batches, wait_ms, random.choice((1, 5, 500)), random.choice((0, 0, 1))
        )
        self._log(f"fetches {here} from {session.node_id} ({session.epoch}) {_text(batches)}")
        sent_ms = self._cluster.clock.now_ms()
        response = await session.exchange(request, random.choice(LIMITS_S))
        if response is None or response.error_code:
            return False
        took_ms = self._cluster.clock.now_ms() - sent_ms
        if not batches and took_ms > wait_ms + 2 * self._plan.latency_max_ms + LATE_MS:
            raise Violation(f"{self.member_id}: a fetch took {took_ms:.1f} of {wait_ms} ms")
        session.epoch += 1
        self._confirm(batches, session.fetched(response))
        return True

    async def _acknowledge(
        self, session: Session, batches: Batches, *, renew: bool = False
    ) -> bool:
        self._log(f"acknowledges at {session.node_id} ({session.epoch}) {_text(batches)}")
        request = session.acknowledge_request(batches, renew=renew)
        response = await session.exchange(request, self._random.choice(LIMITS_S))
        if response is None or response.error_code:
            return False
        session.epoch += 1
        self._confirm(batches, acknowledged(response))
        return True

    def _confirm(self, batches: Batches, errors: dict[int, ErrorCode]) -> None:
        """Report the acceptances that the response confirms."""
        for partition, found in batches.items():
            error = errors.get(partition)
            self._log(f"has {'no result' if error is None else error.name} for {partition}")
            if error is not ErrorCode.NONE:
                continue
            for each in found:
                for offset, kind in _kinds(each):
                    if kind == ACCEPT:
                        self._ledger.confirmed(partition, offset, offset)

    def _reopen(self, session: Session) -> bool:
        """Open a session again on another connection; the records stay acquired."""
        again = self._open(session.node_id)
        if again is None:
            return False
        again.held = session.held
        self.sessions[session.node_id] = again
        return True

    async def _end(self, session: Session) -> bool:
        """End a session; its records are released."""
        self._log(f"ends its session with {session.node_id}")
        batches = self._batches(session, "accept") if self._random.random() < 0.5 else {}
        request = session.acknowledge_request(batches, epoch=-1)
        response = await session.exchange(request, self._random.choice(LIMITS_S))
        if response is not None and not response.error_code:
            self._confirm(batches, acknowledged(response))
        return False

    async def _send_stale(self, session: Session) -> bool:
        """Send an epoch that is not the next one; it must be refused."""
        wrong = session.epoch + self._random.choice((-1, 1, 2))
        if wrong <= 0:
            return True
        held = {partition: list(found) for partition, found in session.held.items()}
        batches = self._batches(session, "accept")
        session.held = held
        request = session.acknowledge_request(batches, epoch=wrong)
        response = await session.exchange(request, self._random.choice(LIMITS_S))
        if response is not None and not response.error_code:
            raise Violation(f"{self.member_id}: epoch {wrong} is taken, not {session.epoch}")
        return response is not None

    async def _acknowledge_for_another(self, session: Session) -> bool:
        """Acknowledge what another member holds at this node; the ledger notices if it is taken."""
        other = self._random.choice(self._others)
        theirs: Any = other.sessions.get(session.node_id)
        if other is self or theirs is None:
            return True
        batches = {
            partition: [self._batch(first, last, "accept") for first, last in sorted(held)]
            for partition, held in theirs.held.items()
            if held
        }
        return await self._acknowledge(session, batches)


def _kinds(batch: AcknowledgementBatch) -> list[tuple[int, int]]:
    """Each offset with its type."""
    count = batch.last_offset - batch.first_offset + 1
    types = batch.acknowledge_types
    return list(
        zip(
            range(batch.first_offset, batch.last_offset + 1),
            types * count if len(types) == 1 else types,
            strict=True,
        )
    )


def _text(batches: Batches) -> str:
    return " ".join(
        f"{partition}:{each.first_offset}-{each.last_offset} "
        + "".join(map(str, each.acknowledge_types))
        for partition, found in batches.items()
        for each in found
    )
