"""The steps of a run with share groups, besides faults of single nodes."""

from __future__ import annotations

from dataclasses import dataclass

from tests.simulation.steps import Step


@dataclass(frozen=True)
class Append(Step):
    """A producer sends a batch of *count* records to a partition, with acks=all."""

    partition: int
    count: int


@dataclass(frozen=True)
class Lead(Step):
    """An operator makes a node the leader of a partition, if it is in sync."""

    topic: str
    partition: int
    node: int


@dataclass(frozen=True)
class DeleteRecords(Step):
    """The first records of a partition are deleted: that part of the committed ones."""

    partition: int
    part: float


@dataclass(frozen=True)
class CutLink(Step):
    """No message passes between two nodes until they are mended."""

    one: int
    other: int


@dataclass(frozen=True)
class MendLinks(Step):
    """All links that were cut carry messages again."""
