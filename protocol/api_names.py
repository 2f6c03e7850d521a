"""Kafka's names of all APIs, including those whose messages are not decoded here."""

from __future__ import annotations

from protocol.messages import REQUESTS

# As of Kafka 4.3, without the APIs that only brokers use between each other.
_NOT_DECODED = {
    17: "SaslHandshake",
    29: "DescribeAcls",
    30: "CreateAcls",
    31: "DeleteAcls",
    36: "SaslAuthenticate",
    38: "CreateDelegationToken",
    39: "RenewDelegationToken",
    40: "ExpireDelegationToken",
    41: "DescribeDelegationToken",
    50: "DescribeUserScramCredentials",
    51: "AlterUserScramCredentials",
    65: "DescribeTransactions",
    66: "ListTransactions",
    71: "GetTelemetrySubscriptions",
    72: "PushTelemetry",
    76: "ShareGroupHeartbeat",
    77: "ShareGroupDescribe",
    78: "ShareFetch",
    79: "ShareAcknowledge",
    80: "AddRaftVoter",
    81: "RemoveRaftVoter",
    83: "InitializeShareGroupState",
    84: "ReadShareGroupState",
    85: "WriteShareGroupState",
    86: "DeleteShareGroupState",
    87: "ReadShareGroupStateSummary",
    88: "StreamsGroupHeartbeat",
    89: "StreamsGroupDescribe",
    90: "DescribeShareGroupOffsets",
    91: "AlterShareGroupOffsets",
    92: "DeleteShareGroupOffsets",
}

_NAMES: dict[int, str] = _NOT_DECODED | {
    key: cls.__name__.removesuffix("Request") for key, cls in REQUESTS.items()
}


def api_name(api_key: int) -> str:
    """Kafka's name of an API, or its key as text if that is unknown."""
    return _NAMES.get(api_key) or str(api_key)
