"""Random decisions of Kafka's controller and of ours are equal.

Nodes crash and return, leaders change their ISR, leaders are elected and replicas reassigned. After
every step the response and the registration of every partition must be equal. Eligible leader
replicas are enabled and disabled. Our controller runs first, to choose valid steps; Kafka's then
runs the recorded script.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from uuid import UUID

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.features import (
    ELR_VERSION,
    SAFE_DOWNGRADE,
    UPGRADE,
    FeatureUpdate,
)
from broker.controller.metadata.image import Broker, PartitionRegistration, TopicImage
from broker.controller.partitions.alter_partition import AlterPartition
from broker.controller.partitions.partition_change import Election
from broker.quotas.entity import Entity, Quotas
from broker.steps.queue import finish
from integration.kafka.java_program import java_command
from integration.machine.deadlines import ENDS_WITHIN_S
from integration.machine.seeds import FRESH, seed_of_run
from protocol.errors import ErrorCode

pytestmark = pytest.mark.jvm

TRACES = 400
SEED = seed_of_run(FRESH)
STEPS = 60
NODES = range(1, 6)
JAVA = Path(__file__).parent / "java"
_NO_ID = UUID(int=9)
_ELECTIONS = {"0": Election.PREFERRED, "1": Election.UNCLEAN}


def test_decisions_equal_those_of_kafkas_controller(tmp_path: Path) -> None:
    """Responses, ISRs, leaders, epochs, reassignments and eligible leader replicas are equal."""
    print(f"ANTECHAMBER_SEED={SEED}")
    played = [_play(Random(SEED + number)) for number in range(TRACES)]
    script = "".join(step + "\n" for trace in played for step, _ in trace)
    command = java_command(
        JAVA / "ControllerTrace.java", "org.apache.kafka.controller.ControllerTrace", tmp_path
    )

    kafka = subprocess.run(
        command, input=script, capture_output=True, text=True, check=True, timeout=ENDS_WITHIN_S
    ).stdout.splitlines()

    assert len(kafka) == sum(map(len, played))
    assert kafka.count("fault") < len(kafka) / 20
    reported = iter(kafka)
    for trace in played:
        so_far = []
        for step, ours in trace:
            so_far.append(step)
            theirs = next(reported)
            assert theirs in (ours, "fault"), "\n".join(so_far)


class IgnoringNode:
    """A node that ignores all notifications."""

    def broker_changed(self, broker: Broker) -> None:
        """Do nothing."""

    def configs_changed(self) -> None:
        """Do nothing."""

    def client_quotas_changed(self, entity: Entity, quotas: Quotas) -> None:
        """Do nothing."""

    def feature_levels_changed(self) -> None:
        """Do nothing."""

    def group_configs_changed(self, group_id: str) -> None:
        """Do nothing."""

    def delivered(self) -> None:
        """Do nothing."""

    def delivery_failed(self, change: str, error: Exception) -> None:
        """Do nothing."""
        raise error

    def topic_changed(self, topic: TopicImage) -> None:
        """Do nothing."""

    def topic_deleted(self, topic: TopicImage) -> None:
        """Do nothing."""


def _play(random: Random) -> list[tuple[str, str]]:
    player = Player(random)
    trace = [("trace", "trace")]
    trace += [player.take(f"register {node}") for node in NODES]
    trace += [player.take(player.draw_create()) for _ in range(3)]
    trace += [player.take(player.draw()) for _ in range(STEPS)]
    trace += [player.take(player.draw_configure(player.image.values()))]
    player.controller.close()
    return trace


class Player:
    """Draws steps and applies them to our controller."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.controller = Controller(ControllerStore(None), Config(), check_topic_configs)

    @property
    def image(self) -> dict[str, TopicImage]:
        """The topics, sorted by name."""
        return dict(sorted(self.controller.image.topics.items()))

    # ------------------------------------------------------------------------------- drawing

    def draw(self) -> str:
        """Return a random step that is usually valid."""
        draws: list[tuple[int, Callable[[], str]]] = [
            (4, self._draw_crash_or_return),
            (8, self._draw_isr),
            (4, self._draw_move),
            (2, lambda: f"elect {self._draw_type()} {self._draw_key()}"),
            (1, lambda: f"electall {self._draw_type()}"),
            (1, lambda: self.random.choice(("balance", "unclean"))),
            (1, self._draw_grow),
            (1, self._draw_configure),
            (1, self._draw_elr),
            (1, self.draw_create),
        ]
        (draw,) = self.random.choices([d for _, d in draws], [weight for weight, _ in draws])
        return draw()

    def draw_create(self) -> str:
        """Return the creation of a random topic."""
        factor = self.random.randint(1, 4)
        placed = self._draw_placed(factor, self.random.randint(1, 3))
        unclean = self.random.choice(("true", "false", "false"))
        return f"create t{self.random.randint(0, 5)} {self.random.randint(1, 3)} {unclean} {placed}"

    def _draw_configure(self) -> str:
        """Kafka's index of eligible leaders becomes stale when they are cleared, so avoid that."""
        settled = [
            topic for topic in self.image.values() if not any(map(_remembers, topic.partitions))
        ]
        return self.draw_configure(settled)

    def _draw_elr(self) -> str:
        """Avoid a change while a partition has no leader.

        Kafka does not remove a last known leader while ELR are disabled, and remembers -1 of a
        partition that has lost its leader meanwhile.
        """
        partitions = [each for topic in self.image.values() for each in topic.partitions]
        is_settled = all(each.leader >= 0 and not _remembers(each) for each in partitions)
        return f"elr {self.random.randint(0, 1)}" if is_settled else "balance"

    def draw_configure(self, topics: Iterable[TopicImage]) -> str:
        """Return new settings for one of these topics."""
        names = [topic.name for topic in topics]
        if not names:
            return "balance"
        min_isr, unclean = (self.random.choice(each) for each in ("123-", ("true", "false", "-")))
        return f"configure {self.random.choice(names)} {min_isr} {unclean}"

    def _draw_grow(self) -> str:
        name = self._draw_key().split()[0]
        topic = self.image.get(name)
        factors = {len(each.replicas) for each in topic.partitions} if topic else {1}
        if len(factors) > 1:
            return "balance"  # Kafka's choice depends on the order of a hash map
        return f"grow {name} {self._draw_placed(factors.pop(), 1)}"

    def _draw_placed(self, factor: int, partitions: int) -> str:
        if self.random.random() < 0.1:
            factor = min(factor + 1, len(NODES))
        nodes = [*NODES] if self.random.random() < 0.95 else [*NODES, 9]
        return "/".join(_text(self.random.sample(nodes, factor)) for _ in range(partitions))

    def _draw_crash_or_return(self) -> str:
        node = self.random.choice(NODES)
        return f"fence {node}" if self.controller.image.alive(node) else f"register {node}"

    def _draw_type(self) -> int:
        return self.random.choice((0, 1))

    def _draw_key(self) -> str:
        if self.random.random() < 0.03:
            return self.random.choice(("nope 0", "t0 99"))
        topic = self.random.choice([*self.image.values()] or [None])
        return f"{topic.name} {self.random.randrange(len(topic.partitions))}" if topic else "t0 0"

    def _draw_isr(self) -> str:
        key = self._draw_key()
        partition = self._partition(key)
        if partition is None or partition.leader < 0 or self.random.random() < 0.1:
            node, isr = self.random.choice(NODES), self.random.sample(NODES, 2)
        else:
            node = partition.leader
            isr = [each for each in partition.replicas if self._stays(partition, each)]
            self.random.shuffle(isr)
        off = [self.random.choices((-1, 0, 1), (1, 30, 1))[0] for _ in range(3)]
        return f"isr {key} {node} {off[0]} {off[1]} {off[2]} {_text(isr)}"

    def _stays(self, partition: PartitionRegistration, node: int) -> bool:
        if node == partition.leader:
            return True
        alive = self.controller.image.alive(node)
        return self.random.random() < (0.6 if alive else 0.02)

    def _draw_move(self) -> str:
        key = self._draw_key()
        partition = self._partition(key)
        may_change = self.random.randint(0, 1)
        if self.random.random() < 0.2:
            return f"move {may_change} {key} -"
        factor = len(partition.replicas) if partition else 1
        factor = min(5, self.random.choice((factor, self.random.randint(1, 4))))
        return f"move {may_change} {key} {self._draw_placed(factor, 1)}"

    # -------------------------------------------------------------------------------- taking

    def take(self, step: str) -> tuple[str, str]:
        """Apply a step; returns it with its outcome and the partitions after it."""
        name, *arguments = step.split()
        try:
            ended = getattr(self, f"take_{name}")(*arguments)
        except ApiError as error:
            ended = _ended(error)
        return step, ended + self._state()

    def take_elr(self, level: str) -> str:
        present = self.controller.image.feature_level(ELR_VERSION)
        kind = UPGRADE if int(level) > present else SAFE_DOWNGRADE
        update = FeatureUpdate(ELR_VERSION, int(level), kind)
        self.controller.update_features([update], validate_only=False)
        return "done"

    def take_register(self, node: str) -> str:
        self.controller.register(Broker(int(node), "localhost", 9092), IgnoringNode())
        return "done"

    def take_fence(self, node: str) -> str:
        self.controller.fence(int(node))
        return "done"

    def take_create(self, name: str, min_isr: str, unclean: str, placed: str) -> str:
        configs = {"min.insync.replicas": min_isr, "unclean.leader.election.enable": unclean}
        self.controller.create_topic(name, assignments=_placed(placed), configs=configs)
        return "NONE"

    def take_grow(self, name: str, placed: str) -> str:
        topic = self.image.get(name)
        added = _placed(placed)
        count = (len(topic.partitions) if topic else 0) + len(added)
        self.controller.create_partitions(name, count, added)
        return "NONE"

    def take_configure(self, name: str, min_isr: str, unclean: str) -> str:
        given = {"min.insync.replicas": min_isr, "unclean.leader.election.enable": unclean}
        configs = {key: value for key, value in given.items() if value != "-"}
        self.controller.alter_topic_configs(name, lambda _: configs)
        return "NONE"

    def take_isr(self, name: str, index: str, node: str, *rest: str) -> str:
        broker_epoch, leader_epoch, partition_epoch = map(int, rest[:-1])
        topic = self.image.get(name)
        partition = self._partition(f"{name} {index}")
        new_isr = _nodes(rest[-1])
        change = AlterPartition(
            TopicPartition(name, int(index)),
            topic.topic_id if topic else _NO_ID,
            int(node),
            self.controller.image.brokers[int(node)].epoch + broker_epoch,
            (partition.leader_epoch if partition else 0) + leader_epoch,
            (partition.partition_epoch if partition else 0) + partition_epoch,
            new_isr,
            (-1,) * len(new_isr),
        )
        self.controller.alter_partition(change)
        return "NONE"

    def take_elect(self, kind: str, name: str, index: str) -> str:
        return self._elect(kind, [TopicPartition(name, int(index))])

    def take_electall(self, kind: str) -> str:
        return self._elect(kind, None)

    def take_balance(self) -> str:
        self.controller.rebalance_leaders()
        return "done"

    def take_unclean(self) -> str:
        self.controller.elect_missing_leaders()
        return "done"

    def take_move(self, may_change: str, name: str, index: str, replicas: str) -> str:
        self.controller.reassign(
            TopicPartition(name, int(index)),
            None if replicas == "-" else _nodes(replicas),
            may_change_factor=may_change == "1",
        )
        return "NONE"

    def _elect(self, kind: str, keys: list[TopicPartition] | None) -> str:
        results = finish(self.controller.elect_leaders(_ELECTIONS[kind], keys))
        listed = sorted((str(key), _ended(error)) for key, error in results.items())
        return "{" + ", ".join(f"{key}={ended}" for key, ended in listed) + "}"

    def _partition(self, key: str) -> PartitionRegistration | None:
        name, index = key.split()
        topic = self.image.get(name)
        known = topic is not None and int(index) < len(topic.partitions)
        return topic.partitions[int(index)] if topic and known else None

    def _state(self) -> str:
        return "".join(
            f" | {name}-{index} {_described(partition)}"
            for name, topic in self.image.items()
            for index, partition in enumerate(topic.partitions)
        )


def _described(partition: PartitionRegistration) -> str:
    return (
        f"replicas [{_text(partition.replicas)}] isr [{_text(partition.isr)}] "
        f"leader {partition.leader} epochs {partition.leader_epoch} {partition.partition_epoch} "
        f"adding [{_text(partition.adding_replicas)}] "
        f"removing [{_text(partition.removing_replicas)}] "
        f"elr [{_text(partition.elr)}] last [{_text(partition.last_known_elr)}]"
    )


def _remembers(partition: PartitionRegistration) -> bool:
    return bool(partition.elr or partition.last_known_elr)


def _ended(error: ApiError | None) -> str:
    if error is None:
        return ErrorCode.NONE.name
    return error.code.name + (f": {error.message}" if error.message else "")


def _text(nodes: tuple[int, ...] | list[int]) -> str:
    return ",".join(map(str, nodes))


def _nodes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _placed(text: str) -> list[tuple[int, ...]]:
    return [_nodes(replicas) for replicas in text.split("/")]
