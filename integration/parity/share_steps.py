"""The steps of programs about share groups, and their results as text.

A step names no offsets: it selects them, by its seed, from those that its member holds, so that
most acknowledgements are valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from integration.parity.share_game import Player, ShareGame
from integration.parity.share_member import NO_LIMITS

_KINDS = ("accept", "accept", "accept", "release", "release", "release", "reject", "gap")
_ODD = ("5", "-1", "renew", "accept accept", "accept", "release")


class ShareStep(Protocol):
    """One step; *play* returns what was observed."""

    def play(self, game: ShareGame) -> str:
        """Do it."""


@dataclass(frozen=True)
class Produce:
    """Append batches."""

    partition: int
    counts: tuple[int, ...]

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        game.produce(self.partition, self.counts)
        return ""


@dataclass(frozen=True)
class Transact:
    """Append a batch of a transaction, which is then committed or aborted."""

    partition: int
    count: int
    commit: bool

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        game.transact(self.partition, self.count, commit=self.commit)
        return ""


@dataclass(frozen=True)
class Fetch:
    """Fetch records; *seed*: acknowledge some in the same request."""

    member: int
    max_records: int
    batch_size: int
    exact: bool
    seed: int | None = None

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        player, batches = game.players[self.member], []
        partition = player.partitions[0]
        if self.seed is not None and player.member.epoch:
            batches = selected(player, partition, Random(self.seed))
        result = game.fetch(
            player, self.max_records, self.batch_size, exact=self.exact, acknowledge=batches
        )
        return f"{batches} {result}"


@dataclass(frozen=True)
class Acknowledge:
    """Acknowledge some of the records that a member holds, in one or all of its partitions."""

    member: int
    seed: int

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        player, random = game.players[self.member], Random(self.seed)
        batches = {each: selected(player, each, random) for each in player.partitions}
        return f"{batches} {player.member.acknowledge_all(batches)}"


@dataclass(frozen=True)
class AcknowledgeOddly:
    """Acknowledge any offsets, with any types, or batches in any order."""

    member: int
    seed: int

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        player, random = game.players[self.member], Random(self.seed)
        partition = random.choice(player.partitions)
        batches = []
        for _ in range(random.randint(1, 2)):
            first = random.randint(0, game.ends[partition] + 1)
            last = first + random.choice((-1, 0, 0, 1, 2, 5))
            batches.append(f"{first}-{max(last, 0)} {random.choice(_ODD)}")
        result = player.member.acknowledge(*batches, partition=partition, message=True)
        if result.startswith("NONE"):
            for each in batches:
                offsets, *types = each.split()
                if types != ["renew"]:
                    player.drop(partition, _range(offsets))
        return f"{batches} {result}"


@dataclass(frozen=True)
class Renew:
    """Renew the locks of some of the records that a member holds."""

    member: int
    seed: int
    with_fetch: bool

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        player, random = game.players[self.member], Random(self.seed)
        partition = player.partitions[0]
        batches = [f"{run} renew" for run in _some_runs(player, partition, random)]
        if not batches:
            return "nothing"
        if self.with_fetch and player.member.epoch:
            result = player.member.fetch(partition, renew=True, acknowledge=batches, **NO_LIMITS)
        else:
            result = player.member.acknowledge(*batches, partition=partition, renew=True)
        return f"{batches} {result}"


@dataclass(frozen=True)
class Expire:
    """Wait until all locks have expired."""

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        game.expire()
        return ""


@dataclass(frozen=True)
class Reopen:
    """Begin the session of a member anew; it keeps its records."""

    member: int

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        player = game.players[self.member]
        player.member.epoch = 0
        return game.fetch(player, 0, 1)


@dataclass(frozen=True)
class End:
    """End the session of a member, which may acknowledge some of its records."""

    member: int
    seed: int

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        player, random = game.players[self.member], Random(self.seed)
        batches = {}
        if random.random() < 0.5:
            batches = {each: selected(player, each, random) for each in player.partitions}
        result = player.member.acknowledge_all(batches, epoch=-1)
        game.ended(player)
        return f"{batches} {result}"


@dataclass(frozen=True)
class Disconnect:
    """End the session of a member with its connection."""

    member: int

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        game.reconnect(game.players[self.member])
        return ""


@dataclass(frozen=True)
class Delete:
    """Delete the first records of a partition."""

    partition: int
    part: float

    def play(self, game: ShareGame) -> str:
        """See `ShareStep`."""
        before = round(game.ends[self.partition] * self.part)
        game.delete(self.partition, before)
        return f"{before}"


def selected(player: Player, partition: int, random: Random) -> list[str]:
    """Acknowledgements of some records that a member holds, which it then holds no more."""
    batches = []
    for run in _some_runs(player, partition, random):
        offsets = _range(run)
        kinds = random.choices(_KINDS, k=len(offsets) if random.random() < 0.4 else 1)
        batches.append(f"{run} {' '.join(kinds)}")
        player.drop(partition, offsets)
    return batches


def _range(run: str) -> range:
    first, last = map(int, run.split("-"))
    return range(first, last + 1)


def _some_runs(player: Player, partition: int, random: Random) -> Sequence[str]:
    """At most three disjoint runs of offsets, in order."""
    chosen = []
    for run in player.runs(partition):
        if random.random() < 0.7:
            begin = random.randrange(len(run)) if random.random() < 0.5 else 0
            end = random.randint(begin, len(run) - 1) if random.random() < 0.5 else len(run) - 1
            chosen.append(f"{run[begin]}-{run[end]}")
    return chosen[:3]
