"""What the command line gives to the controller before the nodes start: topics and credentials."""

from __future__ import annotations

import logging
from collections.abc import Collection

from broker.command_line.options import ServeOptions
from broker.common.errors import ApiError, StartupError
from broker.controller.controller import Controller
from broker.controller.database.stored_topics import difference, missing_nodes
from broker.reset.given import Given, GivenTopic, create_topic

log = logging.getLogger("antechamber")


def given(options: ServeOptions) -> Given:
    """What the command line creates: topics, also that of the records, and credentials."""
    topics = options.topics
    if options.records_topic is not None:
        topics += (GivenTopic(options.records_topic),)
    credentials = {(user, mechanism): each for user, mechanism, each in options.credentials}
    return Given(topics, credentials)


def store_credentials(controller: Controller, options: ServeOptions) -> None:
    """Store the SCRAM credentials of the command line in place of existing ones."""
    for (user, mechanism), credential in given(options).credentials.items():
        controller.security.scram.put(user, mechanism, credential)


def create_topics(controller: Controller, options: ServeOptions) -> None:
    """Create the topics of the command line; existing topics are not changed."""
    for topic in given(options).topics:
        _warn_of_difference(controller, topic)
        try:
            create_topic(controller, topic)
        except ApiError as error:
            option = "--records-topic" if topic.name == options.records_topic else "--topic"
            raise StartupError(f"{option}: {topic.name}: {error.message}") from None


def warn_of_missing_nodes(controller: Controller, node_ids: Collection[int]) -> None:
    """Warn if topics of an earlier start have replicas on nodes that this one does not have."""
    if words := missing_nodes(controller.image.topics.values(), node_ids):
        log.warning("--brokers %d: %s", len(node_ids), words)


def _warn_of_difference(controller: Controller, topic: GivenTopic) -> None:
    """Warn if the topic exists with other numbers than the given ones."""
    existing = controller.topic(topic.name)
    if existing is not None and (words := difference(existing, *topic[1:])):
        log.warning("--topic %s: %s", topic, words)
