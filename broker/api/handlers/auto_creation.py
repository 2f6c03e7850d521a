"""Creation of a topic by a request that only names it (Kafka's ``AutoTopicCreationManager``).

The request that names an unknown topic gets a retriable error, and the retry finds the topic. As
with Kafka's controller, an error of the creation is not reported; the retry gets the same error
again.
"""

from __future__ import annotations

from collections.abc import Callable
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
from broker.coordinators.internal_topic import InternalTopic, ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.share_coordinator.state_topic import share_state_topic
from broker.transactions.state_topic import transaction_state_topic

_INTERNAL_TOPICS: dict[str, Callable[[Config], InternalTopic]] = {
    GROUP_METADATA_TOPIC: offsets_topic,
    TRANSACTION_STATE_TOPIC: transaction_state_topic,
    SHARE_GROUP_STATE_TOPIC: share_state_topic,
}


def auto_create(
    controller: Controller, config: Config, name: str, spend: Spend = unlimited
) -> None:
    """Create the topic *name* with the configs that Kafka gives it, unless it cannot be created.

    ``__consumer_offsets`` gets the settings of ``offsets.topic.*``, and ``__transaction_state``
    those of ``transaction.state.log.*``; ``__share_group_state`` those of
    ``share.coordinator.state.topic.*``.
    """
    with suppress(ApiError):
        if internal := _INTERNAL_TOPICS.get(name):
            ensure_internal_topic(controller, internal(config))
        else:
            controller.create_topic(name, spend=spend)
