"""The steps of a run, one class for each kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """An event, ``at_ms`` after the start."""

    at_ms: float


@dataclass(frozen=True)
class Role:
    """A node by its role in a scene.

    Rank 0 leads the partition when the scene begins; the other replicas follow, then other nodes.
    """

    scene: int
    partition: int
    rank: int


@dataclass(frozen=True)
class Produce(Step):
    """A client sends a batch once; ``stale`` is a node that may not be the leader."""

    partition: int
    acks: int
    count: int
    timeout_ms: int
    stale: int | None


@dataclass(frozen=True)
class Read(Step):
    """A client fetches from a node or, with None, from the leader.

    ``whence`` is a fraction of the committed records: 0 is the start, 1 the end.
    """

    partition: int
    node: int | None
    whence: float
    max_wait_ms: int
    version: int


@dataclass(frozen=True)
class Delete(Step):
    """A client deletes that fraction of the committed records."""

    partition: int
    part: float
    timeout_ms: int


@dataclass(frozen=True)
class DeleteTopic(Step):
    """An operator deletes the next temporary topic."""


@dataclass(frozen=True)
class Fault(Step):
    """A fault is applied to a node; ``kind`` is one of `Faults`."""

    kind: str
    node: int | Role


@dataclass(frozen=True)
class LoseTail(Step):
    """A stopped node loses unflushed records: that part of its last segments remains."""

    node: Role
    part: float


@dataclass(frozen=True)
class Move(Step):
    """An operator reassigns the partition and elects the first of these replicas."""

    partition: int
    replicas: tuple[int | Role, ...]


@dataclass(frozen=True)
class MakeLeader(Step):
    """An operator makes that replica the leader of a scene's partition."""

    node: Role


@dataclass(frozen=True)
class Disconnect(Step):
    """Each connection from or to a node is lost with ``chance``, with the bytes in transit."""

    node: int
    chance: float


@dataclass(frozen=True)
class AddLinkRule(Step):
    """A fault rule about a link is set; ``rule`` is its description in JSON."""

    rule: dict[str, Any]
