"""The quotas of clients that a node enforces (Kafka's ``QuotaManagers``)."""

from __future__ import annotations

from collections.abc import Callable

from broker.config import Config
from broker.quotas.client_quota_manager import ClientQuotaManager
from broker.quotas.client_request_quota_manager import ClientRequestQuotaManager
from broker.quotas.entity import CONSUMER_BYTE_RATE, PRODUCER_BYTE_RATE, Entity, Quotas


class QuotaManagers:
    """The quotas of bytes and of request time; those of changes to topics are the controller's."""

    def __init__(self, config: Config, now_ms: Callable[[], float]) -> None:
        self.produce = ClientQuotaManager(PRODUCER_BYTE_RATE, config, now_ms)
        self.fetch = ClientQuotaManager(CONSUMER_BYTE_RATE, config, now_ms)
        self.request = ClientRequestQuotaManager(config, now_ms)
        self._all = (self.produce, self.fetch, self.request)

    def put(self, entity: Entity, quotas: Quotas) -> None:
        """Apply the quotas of *entity* from now on, and none that it had before."""
        for each in self._all:
            each.put(entity, quotas)

    def forget_usage(self) -> None:
        """Remove the rates of all clients."""
        for each in self._all:
            each.forget_usage()

    def remove_idle(self) -> None:
        """Remove the rates of inactive clients."""
        for each in self._all:
            each.remove_idle()
