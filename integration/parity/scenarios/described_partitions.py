"""Descriptions of partitions by pages, and of their producers."""

from __future__ import annotations

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import delete_topics, describe_partitions
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from protocol.messages.describe_topic_partitions import Cursor


@scenario()
def pages_of_partitions(kafka: Kafka) -> Observations:
    """Each page continues after the previous one, over topics and within them."""
    names = [kafka.topic(3), kafka.topic(1), kafka.topic(2)]
    unknown = kafka.new_name("unknown")
    for limit in (1, 2, 3, 4, 6, 7, 0, -5):
        for requested in (names, [*names, unknown], [names[0], names[0]]):
            cursor = None
            for page in range(9):
                response = kafka.request(
                    describe_partitions(*requested, limit=limit, cursor=cursor)
                )
                yield limit, page, response
                cursor = response.next_cursor
                if cursor is None:
                    break


@scenario()
def pages_from_unusual_cursors(kafka: Kafka) -> Observations:
    """Cursors at and after the end of a topic, at deleted topics, and invalid ones."""
    first, gone, last = kafka.topic(2), kafka.topic(2), kafka.topic(2)
    kafka.request(delete_topics(gone))
    eventually(lambda: kafka.metadata(gone).error_code != 0, "the topic is deleted")
    for name in (first, gone, last):
        for index in (0, 1, 2, 9, -1):
            for limit in (1, 10):
                cursor = Cursor(topic_name=name, partition_index=index)
                requested = describe_partitions(first, gone, last, limit=limit, cursor=cursor)
                yield name, index, kafka.request(requested)
    for odd in ("", "a b", kafka.new_name("unknown")):
        cursor = Cursor(topic_name=odd, partition_index=0)
        yield odd, kafka.request(describe_partitions(first, last, cursor=cursor))
    yield "bad names", kafka.request(describe_partitions("a b", "..", first))
    for inside, outside in ((first, last), (last, first)):
        cursor = Cursor(topic_name=outside, partition_index=0)
        yield kafka.request(describe_partitions(inside, cursor=cursor))


@scenario()
def producers_are_described(kafka: Kafka) -> Observations:
    """Producers of a partition with their last batches, and an unknown partition."""
    topic = kafka.topic(2)
    for producer, epoch, sequence in ((7001, 0, 0), (7001, 0, 1), (7002, 3, 0)):
        kafka.request(produce(topic, batch("x", producer=(producer, epoch, sequence))))
    for name, indexes in (
        (topic, [0, 1]),
        (topic, [2]),
        (topic, [-1]),
        (topic, []),
        (kafka.new_name("unknown"), [0]),
        ("a b", [0]),
        ("", [0]),
    ):
        requested = TopicRequest(name=name, partition_indexes=indexes)
        response = kafka.request(DescribeProducersRequest(topics=[requested]))
        for each in response.topics:
            for partition in each.partitions:
                partition.active_producers.sort(key=lambda producer: producer.producer_id)
        yield name, indexes, response
    yield kafka.request(DescribeProducersRequest(topics=[]))
