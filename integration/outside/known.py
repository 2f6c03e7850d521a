"""Tests of other projects that pass on a real Kafka and not on ours, with reasons.

A listed test that passes fails the run, so that its line is removed.
"""

from __future__ import annotations

from collections.abc import Mapping

TRANSACTIONS = "transactions are not served"
SHARE_GROUPS = "not tried since share groups are served"

# Reasons by suite and test.
KNOWN: Mapping[str, Mapping[str, str]] = {
    "librdkafka": {
        "0129_fetch_aborted_msgs": TRANSACTIONS,
        "0184_share_consumer_topic_recreate": SHARE_GROUPS,
    },
    "franz-go": {},
    "kafka-go": {},
}
