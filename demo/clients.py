"""The workers of the demo: real clients and faults, each in a thread that runs until an event.

The workers assert nothing; the wait records have the outcome of their requests.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from confluent_kafka import Consumer, Producer
from kafka import KafkaProducer

from antechamber import Cluster

Work = Callable[[Cluster, Event], None]

ORDERS, PAYMENTS, NEWS = "orders", "payments", "news"
LONG_POLLS = 8
LONG_POLL_MS = 2_500
IMPATIENCE_MS = 40

_QUIET: dict[str, str | int] = {"log_level": 0}  # the wait records have the errors
# librdkafka sends any number of requests at once; they would wait in the queue of the connection
# instead of for a follower.
_AS_JAVA = {**_QUIET, "linger.ms": 2, "max.in.flight.requests.per.connection": 5}
_BUSY_S, _NEWS_S = 0.004, 3.1
_SLOW_S, _AWAKE_S = 0.03, 0.05  # the pause of the slow follower, and its time to catch up
_CALM_S, _PAUSED_S = 4.0, 3.0


def producer(name: str, topic: str, pace_s: float, **settings: str | int) -> Work:
    """A producer with acks=all that sends a message every *pace_s* seconds."""

    def work(kafka: Cluster, over: Event) -> None:
        named = {"bootstrap.servers": kafka.bootstrap, "client.id": name}
        client = Producer({**named, **_AS_JAVA, **settings})
        while not over.wait(pace_s):
            client.produce(topic, b"x" * 200)
            client.poll(0)
        client.flush(5)

    return work


def shop(kafka: Cluster, over: Event) -> None:
    """A producer of another library: kafka-python."""
    client = KafkaProducer(bootstrap_servers=kafka.bootstrap, client_id="shop", acks="all")
    while not over.wait(_BUSY_S):
        client.send(ORDERS, b"y" * 120)
    client.close(timeout=5)


def consumer(name: str, topic: str, **settings: str | int) -> Work:
    """A consumer that is the only member of its group."""

    def work(kafka: Cluster, over: Event) -> None:
        named = {"bootstrap.servers": kafka.bootstrap, "client.id": name, "group.id": name}
        client = Consumer({**named, **_QUIET, "auto.offset.reset": "earliest", **settings})
        client.subscribe([topic])
        while not over.is_set():
            client.consume(500, timeout=0.2)
        client.close()

    return work


def slow_follower(kafka: Cluster, over: Event) -> None:
    """Node 3 pauses repeatedly for a short time, so every acks=all waits for it."""
    while not over.wait(_AWAKE_S):
        kafka.pause(3)
        over.wait(_SLOW_S)
        kafka.resume(3)


def paused_node(kafka: Cluster, over: Event) -> None:
    """Node 2 pauses for longer than replica.lag.time.max.ms, and leaves the in-sync replicas."""
    while not over.wait(_CALM_S):
        kafka.pause(2)
        over.wait(_PAUSED_S)
        kafka.resume(2)


WORKERS: tuple[Work, ...] = (
    producer("billing", ORDERS, _BUSY_S),
    shop,
    consumer("shipping", ORDERS),
    producer(
        "impatient",
        PAYMENTS,
        _BUSY_S,
        **{"request.timeout.ms": IMPATIENCE_MS, "message.timeout.ms": 500},
    ),
    consumer("ledger", PAYMENTS, **{"fetch.min.bytes": 4_000, "fetch.wait.max.ms": 300}),
    producer("editor", NEWS, _NEWS_S),
    *(
        consumer(f"reader-{number}", NEWS, **{"fetch.wait.max.ms": LONG_POLL_MS})
        for number in range(1, LONG_POLLS + 1)
    ),
    slow_follower,
    paused_node,
)
