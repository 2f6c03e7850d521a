"""Tests of other projects that pass on a real Kafka and not on ours, with reasons.

A listed test that passes fails the run, so that its line is removed.
"""

from __future__ import annotations

from collections.abc import Mapping

_ORDER = "it expects the order of Kafka's hash tables"
_JAVA = "a Java class is a setting of the brokers"
_UNRELEASED = "Kafka's tests use metadata.version 31, which is not released"
_DIRECTORIES = "ours has other data directories than the settings of the test"

# Reasons by suite and test.
KNOWN: Mapping[str, Mapping[str, str]] = {
    "librdkafka": {},
    "franz-go": {},
    "kafka-go": {},
    "kafka-python": {},
    "rskafka": {},
    "sarama": {},
    "watermill": {},
    "confluent-kafka-go": {},
    "kafka-clients": {
        "ClientTelemetryTest.testClientInstanceId": _JAVA,
        "ConsumerIntegrationTest.testRackAwareAssignment": _JAVA,
        "DynamicGroupConfigIntegrationTest.testDescribeGroupConfigSynonymsWithBrokerSynonym": (
            "ours gets the defaults of Kafka as settings of its nodes"
        ),
    },
    "kafka-connect": {},
    "kafka-streams": {},
    "apache-kafka": {
        "AlterUserScramCredentialsRequestTest.testMetadataVersionTooLow": (
            "metadata.version cannot be changed"
        ),
        "ApiVersionsRequestTest.testApiVersionsRequest": _UNRELEASED,
        "ApiVersionsRequestTest.testApiVersionsRequestIncludesUnreleasedApis": _UNRELEASED,
        "BrokerApiVersionsCommandTest.testBrokerApiVersionsCommandOutput": _UNRELEASED,
        "ConsumerGroupDescribeRequestTest.testConsumerGroupDescribeWithNewGroupCoordinator": _ORDER,
        "ListGroupsRequestTest.testListGroupsWithNewConsumerGroupProtocol": _ORDER,
        "PlaintextAdminIntegrationTest.testAlterLogDirsAfterDeleteRecords": _DIRECTORIES,
        "PlaintextAdminIntegrationTest.testAlterReplicaLogDirs": _DIRECTORIES,
        "PlaintextAdminIntegrationTest.testDescribeAndAlterConfigs": (
            "it counts the settings that it gives to the broker, of which ours refuses some"
        ),
        "ProduceRequestTest.testCorruptLz4ProduceRequest": "it reads a metric of Kafka's JVM",
        "ShareGroupHeartbeatRequestTest.testPartitionAssignmentWithChangingTopics": (
            "the epochs depend on how long the initialization of share partitions takes"
        ),
        "ReassignPartitionsCommandTest.testAlterLogDirReassignmentThrottle": _DIRECTORIES,
        "ReassignPartitionsCommandTest.testLogDirReassignment": _DIRECTORIES,
        **{
            f"GetOffsetShellTest.testGetOffsetsBy{each}Spec": "it needs tiered storage"
            for each in ("EarliestLocal", "EarliestTiered", "LatestTiered")
        },
    },
}
