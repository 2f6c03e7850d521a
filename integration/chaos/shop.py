"""Produces numbered orders one by one, and checks that the topic has each of them once.

With the argument ``idempotent`` the producer is idempotent; without it, a batch whose response is
lost is stored twice. The exit code is 1 if the topic is wrong.
"""

from __future__ import annotations

import os
import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

ORDERS = 12
WITHIN_S = 60


def main(bootstrap: str, *, is_idempotent: bool) -> int:
    """Run the program and return its exit code."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        client_id="shop",
        acks="all",
        enable_idempotence=is_idempotent,
    )
    for number in range(ORDERS):
        producer.send("orders", b"%d" % number, partition=0).get(timeout=WITHIN_S)
    producer.close()
    stored = read(bootstrap)
    if stored != list(range(ORDERS)):
        print(f"stored are {stored}")
        return 1
    return 0


def read(bootstrap: str) -> list[int]:
    """The orders in the topic."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, client_id="check")
    orders = TopicPartition("orders", 0)
    consumer.assign([orders])
    consumer.seek_to_beginning()
    end = consumer.end_offsets([orders])[orders]
    found: list[int] = []
    while consumer.position(orders) < end:
        for records in consumer.poll(1000).values():
            found += [int(record.value) for record in records]
    consumer.close()
    return found


if __name__ == "__main__":
    servers = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
    sys.exit(main(servers, is_idempotent="idempotent" in sys.argv))
