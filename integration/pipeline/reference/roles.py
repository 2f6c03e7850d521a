"""The role of a request, and which waits are idle."""

from __future__ import annotations

import re

from integration.pipeline.reference.record import Record, cause, is_parked, partitions

FOLLOWERS = re.compile(r"node-[0-9]+|broker-[0-9]+-fetcher-[0-9]+")


def role(record: Record) -> str:
    """``follower``, ``idle_poll`` or ``request``."""
    if is_follower(record):
        return "follower"
    polls = record["api"] in ("Fetch", "ShareFetch") and is_parked(record)
    if polls and not record.get("earlier_waits") and is_idle(record, is_last=True):
        return "idle_poll"
    return "request"


def is_follower(record: Record) -> bool:
    """Whether a node has sent the request to replicate."""
    name = record.get("client_id") or ""
    return record["api"] == "Fetch" and FOLLOWERS.fullmatch(name) is not None


def is_idle(wait: Record, *, is_last: bool) -> bool:
    """Whether a wait is for records of which none are there; the last wait is a whole record."""
    waited_for = wait.get("waited_for") or {}
    if waited_for.get("kind") not in ("min_bytes", "share_records"):
        return False
    if waited_for.get("acquired") or waited_for.get("faults"):
        return False
    had = waited_for.get("had")
    if had is None and is_last and cause(wait) == "timeout":
        return not any((place.get("bytes") or 0) > 0 for place in partitions(wait))
    return had is None or had == 0
