"""Finds the request that `antechamber explain` and `Handle.explain` describe."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from antechamber.admin_client import REQUESTS_MAX, AdminClient, AdminError


def latest_request(
    client: AdminClient,
    remedy: str,
    *,
    api: str | None,
    topic: str | None,
    client_id: str | None,
    correlation: int | None,
) -> dict[str, Any]:
    """Return the matching request that arrived last, completed or still waiting.

    Raises `AdminError` if none matches. *remedy* is the end of its message if the broker does not
    record completed requests.
    """
    wanted = {
        "client": client_id,
        "correlation": correlation,
        "api": api,
        "topic": topic,
        # Includes the fetches of replicas, whose client ids explanations name: node-3.
        "followers": None if client_id is None else 1,
    }
    found = client.requests(parked=1, limit=REQUESTS_MAX, **wanted)
    try:
        found += client.requests(limit=1, **wanted)
    except AdminError as error:
        if error.status != HTTPStatus.NOT_IMPLEMENTED:
            raise
        if not found:
            words = "no such request waits, and completed requests are not recorded"
            raise AdminError(error.status, f"{words}; {remedy}") from None
    if not found:
        if topic is not None:
            check_topic(client, topic)
        raise AdminError(
            HTTPStatus.NOT_FOUND, "no such request waits or is among the latest records"
        )
    return max(found, key=lambda request: request["arrived_us"])


def check_topic(client: AdminClient, name: str) -> None:
    """Raise `AdminError` if the cluster has no such topic, because no request can match then."""
    if name not in (topic["name"] for topic in client.cluster()["topics"]):
        raise AdminError(HTTPStatus.NOT_FOUND, f"there is no topic {name!r}")
