"""The quotas of a node's clients."""

from __future__ import annotations

from broker.config import Config
from broker.quotas.quota_managers import QuotaManagers


def test_each_kind_has_its_own_quotas() -> None:
    """Produced and fetched bytes are measured separately."""
    quotas = QuotaManagers(Config(), lambda: 0)

    quotas.put((("client-id", "a"),), {"producer_byte_rate": 1.0})

    assert quotas.produce.quotas_enabled
    assert not quotas.fetch.quotas_enabled


def test_inactive_clients_are_removed() -> None:
    """From both kinds."""
    now_ms = [0.0]
    quotas = QuotaManagers(Config(), lambda: now_ms[0])
    both = {"producer_byte_rate": 1.0, "consumer_byte_rate": 1.0}
    quotas.put((("client-id", None),), both)
    quotas.produce.record("ANONYMOUS", "a", 1)
    quotas.fetch.record("ANONYMOUS", "a", 1)
    now_ms[0] = 3_600_000

    quotas.remove_idle()

    assert not quotas.produce._measured  # noqa: SLF001 - memory is the only effect
    assert not quotas.fetch._measured  # noqa: SLF001 - memory is the only effect
