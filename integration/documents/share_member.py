"""A member of a share group that holds records."""

from __future__ import annotations

from confluent_kafka import ShareConsumer
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from antechamber import Cluster
from integration.machine.deadlines import eventually

WITHIN_S = 60.0


def member_with_records(kafka: Cluster, group: str, topic: str) -> ShareConsumer:
    """A share consumer that has acquired the first records of a topic, which has some."""
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    earliest = {"share.auto.offset.reset": "earliest"}
    admin.alter_configs([ConfigResource(ConfigResourceType.GROUP, group, earliest)])
    admin.close()
    settings = {"bootstrap.servers": kafka.bootstrap, "group.id": group}
    consumer = ShareConsumer({**settings, "share.acknowledgement.mode": "explicit"})
    consumer.subscribe([topic])
    eventually(lambda: list(consumer.poll(1.0)), f"records of {topic}", within=WITHIN_S)
    return consumer
