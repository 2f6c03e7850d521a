"""The rules of the model accept what Kafka does, and nothing else."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.group_states import GroupStates
from tests.broker.groups.model.plan import Plan
from tests.broker.groups.model.rules import Rules
from tests.broker.groups.model.violation import Violation
from tests.broker.groups.model.world import ModelWorld
from tests.broker.groups.script import ScriptPlayer


class CheckedWorld:
    """A world of the model whose rules are checked after each command of a script."""

    def __init__(self) -> None:
        self._world = ModelWorld(Plan(seed=0, config=Config()))
        self._player = ScriptPlayer(self._world.world)
        self._rules = Rules(self._world)

    def play(self, *commands: str) -> None:
        """Run the commands; raises `Violation`."""
        for command in commands:
            self._player.play([command])
            self._rules.check()

    def lose_records(self) -> None:
        """Check the rules as if the logs were empty."""
        self._world.shadows = [GroupStates() for _ in self._world.shadows]
        self._rules.check()

    @property
    def group(self) -> ConsumerGroup:
        """The group of the script."""
        return self._world.node.groups.consumers.group("g")


@pytest.fixture
def checked() -> CheckedWorld:
    return CheckedWorld()


def test_a_metadata_hash_of_other_topics_is_a_violation(checked: CheckedWorld) -> None:
    """If the topics of the group have not changed since it was computed."""
    checked.play("consume a t instance=i")
    checked.group.metadata_hash += 1

    with pytest.raises(Violation, match="has the metadata hash of other topics"):
        checked.play("beat a")


def test_topics_of_an_overwritten_member_may_stay_in_the_metadata_hash(
    checked: CheckedWorld,
) -> None:
    """The script ``consumer_member_takes_over_an_instance`` shows that Kafka keeps them."""
    checked.play("consume a t instance=i", "consume b u", "pause a")
    before = checked.group.metadata_hash

    checked.play("consume b t instance=i", "beat b")

    assert checked.group.metadata_hash == before


def test_the_next_epoch_has_the_metadata_hash_of_the_present_topics(checked: CheckedWorld) -> None:
    """The exception ends with the epoch in which the member was overwritten."""
    checked.play("consume a t instance=i", "consume b u", "pause a", "consume b t instance=i")
    checked.play("topic t 3", "beat b")
    checked.group.metadata_hash += 1

    with pytest.raises(Violation, match="has the metadata hash of other topics"):
        checked.play("beat b")


def test_the_first_generation_of_a_group_without_a_record_is_written_at_its_sync(
    checked: CheckedWorld,
) -> None:
    """An empty commit creates a group in memory alone."""
    checked.play("commit -", "join a v=0", "wait 3000")
    checked.play("sync a a=x")

    with pytest.raises(Violation, match="is in the memory alone"):
        checked.lose_records()
