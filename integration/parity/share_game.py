"""One program about a share group on one system: its members, and what each of them holds.

What a member holds is known from responses only. Real time matters only for locks: `LockTooOld` is
raised when a lock may have expired although the program did not wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import delete_records
from integration.parity.scenario import Kafka
from integration.parity.share_member import ShareGroup, ShareMember
from integration.parity.transactional_producer import Producer

FETCH_WAIT_MS = 100
_SPARE = 2  # a partition that no member of a program uses
_NOT_THE_OWNER = "not the owner"


class LockTooOld(Exception):  # noqa: N818 - it names what happened
    """The system was too slow: a lock may have expired by itself."""


@dataclass(frozen=True)
class Conditions:
    """What is given before a program: the partitions of each member, settings, a stored state."""

    members: tuple[tuple[int, ...], ...]
    lock_ms: int
    settings: tuple[tuple[str, str], ...] = ()
    stored: tuple[str, ...] = ()
    records: tuple[int, ...] = ()


@dataclass
class Player:
    """A member with a session, and the offsets that it holds, by partition."""

    member: ShareMember
    partitions: tuple[int, ...]
    held: dict[int, list[int]] = field(default_factory=dict)

    def runs(self, partition: int) -> list[list[int]]:
        """The consecutive offsets that it holds in a partition."""
        runs: list[list[int]] = []
        for offset in self.held.get(partition, ()):
            if runs and runs[-1][-1] + 1 == offset:
                runs[-1].append(offset)
            else:
                runs.append([offset])
        return runs

    def drop(self, partition: int, offsets: Iterable[int]) -> None:
        """It does not hold these any more."""
        gone = set(offsets)
        self.held[partition] = [each for each in self.held.get(partition, ()) if each not in gone]


class ShareGame:
    """A group with the members of a program, and an observer that holds nothing."""

    def __init__(self, kafka: Kafka, conditions: Conditions) -> None:
        settings: dict[str, Any] = dict(conditions.settings)
        self._kafka = kafka
        self.conditions = conditions
        self.group = ShareGroup(
            kafka,
            3,
            stored=conditions.stored,
            records=conditions.records,
            record_lock_duration_ms=str(conditions.lock_ms),
            **settings,
        )
        self.players = [
            Player(self.group.member(f"m{index}"), partitions)
            for index, partitions in enumerate(conditions.members)
        ]
        self.ends = [sum(conditions.records), 0]
        self._observer = self.group.member("observer")
        self._observer.fetch(_SPARE, max_wait_ms=1)
        self._oldest_lock_at: float | None = None
        self._producer: Producer | None = None

    # -------------------------------------------------------------------------------- requests

    def produce(self, partition: int, counts: Sequence[int]) -> None:
        """Append a batch of each number of records."""
        self.group.produce(*counts, partition=partition)
        self.ends[partition] += sum(counts)

    def transact(self, partition: int, count: int, *, commit: bool) -> None:
        """Append a batch of a transaction, and the marker that ends it."""
        if self._producer is None:
            self._producer = Producer(self._kafka)
        self._producer.produce(self.group.topic, *map(str, range(count)), partition=partition)
        self._producer.complete(commit=commit)
        self.ends[partition] += count + 1

    def fetch(
        self,
        player: Player,
        max_records: int,
        batch_size: int,
        *,
        exact: bool = False,
        acknowledge: Sequence[str] = (),
    ) -> str:
        """Fetch, with acknowledgements in the first of the member's partitions."""
        began = time.monotonic()
        member = player.member
        named = player.partitions if not member.epoch else player.partitions[: bool(acknowledge)]
        result = member.fetch(
            *named,
            max_records=max_records,
            batch_size=batch_size,
            mode=int(exact),
            acknowledge=acknowledge,
            max_wait_ms=FETCH_WAIT_MS,
        )
        for partition, offsets in _acquired(result):
            player.held[partition] = sorted({*player.held.get(partition, ()), *offsets})
            self._oldest_lock_at = self._oldest_lock_at or began
        return result

    def check_locks(self) -> None:
        """Raise `LockTooOld` unless all locks are certainly in force."""
        began = self._oldest_lock_at
        if began is not None and time.monotonic() - began > self.conditions.lock_ms * 0.8 / 1000:
            raise LockTooOld

    def delete(self, partition: int, before: int) -> None:
        """Delete the records before an offset."""
        request = delete_records(self.group.topic, {partition: before})
        (topic,) = self._kafka.request(request).topics
        assert topic.partitions[0].error_code == 0, topic

    # ---------------------------------------------------------------------------------- waiting

    def expire(self) -> None:
        """Wait until all locks have expired."""
        eventually(lambda: not self._is_any_locked(self.players), "the end of all locks")
        for player in self.players:
            player.held.clear()
        self._oldest_lock_at = None

    def ended(self, player: Player) -> None:
        """Wait until what a member held, whose session has ended, can be acquired again."""
        member_id = player.member.member_id
        eventually(lambda: not self._is_any_locked([player]), f"the end of {member_id}")
        player.held.clear()
        self._write_in_order()

    def reconnect(self, player: Player) -> None:
        """Close the connection of a member, and open another one for a new session."""
        player.member.client.close()
        self.ended(player)
        player.member.client = self._kafka.connect()
        player.member.epoch = 0

    def _is_any_locked(self, players: Iterable[Player]) -> bool:
        """Whether a record is locked: the observer's acknowledgement is refused in another way."""
        return any(
            _NOT_THE_OWNER in self._observed(partition, run[0])
            for player in players
            for partition in player.held
            for run in player.runs(partition)
        )

    def _observed(self, partition: int, offset: int) -> str:
        return self._observer.acknowledge(f"{offset} accept", partition=partition, message=True)

    def _write_in_order(self) -> None:
        """Wait for the writes so far: the leader sends those of a group one after another."""
        self.group.produce(1, partition=_SPARE)
        result = self._observer.fetch(max_wait_ms=5000)
        ((_, offsets),) = _acquired(result)
        assert self._observer.acknowledge(f"{offsets[0]} accept", partition=_SPARE) == "NONE"


def _acquired(result: str) -> Iterator[tuple[int, list[int]]]:
    """The partitions and offsets of a result as `fetched` makes it."""
    for part in result.split(", "):
        partition, _, ranges = part.partition(": ")
        for one in ranges.split():
            offsets, found, _ = one.partition("#")
            if found:
                first, last = map(int, offsets.split("-"))
                yield int(partition), list(range(first, last + 1))
