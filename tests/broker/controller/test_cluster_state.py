"""The state of the cluster: stored, in the image, and published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config, parse_config
from broker.controller.cluster_state import ClusterState
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import NO_LEADER, Broker, PartitionRegistration, TopicImage
from broker.controller.partitions.change_batch import ChangePartition
from broker.controller.partitions.partition_change import Election, Rules
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from tests.broker.controller.nodes import RecordingNode

PARTITION = PartitionRegistration((1, 2), (1, 2), 1)


def _topic(name: str, **configs: str) -> TopicImage:
    named = {key.replace("_", "."): value for key, value in configs.items()}
    return TopicImage(name, uuid4(), named, (PARTITION, PARTITION))


def _state(path: Path | None = None) -> ClusterState:
    state = ClusterState(ControllerStore(path), Config())
    for node_id in (1, 2):
        state.put_broker(Broker(node_id, "h", node_id))
    return state


def _moved(old: PartitionRegistration, _rules: Rules) -> PartitionRegistration:
    return replace(old, leader=2)


def _refused(_old: PartitionRegistration, _rules: Rules) -> PartitionRegistration:
    raise ApiError(ErrorCode.ELECTION_NOT_NEEDED)


def test_a_topic_is_stored_and_published(tmp_path: Path) -> None:
    """After a restart it has no leader until nodes register."""
    state, node = _state(tmp_path / "db"), RecordingNode()
    state.subscribe(1, node).release()

    state.put_topics([_topic("t")])
    state.close()
    again = ClusterState(ControllerStore(tmp_path / "db"), Config())

    assert state.image.topic("t") is not None
    assert node.notified == [("changed", "t", 2)]
    assert [each.leader for each in again.image.topics["t"].partitions] == [NO_LEADER] * 2
    again.close()


def test_an_unchanged_topic_is_not_published() -> None:
    """Listeners are not called."""
    state, node = _state(), RecordingNode()
    state.put_topics([_topic("a"), _topic("b")])
    state.subscribe(1, node).release()
    notified = list(node.notified)

    finish(state.change_all(lambda key, _: key.topic == "a", lambda old, _: old))
    finish(state.change_all(lambda key, _: key == ("b", 1), _moved))

    assert node.notified == [*notified, ("changed", "b", 2)]
    assert [each.leader for each in state.image.topics["b"].partitions] == [1, 2]


def test_some_of_many_changes_may_be_refused() -> None:
    """The others are made and published once."""
    state, node = _state(), RecordingNode()
    state.put_topics([_topic("t")])
    state.subscribe(1, node).release()
    notified = list(node.notified)
    moved, unknown, gone = (TopicPartition(*key) for key in (("t", 1), ("nope", 0), ("t", 7)))

    decisions: dict[TopicPartition, ChangePartition] = {
        TopicPartition("t", 0): _refused,
        TopicPartition("t", 1): _moved,
        unknown: _moved,
        gone: _moved,
    }
    names = ("no topic {}", "no partition {}-{}")
    errors = finish(state.change_each(decisions.items(), names))
    results = dict(zip(decisions, errors, strict=True))

    assert {key: error.code if error else None for key, error in results.items()} == {
        TopicPartition("t", 0): ErrorCode.ELECTION_NOT_NEEDED,
        moved: None,
        unknown: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        gone: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert [str(results[unknown]), str(results[gone])] == ["no topic nope", "no partition t-7"]
    # A traceback keeps its frames alive: collecting thousands of them takes long.
    assert not any(error.__traceback__ for error in results.values() if error)
    assert node.notified == [*notified, ("changed", "t", 2)]


def test_a_topic_has_its_own_rules() -> None:
    """Its configs apply; min.insync.replicas is limited to the number of replicas."""
    state = _state()
    topic = _topic("t", min_insync_replicas="3", unclean_leader_election_enable="true")

    plain, own = state.rules(_topic("u"))(0), state.rules(topic)(0)

    assert (plain.min_isr, plain.election) == (1, Election.ONLINE)
    assert (own.min_isr, own.election) == (2, Election.UNCLEAN)


def test_a_fenced_node_or_failed_disk_cannot_lead() -> None:
    """A failed disk concerns only its partitions."""
    state = _state()
    state.put_broker(Broker(1, "h", 1, fenced=True))
    state.offline = {(2, TopicPartition("t", 1))}
    rules = state.rules(_topic("t"))

    assert [rules(0).can_lead(node) for node in (1, 2, 3)] == [False, True, False]
    assert [rules(1).can_lead(node) for node in (1, 2, 3)] == [False, False, False]


def test_counters_never_repeat(tmp_path: Path) -> None:
    """Broker epochs and producer ids, after a restart as well."""
    state = _state(tmp_path / "db")
    epoch, producer_id = state.next_broker_epoch(), state.allocate_producer_ids()[-1]
    state.close()

    again = _state(tmp_path / "db")

    assert again.next_broker_epoch() > epoch
    assert again.allocate_producer_ids()[0] > producer_id
    again.close()


def test_min_insync_replicas_is_a_stored_setting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The first start stores it; a later start with another value logs that it is ignored."""
    config = parse_config({"min.insync.replicas": "2"})
    first = ClusterState(ControllerStore(tmp_path / "c"), config)
    first.close()
    assert not caplog.records

    later = ClusterState(
        ControllerStore(tmp_path / "c"), parse_config({"min.insync.replicas": "1"})
    )

    assert later.image.broker_configs == {"": {"min.insync.replicas": "2"}}
    assert later.config.min_insync_replicas == 2
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "min.insync.replicas=1 is ignored: the cluster has the stored"
    )


def _replace_topic(state: ClusterState, partitions: int) -> None:
    state.remove_topic(state.image.topics["t"])
    state.put_topics([replace(_topic("t"), partitions=(PARTITION,) * partitions)])


def test_a_change_of_all_partitions_leaves_a_new_topic_of_the_name_out() -> None:
    """The partitions of other topics are changed."""
    state = _state()
    state.put_topics([_topic("t"), _topic("u")])

    for number, _ in enumerate(state.change_all(lambda *_: True, _moved)):
        if number == 0:
            _replace_topic(state, 1)

    leaders = {topic.name: [each.leader for each in topic.partitions] for topic in state.image}
    assert leaders == {"t": [1], "u": [2, 2]}


def test_changes_of_a_topic_do_not_apply_to_a_new_one_of_its_name() -> None:
    """Those before it was replaced have succeeded; later ones find no topic."""
    state = _state()
    state.put_topics([_topic("t")])
    changes = [(TopicPartition("t", index), _moved) for index in (0, 1)]

    results: list[ApiError | None] = []

    def change() -> Slices[None]:
        results.extend((yield from state.change_each(changes, ("no {}", "no {}-{}"))))

    for number, _ in enumerate(change()):
        if number == 0:
            _replace_topic(state, 2)

    assert [each.leader for each in state.image.topics["t"].partitions] == [1, 1]
    assert results[0] is None
    assert isinstance(results[1], ApiError)
    assert results[1].code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_the_dynamic_settings_of_the_controllers_node_apply() -> None:
    """The controller is the first live node; those of other nodes have no effect."""
    state = _state()
    unclean = "unclean.leader.election.enable"
    state.put_broker_configs("1", {unclean: "true"})
    assert state.config.value(unclean)

    state.put_broker(replace(state.image.brokers[1], fenced=True))
    assert not state.config.value(unclean)

    state.put_broker_configs("", {unclean: "true"})
    assert state.config.value(unclean)
