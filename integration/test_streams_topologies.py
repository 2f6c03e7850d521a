"""Random topologies of streams groups have the internal topics and tasks that Kafka determines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.topics.configured import ConfiguredInternalTopic, ConfiguredTopology
from broker.groups.streams.topics.endpoint_to_partitions import topic_partitions
from broker.groups.streams.topics.internal_topics import configure
from broker.groups.streams.topology import (
    CopartitionGroup,
    InternalTopic,
    StreamsTopology,
    Subtopology,
)
from integration.kafka.java_program import java_lines
from integration.machine.seeds import FRESH, seed_of_run

pytestmark = pytest.mark.jvm

JAVA = Path(__file__).parent / "java" / "StreamsTopologies.java"
TOPOLOGIES = 4000
SEED = seed_of_run(FRESH)
Topics = Mapping[str, int]


def test_topologies_are_configured_as_by_kafka(tmp_path: Path) -> None:
    """Tasks, internal topics, statuses and errors are equal, in order and with their messages."""
    print(f"ANTECHAMBER_SEED={SEED}")
    cases = [_case(Random(SEED + number)) for number in range(TOPOLOGIES)]
    lines = [json.dumps({"topology": _value(each), "topics": topics}) for each, topics in cases]

    kafka = java_lines(JAVA, "StreamsTopologies", tmp_path, lines)

    assert len(kafka) == len(cases)
    for line, (topology, topics), theirs in zip(lines, cases, kafka, strict=True):
        assert json.loads(theirs) == json.loads(json.dumps(_shown(topology, topics))), line


def _case(rng: Random) -> tuple[StreamsTopology, Topics]:
    """A topology, and the topics of the cluster, of which some may be missing or wrong."""
    # Hash tables of more than twelve elements have a greater capacity.
    most = rng.choice([5, 5, 5, 5, 18])
    sources = [f"source-{number}" for number in range(rng.randrange(1, most + 1))]
    repartition = [
        InternalTopic(
            name=f"repartition-{number}",
            partitions=rng.choice([0, 0, 0, 0, 3, 4, -1 if rng.random() < 0.05 else 4]),
            replication_factor=rng.randrange(3),
            configs=_configs(rng),
        )
        for number in range(rng.randrange(most))
    ]
    subtopologies = [
        _subtopology(rng, f"{number}", sources, repartition)
        for number in range(rng.choice([1, 2, 3, 15]))
    ]
    rng.shuffle(subtopologies)
    topology = StreamsTopology(epoch=rng.randrange(3), subtopologies=tuple(subtopologies))
    same = rng.random() < 0.5
    topics = {topic: 4 if same else rng.randrange(1, 5) for topic in sources if rng.random() < 0.95}
    for created in _created(topology, topics):
        if rng.random() < 0.7:
            topics[created.name] = created.partitions if rng.random() < 0.97 else 7
    if rng.random() < 0.5:
        topics |= {created.name: created.partitions for created in _created(topology, topics)}
    return topology, topics


def _created(topology: StreamsTopology, topics: Topics) -> list[ConfiguredInternalTopic]:
    try:
        return list(configure(topology, 0, topics.get).internal_topics_to_create.values())
    except ApiError:
        return []


def _subtopology(
    rng: Random, name: str, sources: list[str], repartition: list[InternalTopic]
) -> Subtopology:
    own_sources = rng.sample(sources, min(len(sources), rng.choice([0, 1, 1, 2, 12])))
    own_repartition = rng.sample(repartition, min(len(repartition), rng.choice([0, 1, 2, 12])))
    if not own_sources and not own_repartition and rng.random() < 0.95:
        own_sources = [rng.choice(sources)]
    return Subtopology(
        subtopology_id=name,
        source_topics=tuple(own_sources),
        state_changelog_topics=tuple(
            InternalTopic(name=f"changelog-{name}-{each}", configs=_configs(rng))
            for each in range(rng.choice([0, 1, 1, 4]))
        ),
        repartition_sink_topics=tuple(each.name for each in repartition if rng.random() < 0.6),
        repartition_source_topics=tuple(own_repartition),
        copartition_groups=tuple(
            _copartition_group(rng, len(own_sources), len(own_repartition))
            for _ in range(rng.choice([0, 0, 1, 2]))
        ),
    )


def _copartition_group(rng: Random, sources: int, repartition: int) -> CopartitionGroup:
    wrong = rng.choice([-1, 9]) if rng.random() < 0.01 else None
    return CopartitionGroup(
        source_topics=tuple(rng.sample(range(sources), rng.choice([0, sources // 2, sources]))),
        repartition_source_topics=tuple(
            rng.sample(range(repartition), rng.choice([0, repartition // 2, repartition]))
            if wrong is None
            else [wrong]
        ),
    )


def _configs(rng: Random) -> tuple[tuple[str, str], ...]:
    names = ["cleanup.policy", "retention.ms", "segment.bytes", "message.timestamp.type"]
    chosen = rng.sample(names, rng.randrange(len(names)))
    if chosen and rng.random() < 0.005:
        chosen.append(chosen[0])
    return tuple((name, f"{rng.randrange(9)}") for name in chosen)


def _value(topology: StreamsTopology) -> dict[str, Any]:
    """The record of the topology, as JSON."""
    return {
        "epoch": topology.epoch,
        "subtopologies": [
            {
                "subtopologyId": each.subtopology_id,
                "sourceTopics": each.source_topics,
                "sourceTopicRegex": each.source_topic_regex,
                "stateChangelogTopics": [_topic(topic) for topic in each.state_changelog_topics],
                "repartitionSinkTopics": each.repartition_sink_topics,
                "repartitionSourceTopics": [
                    _topic(topic) for topic in each.repartition_source_topics
                ],
                "copartitionGroups": [
                    {
                        "sourceTopics": group.source_topics,
                        "sourceTopicRegex": group.source_topic_regex,
                        "repartitionSourceTopics": group.repartition_source_topics,
                    }
                    for group in each.copartition_groups
                ],
            }
            for each in topology.subtopologies
        ],
    }


def _topic(topic: InternalTopic) -> dict[str, Any]:
    return {
        "name": topic.name,
        "partitions": topic.partitions,
        "replicationFactor": topic.replication_factor,
        "topicConfigs": [{"key": key, "value": value} for key, value in topic.configs],
    }


def _shown(topology: StreamsTopology, topics: Topics) -> object:
    """Our result, in the form in which the Java program prints Kafka's."""
    try:
        configured = configure(topology, 5, topics.get)
    except ApiError as error:
        return [error.code.name, error.message]
    return {
        "epoch": configured.epoch,
        "hash": configured.metadata_hash,
        "required": topology.required_topics,
        "status": [configured.error.status, configured.error.message] if configured.error else [],
        "subtopologies": None if configured.subtopologies is None else _tasks(configured),
        "create": [
            [name, topic.partitions, topic.replication_factor or -1, topic.configs]
            for name, topic in configured.internal_topics_to_create.items()
        ],
        "partitions": _partitions(configured, topics) if configured.is_ready else None,
    }


def _tasks(configured: ConfiguredTopology) -> list[object]:
    assert configured.subtopologies is not None
    return [
        [
            name,
            each.number_of_tasks,
            sorted(each.source_topics),
            sorted(each.repartition_sink_topics),
            _internal(each.repartition_source_topics),
            _internal(each.state_changelog_topics),
        ]
        for name, each in configured.subtopologies.items()
    ]


def _internal(topics: Mapping[str, ConfiguredInternalTopic]) -> list[object]:
    return [
        [each.name, each.partitions, each.replication_factor or 0, each.configs]
        for each in topics.values()
    ]


def _partitions(configured: ConfiguredTopology, topics: Topics) -> object:
    """The partitions that all tasks but the first of each subtopology read."""
    assert configured.subtopologies is not None
    tasks = {
        name: range(1, each.number_of_tasks) for name, each in configured.subtopologies.items()
    }
    return topic_partitions(tasks, configured.subtopologies, topics.get)
