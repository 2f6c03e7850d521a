"""confluent-kafka, from 2.0 on: produces, reads in a group, commits, and finds offsets by time."""

import json
import sys

import confluent_kafka
from confluent_kafka import Consumer, Producer, TopicPartition

bootstrap, topic, group = sys.argv[1:]


def deliver(value, **settings):
    """Produce one record and return its error and its offset."""
    outcome = []
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0, **settings})
    producer.produce(
        topic,
        value,
        key=b"key",
        headers=[("h", b"1")],
        on_delivery=lambda error, message: outcome.append((error, message.offset())),
    )
    producer.flush(60)
    return outcome[0]


idempotent = {"enable.idempotence": True, "compression.type": "gzip"}
sent = [deliver(value, **idempotent)[1] for value in (b"one", b"two", b"three")]
error, _ = deliver(bytes(3000000), **{"message.max.bytes": 5000000})
consumer = Consumer(
    {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "log_level": 0,
    }
)
consumer.subscribe([topic])
read = []
while len(read) < len(sent):
    message = consumer.poll(30)
    if message is None:
        break
    read.append((message.offset(), message.value().decode(), len(message.headers())))
partition = TopicPartition(topic, 0, 0)
reported = {
    "version": confluent_kafka.version()[0]
    if isinstance(confluent_kafka.version(), tuple)
    else confluent_kafka.version(),
    "sent": sent,
    "refused": error.name(),
    "read": read,
    "committed": consumer.commit(asynchronous=False)[0].offset,
    "end": consumer.get_watermark_offsets(partition, timeout=60)[1],
    "at_time": consumer.offsets_for_times([partition], timeout=60)[0].offset,
}
consumer.close()
print(json.dumps(reported))
