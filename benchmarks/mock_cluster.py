"""librdkafka's mock cluster: prints its address, and serves until it is killed."""

from __future__ import annotations

import signal

from confluent_kafka import Producer

if __name__ == "__main__":
    owner = Producer({"bootstrap.servers": "unused:1", "test.mock.num.brokers": 1})
    (broker,) = owner.list_topics(timeout=10).brokers.values()
    print(f"{broker.host}:{broker.port}", flush=True)
    signal.pause()
