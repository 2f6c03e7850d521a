"""An application that uses Kafka: ships the orders of a topic, and writes shipments to another.

    python shipping.py 127.0.0.1:9092

An order is a JSON object with ``id`` and ``items``. A shipment has the id of its order, and is
written with ``acks=all`` before the order's offset is committed: each order is shipped at least
once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator

from kafka import KafkaConsumer, KafkaProducer

ORDERS, SHIPMENTS, GROUP = "orders", "shipments", "shipping"


def shipments(bootstrap: str, *, idle_ms: float = float("inf")) -> Generator[str, None, None]:
    """Ship orders, and return the id of each one; ends if none arrives for *idle_ms*."""
    consumer = KafkaConsumer(
        ORDERS,
        bootstrap_servers=bootstrap,
        group_id=GROUP,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        consumer_timeout_ms=idle_ms,
    )
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
    try:
        for record in consumer:
            order = json.loads(record.value)
            shipment = {"order": order["id"], "parcels": -(-len(order["items"]) // 3)}
            producer.send(SHIPMENTS, json.dumps(shipment).encode()).get(timeout=60)
            consumer.commit()
            yield order["id"]
    finally:
        producer.close()
        consumer.close()


if __name__ == "__main__":
    for shipped in shipments(sys.argv[1]):
        print("shipped", shipped, flush=True)
