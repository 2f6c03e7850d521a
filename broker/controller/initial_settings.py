"""Restores the settings that the cluster had at its start: quotas, configs, features, security."""

from __future__ import annotations

from collections.abc import Mapping

from broker.config.dynamic import ALL_NODES, MIN_INSYNC_REPLICAS
from broker.controller.client_quota_control import ClientQuotaControl
from broker.controller.cluster_state import ClusterState
from broker.controller.database.security_changes import AclsRemoved, ScramCredentialsChanged
from broker.controller.metadata.features import FEATURES
from broker.controller.security.security_control import SecurityControl
from broker.security.sasl.credentials import ScramCredential

# Credentials by user and mechanism.
Credentials = Mapping[tuple[str, str], ScramCredential]


class InitialSettings:
    """Removes the settings that clients have made; those given at the start are restored."""

    def __init__(
        self, state: ClusterState, client_quotas: ClientQuotaControl, security: SecurityControl
    ) -> None:
        self._state = state
        self._client_quotas = client_quotas
        self._security = security

    def restore(self, credentials: Credentials) -> dict[str, int]:
        """Restore all settings; *credentials* are those given at the start.

        Returns how many settings of each kind were removed or changed.
        """
        return {
            "client_quotas": self._remove_client_quotas(),
            "configs": self._restore_broker_configs() + self._remove_configs(),
            "features": self._restore_features(),
            "acls": self._remove_acls(),
            "scram_credentials": self._restore_credentials(credentials),
            "delegation_tokens": self._security.tokens.remove_all(),
        }

    def remove_group_configs(self, prefix: str) -> int:
        """Remove the configs of the groups whose ids begin with *prefix*; returns how many."""
        configs = self._state.image.group_configs
        groups = [group_id for group_id in configs if group_id.startswith(prefix)]
        for group_id in groups:
            self._state.put_group_configs(group_id, {})
        return len(groups)

    def _remove_client_quotas(self) -> int:
        entities = list(self._state.image.client_quotas)
        for entity in entities:
            self._state.put_client_quotas(entity, {})
        self._client_quotas.mutations.reset()
        return len(entities)

    def _restore_broker_configs(self) -> int:
        """Remove the dynamic configs of nodes; min.insync.replicas keeps a stored value."""
        present = dict(self._state.image.broker_configs)
        initial = {ALL_NODES: {MIN_INSYNC_REPLICAS: self._state.initial_min_insync_replicas}}
        changed = [name for name in present if present[name] != initial.get(name, {})]
        for name in changed:
            self._state.put_broker_configs(name, initial.get(name, {}))
        return len(changed)

    def _remove_configs(self) -> int:
        """Remove the configs of groups and of client metrics subscriptions."""
        subscriptions = list(self._state.image.client_metrics)
        for name in subscriptions:
            self._state.put_client_metrics(name, {})
        return self.remove_group_configs("") + len(subscriptions)

    def _restore_features(self) -> int:
        present = self._state.image.feature_levels
        levels = {
            name: FEATURES[name].level
            for name, level in present.items()
            if level != FEATURES[name].level
        }
        if levels:
            self._state.put_feature_levels(levels)
        return len(levels)

    def _remove_acls(self) -> int:
        ids = list(self._state.image.acls.by_id)
        if ids:
            self._state.put_security(AclsRemoved(ids))
        return len(ids)

    def _restore_credentials(self, initial: Credentials) -> int:
        present = self._state.image.scram
        changed = {
            key: initial.get(key)
            for key in {**present, **initial}
            if present.get(key) != initial.get(key)
        }
        if changed:
            self._state.put_security(ScramCredentialsChanged(changed))
        return len(changed)
