"""Real clients end the waits of the handle: groups of both protocols, transactions, three nodes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import ConfigResource, ConfigResourceType

from antechamber import Cluster
from integration.machine.deadlines import ENDS_WITHIN_S

WITHIN_S = 60.0


@pytest.fixture(scope="module")
def kafka(against: str) -> Iterator[Cluster]:
    """Three nodes."""
    if against != "antechamber":
        pytest.skip("tests the admin interface of this project's broker")
    with Cluster(brokers=3, topics=["classic:4", "consumed:3", "stable:1:3"]) as running:
        yield running


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    """Threads for clients and waits."""
    with ThreadPoolExecutor(4) as threads:
        yield threads


def poll(consumer: KafkaConsumer, until: Event) -> None:
    """Poll, which kafka-python needs to join its group, and leave the group at the end."""
    while not until.is_set():
        consumer.poll(100)
    consumer.close()


def test_members_of_a_classic_group_get_their_partitions(
    kafka: Cluster, others: ThreadPoolExecutor
) -> None:
    """Two consumers of kafka-python share four partitions, and the remaining one gets all."""
    leave = [Event(), Event()]
    polls = []
    for index, event in enumerate(leave):
        consumer = KafkaConsumer(
            bootstrap_servers=kafka.bootstrap, group_id="classic", client_id=f"classic-{index}"
        )
        consumer.partitions_for_topic("classic")
        consumer.subscribe(["classic"])
        polls.append(others.submit(poll, consumer, event))
    try:
        group = kafka.wait_assigned("classic", 2, members=2, topic="classic", timeout=WITHIN_S)
        assert group["protocol"] == "classic"
        assert [len(each["assignment"]["classic"]) for each in group["members"]] == [2, 2]
        [library] = {each["software"] for each in kafka.connections("classic-0")}
        assert library == "kafka-python"

        leave[0].set()
        group = kafka.wait_assigned("classic", 4, topic="classic", timeout=WITHIN_S)
        [member] = group["members"]
        assert member["client_id"] == "classic-1"
    finally:
        for event in leave:
            event.set()
    for each in polls:
        each.result(WITHIN_S)
    kafka.wait_client("classic-1", connected=False, timeout=WITHIN_S)


def consumer_of(kafka: Cluster, group: str, **settings: Any) -> Consumer:
    """A consumer of confluent-kafka that begins with the first record."""
    return Consumer(
        {
            "bootstrap.servers": kafka.bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **settings,
        }
    )


def consume(consumer: Consumer, count: int) -> None:
    """Read so many records and commit their offsets."""
    for _ in range(count):
        message = consumer.poll(WITHIN_S)
        assert message is not None
        assert message.error() is None
    consumer.commit(asynchronous=False)


def waiting(
    others: ThreadPoolExecutor, wait: Callable[..., Any], *arguments: object, **named: object
) -> Future[Any]:
    """Wait in another thread, from before the state is reached."""
    return others.submit(wait, *arguments, timeout=WITHIN_S, **named)


def test_a_group_of_the_consumer_protocol_commits_all_records(
    kafka: Cluster, others: ThreadPoolExecutor
) -> None:
    """The waits begin before the group exists."""
    assigned = waiting(others, kafka.wait_assigned, "consumed", partitions=3, topic="consumed")
    committed = waiting(others, kafka.wait_committed, "consumed", topic="consumed")
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    for number in range(6):
        producer.produce("consumed", str(number), partition=number % 3)
    assert producer.flush(WITHIN_S) == 0
    consumer = consumer_of(kafka, "consumed", **{"group.protocol": "consumer"})
    consumer.subscribe(["consumed"])

    consume(consumer, 5)
    assert assigned.result(WITHIN_S)["protocol"] == "consumer"
    with pytest.raises(TimeoutError, match=r"lag of consumed in consumed-\d is 1: committed 1, lo"):
        kafka.wait_committed("consumed", timeout=0)
    consume(consumer, 1)

    assert [each["lag"] for each in committed.result(WITHIN_S)] == [0, 0, 0]
    consumer.close()


def test_a_transaction_that_ends_releases_the_stable_offset(
    kafka: Cluster, others: ThreadPoolExecutor
) -> None:
    """While it is open, the timeout names its transactional id."""
    settings = {"bootstrap.servers": kafka.bootstrap, "transactional.id": "waits"}
    producer = Producer(settings)
    producer.init_transactions(WITHIN_S)
    producer.begin_transaction()
    producer.produce("stable", b"one")
    assert producer.flush(WITHIN_S) == 0
    with pytest.raises(TimeoutError, match="because the transaction of producer waits is open"):
        kafka.wait_stable_offset("stable", timeout=0)
    stable = waiting(others, kafka.wait_stable_offset, "stable")

    producer.commit_transaction(WITHIN_S)

    stable.result(WITHIN_S)
    [partition] = next(
        each["partitions"] for each in kafka.cluster()["topics"] if each["name"] == "stable"
    )
    assert (partition["last_stable_offset"], partition["held_back_by"]) == (2, None)


def test_a_created_topic_is_known_on_all_nodes(kafka: Cluster, others: ThreadPoolExecutor) -> None:
    """And a deleted one on none."""
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    known = waiting(others, kafka.wait_topic, "created", partitions=6)
    admin.create_topics([NewTopic("created", 6, 3)])["created"].result(WITHIN_S)
    assert len(known.result(WITHIN_S)["partitions"]) == 6

    deleted = waiting(others, kafka.wait_topic_deleted, "created")
    admin.delete_topics(["created"])["created"].result(WITHIN_S)
    deleted.result(WITHIN_S)


def test_requests_of_a_client_are_counted_from_a_mark(
    kafka: Cluster, others: ThreadPoolExecutor
) -> None:
    """Without recording; requests of others do not count."""
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap, client_id="counted")
    mark = kafka.mark()
    sent = waiting(others, kafka.wait_requests, "DescribeConfigs", 2, mark, client="counted")
    assert kafka.wait_requests("Metadata", client="counted", timeout=WITHIN_S) >= 1
    for _ in range(2):
        client.describe_configs([ConfigResource(ConfigResourceType.BROKER, "1")])

    assert sent.result(WITHIN_S) == 2
    client.close()
    kafka.wait_client("counted", connected=False, timeout=WITHIN_S)


def test_a_client_connects_and_leaves(kafka: Cluster, others: ThreadPoolExecutor) -> None:
    """A producer keeps its connections until it is closed."""
    connected = waiting(others, kafka.wait_client, "leaving")
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap, client_id="leaving")
    producer.send("stable", b"two").get(timeout=WITHIN_S)
    connected.result(WITHIN_S)
    gone = waiting(others, kafka.wait_client, "leaving", connected=False)

    producer.close()

    gone.result(WITHIN_S)


def test_a_shell_waits_by_a_command(kafka: Cluster) -> None:
    """The exit code says whether the condition holds."""

    def wait(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "antechamber", "wait", *arguments, "--admin", kafka.admin]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=ENDS_WITHIN_S, check=False
        )
        return done.returncode, done.stderr

    assert wait("topic", "--topic", "stable") == (0, "")
    code, line = wait("assigned", "--group", "nobody", "--timeout", "10ms")
    assert (code, line.count("\n")) == (1, 1)
    assert line.startswith("antechamber wait: not within 10 ms: there is no group nobody")
