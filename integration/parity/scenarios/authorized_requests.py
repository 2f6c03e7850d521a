"""The permissions that each API needs: the responses without, and with one after the other."""

from __future__ import annotations

from typing import Any

from broker.security.resource import CLUSTER_NAME, Operation
from integration.parity import admin_requests as admin
from integration.parity import group_requests as groups
from integration.parity import transaction_requests as transactions
from integration.parity.acls import (
    CLUSTER,
    DENY,
    GROUP,
    TOPIC,
    TRANSACTIONAL_ID,
    Acl,
    add,
    each_step,
    new_client,
    on_cluster,
    remove_all,
)
from integration.parity.requests import LATEST, batch, fetch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SECURED
from integration.parity.transaction_requests import Identity
from protocol.messages.delete_topics import DeleteTopicState
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

O = Operation  # noqa: E741 - short, because each line has several


@scenario(on=SECURED)
def permissions_to_create_topics(kafka: Kafka) -> Observations:
    """CreateTopics by CREATE on the topic or the cluster; details by DESCRIBE_CONFIGS."""
    create, details = (O.CREATE, TOPIC), (O.DESCRIBE_CONFIGS, TOPIC)
    for entries in (
        [create],
        [create, details],
        [(O.CREATE, CLUSTER)],
        [(O.ALL, TOPIC)],
        [(O.WRITE, TOPIC)],
    ):
        user, client = new_client(kafka)
        name = kafka.new_name("topic")
        names = {TOPIC: name, CLUSTER: CLUSTER_NAME}
        add(kafka, user, *(Acl(operation, kind, names[kind]) for operation, kind in entries))
        response = client.request(admin.create_topics(admin.new_topic(name)))
        response.topics[0].configs = len(response.topics[0].configs or [])
        yield response
        yield "again", client.request(admin.create_topics(admin.new_topic(name)))
        remove_all(kafka, user)


@scenario(on=SECURED)
def denied_topics_by_permission_of_the_cluster(kafka: Kafka) -> Observations:
    """CREATE on the cluster suffices also for a topic that is denied."""
    user, client = new_client(kafka)
    name = kafka.new_name("topic")
    add(kafka, user, on_cluster(O.CREATE), Acl(O.ALL, TOPIC, name, permission=DENY))
    yield client.request(admin.create_topics(admin.new_topic(name)))


@scenario(on=SECURED)
def permissions_before_the_rules_of_names(kafka: Kafka) -> Observations:
    """An unauthorized CreateTopics does not learn whether the name is valid or exists."""
    _, client = new_client(kafka)
    existing = kafka.topic()
    for name in (existing, "no good", ""):
        yield client.request(admin.create_topics(admin.new_topic(name)))


@scenario(on=SECURED)
def permissions_to_create_topics_by_metadata(kafka: Kafka) -> Observations:
    """Auto-creation by Metadata needs DESCRIBE and CREATE."""
    for entries in (
        [],
        [O.DESCRIBE],
        [O.CREATE],
        [O.DESCRIBE, O.CREATE],
    ):
        user, client = new_client(kafka)
        name = kafka.new_name("new")
        if entries:
            add(kafka, user, *(Acl(operation, TOPIC, name) for operation in entries))
        requested = MetadataRequest(
            topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=True
        )
        found = client.request(requested).topics[0]
        yield [each.name for each in entries], found.error_code, found.name
        remove_all(kafka, user)


@scenario(on=SECURED)
def permissions_to_delete_topics(kafka: Kafka) -> Observations:
    """DeleteTopics by name and by id, and topics that do not exist."""
    user, client = new_client(kafka)
    topic, missing = kafka.topic(), kafka.new_name("missing")
    topic_id = kafka.metadata(topic).topic_id
    by_id = admin.delete_topics()
    by_id.topics = [DeleteTopicState(name=None, topic_id=topic_id)]
    for entry in (None, Acl(O.DESCRIBE, TOPIC, topic), Acl(O.DESCRIBE, TOPIC, missing)):
        if entry is not None:
            add(kafka, user, entry)
        yield str(entry), client.request(admin.delete_topics(topic))
        yield client.request(admin.delete_topics(missing))
        yield client.request(by_id)
    add(kafka, user, Acl(O.DELETE, TOPIC, topic))
    yield client.request(admin.delete_topics(topic))


