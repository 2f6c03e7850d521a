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
    80: "AddRaftVoter",
    81: "RemoveRaftVoter",
}

_NAMES: dict[int, str] = _NOT_DECODED | {
    key: cls.__name__.removesuffix("Request") for key, cls in REQUESTS.items()
}
_KEYS = {name: key for key, name in _NAMES.items()}


def api_name(api_key: int) -> str:
    """Kafka's name of an API, or its key as text if that is unknown."""
    return _NAMES.get(api_key) or str(api_key)


def api_key(api_name: str) -> int:
    """The key of an API by its name as `api_name` returns it."""
    return int(api_name) if api_name.isdecimal() else _KEYS[api_name]
