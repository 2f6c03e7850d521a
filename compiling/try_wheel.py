"""Starts the broker of an installed compiled wheel, and produces and consumes a record.

cibuildwheel runs it in an environment that has the wheel and kafka-python.
"""

from __future__ import annotations

import json
import sys
from urllib.request import urlopen

from kafka import KafkaConsumer, KafkaProducer

from antechamber import Cluster


def main() -> None:
    """Raise AssertionError unless the record is read by a compiled broker."""
    with Cluster(topics=["t"]) as kafka:
        with urlopen(f"{kafka.admin}/v1/statistics") as response:
            assert json.load(response)["build"] == "compiled"
        producer = KafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")
        assert producer.send("t", b"value").get(timeout=10).offset == 0
        producer.close()
        consumer = KafkaConsumer(
            "t", bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest"
        )
        assert next(consumer).value == b"value"
        consumer.close()
    sys.stdout.write("the compiled broker has served a producer and a consumer\n")


if __name__ == "__main__":
    main()
