"""The names of all APIs, including those that are forwarded without being decoded."""

from __future__ import annotations

from protocol.messages import REQUESTS

# As of Kafka 4.3, without the APIs that only brokers use between each other.
_PASSED_ON = {
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


def name_of_api(api_key: int) -> str:
    """Kafka's name of an API, or its key as text if that is unknown."""
    if api_key in REQUESTS:
        name: str = REQUESTS[api_key].__name__
        return name.removesuffix("Request")
    return _PASSED_ON.get(api_key, str(api_key))
