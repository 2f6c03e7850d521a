"""The metrics of quotas: what clients that have a quota use, and how they are throttled.

Names and labels follow the pattern of the others, but are not compared with a Kafka's; ``resource``
is the type of quota. Quotas of changes to topics are measured by the controller, without ``node``.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric

from broker.cluster import Cluster
from broker.quotas.usage import Usage

_PREFIX = "kafka_server_quota_"
_LABELS = ("node", "resource", "user", "clientId")


def quota_metrics(cluster: Cluster) -> Iterator[Metric]:
    """The metrics of all quotas that have been used."""
    mutations = cluster.controller.client_quotas.mutations.usage(cluster.clock.now_ms())
    rates = {
        "byte_rate": _gauge("byte_rate", "bytes per second"),
        "request_time": _gauge("request_time", "percent of a processor"),
        "mutation_rate": _gauge("mutation_rate", "created and deleted partitions per second"),
    }
    throttle_time = _gauge("throttle_time", "mean throttle time in ms")
    tokens = _gauge("tokens", "partitions that may be created and deleted at once")
    for name, node, resource, usage in _used(cluster, mutations):
        labels = (node, resource, usage.user or "", usage.client_id or "")
        rates[name].add_metric(labels, usage.rate)
        throttle_time.add_metric(labels, usage.throttle_time_ms)
        if usage.tokens is not None:
            tokens.add_metric(labels, usage.tokens)
    yield from (*rates.values(), throttle_time, tokens)


def _used(cluster: Cluster, mutations: Iterator[Usage]) -> Iterator[tuple[str, str, str, Usage]]:
    """Each use of a quota, with the name of its rate, its node and its resource."""
    for node in cluster.nodes:
        quotas = node.client_quotas
        for name, resource, manager in (
            ("byte_rate", "Produce", quotas.produce),
            ("byte_rate", "Fetch", quotas.fetch),
            ("request_time", "Request", quotas.request),
        ):
            for usage in manager.usage():
                yield name, str(node.id), resource, usage
    for usage in mutations:
        yield "mutation_rate", "", "ControllerMutation", usage


def _gauge(name: str, text: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(_PREFIX + name, text, labels=_LABELS)
