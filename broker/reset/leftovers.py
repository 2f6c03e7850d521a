"""What a node keeps after its topics and settings are removed: it is removed as well."""

from __future__ import annotations

from collections.abc import Iterable

from broker.common.topic_partition import TopicPartition
from broker.node import Node
from broker.replication.fetch_data import FetchPartition
from broker.wait_records.causes import Cause, CauseKind


def complete_deletions(node: Node, removed: Iterable[TopicPartition]) -> None:
    """Complete the DeleteRecords requests that wait for removed partitions, with an error.

    In Kafka they wait until their timeout.
    """
    purgatory = node.replication.purgatories.delete_records
    for key in removed:
        purgatory.check_and_complete(key, Cause(CauseKind.DELETED, key))


def close_fetch_sessions(node: Node) -> None:
    """Close the fetch sessions of consumers all of whose topics are removed."""

    def is_known(requested: FetchPartition) -> bool:
        return requested.find_topic(node.image) is not None

    node.fetch_sessions.remove_without(is_known)


def delete_files(node: Node, removed: Iterable[TopicPartition]) -> None:
    """Delete the files of removed partitions now, and not after ``file.delete.delay.ms``."""
    node.logs.deletions.run_now(set(removed).__contains__)


def forget_clients(node: Node) -> None:
    """End the throttles of connections, and forget the measured rates of clients."""
    node.client_quotas.forget_usage()
    node.connection_quotas.address_rates.forget_usage()
    for connection in list(node.connections):
        connection.unmute()
