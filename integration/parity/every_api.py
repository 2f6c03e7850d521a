"""One request of each API about given names, valid in every version, by area.

Fields that a version does not have are left out when a request is encoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from broker.security.resource import CLUSTER_NAME
from integration.parity.acls import CLUSTER, acl_filter, creation, deletion
from integration.parity.admin_requests import (
    BROKER,
    CLIENT_METRICS,
    GROUP,
    TOPIC,
    alter_configs,
    create_partitions,
    create_topics,
    delete_records,
    delete_topics,
    describe_configs,
    describe_partitions,
    elect,
    new_topic,
    reassign,
    reassignments,
    replace_configs,
)
from integration.parity.group_requests import (
    commit,
    committed,
    consumer_heartbeat,
    find_coordinator,
    heartbeat,
    join,
    leave,
    sync,
)
from integration.parity.requests import LATEST, batch, fetch, list_offsets, produce
from integration.parity.share_requests import (
    alter_offsets,
    delete_offsets,
    delete_state,
    describe_offsets,
    initialize_state,
    read_state,
    read_state_summary,
    share_heartbeat,
    write_state,
)
from integration.parity.streams_requests import (
    describe_streams,
    owned,
    streams_heartbeat,
    streams_join,
    subtopology,
    topology,
)
from integration.parity.transaction_requests import (
    Identity,
    add_in_batch,
    add_offsets,
    add_partitions,
    commit_in_txn,
    describe_producers,
    describe_transactions,
    end_txn,
    in_batch,
    init_producer_id,
    list_transactions,
    marker,
    write_markers,
)
from protocol.messages import alter_client_quotas as quotas
from protocol.messages.add_raft_voter import AddRaftVoterRequest, Listener
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.create_acls import CreateAclsRequest
from protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    PartitionRequest,
    TopicRequest,
)
from protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from protocol.messages.list_config_resources import ListConfigResourcesRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequestTopic
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.share_session import ShareSession

_BROKER_ID = "1"
_PRODUCER = Identity(5, 0)


class Names(NamedTuple):
    """What the requests are about."""

    topic: str
    topic_id: UUID
    group: str
    transactional_id: str
    user: str
    new: str  # of a topic that does not exist
    share_group: str
    streams_group: str


def every_request(names: Names) -> Mapping[str, list[Any]]:
    """The requests by area."""
    return {
        "records": _records(names),
        "topics": _topics(names),
        "settings": _settings(names),
        "groups": _groups(names),
        "transactions": _transactions(names),
        "share groups": _share_groups(names),
        "streams groups": _streams_groups(names),
        "cluster": _cluster(names),
        "security": _security(names),
    }


def _records(names: Names) -> list[Any]:
    produced = produce(names.topic, batch("a"))
    produced.topic_data[0].topic_id = names.topic_id
    transactional = produce(names.topic, batch("a"), transactional_id=names.transactional_id)
    transactional.topic_data[0].topic_id = names.topic_id
    fetched = fetch(names.topic, max_wait_ms=0)
    fetched.topics[0].topic_id = names.topic_id
    epoch = OffsetForLeaderPartition(partition=0, leader_epoch=0)
    return [
        produced,
        transactional,
        fetched,
        list_offsets(names.topic, LATEST),
        delete_records(names.topic, {0: 1}),
        OffsetForLeaderEpochRequest(
            topics=[OffsetForLeaderTopic(topic=names.topic, partitions=[epoch])]
        ),
        describe_producers(names.topic, 0),
    ]


def _topics(names: Names) -> list[Any]:
    deleted = delete_topics(names.topic)
    deleted.topic_names = [names.topic]
    return [
        MetadataRequest(topics=[MetadataRequestTopic(name=names.topic)]),
        MetadataRequest(
            topics=[MetadataRequestTopic(name=names.new)], allow_auto_topic_creation=True
        ),
        describe_partitions(names.topic),
        create_topics(new_topic(names.new)),
        create_partitions(names.topic, 5),
        deleted,
        reassign(names.topic, [1]),
        reassignments(names.topic, 0),
        elect(names.topic, 0),
    ]


def _settings(names: Names) -> list[Any]:
    resources = ((names.topic, TOPIC), (_BROKER_ID, BROKER), (names.group, GROUP))
    return [
        *(describe_configs(name, "retention.ms", kind=kind) for name, kind in resources),
        describe_configs("metrics", kind=CLIENT_METRICS),
        replace_configs(names.topic, ("retention.ms", "1")),
        replace_configs(_BROKER_ID, ("log.retention.ms", "1"), kind=BROKER),
        alter_configs(names.topic, ("retention.ms", 0, "1")),
        alter_configs(_BROKER_ID, ("log.retention.ms", 0, "1"), kind=BROKER),
        alter_configs(names.group, ("consumer.session.timeout.ms", 0, "45000"), kind=GROUP),
        ListConfigResourcesRequest(resource_types=[TOPIC]),
    ]


def _groups(names: Names) -> list[Any]:
    group, topic = names.group, names.topic
    offsets = committed(group, {topic: [0]})
    offsets.group_id = group
    offsets.topics = [OffsetFetchRequestTopic(name=topic, partition_indexes=[0])]
    for named in offsets.groups[0].topics or []:
        named.topic_id = names.topic_id
    stored = commit(group, topic, {0: 5})
    stored.topics[0].topic_id = names.topic_id
    left = leave(group, "member")
    left.member_id = "member"
    found = find_coordinator(group)
    found.key = group
    partition = OffsetDeleteRequestPartition(partition_index=0)
    return [
        found,
        join(group),
        sync(group, "member", 1),
        heartbeat(group, "member", 1),
        left,
        stored,
        offsets,
        OffsetDeleteRequest(
            group_id=group,
            topics=[OffsetDeleteRequestTopic(name=topic, partitions=[partition])],
        ),
        DescribeGroupsRequest(groups=[group], include_authorized_operations=True),
        ListGroupsRequest(),
        DeleteGroupsRequest(groups_names=[group]),
        consumer_heartbeat(group, "AAAAAAAAAAAAAAAAAAAAAA", 0, topics=[topic], owned={}),
        ConsumerGroupDescribeRequest(group_ids=[group]),
    ]


def _transactions(names: Names) -> list[Any]:
    ours = names.transactional_id
    added = add_partitions(ours, _PRODUCER, {names.topic: [0]})
    added.transactions = add_in_batch(in_batch(ours, _PRODUCER, {names.topic: [0]})).transactions
    found = find_coordinator(ours, key_type=1)
    found.key = ours
    return [
        found,
        init_producer_id(ours),
        init_producer_id(None),
        added,
        add_offsets(ours, _PRODUCER, names.group),
        end_txn(ours, _PRODUCER, commit=True),
        commit_in_txn(ours, _PRODUCER, names.group, names.topic, {0: 5}),
        write_markers(marker(_PRODUCER, {names.topic: [0]})),
        describe_transactions(ours),
        list_transactions(),
    ]


def _share_groups(names: Names) -> list[Any]:
    group, topic, topic_id = names.share_group, names.topic, names.topic_id
    session = ShareSession(group, "reader", topic_id)
    begun = session.request(0, 1, max_records=1)
    session.advance(begun)
    state = (group, topic_id)
    return [
        share_heartbeat(group, "member", 0, topics=[topic]),
        share_heartbeat(group, "member", -1),
        ShareGroupDescribeRequest(group_ids=[group], include_authorized_operations=True),
        begun,
        session.request(0, max_records=1, acknowledge=["0 release"]),
        session.acknowledgements({0: ["0 accept"]}),
        describe_offsets(group, topic, 0, 1),
        alter_offsets(group, topic, {0: 1}),
        delete_offsets(group, topic),
        initialize_state(*state, [0], 2, 0),
        write_state(*state, "0-0 available 2", state_epoch=2),
        read_state(*state, 0),
        read_state_summary(*state, 0),
        delete_state(*state, 0),
    ]


def _streams_groups(names: Names) -> list[Any]:
    group = names.streams_group
    return [
        streams_join(group, "member", topology(subtopology("0", names.topic))),
        streams_join(
            group,
            "other",
            topology(subtopology("0", names.topic, changelogs=[f"{names.new}-changelog"])),
        ),
        streams_heartbeat(group, "member", 1, **owned({"0": [0]})),
        streams_heartbeat(group, "member", -1),
        describe_streams(group, operations=True),
    ]


def _cluster(names: Names) -> list[Any]:
    moved = AlterReplicaLogDirTopic(name=names.topic, partitions=[0])
    client = quotas.EntityData(entity_type="client-id", entity_name=names.new)
    rate = quotas.OpData(key="producer_byte_rate", value=1e9, remove=False)
    quorum = TopicRequest(
        topic_name="__cluster_metadata", partitions=[PartitionRequest(partition_index=0)]
    )
    return [
        DescribeClusterRequest(include_cluster_authorized_operations=True),
        AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path="/nowhere", topics=[moved])]),
        DescribeLogDirsRequest(topics=[DescribableLogDirTopic(topic=names.topic, partitions=[0])]),
        DescribeQuorumRequest(topics=[quorum]),
        UpdateFeaturesRequest(
            feature_updates=[
                FeatureUpdateKey(feature="group.version", max_version_level=0, upgrade_type=2)
            ],
            validate_only=True,
        ),
        UnregisterBrokerRequest(broker_id=77),
        AddRaftVoterRequest(
            cluster_id=None,
            timeout_ms=1000,
            voter_id=77,
            voter_directory_id=UUID(int=7),
            listeners=[Listener(name="CONTROLLER", host="127.0.0.1", port=4711)],
        ),
        RemoveRaftVoterRequest(cluster_id=None, voter_id=77, voter_directory_id=UUID(int=7)),
        DescribeClientQuotasRequest(
            components=[ComponentData(entity_type="client-id", match_type=2, match=None)],
            strict=False,
        ),
        quotas.AlterClientQuotasRequest(
            entries=[quotas.EntryData(entity=[client], ops=[rate])], validate_only=False
        ),
    ]


def _security(names: Names) -> list[Any]:
    principal = f"User:{names.user}"
    entry = creation(principal, operation=2, resource=CLUSTER, name=CLUSTER_NAME)
    credential = ScramCredentialUpsertion(
        name=names.user, mechanism=1, iterations=4096, salt=b"s", salted_password=b"p"
    )
    removed = ScramCredentialDeletion(name=f"{names.user}-removed", mechanism=2)
    mine = DescribeDelegationTokenOwner(principal_type="User", principal_name=names.user)
    return [
        ApiVersionsRequest(client_software_name="x", client_software_version="1"),
        SaslHandshakeRequest(mechanism="PLAIN"),
        SaslAuthenticateRequest(auth_bytes=b""),
        DescribeDelegationTokenRequest(owners=[mine]),
        RenewDelegationTokenRequest(hmac=b"unknown", renew_period_ms=-1),
        ExpireDelegationTokenRequest(hmac=b"unknown", expiry_time_period_ms=-1),
        CreateDelegationTokenRequest(
            owner_principal_type="User",
            owner_principal_name=names.new,
            renewers=[],
            max_lifetime_ms=-1,
        ),
        acl_filter(),
        CreateAclsRequest(creations=[entry]),
        deletion(acl_filter()),
        DescribeUserScramCredentialsRequest(users=[UserName(name=names.user)]),
        AlterUserScramCredentialsRequest(deletions=[removed], upsertions=[credential]),
    ]
