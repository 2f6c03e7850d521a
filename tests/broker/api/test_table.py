"""The table of APIs, and the versions that are advertised."""

from __future__ import annotations

from broker.api.table import advertised_versions
from protocol.messages import REQUESTS
from protocol.messages.produce import ProduceRequest


def test_each_api_is_advertised_with_all_of_its_versions() -> None:
    """Only Produce is advertised from version 0, which is not served (KAFKA-18659)."""
    ranges = {each.api_key: (each.min_version, each.max_version) for each in advertised_versions()}

    assert len(ranges) == len(REQUESTS)
    for request in REQUESTS.values():
        versions = request.__spec__.versions
        first = 0 if request is ProduceRequest else versions[0]
        assert ranges[request.__spec__.key] == (first, versions[-1])
