"""The part of the controller that changes who may do what."""

from __future__ import annotations

from broker.controller.cluster_state import ClusterState
from broker.controller.security.acl_control import AclControl
from broker.controller.security.delegation_token_control import DelegationTokenControl
from broker.controller.security.scram_control import ScramControl


class SecurityControl:
    """Changes ACLs, SCRAM credentials and delegation tokens."""

    def __init__(self, state: ClusterState) -> None:
        self.acls = AclControl(state)
        self.scram = ScramControl(state)
        self.tokens = DelegationTokenControl(state)
