"""Tests of other projects that pass on a real Kafka and not on ours, with reasons.

A listed test that passes fails the run, so that its line is removed.
"""

from __future__ import annotations

from collections.abc import Mapping

# Reasons by suite and test.
KNOWN: Mapping[str, Mapping[str, str]] = {
    "librdkafka": {},
    "franz-go": {},
    "kafka-go": {},
    "kafka-python": {},
    "rskafka": {},
    "sarama": {},
}
