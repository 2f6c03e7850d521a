"""The quota of the time of requests."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.quotas.client_request_quota_manager import ClientRequestQuotaManager

NS_PER_MS = 1_000_000


def quota_of_percent(percent: float) -> ClientRequestQuotaManager:
    """The manager of a node where each client has this quota; its clock does not move."""
    quota = ClientRequestQuotaManager(Config(), lambda: 0.0)
    quota.put((("client-id", None),), {"request_percentage": percent})
    return quota


@pytest.mark.parametrize(("percent", "allowed_ms"), [(100, 10_000), (1, 100), (200, 20_000)])
def test_100_percent_is_one_processor(percent: float, allowed_ms: int) -> None:
    """Over all windows, which are ten seconds; more than that is throttled."""
    quota = quota_of_percent(percent)

    assert quota.record_time("ANONYMOUS", "a", allowed_ms * NS_PER_MS) is None
    throttle = quota.record_time("ANONYMOUS", "a", allowed_ms * NS_PER_MS // 100)
    assert throttle is not None
    assert throttle.time_ms == 100
    assert throttle.rate == pytest.approx(percent * 1.01)


def test_the_throttle_time_is_at_most_one_window() -> None:
    """Kafka 4.3.1 throttles each request of a client with a tiny quota for 1000 ms."""
    throttle = quota_of_percent(0.01).record_time("ANONYMOUS", "a", 100 * NS_PER_MS)

    assert throttle is not None
    assert throttle.time_ms == 1000
