"""Plays the requests of a user with a few permissions on one system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from integration.parity.acls import acl_filter, add, described
from integration.parity.admin_requests import create_topics, new_topic
from integration.parity.changed_requests import LEFT_OUT, candidates
from integration.parity.changed_requests_game import (
    Sender,
    Unordered,
    changed_state,
)
from integration.parity.every_api import Names
from integration.parity.logins import log_in
from integration.parity.permitted_requests import Permitted, Step
from integration.parity.prepared_names import prepared
from integration.parity.scenario import Kafka
from protocol.errors import ErrorCode

# Names of other programs are not compared, so that lists can be.
_COMPARED = {
    "DescribeUserScramCredentials",
    "ListConfigResources",
    "ListGroups",
    "ListTransactions",
    "SaslAuthenticate",
    "SaslHandshake",
}


def play_permitted_requests(kafka: Kafka, steps: Sequence[Step]) -> Iterator[str]:
    """Add the entries, send the requests as the user, and yield the responses."""
    kafka.formatter = _Own(kafka.unique)
    names = prepared(kafka, kafka.new_user())
    kafka.request(create_topics(new_topic(f"{names.topic}-2")))
    kafka.settle()
    requests = candidates(names, LEFT_OUT.keys() - _COMPARED)
    sender = Sender(kafka, partial(log_in, kafka, names.user))
    for step in steps:
        if isinstance(step, Permitted):
            acl = step.acl(names)
            add(kafka, names.user, acl)
            yield kafka.formatter.text(str(acl))
        else:
            request, version = step.request(names, requests)
            _confine(request, names)
            yield from sender.play(request, version)
    yield from changed_state(kafka, names)
    entries = described(kafka.request(acl_filter(f"User:{names.user}")))
    yield from map(kafka.formatter.text, entries)


def _confine(request: Any, names: Names) -> None:
    """Restrict filters to the user's own entries, which no other program has."""
    for each in (request, *getattr(request, "filters", ())):
        if hasattr(each, "principal_filter"):
            each.principal_filter = f"User:{names.user}"


class _Own(Unordered):
    """Leaves out the tokens of users, and Kafka's own words."""

    def text(self, value: Any) -> str:
        """Return a value as text."""
        # Kafka's text names its objects, or is missing (`integration.parity.known`).
        is_refused = getattr(value, "error_code", 0) == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        if is_refused and hasattr(value, "error_message"):
            value.error_message = None
        if hasattr(value, "hmac") and hasattr(value, "token_id"):
            value = (value.principal_name, len(value.hmac), value.error_code)
        return super().text(value)
