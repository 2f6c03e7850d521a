"""What a customer of the application does: orders, and reads shipments."""

from __future__ import annotations

import json

from kafka import KafkaConsumer, KafkaProducer
from shipping import ORDERS, SHIPMENTS


def order(bootstrap: str, name: str, items: int) -> None:
    """Order some items."""
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
    value = {"id": name, "items": ["tea"] * items}
    producer.send(ORDERS, json.dumps(value).encode()).get(timeout=60)
    producer.close()


def parcels(bootstrap: str, name: str) -> int:
    """The number of parcels of an order; waits up to a minute for its shipment."""
    consumer = KafkaConsumer(
        SHIPMENTS,
        bootstrap_servers=bootstrap,
        auto_offset_reset="earliest",
        consumer_timeout_ms=60_000,
    )
    try:
        for record in consumer:
            shipment = json.loads(record.value)
            if shipment["order"] == name:
                return int(shipment["parcels"])
        raise AssertionError(f"{name} was not shipped")
    finally:
        consumer.close()
