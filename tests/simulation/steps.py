"""What can happen in a run of the simulation, one class for each kind of step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One thing that happens, ``at_ms`` after the begin."""

    at_ms: float


@dataclass(frozen=True)
class Role:
    """A node by the part it plays in a scene.

    0 leads the partition when the scene begins, then come the other replicas, then other nodes.
    """

    scene: int
    partition: int
    rank: int


@dataclass(frozen=True)
class Produce(Step):
    """A client sends a batch once; ``stale`` sends it to that node, whoever leads."""

    partition: int
    acks: int
    count: int
    timeout_ms: int
    stale: int | None


@dataclass(frozen=True)
class Read(Step):
    """A client fetches: from a node or, with None, from the leader; from a part of what is there.

    ``whence`` 1 is the end as last seen, 0 the beginning.
    """

    partition: int
    node: int | None
    whence: float
    max_wait_ms: int
    version: int


@dataclass(frozen=True)
class Delete(Step):
    """A client deletes that part of what is there."""

    partition: int
    part: float
    timeout_ms: int


@dataclass(frozen=True)
class Fault(Step):
    """Something is done to a node: ``kind`` is the name of what `Faults` can do."""

    kind: str
    node: int | Role


@dataclass(frozen=True)
class Lose(Step):
    """A node that is down had not synced all it wrote: that part of its last segments is left."""

    node: Role
    part: float


@dataclass(frozen=True)
class Move(Step):
    """An operator gives the partition these replicas, and the leadership to the first of them."""

    partition: int
    replicas: tuple[int | Role, ...]


@dataclass(frozen=True)
class Lead(Step):
    """An operator gives the leadership of a scene's partition to that replica."""

    node: Role


@dataclass(frozen=True)
class Hang(Step):
    """Connections from or to a node are lost, with what is under way; each with ``chance``."""

    node: int
    chance: float
