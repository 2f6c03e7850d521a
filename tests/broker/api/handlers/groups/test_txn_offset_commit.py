"""TxnOffsetCommit."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.handlers.groups.txn_offset_commit import txn_offset_commit
from broker.api.outcome import PARKED
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_log import TransactionalProducer
from broker.steps.pieces import PIECE_ITEMS
from broker.steps.queue import finish
from broker.transactions.add_partitions_to_txn import SupportedOperation
from protocol.errors import ErrorCode
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from protocol.schema import ZERO_UUID
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.membership import stable_member

NONE = ErrorCode.NONE
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
T0 = TopicPartition("t", 0)


@pytest.fixture
def node() -> GroupServices:
    return GroupServices()


def commit_request(
    node: GroupServices, version: int, *partitions: tuple[str, int], **fields: Any
) -> GroupRequest:
    """Commit offset 5 of some partitions, each in a topic entry of its own, by producer id 9."""
    topics = [
        TxnOffsetCommitRequestTopic(
            name=topic,
            partitions=[
                TxnOffsetCommitRequestPartition(
                    partition_index=index,
                    committed_offset=5,
                    committed_leader_epoch=3 if version >= 2 else -1,
                    committed_metadata="m",
                )
            ],
        )
        for topic, index in partitions
    ]
    values: dict[str, Any] = {
        "transactional_id": "tx",
        "group_id": "g",
        "producer_id": 9,
        "producer_epoch": 1,
        "topics": topics,
    }
    return GroupRequest(node, TxnOffsetCommitRequest(**values | fields), version)


def commit(node: GroupServices, version: int, *partitions: tuple[str, int], **fields: Any) -> Any:
    """The response, or None if the request is parked."""
    return call(txn_offset_commit, commit_request(node, version, *partitions, **fields))


def errors(response: Any) -> list[int]:
    """The errors of all partitions, in order."""
    return [each.error_code for topic in response.topics for each in topic.partitions]


def producers(node: GroupServices) -> list[TransactionalProducer]:
    """The producers of all transactional batches."""
    return [each for log in node.world.logs for each in log.producers]


@pytest.mark.parametrize("version", range(6))
def test_offsets_are_pending(node: GroupServices, version: int) -> None:
    """In every version; a marker commits them, without a topic id and a retention."""
    assert errors(commit(node, version, ("t", 0), ("t", 1))) == [NONE, NONE]
    offsets = node.groups.offsets
    assert (offsets.fetch("g"), offsets.unstable("g")) == ({}, {T0, TopicPartition("t", 1)})

    partition = node.groups.runtime.partition_for("g")
    node.groups.complete_transaction(partition, 9, 1, 0, True, 0, lambda _error: None)
    committed = offsets.fetch("g")[T0]
    assert (committed.offset, committed.metadata) == (5, "m")
    assert committed.leader_epoch == (3 if version >= 2 else -1)
    assert (committed.topic_id, committed.expire_timestamp_ms) == (ZERO_UUID, None)


@pytest.mark.parametrize(
    ("version", "operation"),
    [
        (0, SupportedOperation.DEFAULT),
        (3, SupportedOperation.DEFAULT),
        (4, SupportedOperation.GENERIC_ERROR),
        (5, SupportedOperation.ADD_PARTITION),
    ],
)
def test_the_partition_of_the_group_is_verified(
    node: GroupServices, version: int, operation: SupportedOperation
) -> None:
    """Or added, from v5 on; the guard is that of the append."""
    node.verification.is_held = True
    commit(node, version, ("t", 0))
    node.verification.end()

    partition = TopicPartition("__consumer_offsets", node.groups.runtime.partition_for("g"))
    assert node.verification.calls == [(("tx", 9, 1, operation), {partition: -1})]
    assert producers(node) == [TransactionalProducer(9, 1, verification_guard=1)]


@pytest.mark.parametrize(
    ("error", "returned"),
    [
        (ErrorCode.INVALID_TXN_STATE, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.TRANSACTION_ABORTABLE, ErrorCode.TRANSACTION_ABORTABLE),
        (ErrorCode.CONCURRENT_TRANSACTIONS, ErrorCode.CONCURRENT_TRANSACTIONS),
        (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_PRODUCER_EPOCH),
        (ErrorCode.INVALID_PRODUCER_ID_MAPPING, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_COORDINATOR, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.NETWORK_EXCEPTION, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
@pytest.mark.parametrize("is_held", [False, True])
def test_a_failed_verification_refuses_all_partitions(
    node: GroupServices, error: ErrorCode, returned: ErrorCode, is_held: bool
) -> None:
    """With or without a request; other partitions keep their own error; nothing is written."""
    node.verification.error = error
    node.verification.is_held = is_held
    request = commit_request(node, 4, ("t", 0), ("nope", 0), ("u", 0))

    call(txn_offset_commit, request)
    if is_held:
        node.verification.end()

    assert [errors(each) for each in request.responses] == [[UNKNOWN, returned, returned]]
    assert (producers(node), node.groups.groups) == ([], {})


@pytest.mark.parametrize(
    ("version", "error"),
    [
        (0, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (1, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (2, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
def test_old_clients_do_not_know_that_a_coordinator_loads(
    node: GroupServices, version: int, error: ErrorCode
) -> None:
    """COORDINATOR_LOAD_IN_PROGRESS is known from v2 on."""
    node.verification.error = ErrorCode.NETWORK_EXCEPTION

    assert errors(commit(node, version, ("t", 0))) == [error]


def test_an_unknown_partition_has_an_error_of_its_own(node: GroupServices) -> None:
    """The rest of the request is committed."""
    response = commit(node, 3, ("t", 0), ("t", 2), ("t", -1), ("nope", 0))

    assert [topic.name for topic in response.topics] == ["t", "nope"]
    assert errors(response) == [UNKNOWN, UNKNOWN, NONE, UNKNOWN]
    assert node.groups.offsets.unstable("g") == {T0}


def test_without_known_partitions_nothing_is_verified(node: GroupServices) -> None:
    """Not even whether there is a group id."""
    assert errors(commit(node, 3, ("nope", 0), group_id="")) == [UNKNOWN]
    assert commit(node, 3).topics == []
    assert node.verification.calls == []


def test_a_topic_without_partitions_has_no_result(node: GroupServices) -> None:
    """Unless it is unknown, as in Kafka."""
    topics = [
        TxnOffsetCommitRequestTopic(name=name, partitions=[]) for name in ("t", "no-such-topic")
    ]

    response = commit(node, 5, topics=topics)

    assert [each.name for each in response.topics] == ["no-such-topic"]


def test_an_empty_group_id_is_refused(node: GroupServices) -> None:
    """Before the verification."""
    response = commit(node, 3, ("t", 0), ("nope", 0), group_id="")

    assert errors(response) == [UNKNOWN, ErrorCode.INVALID_GROUP_ID]
    assert node.verification.calls == []


def test_the_group_refuses_after_the_verification(node: GroupServices) -> None:
    """So the partition is in the transaction; the error is that of all known partitions."""
    response = commit(node, 3, ("t", 0), ("nope", 0), generation_id=1, member_id="m")

    assert errors(response) == [UNKNOWN, ErrorCode.ILLEGAL_GENERATION]
    assert len(node.verification.calls) == 1


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, NONE),
        ({"generation_id": 1}, NONE),
        ({"generation_id": 2}, ErrorCode.ILLEGAL_GENERATION),
        ({"generation_id": 1, "group_instance_id": "i"}, ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_a_member_commits_with_its_generation(
    node: GroupServices, fields: dict[str, Any], error: ErrorCode
) -> None:
    """From v3 on (KIP-447); without any of the fields the member is not checked."""
    member_id = stable_member(node)
    member = {"member_id": member_id} if fields else {}

    assert errors(commit(node, 3, ("t", 0), **fields, **member)) == [error]


def test_too_long_metadata_fails_only_its_partition(node: GroupServices) -> None:
    """The others are committed."""
    request = commit_request(node, 3, ("t", 0), ("t", 1))
    request.body.topics[0].partitions[0].committed_metadata = "x" * 5000

    assert errors(call(txn_offset_commit, request)) == [ErrorCode.OFFSET_METADATA_TOO_LARGE, NONE]
    assert node.groups.offsets.unstable("g") == {TopicPartition("t", 1)}


def test_the_response_waits_for_the_verification(node: GroupServices) -> None:
    """The wait names the transaction and its coordinator."""
    node.verification.is_held = True
    request = commit_request(node, 5, ("t", 0))
    assert call(txn_offset_commit, request) is None
    assert request.wait is not None
    assert request.wait.condition() == {
        "kind": "transaction_coordinator",
        "transactional_id": "tx",
        "node": 3,
    }
    assert producers(node) == []

    node.verification.end()
    assert [errors(each) for each in request.responses] == [[NONE]]


def test_many_offsets_are_encoded_in_slices_before_the_verification(node: GroupServices) -> None:
    """The step after it only checks the group, and appends and applies them in one batch."""
    count = 10 * PIECE_ITEMS
    node.world.put_topic("many", count)
    node.verification.is_held = True
    request = commit_request(node, 5, *(("many", each) for each in range(count)))
    slices = txn_offset_commit(request.request)
    for _ in range(count + 2 * count // PIECE_ITEMS):
        next(slices)
    assert request.wait is None

    assert finish(slices) is PARKED
    assert producers(node) == []
    node.verification.end()

    assert [set(errors(each)) for each in request.responses] == [{NONE}]
    assert len(node.groups.offsets.unstable("g")) == count
    assert len(producers(node)) == 1


def test_the_response_waits_for_replication(node: GroupServices) -> None:
    """After the verification."""
    node.world.slow_down()
    node.verification.is_held = True
    request = commit_request(node, 5, ("t", 0))
    call(txn_offset_commit, request)
    node.verification.end()
    assert request.responses == []

    node.world.replicate()
    assert [errors(each) for each in request.responses] == [[NONE]]


def test_a_commit_that_is_not_replicated_in_time_is_refused(node: GroupServices) -> None:
    """COORDINATOR_NOT_AVAILABLE after ``offsets.commit.timeout.ms``, as for OffsetCommit."""
    node.world.slow_down()
    request = commit_request(node, 5, ("t", 0), ("nope", 0))
    assert call(txn_offset_commit, request) is None
    node.world.wait(5000)

    assert [errors(each) for each in request.responses] == [
        [UNKNOWN, ErrorCode.COORDINATOR_NOT_AVAILABLE]
    ]


@pytest.mark.parametrize("error", [ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_TXN_STATE])
def test_the_log_refuses_the_commit(node: GroupServices, error: ErrorCode) -> None:
    """A producer that has been fenced, or a guard that a marker has made invalid."""
    node.world.refuse(error)

    assert errors(commit(node, 5, ("t", 0))) == [error]
    assert node.groups.offsets.unstable("g") == frozenset()


def test_another_node_coordinates_the_group(node: GroupServices) -> None:
    """Also if the verification has succeeded."""
    node.groups.runtime.on_resignation(node.groups.runtime.partition_for("g"))

    assert errors(commit(node, 5, ("t", 0))) == [ErrorCode.NOT_COORDINATOR]


def test_a_topic_is_in_the_response_once_if_a_partition_is_refused(node: GroupServices) -> None:
    """Refused partitions come first (Kafka's ``TxnOffsetCommitResponse.Builder``)."""
    response = commit(node, 3, ("t", 1), ("unknown", 0), ("t", 7), ("unknown", 1))

    assert [
        (topic.name, [each.partition_index for each in topic.partitions])
        for topic in response.topics
    ] == [("unknown", [0, 1]), ("t", [7, 1])]
