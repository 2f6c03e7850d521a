"""Changes the level of a feature for some requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from integration.machine.deadlines import eventually
from integration.parity.scenario import Kafka
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest

_UPGRADE, _SAFE_DOWNGRADE = 1, 2


@contextmanager
def disabled(kafka: Kafka, feature: str) -> Iterator[None]:
    """Have level 0 of a feature whose highest level is 1, and 1 afterwards."""
    _update(kafka, feature, 0, _SAFE_DOWNGRADE)
    try:
        yield
    finally:
        _update(kafka, feature, 1, _UPGRADE)


def _update(kafka: Kafka, feature: str, level: int, kind: int) -> None:
    requested = FeatureUpdateKey(feature=feature, max_version_level=level, upgrade_type=kind)
    response = kafka.request(UpdateFeaturesRequest(feature_updates=[requested]), 2)
    assert response.error_code == 0, response
    eventually(lambda: _level(kafka, feature) == level, f"{feature} {level}")
    kafka.settle()


def _level(kafka: Kafka, feature: str) -> int:
    response = kafka.request(
        ApiVersionsRequest(client_software_name="x", client_software_version="1")
    )
    found = (each for each in response.finalized_features if each.name == feature)
    return sum(each.max_version_level for each in found)
