"""Real clients of a broker whose clock a test adjusts."""

from __future__ import annotations

from confluent_kafka import Consumer, KafkaError, Producer
from kafka import KafkaConsumer

from antechamber import Cluster
from integration.machine.deadlines import eventually


def test_a_session_ends_without_waiting_for_it() -> None:
    """The consumer's own heartbeats are 3 seconds apart in real time, so none arrives meanwhile."""
    with Cluster(topics=["orders"], config={"group.initial.rebalance.delay.ms": 0}) as kafka:
        consumer = KafkaConsumer("orders", bootstrap_servers=kafka.bootstrap, group_id="g")
        eventually(
            lambda: consumer.poll(timeout_ms=50) or consumer.assignment(),
            "an assignment",
            within=60,
        )
        (session,) = kafka.sessions("g")

        advance = kafka.clock.advance_to_session_end(session["member"])

        assert advance["advanced_ms"] > 30_000
        assert kafka.sessions("g") == []
        consumer.close(autocommit=False)


def test_a_session_has_ended_when_an_advance_returns() -> None:
    """An advance of 45 seconds ends the session of a consumer that sends no heartbeat meanwhile."""
    config = {"group.initial.rebalance.delay.ms": 0}
    with Cluster(topics=["orders"], config=config) as kafka:
        consumer = Consumer(
            {"bootstrap.servers": kafka.bootstrap, "group.id": "g", "heartbeat.interval.ms": 15_000}
        )
        consumer.subscribe(["orders"])
        eventually(lambda: consumer.poll(0.05) or consumer.assignment(), "an assignment")
        assert len(kafka.sessions("g")) == 1

        kafka.clock.advance(45)

        assert kafka.sessions("g") == []
        consumer.close()


def test_a_produce_times_out_without_waiting_for_it() -> None:
    """The follower stays in the in-sync set, because its lag is checked later."""
    with Cluster(brokers=2, topics=["orders:1:2"], record=True) as kafka:
        producer = Producer(
            {
                "bootstrap.servers": kafka.bootstrap,
                "request.timeout.ms": 20_000,
                "message.timeout.ms": 300_000,
                "retries": 0,
            }
        )
        kafka.clock.freeze()
        kafka.pause(2)
        errors: list[KafkaError | None] = []
        producer.produce("orders", b"one", partition=0, on_delivery=lambda e, _: errors.append(e))
        producer.poll(0)
        kafka.wait_parked("Produce", topic="orders", timeout=30)

        advance = kafka.clock.advance_to_request_timeout("Produce")
        producer.flush(60)

        assert 19_000 < advance["advanced_ms"] < 21_000
        (record,) = advance["steps"][-1]["responses"]
        assert record["api"] == "Produce"
        assert [error and error.code() for error in errors] == [KafkaError.REQUEST_TIMED_OUT]


def test_a_rebalance_completes_while_the_clock_is_frozen() -> None:
    """It needs the members, not time."""
    with Cluster(topics=["orders:2"], config={"group.initial.rebalance.delay.ms": 0}) as kafka:
        kafka.clock.freeze()
        consumers = [
            Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "g"}) for _ in range(2)
        ]
        for consumer in consumers:
            consumer.subscribe(["orders"])

        def each_has_one() -> bool:
            for consumer in consumers:
                consumer.poll(0.05)
            return all(len(consumer.assignment()) == 1 for consumer in consumers)

        eventually(each_has_one, "one partition for each consumer", within=60)

        assert kafka.clock.state()["state"] == "frozen"
        for consumer in consumers:
            consumer.close()
