"""Spark's Kafka connector reads only committed records with `kafka.isolation.level`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from antechamber import Cluster
from integration.pipeline import topics

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("topics")]

TOPIC = "payments"
PARTITIONS = 2
FIRST, ABORTED, SECOND, OPEN = range(100), range(100, 150), range(150, 250), range(250, 270)


@pytest.fixture(scope="module")
def bootstrap() -> Iterator[str]:
    """A broker with two committed transactions, an aborted one between them, and an open one."""
    with Cluster() as kafka:
        topics.make(kafka.bootstrap, TOPIC, PARTITIONS)
        settings = {"bootstrap.servers": kafka.bootstrap, "transactional.id": "billing"}
        producer = Producer(settings)
        producer.init_transactions(30)
        for values in (FIRST, ABORTED, SECOND, OPEN):
            producer.begin_transaction()
            for value in values:
                producer.produce(TOPIC, str(value), partition=value % PARTITIONS)
            assert producer.flush(60) == 0
            if values is ABORTED:
                producer.abort_transaction(30)
            elif values is not OPEN:
                producer.commit_transaction(30)
        yield kafka.bootstrap


@pytest.mark.parametrize(
    ("isolation", "expected"),
    [
        ("read_committed", [*FIRST, *SECOND]),
        ("read_uncommitted", [*FIRST, *ABORTED, *SECOND, *OPEN]),
    ],
)
def test_a_batch_has_the_records_of_its_isolation_level(
    spark: SparkSession, bootstrap: str, isolation: str, expected: list[int]
) -> None:
    """All records from the beginning to the present end."""
    options = {
        "kafka.bootstrap.servers": bootstrap,
        "subscribe": TOPIC,
        "startingOffsets": "earliest",
        "kafka.isolation.level": isolation,
    }
    rows = spark.read.format("kafka").options(**options).load().select("value").collect()
    assert sorted(int(row.value) for row in rows) == expected
