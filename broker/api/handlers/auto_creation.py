"""Creation of a topic by a request that only names it (Kafka's ``AutoTopicCreationManager``).

The request that names an unknown topic gets a retriable error, and the retry finds the topic. As
with Kafka's controller, an error of the creation is not reported; the retry gets the same error
again.
"""

from __future__ import annotations

from contextlib import suppress

from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.controller import Controller
from broker.controller.metadata.image import (
    GROUP_METADATA_TOPIC,
    SHARE_GROUP_STATE_TOPIC,
    TRANSACTION_STATE_TOPIC,
)
from broker.controller.partitions.new_topics import Spend, unlimited
from broker.groups.offsets_topic import ensure_offsets_topic
from broker.share_coordinator.state_topic import ensure_share_state_topic
from broker.transactions.state_topic import ensure_state_topic


def auto_create(
    controller: Controller, config: Config, name: str, spend: Spend = unlimited
) -> None:
    """Create the topic *name* with the configs that Kafka gives it, unless it cannot be created.

    ``__consumer_offsets`` gets the settings of ``offsets.topic.*``, and ``__transaction_state``
    those of ``transaction.state.log.*``; ``__share_group_state`` those of
    ``share.coordinator.state.topic.*``.
    """
    with suppress(ApiError):
        if name == GROUP_METADATA_TOPIC:
            ensure_offsets_topic(controller, config)
        elif name == TRANSACTION_STATE_TOPIC:
            ensure_state_topic(controller, config)
        elif name == SHARE_GROUP_STATE_TOPIC:
            ensure_share_state_topic(controller, config)
        else:
            controller.create_topic(name, spend=spend)
