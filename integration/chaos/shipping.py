"""Ships each order: a consumer of a group sends it on, and commits its offset.

After an error the worker begins again at the committed offsets, as a service that is restarted.
With the argument ``early`` it commits an order before it has shipped it, so that an order whose
shipping fails is never shipped. The exit code is 1 if an order was not shipped.
"""

from __future__ import annotations

import os
import sys

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import KafkaError

ORDERS = 6
WITHIN_S = 60
FROM, TO = TopicPartition("orders", 0), TopicPartition("shipped", 0)


def main(bootstrap: str, *, commits_early: bool) -> int:
    """Run the program and return its exit code."""
    place_orders(bootstrap)
    while not ship(bootstrap, commits_early=commits_early):
        pass
    missing = set(range(ORDERS)) - read_shipped(bootstrap)
    if missing:
        print(f"not shipped are {sorted(missing)}")
        return 1
    return 0


def place_orders(bootstrap: str) -> None:
    """Store the orders, each once."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap, client_id="shop", acks="all", enable_idempotence=True
    )
    for number in range(ORDERS):
        producer.send(FROM.topic, b"%d" % number, partition=0).get(timeout=WITHIN_S)
    producer.close()


def ship(bootstrap: str, *, commits_early: bool) -> bool:
    """Ship the orders after the committed offset; False if an error has ended that."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        client_id="shipper",
        acks="all",
        retries=0,
        enable_idempotence=False,
    )
    consumer = KafkaConsumer(
        FROM.topic,
        bootstrap_servers=bootstrap,
        client_id="worker",
        group_id="shipping",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    try:
        while (consumer.committed(FROM) or 0) < ORDERS:
            for record in consumer.poll(500, max_records=1).get(FROM, ()):
                if commits_early:
                    commit(consumer, record)
                send_on(producer, record)
                if not commits_early:
                    commit(consumer, record)
    except KafkaError as error:
        print(f"begins again after {error}")
        return False
    finally:
        consumer.close(autocommit=False)
        producer.close(timeout=WITHIN_S)
    return True


def commit(consumer: KafkaConsumer, record: ConsumerRecord) -> None:
    """Commit that the record is processed."""
    consumer.commit({FROM: OffsetAndMetadata(record.offset + 1, "", -1)})


def send_on(producer: KafkaProducer, record: ConsumerRecord) -> None:
    """Ship the order, or raise KafkaError."""
    producer.send(TO.topic, record.value, partition=0).get(timeout=WITHIN_S)


def read_shipped(bootstrap: str) -> set[int]:
    """The orders that were shipped, once or more often."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, client_id="check")
    consumer.assign([TO])
    consumer.seek_to_beginning()
    end = consumer.end_offsets([TO])[TO]
    found: set[int] = set()
    while consumer.position(TO) < end:
        for records in consumer.poll(1000).values():
            found |= {int(record.value) for record in records}
    consumer.close()
    return found


if __name__ == "__main__":
    servers = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
    sys.exit(main(servers, commits_early="early" in sys.argv))
