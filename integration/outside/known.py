"""Tests of others that pass on a real Kafka and not on ours, each with its reason.

A test that is listed and passes fails the run: then its line is removed.
"""

from __future__ import annotations

from collections.abc import Mapping

TRANSACTIONS = "transactions are not served"
ACLS = "ACLs are not served"
SHARE_GROUPS = "share groups are not served"

# Reasons by suite and test.
KNOWN: Mapping[str, Mapping[str, str]] = {
    "librdkafka": {},
    "franz-go": {
        "TestTxnEtl": TRANSACTIONS,
        "TestConsumeRegexShareSkipsInternal": SHARE_GROUPS,
        "TestShareGroup": SHARE_GROUPS,
        "TestShareGroupAckOnClose": SHARE_GROUPS,
        "TestShareGroupETL": SHARE_GROUPS,
        "TestShareGroupOffsetsAdmin": SHARE_GROUPS,
    },
    "kafka-go": {},
}
