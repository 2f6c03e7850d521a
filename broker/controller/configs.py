"""Settings of nodes that changed while they run: checked, stored, and put into the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from broker.config import Config
from broker.controller.image import MetadataImage
from broker.controller.store import ControllerStore
from broker.dynamic_config import ALL_NODES, check_broker_configs

# All settings of a resource as they are, and what a request makes of them; raises `ApiError`.
ConfigsChanged = Callable[[dict[str, str]], dict[str, str]]


class BrokerConfigs:
    """What is set on nodes, and the config that follows from what is set on all of them."""

    def __init__(self, store: ControllerStore, image: MetadataImage, config: Config) -> None:
        self._store = store
        self._image = image
        self.config = replace(config)
        image.broker_configs = store.broker_configs()
        self._reconfigure()

    def alter(self, name: str, changed: ConfigsChanged, *, validate_only: bool) -> bool:
        """Give a node, or, under the empty name, all of them other settings; whether they are.

        Raises `ApiError`; nothing has changed then.
        """
        before = self._image.broker_configs.get(name, {})
        configs = changed(before)
        check_broker_configs(name, before, configs)
        if validate_only or configs == before:
            return False
        self._store.put_broker_configs(name, configs)
        self._image.broker_configs[name] = configs
        self._reconfigure()
        return True

    def _reconfigure(self) -> None:
        self.config.reconfigure({}, self._image.broker_configs.get(ALL_NODES, {}))
