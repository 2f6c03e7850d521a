"""kafka-python, from 1.4 on: produces, reads in a group, commits, and finds offsets by time."""

import json
import sys
import time

import kafka
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import MessageSizeTooLargeError

bootstrap, topic, group = sys.argv[1:]

producer = KafkaProducer(bootstrap_servers=bootstrap, compression_type="gzip", acks="all")
sent = [
    producer.send(topic, value, key=b"key", headers=[("h", b"1")]).get(timeout=60).offset
    for value in (b"one", b"two", b"three")
]
large = KafkaProducer(bootstrap_servers=bootstrap, max_request_size=5000000)
try:
    large.send(topic, bytes(3000000)).get(timeout=60)
    refused = "nothing"
except MessageSizeTooLargeError as error:
    refused = type(error).__name__

consumer = KafkaConsumer(
    topic,
    bootstrap_servers=bootstrap,
    group_id=group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,
)
read = []
deadline = time.monotonic() + 30
while len(read) < len(sent) and time.monotonic() < deadline:
    for records in consumer.poll(timeout_ms=100).values():
        read += [(each.offset, each.value.decode(), len(each.headers)) for each in records]
consumer.commit()
partition = TopicPartition(topic, 0)
reported = {
    "version": kafka.__version__,
    "sent": sent,
    "refused": refused,
    "read": read,
    "committed": consumer.committed(partition),
    "end": consumer.end_offsets([partition])[partition],
    "at_time": consumer.offsets_for_times({partition: 0})[partition].offset,
}
consumer.close()
producer.close()
large.close()
print(json.dumps(reported))