@scenario(on=SECURED)
def permissions_to_change_topics(kafka: Kafka) -> Observations:
    """CreatePartitions, DeleteRecords, and the settings of a topic."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a", "b")))
    for request, operation in (
        (admin.create_partitions(topic, 2), O.ALTER),
        (admin.delete_records(topic, {0: 1}), O.DELETE),
        (admin.describe_configs(topic, "retention.ms"), O.DESCRIBE_CONFIGS),
        (admin.describe_configs(topic, "retention.ms"), O.ALTER_CONFIGS),
        (admin.alter_configs(topic, ("retention.ms", 0, "-1")), O.ALTER_CONFIGS),
        (admin.replace_configs(topic, ("retention.ms", "-1")), O.ALTER_CONFIGS),
    ):
        yield from each_step(kafka, request, on_cluster(operation), Acl(operation, TOPIC, topic))


@scenario(on=SECURED)
def permissions_to_read_and_write(kafka: Kafka) -> Observations:
    """Produce, Fetch, ListOffsets and OffsetForLeaderEpoch."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a")))
    epoch = OffsetForLeaderPartition(partition=0, leader_epoch=0)
    epochs = OffsetForLeaderEpochRequest(
        topics=[OffsetForLeaderTopic(topic=topic, partitions=[epoch])]
    )
    yield from each_step(kafka, produce(topic, batch("b")), Acl(O.WRITE, TOPIC, topic))
    yield from each_step(kafka, fetch(topic, max_wait_ms=0), Acl(O.READ, TOPIC, topic))
    yield from each_step(kafka, list_offsets(topic, LATEST), Acl(O.DESCRIBE, TOPIC, topic))
    yield from each_step(kafka, epochs, Acl(O.DESCRIBE, TOPIC, topic))
    yield from each_step(kafka, epochs, on_cluster(O.CLUSTER_ACTION))


@scenario(on=SECURED)
def fetches_of_followers(kafka: Kafka) -> Observations:
    """A client that names a replica needs CLUSTER_ACTION and no permission of the topic."""
    topic = kafka.topic()
    request = fetch(topic, max_wait_ms=0)
    request.replica_id = 1
    user, client = new_client(kafka)
    yield client.request(request, 12)
    add(kafka, user, Acl(O.ALL, TOPIC, topic))
    yield client.request(request, 12)


@scenario(on=SECURED)
def denied_partitions_beside_allowed_ones(kafka: Kafka) -> Observations:
    """One response has denied and allowed topics; a fetch with both waits for the allowed one."""
    allowed, denied = kafka.topic(), kafka.topic()
    user, client = new_client(kafka)
    add(kafka, user, Acl(O.READ, TOPIC, allowed), Acl(O.WRITE, TOPIC, allowed))
    both = produce(allowed, batch("a"))
    both.topic_data += produce(denied, batch("a")).topic_data
    response = client.request(both)
    response.responses.sort(key=lambda each: each.name != allowed)
    yield response
    waiting = fetch(allowed, 1)
    waiting.topics += fetch(denied).topics
    pending = client.start(waiting, 12)
    yield "waits", pending.waits()
    kafka.request(produce(allowed, batch("b")))
    response = pending.response()
    response.responses.sort(key=lambda each: each.topic != allowed)
    yield response


@scenario(on=SECURED)
def waiting_fetches_are_not_checked_again(kafka: Kafka) -> Observations:
    """A fetch that waits delivers records after its permission is deleted; the next one fails."""
    topic = kafka.topic()
    user, client = new_client(kafka)
    add(kafka, user, Acl(O.READ, TOPIC, topic))
    pending = client.start(fetch(topic))
    yield "waits", pending.waits()
    remove_all(kafka, user)
    kafka.request(produce(topic, batch("a")))
    yield pending
    yield client.request(fetch(topic))


@scenario(on=SECURED)
def fetch_sessions_are_checked(kafka: Kafka) -> Observations:
    """Each fetch of a session is authorized, also for partitions that it does not name."""
    topic = kafka.topic()
    user, client = new_client(kafka)
    add(kafka, user, Acl(O.READ, TOPIC, topic))
    full = client.request(fetch(topic, max_wait_ms=0, session=(0, 0)))
    yield full
    remove_all(kafka, user)
    rest = fetch(topic, {}, max_wait_ms=0, session=(full.session_id, 1))
    yield client.request(rest)


@scenario(on=SECURED)
def acks_0_without_permission_closes(kafka: Kafka) -> Observations:
    """With acks=0 the refusal closes the connection; with invalid acks it is the error."""
    topic = kafka.topic()
    _, client = new_client(kafka)
    yield "invalid acks", client.request(produce(topic, batch("a"), acks=7), 12)
    client.send(produce(topic, batch("a"), acks=0), 12)
    yield client.is_closed()


