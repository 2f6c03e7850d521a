"""The controller of three nodes while ``eligible.leader.replicas.version`` is 0."""

from __future__ import annotations

from pathlib import Path

from broker.config import parse_config
from broker.config.dynamic import ALL_NODES, MIN_INSYNC_REPLICAS
from broker.controller.cluster_state import ClusterState
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.features import ELR_VERSION, SAFE_DOWNGRADE, UPGRADE, FeatureUpdate
from broker.controller.metadata.image import NO_LEADER
from tests.broker.controller.nodes import Nodes


def _disable(nodes: Nodes) -> None:
    update = FeatureUpdate(ELR_VERSION, 0, SAFE_DOWNGRADE)
    nodes.controller.update_features([update], validate_only=False)


def _enable(nodes: Nodes) -> None:
    nodes.controller.update_features([FeatureUpdate(ELR_VERSION, 1, UPGRADE)], validate_only=False)


def _set_min_isr(nodes: Nodes, node: str, value: str | None) -> None:
    def changed(before: dict[str, str]) -> dict[str, str]:
        others = {key: text for key, text in before.items() if key != MIN_INSYNC_REPLICAS}
        return others if value is None else {**others, MIN_INSYNC_REPLICAS: value}

    nodes.controller.alter_broker_configs(node, changed)


def test_the_last_replica_stays_in_sync_and_leads_again() -> None:
    """Also after an unclean shutdown; the others cannot lead."""
    nodes = Nodes()
    _disable(nodes)
    nodes.topic(min_insync_replicas="2")

    for node_id in (3, 2, 1):
        nodes.controller.fence(node_id)
    all_gone = nodes.partition
    nodes.start(2)
    second = nodes.partition
    nodes.start(1)

    assert (all_gone.leader, all_gone.isr, all_gone.elr) == (NO_LEADER, (1,), ())
    assert all_gone.last_known_elr == ()
    assert second == all_gone
    assert (nodes.partition.leader, nodes.partition.isr) == (1, (1,))


def test_the_eligible_leaders_of_before_lead_a_partition_without_replicas_in_sync() -> None:
    """They have all committed records; the election ends the ELR."""
    nodes = Nodes()
    nodes.topic(min_insync_replicas="2")
    for node_id in (3, 2, 1):
        nodes.controller.fence(node_id)
    _disable(nodes)
    before = nodes.partition

    nodes.start(2)

    assert (before.isr, before.elr) == ((), (1, 2))
    assert (nodes.partition.leader, nodes.partition.isr, nodes.partition.elr) == (2, (2,), ())


def test_min_insync_replicas_may_be_that_of_a_node() -> None:
    """And no node needs one for all nodes."""
    nodes = Nodes()
    _disable(nodes)

    _set_min_isr(nodes, "1", "2")
    _set_min_isr(nodes, ALL_NODES, None)

    configs = nodes.controller.image.broker_configs
    assert configs["1"] == {MIN_INSYNC_REPLICAS: "2"}
    assert MIN_INSYNC_REPLICAS not in configs[ALL_NODES]


def test_enabling_makes_min_insync_replicas_a_setting_of_all_nodes() -> None:
    """The value of the configuration file, and none of a single node."""
    nodes = Nodes()
    _disable(nodes)
    _set_min_isr(nodes, "1", "2")
    _set_min_isr(nodes, ALL_NODES, None)

    _enable(nodes)

    configs = nodes.controller.image.broker_configs
    assert configs["1"] == {}
    assert configs[ALL_NODES] == {MIN_INSYNC_REPLICAS: "1"}


def test_a_restart_without_elr_stores_no_min_insync_replicas(tmp_path: Path) -> None:
    """Nothing requires it."""
    state = ClusterState(ControllerStore(tmp_path / "c"), parse_config({}))
    state.put_feature_levels({ELR_VERSION: 0})
    state.put_broker_configs(ALL_NODES, {})
    state.close()

    again = ClusterState(ControllerStore(tmp_path / "c"), parse_config({}))

    assert not again.has_elr
    assert not again.image.broker_configs.get(ALL_NODES)
    again.close()
