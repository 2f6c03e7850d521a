"""The quotas of clients that a node enforces (Kafka's ``QuotaManagers``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from broker.config import Config
from broker.quotas.client_quota_manager import ClientQuotaManager
from broker.quotas.entity import CONSUMER_BYTE_RATE, PRODUCER_BYTE_RATE, Entity, Quotas


class QuotaManagers:
    """The produce and fetch quotas of a node's clients."""

    def __init__(self, config: Config, now_ms: Callable[[], float]) -> None:
        self.produce = ClientQuotaManager(PRODUCER_BYTE_RATE, config, now_ms)
        self.fetch = ClientQuotaManager(CONSUMER_BYTE_RATE, config, now_ms)

    def reconfigure(self, quotas: Mapping[Entity, Quotas]) -> None:
        """Apply *quotas* from now on."""
        self.produce.reconfigure(quotas)
        self.fetch.reconfigure(quotas)

    def remove_idle(self) -> None:
        """Remove the rates of inactive clients."""
        self.produce.remove_idle()
        self.fetch.remove_idle()