@scenario(on=SECURED)
def permissions_of_transactions(kafka: Kafka) -> Observations:
    """Each request of a transactional producer, without and with the permission of its id."""
    topic, group = kafka.topic(), kafka.new_name("group")
    name = kafka.new_name("transaction")
    described = kafka.request(transactions.init_producer_id(name))
    producer = Identity(described.producer_id, described.producer_epoch)
    write = Acl(O.WRITE, TRANSACTIONAL_ID, name)
    describe = Acl(O.DESCRIBE, TRANSACTIONAL_ID, name)
    topics = {topic: [0]}
    for request, entries in (
        (groups.find_coordinator(name, key_type=1), [describe]),
        (transactions.describe_transactions(name), [describe]),
        (transactions.add_offsets(name, producer, group), [write, Acl(O.READ, GROUP, group)]),
        (transactions.end_txn(name, producer, commit=False), [write]),
    ):
        yield from each_step(kafka, request, *entries)
    user, client = new_client(kafka)
    added = transactions.add_partitions(name, producer, topics)
    for entry in (None, write, Acl(O.WRITE, TOPIC, topic)):
        if entry is not None:
            add(kafka, user, entry)
        yield str(entry), client.request(added, 3).results_by_topic_v3_and_below
        yield client.request(transactions.add_in_batch(), 5).error_code
    offsets = transactions.commit_in_txn(name, producer, group, topic, {0: 1})
    read = [Acl(O.READ, GROUP, group), Acl(O.READ, TOPIC, topic)]
    yield from each_step(kafka, offsets, write, *read)


@scenario(on=SECURED)
def permissions_of_cluster_requests(kafka: Kafka) -> Observations:
    """Requests about the cluster, with DESCRIBE, ALTER and CLUSTER_ACTION one after the other."""
    topic = kafka.topic()
    dirs = DescribeLogDirsRequest(topics=[DescribableLogDirTopic(topic=topic, partitions=[0])])
    entries = [on_cluster(O.DESCRIBE), on_cluster(O.ALTER), on_cluster(O.CLUSTER_ACTION)]
    named = DescribeClusterRequest(include_cluster_authorized_operations=True)
    yield from each_step(kafka, named, *entries)
    for request in (
        dirs,
        admin.reassignments(topic, 0),
        admin.reassign(topic, [1]),
        admin.elect(topic, 0),
        transactions.write_markers(transactions.marker(Identity(9, 0), {topic: [0]})),
    ):
        user, client = new_client(kafka)
        codes = []
        for entry in (None, *entries):
            if entry is not None:
                add(kafka, user, entry)
            codes.append(_codes(client.request(request)))
        remove_all(kafka, user)
        yield type(request).__name__, codes


@scenario(on=SECURED)
def settings_of_brokers_need_the_cluster(kafka: Kafka) -> Observations:
    """The settings of brokers and groups, and their lists."""
    group = kafka.new_name("group")
    for request, entry in (
        (
            admin.describe_configs("1", "log.retention.ms", kind=admin.BROKER),
            on_cluster(O.DESCRIBE_CONFIGS),
        ),
        (
            admin.alter_configs("1", ("log.cleaner.threads", 0, "1"), kind=admin.BROKER),
            on_cluster(O.ALTER_CONFIGS),
        ),
        (
            admin.alter_configs("9", ("log.cleaner.threads", 0, "1"), kind=admin.BROKER),
            on_cluster(O.ALTER_CONFIGS),
        ),
        (
            admin.alter_configs("1", ("node.id", 0, "3"), kind=admin.BROKER),
            on_cluster(O.ALTER_CONFIGS),
        ),
        (
            admin.replace_configs("", ("log.retention.ms", "soon"), kind=admin.BROKER),
            on_cluster(O.ALTER_CONFIGS),
        ),
        (
            admin.alter_configs("1", ("log.retention.ms", 9, "1"), kind=admin.BROKER),
            on_cluster(O.ALTER_CONFIGS),
        ),
        (
            admin.describe_configs(group, "consumer.session.timeout.ms", kind=admin.GROUP),
            Acl(O.DESCRIBE_CONFIGS, GROUP, group),
        ),
        (
            admin.alter_configs(
                group, ("consumer.session.timeout.ms", 0, "50000"), kind=admin.GROUP
            ),
            Acl(O.ALTER_CONFIGS, GROUP, group),
        ),
    ):
        yield from each_step(kafka, request, Acl(O.ALL, CLUSTER, CLUSTER_NAME, permission=DENY))
        yield from each_step(kafka, request, entry)


def _codes(response: Any) -> list[int]:
    """All error codes of a response, in order, at most eight."""
    found: list[int] = []

    def collect(value: Any) -> None:
        if isinstance(value, list):
            for each in value:
                collect(each)
        elif hasattr(value, "__dataclass_fields__"):
            for name in value.__dataclass_fields__:
                if name == "error_code":
                    found.append(value.error_code)
                else:
                    collect(getattr(value, name))

    collect(response)
    return found[:8]
