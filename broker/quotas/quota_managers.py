"""The quotas of a node's clients that are applied (Kafka's ``QuotaManagers``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from broker.config import Config
from broker.quotas.client_quota_manager import ClientQuotaManager
from broker.quotas.entity import CONSUMER_BYTE_RATE, PRODUCER_BYTE_RATE, Entity, Quotas


class QuotaManagers:
    """What a node's clients may produce and fetch."""

    def __init__(self, config: Config, now_ms: Callable[[], float]) -> None:
        self.produce = ClientQuotaManager(PRODUCER_BYTE_RATE, config, now_ms)
        self.fetch = ClientQuotaManager(CONSUMER_BYTE_RATE, config, now_ms)

    def reconfigure(self, quotas: Mapping[Entity, Quotas]) -> None:
        """Go by *quotas* from now on."""
        self.produce.reconfigure(quotas)
        self.fetch.reconfigure(quotas)

    def remove_idle(self) -> None:
        """Forget what was measured of clients that are gone."""
        self.produce.remove_idle()
        self.fetch.remove_idle()
