"""What the user has given at the start, which a reset restores: topics and SCRAM credentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from broker.controller.controller import Controller
from broker.security.sasl.credentials import ScramCredential


class GivenTopic(NamedTuple):
    """A topic that exists from the start on; -1 is the broker's default."""

    name: str
    partitions: int = -1
    replication_factor: int = -1

    def __str__(self) -> str:
        """NAME:PARTITIONS:REPLICATION, without defaults."""
        return ":".join(str(each) for each in self if each != -1)


class Given(NamedTuple):
    """Topics, and credentials by user and mechanism."""

    topics: tuple[GivenTopic, ...] = ()
    credentials: Mapping[tuple[str, str], ScramCredential] = {}


NOTHING_GIVEN = Given()


def create_topic(controller: Controller, topic: GivenTopic) -> None:
    """Create a topic, unless it exists; raises `ApiError`."""
    if controller.topic(topic.name) is None:
        controller.create_topic(
            topic.name, partitions=topic.partitions, replication_factor=topic.replication_factor
        )
