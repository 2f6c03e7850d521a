"""The settings of a client metrics subscription."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config.client_metrics import check_client_metrics_configs, describe_client_metrics
from broker.config.entry import ConfigSource, ConfigSynonym
from protocol.errors import ErrorCode


@pytest.mark.parametrize(
    "settings",
    [
        {"interval.ms": "100", "metrics": "*"},
        {"interval.ms": "3600000", "match": "client_id=a.*,client_source_port=1"},
        {"metrics": "", "match": ""},
    ],
)
def test_valid_settings_are_accepted(settings: dict[str, str]) -> None:
    """The interval is between 100 ms and one hour; patterns match attributes of a client."""
    check_client_metrics_configs(settings)


@pytest.mark.parametrize(
    ("settings", "code", "message"),
    [
        (
            {"interval.ms": "99"},
            ErrorCode.INVALID_REQUEST,
            "Invalid value 99 for interval.ms, interval must be between 100 and 3600000 (1 hour)",
        ),
        (
            {"interval.ms": "x"},
            ErrorCode.INVALID_CONFIG,
            "Invalid value x for configuration interval.ms: Not a number of type INT",
        ),
        ({"match": "x"}, ErrorCode.INVALID_CONFIG, "Illegal client matching pattern: x"),
        ({"match": "a=b"}, ErrorCode.INVALID_CONFIG, "Illegal client matching pattern: a=b"),
        (
            {"match": "client_id=["},
            ErrorCode.INVALID_CONFIG,
            "Illegal client matching pattern: client_id=[",
        ),
        ({"x": "1"}, ErrorCode.INVALID_REQUEST, "Unknown client metrics configuration: x"),
    ],
)
def test_invalid_settings_are_refused(
    settings: dict[str, str], code: ErrorCode, message: str
) -> None:
    """Code and message are those of Kafka 4.3.1."""
    with pytest.raises(ApiError) as refused:
        check_client_metrics_configs(settings)

    assert (refused.value.code, refused.value.message) == (code, message)


def test_a_set_key_is_described_with_its_source() -> None:
    """A default has no synonym, as in Kafka."""
    entries = {each.name: each for each in describe_client_metrics({"match": "client_id=a"})}

    assert entries["match"].synonyms == [
        ConfigSynonym("match", "client_id=a", ConfigSource.CLIENT_METRICS)
    ]
    assert (entries["interval.ms"].value, entries["interval.ms"].synonyms) == ("300000", [])
