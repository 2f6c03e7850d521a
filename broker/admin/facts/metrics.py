"""The metrics of `GET /metrics` in Prometheus' text format.

Names and labels are those that the JMX exporter's example configuration gives Kafka's MBeans, so
that dashboards for Kafka work; the label ``node`` is added, because one process has several nodes.
Request metrics need wait records (``serve --record``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    UnknownMetricFamily,
)

from broker.admin.facts.quota_metrics import quota_metrics
from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.node import Node
from broker.wait_records.record import WaitRecord
from broker.wait_records.recorder import Recorder
from protocol.api_names import api_name
from protocol.errors import ErrorCode

# Quantiles are those of the latest records; more of them would take too long in one step.
RECORDS_MAX = 2000
_QUANTILES = (0.5, 0.75, 0.95, 0.98, 0.99, 0.999)  # as in Kafka's histograms
# Kafka's names of the phases of a wait record, and of their sum.
_PHASES = ("requestqueuetimems", "localtimems", "remotetimems", "responsesendtimems", "totaltimems")
_FETCH = "Fetch"

Labels = tuple[str, ...]


class _Collector:
    """Reads the cluster when the text is generated."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def collect(self) -> Iterator[Metric]:
        cluster = self._cluster
        yield from _purgatories(cluster.nodes)
        yield from _replicas(cluster)
        yield from _producers(cluster.nodes)
        yield from _transactions(cluster.nodes)
        yield from _connections(cluster.nodes)
        yield from quota_metrics(cluster)
        if cluster.recorder is not None:
            yield from _requests(cluster.recorder)


def metrics(cluster: Cluster) -> str:
    """Return the metrics of all running nodes."""
    registry = CollectorRegistry()
    registry.register(_Collector(cluster))
    return generate_latest(registry).decode()


def _purgatories(nodes: Iterable[Node]) -> Iterator[Metric]:
    prefix = "kafka_server_delayedoperationpurgatory_"
    labels = ("node", "delayedOperation")
    size = _gauge(f"{prefix}purgatorysize", "pairs of operation and key", labels)
    delayed = _gauge(f"{prefix}numdelayedoperations", "operations in the timer", labels)
    fetches = _counter(
        "kafka_server_delayedfetchmetrics_expires",
        "fetches that timed out",
        ("node", "fetcherType"),
    )
    produces = _counter(
        "kafka_server_delayedproducemetrics_expires",
        "partitions of produces that timed out",
        ("node", "topic", "partition"),
    )
    for node in nodes:
        for purgatory in node.purgatories:
            size.add_metric((str(node.id), purgatory.name), purgatory.watched())
            delayed.add_metric((str(node.id), purgatory.name), purgatory.num_delayed())
            for tag, count in purgatory.expirations.by_tag().items():
                if isinstance(tag, TopicPartition):
                    produces.add_metric((str(node.id), tag.topic, str(tag.partition)), count)
                else:
                    fetches.add_metric((str(node.id), str(tag)), count)
    yield from (size, delayed, fetches, produces)


def _replicas(cluster: Cluster) -> Iterator[Metric]:
    prefix = "kafka_server_replicamanager_"
    counted = {
        name: _gauge(f"{prefix}{name}", text, ("node",))
        for name, text in (
            ("partitioncount", "replicas on the node"),
            ("leadercount", "partitions that the node leads"),
            ("underreplicatedpartitions", "led partitions whose ISR lacks a replica"),
            (
                "underminisrpartitioncount",
                "led partitions with fewer in-sync replicas than needed",
            ),
        )
    }
    offline = _gauge(
        "kafka_controller_kafkacontroller_offlinepartitionscount",
        "partitions without a leader",
        (),
    )
    image = cluster.controller.image
    offline.add_metric((), sum(each.leader < 0 for topic in image for each in topic.partitions))
    for node in cluster.nodes:
        partitions = list(node.replicas.partitions.values())
        states = [each.leader_state for each in partitions if each.leader_state is not None]
        under = sum(len(each.isr.committed) < len(each.registration.replicas) for each in states)
        under_min = sum(each.below_min_isr for each in states)
        values = (len(partitions), len(states), under, under_min)
        for gauge, value in zip(counted.values(), values, strict=True):
            gauge.add_metric((str(node.id),), value)
    yield offline
    yield from counted.values()


def _producers(nodes: Iterable[Node]) -> Iterator[Metric]:
    prefix = "kafka_server_replicamanager_"
    known = _gauge(
        f"{prefix}produceridcount", "producers that the replicas of the node know", ("node",)
    )
    late = _gauge(
        f"{prefix}partitionswithlatetransactionscount",
        "led partitions with a transaction that is older than any timeout allows",
        ("node",),
    )
    for node in nodes:
        now_ms = node.clock.wall_ms()
        partitions = list(node.replicas.partitions.values())
        states = [each.log.producer_state_manager for each in partitions]
        led = [each.log.producer_state_manager for each in partitions if each.is_leader]
        known.add_metric((str(node.id),), sum(len(each.producers) for each in states))
        late.add_metric((str(node.id),), sum(each.has_late_transaction(now_ms) for each in led))
    yield from (known, late)


