"""The quotas of a node's clients that are applied (Kafka's ``QuotaManagers``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from broker.config import Config
from broker.quotas.client_quota import ClientQuota
from broker.quotas.entity import CONSUMER_BYTE_RATE, PRODUCER_BYTE_RATE, Entity, Quotas


class ClientQuotas:
    """What a node's clients may produce and fetch."""

    def __init__(self, config: Config, now_ms: Callable[[], float]) -> None:
        self.produce = ClientQuota(PRODUCER_BYTE_RATE, config, now_ms)
        self.fetch = ClientQuota(CONSUMER_BYTE_RATE, config, now_ms)

    def reconfigure(self, quotas: Mapping[Entity, Quotas]) -> None:
        """Go by *quotas* from now on."""
        self.produce.reconfigure(quotas)
        self.fetch.reconfigure(quotas)

    def forget_idle(self) -> None:
        """Forget what was measured of clients that are gone."""
        self.produce.forget_idle()
        self.fetch.forget_idle()
