"""Clusters without eligible leader replicas: ``eligible.leader.replicas.version`` 0 (KIP-966)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    BROKER,
    DELETE,
    SET,
    alter_configs,
    describe_configs,
    elect,
)
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

A = batch("a")
FEATURE = "eligible.leader.replicas.version"
MIN_ISR = "min.insync.replicas"
UPGRADE, SAFE_DOWNGRADE = 1, 2
OFF, ON = 0, 1


@scenario(on=THREE, alone=True)
def settings_without_elr(kafka: Kafka) -> Observations:
    """A node may have its own min.insync.replicas, which ends when ELR are enabled again."""
    yield "with", _set(kafka, "1", "2"), _set(kafka, "", None)
    with _without_elr(kafka):
        yield "of a node", _set(kafka, "1", "2")
        yield "not of all nodes", _set(kafka, "", None)
        yield "of all nodes", _set(kafka, "", "2")
        kafka.settle()
        yield [_min_isr(kafka, node) for node in (1, 2)]
    kafka.settle()
    yield "enabled again", [_min_isr(kafka, node) for node in (1, 2)]
    yield _set(kafka, "", "1")
    with _without_elr(kafka):
        yield "removed", _set(kafka, "", None)
    kafka.settle()
    yield "set when it is enabled", [_min_isr(kafka, node) for node in (1, 2)]


@scenario(on=THREE, alone=True, slow=True)
def last_replicas_without_elr(kafka: Kafka) -> Observations:
    """The last replica in sync remains in the ISR when it crashes, and only it leads again."""
    with _without_elr(kafka):
        topic = kafka.topic(replicas=(2, 3), min_insync_replicas="2")
        yield kafka.request(produce(topic, A), node=2)
        kafka.crash(2)
        kafka.wait_for_isr(topic, (3,))
        yield _described(kafka, topic)
        kafka.crash(3)
        kafka.wait_for_leader(topic, -1)
        yield _described(kafka, topic)
        kafka.restart(2)
        _wait_for_alive(kafka, 2)
        yield "the first is back", _described(kafka, topic)
        yield kafka.request(elect(topic, 0))
        kafka.restart(3)
        kafka.wait_for_leader(topic, 3)
        kafka.wait_for_isr(topic, (2, 3))
        yield "the last is back", _described(kafka, topic)
        yield kafka.request(fetch(topic), node=3)


@scenario(on=THREE, alone=True, slow=True)
def unclean_elections_without_elr(kafka: Kafka) -> Observations:
    """An unclean election is requested, or allowed by the topic's configuration."""
    with _without_elr(kafka):
        topic = kafka.topic(replicas=(3, 2))
        allowing = kafka.topic(replicas=(3, 2), unclean_leader_election_enable="true")
        kafka.crash(2)
        for each in (topic, allowing):
            kafka.wait_for_isr(each, (3,))
        kafka.crash(3)
        for each in (topic, allowing):
            kafka.wait_for_leader(each, -1)
            yield _described(kafka, each)
        kafka.restart(2)
        kafka.wait_for_leader(allowing, 2)
        yield "allowed", _described(kafka, allowing)
        yield "preferred", kafka.request(elect(topic, 0))
        yield "unclean", kafka.request(elect(topic, 0, unclean=True))
        kafka.wait_for_leader(topic, 2)
        yield _described(kafka, topic)
        kafka.restart(3)
        kafka.wait_for_isr(topic, (2, 3))
        yield _described(kafka, topic)


@scenario(on=THREE, alone=True, slow=True)
def elr_disabled_while_there_are_some(kafka: Kafka) -> Observations:
    """A partition with eligible leader replicas, whose last one has crashed."""
    topic = kafka.topic(replicas=(2, 3), min_insync_replicas="2")
    kafka.request(produce(topic, A), node=2)
    kafka.crash(2)
    kafka.wait_for_isr(topic, (3,))
    yield "one left", _described(kafka, topic)
    kafka.crash(3)
    kafka.wait_for_leader(topic, -1)
    yield "both left", _described(kafka, topic)
    with _without_elr(kafka):
        yield "disabled", _described(kafka, topic)
        kafka.restart(3)
        _wait_for_alive(kafka, 3)
        yield "the last is back", _described(kafka, topic)[:-1]
    yield "enabled", _described(kafka, topic)[:-1]
    kafka.restart(2)
    _wait_for_alive(kafka, 2)


@contextmanager
def _without_elr(kafka: Kafka) -> Iterator[None]:
    """Have no eligible leader replicas, and have them again afterwards."""
    _update(kafka, OFF, SAFE_DOWNGRADE)
    try:
        yield
    finally:
        _update(kafka, ON, UPGRADE)


def _update(kafka: Kafka, level: int, kind: int) -> None:
    requested = FeatureUpdateKey(feature=FEATURE, max_version_level=level, upgrade_type=kind)
    response = kafka.request(UpdateFeaturesRequest(feature_updates=[requested]), 2)
    assert response.error_code == 0, response
    eventually(lambda: _level(kafka) == level, f"{FEATURE} {level}")


def _level(kafka: Kafka) -> int:
    requested = ApiVersionsRequest(client_software_name="x", client_software_version="1")
    response = kafka.request(requested, 3)
    return next(
        (each.max_version_level for each in response.finalized_features if each.name == FEATURE), 0
    )


def _set(kafka: Kafka, node: str, value: str | None) -> tuple[int, str | None]:
    operation = DELETE if value is None else SET
    request = alter_configs(node, (MIN_ISR, operation, value), kind=BROKER)
    [response] = kafka.request(request, node=int(node or 1)).responses
    return response.error_code, response.error_message


def _min_isr(kafka: Kafka, node: int) -> Any:
    """The value on a node, with its sources."""
    request = describe_configs(str(node), MIN_ISR, kind=BROKER, synonyms=True)
    [described] = kafka.request(request, node=node).results
    [config] = described.configs
    return config.value, [(each.name, each.value, each.source) for each in config.synonyms]


def _described(kafka: Kafka, topic: str) -> Any:
    """The leader, ISR and ELR of the partition."""
    request = DescribeTopicPartitionsRequest(topics=[TopicRequest(name=topic)])
    [partition] = kafka.request(request).topics[0].partitions
    return (
        f"leader {partition.leader_id} in epoch {partition.leader_epoch}",
        f"isr {sorted(partition.isr_nodes)}",
        f"elr {partition.eligible_leader_replicas}",
        f"last known {partition.last_known_elr}",
    )


def _wait_for_alive(kafka: Kafka, node: int) -> None:
    def is_alive() -> bool:
        request = DescribeClusterRequest(include_cluster_authorized_operations=False)
        response = kafka.request(request)
        return node in {each.broker_id for each in response.brokers}

    eventually(is_alive, f"{node} is alive")
