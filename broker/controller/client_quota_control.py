"""The part of the controller that changes quotas, and enforces its own (KIP-546, KIP-599)."""

from __future__ import annotations

from collections.abc import Mapping

from broker.config import Config
from broker.controller.cluster_state import ClusterState
from broker.quotas.controller_mutation_quota_manager import ControllerMutationQuotaManager
from broker.quotas.entity import Entity, altered


class ClientQuotaControl:
    """Changes the quotas of clients and addresses (Kafka's ``ClientQuotaControlManager``).

    ``mutations`` are the quotas of changes to topics, which count for all nodes together.
    """

    def __init__(self, state: ClusterState, config: Config) -> None:
        self.mutations = ControllerMutationQuotaManager(config)
        self._state = state
        for entity, quotas in state.image.client_quotas.items():
            self.mutations.put(entity, quotas)

    def alter(
        self, entity: Entity, changes: Mapping[str, float | None], *, validate_only: bool = False
    ) -> None:
        """Change quotas of an entity, None removes one; raises `ApiError` INVALID_REQUEST."""
        before = self._state.image.client_quotas.get(entity, {})
        quotas = altered(entity, before, changes)
        if not validate_only and quotas != before:
            self._state.put_client_quotas(entity, quotas)
            self.mutations.put(entity, quotas)
