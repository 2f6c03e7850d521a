"""Keys of Kafka's plugins and metrics, which have no effect here."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, no_effect
from broker.config.kinds import AnyList, ClassName, ListOf, Text, int32, int64

_java = no_effect("Java classes cannot be loaded", advice="Java classes cannot be loaded")
_metrics = no_effect("there are no JMX metrics")

# The only class of Kafka that can be one of `metric.reporters`.
_REPORTERS = ("org.apache.kafka.common.metrics.JmxReporter",)

KEYS = (
    _java("alter.config.policy.class.name", ClassName(), None),
    _java("client.quota.callback.class", ClassName(), None),
    _java("config.providers", AnyList(), (), CLUSTER_WIDE),
    _java("create.topic.policy.class.name", ClassName(), None),
    _java("security.providers", Text(), None),
    _metrics("kafka.metrics.polling.interval.secs", int32(1), 10),
    _metrics("kafka.metrics.reporters", AnyList(), ()),
    _metrics(
        "metric.reporters",
        ListOf(_REPORTERS),
        _REPORTERS,
        CLUSTER_WIDE,
    ),
    _metrics("metrics.num.samples", int32(1), 2),
    _metrics("metrics.recording.level", Text(), "INFO"),
    _metrics("metrics.sample.window.ms", int64(1), 30_000),
    _metrics("telemetry.max.bytes", int32(1), 1_048_576),
)