def _transactions(nodes: Iterable[Node]) -> Iterator[Metric]:
    channel = "kafka_coordinator_transaction_transactionmarkerchannelmanager_"
    sender = "kafka_server_addpartitionstotxnmanager_"
    loading = "kafka_server_transaction_coordinator_metrics_partition_load_time_"
    unknown = _gauge(
        f"{channel}unknowndestinationqueuesize",
        "transactions with a partition that has no live leader for its marker",
        ("node",),
    )
    retries = _gauge(
        f"{channel}logappendretryqueuesize",
        "transactions whose end could not be written and is repeated",
        ("node",),
    )
    failures = _meter(
        f"{sender}verificationfailurerate", "partitions that were not verified", ("node",)
    )
    times = _gauge(f"{sender}verificationtimems", "in ms", ("node", "quantile"))
    longest = _gauge(f"{loading}max", "in ms, of the latest loads", ("node",))
    mean = _gauge(f"{loading}avg", "in ms, of the latest loads", ("node",))
    for node in nodes:
        name = str(node.id)
        unknown.add_metric((name,), node.marker_channel.unknown_destination_queue_size)
        retries.add_metric((name,), node.transactions.log_append_retry_queue_size)
        failures.add_metric((name,), node.partition_sender.verification_failures)
        if ordered := sorted(node.partition_sender.verification_times_ms):
            for quantile in _QUANTILES:
                times.add_metric((name, str(quantile)), _at(ordered, quantile))
        if loads := node.transactions.runtime.load_times_ms:
            longest.add_metric((name,), max(loads))
            mean.add_metric((name,), sum(loads) / len(loads))
    yield from (unknown, retries, failures, times, longest, mean)


def _at(ordered: Sequence[float], quantile: float) -> float:
    return ordered[min(int(quantile * len(ordered)), len(ordered) - 1)]


def _connections(nodes: Iterable[Node]) -> Iterator[Metric]:
    gauge = _gauge(
        "kafka_server_socket_server_metrics_connection_count", "connections of clients", ("node",)
    )
    for node in nodes:
        gauge.add_metric((str(node.id),), len(node.connections))
    yield gauge


def _requests(recorder: Recorder) -> Iterator[Metric]:
    prefix = "kafka_network_requestmetrics_"
    total = _counter(f"{prefix}requests", "requests", ("node", "request", "version"))
    errors = _counter(f"{prefix}errors", "requests by error code", ("node", "request", "error"))
    by_version: dict[Labels, int] = {}
    by_error: dict[Labels, int] = {}
    for (node, api_key, version, error), count in recorder.counts.items():
        name = api_name(api_key)
        versioned = (str(node), name, str(version))
        failed = (str(node), name, ErrorCode(error).name)
        by_version[versioned] = by_version.get(versioned, 0) + count
        by_error[failed] = by_error.get(failed, 0) + count
    for labels, count in by_version.items():
        total.add_metric(labels, count)
    for labels, count in by_error.items():
        errors.add_metric(labels, count)
    yield from (total, errors, *_durations(prefix, recorder))


def _durations(prefix: str, recorder: Recorder) -> Iterator[Metric]:
    """The quantiles of each phase by node and API, over the latest records."""
    latest: dict[Labels, list[tuple[int, ...]]] = {}
    for record in islice(reversed(recorder.recent), RECORDS_MAX):
        phases = record.phases_us()
        for name in _names(record):
            latest.setdefault((str(record.node), name), []).append((*phases, sum(phases)))
    for index, phase in enumerate(_PHASES):
        gauge = _gauge(f"{prefix}{phase}", "in ms", ("node", "request", "quantile"))
        for labels, rows in latest.items():
            ordered = sorted(row[index] for row in rows)
            for quantile in _QUANTILES:
                gauge.add_metric((*labels, str(quantile)), _at(ordered, quantile) / 1000)
        yield gauge


def _names(record: WaitRecord) -> Iterator[str]:
    """The API; fetches are also counted by who sends them, as in Kafka."""
    name = api_name(record.header.api_key)
    yield name
    if name == _FETCH:
        yield "FetchFollower" if record.follower else "FetchConsumer"


def _gauge(name: str, text: str, labels: Labels) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, labels=labels)


def _meter(name: str, text: str, labels: Labels) -> UnknownMetricFamily:
    """The count of a meter that is not named ``PerSec``; its name does not end in ``_total``."""
    return UnknownMetricFamily(f"{name}_count", text, labels=labels)


def _counter(name: str, text: str, labels: Labels) -> CounterMetricFamily:
    return CounterMetricFamily(name, text, labels=labels)
