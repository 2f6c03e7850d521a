"""What the coordinators of all kinds of groups of a node share."""

from __future__ import annotations

from typing import NamedTuple

from broker.common.clock import Clock
from broker.config import Config
from broker.config.groups import GroupConfigs
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.group_states import GroupStates
from broker.groups.metadata_image import CoordinatorMetadataImage
from purgatories.action_queue import ActionQueue


class GroupParts(NamedTuple):
    """The parts; ``configs`` are the settings of groups, ``config`` those of the broker."""

    config: Config
    clock: Clock
    runtime: CoordinatorRuntime
    states: GroupStates
    timer: CoordinatorTimer
    topics: CoordinatorMetadataImage
    configs: GroupConfigs
    actions: ActionQueue
