"""Settings of nodes that changed while they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config import Config
from broker.controller.configs import BrokerConfigs
from broker.controller.image import MetadataImage
from broker.controller.store import ControllerStore
from broker.errors import ApiError


def test_what_counts_for_all_is_remembered(tmp_path: Path) -> None:
    """The controller itself goes by it, also after a restart; what one node has is the node's."""
    store = ControllerStore(tmp_path / "controller.db")
    given = Config()
    configs = BrokerConfigs(store, MetadataImage("c"), given)

    assert configs.alter("", lambda _: {"min.insync.replicas": "2"}, validate_only=False)
    assert configs.alter("1", lambda _: {"message.max.bytes": "9"}, validate_only=False)
    store.close()
    again = ControllerStore(tmp_path / "controller.db")
    reopened = BrokerConfigs(again, MetadataImage("c"), given)
    again.close()

    assert [each.config.min_insync_replicas for each in (configs, reopened)] == [2, 2]
    assert configs.config.message_max_bytes == given.message_max_bytes == 1_048_588
    assert given.min_insync_replicas == 1


def test_what_is_refused_or_only_tried_changes_nothing() -> None:
    """Nor does what is there already."""
    image = MetadataImage("c")
    configs = BrokerConfigs(ControllerStore(None), image, Config())

    with pytest.raises(ApiError):
        configs.alter("1", lambda _: {"message.max.bytes": "x"}, validate_only=False)

    assert not configs.alter("1", lambda _: {"message.max.bytes": "9"}, validate_only=True)
    assert not configs.alter("1", dict, validate_only=False)
    assert image.broker_configs == {}
