"""Which waits delay no client: the fetches of followers, and long polls without records to return.

The rule is here only. A wait is idle if it is for bytes or for records of a share group, and none
are there: at its beginning, or after a timeout at its end. Records whose writer does not know that
are idle unless the response of a timeout has records. A wait that a fault rule prolongs, or for
records that members of a share group hold, is not idle.

A request has one of three roles. ``follower``: a Fetch of another node, by the client ids that
this broker and Apache Kafka use. ``idle_poll``: a Fetch or ShareFetch whose only wait is idle.
``request``: any other.
"""

from __future__ import annotations

FOLLOWER, IDLE_POLL, REQUEST = "follower", "idle_poll", "request"

FOLLOWER_ID = "^(node-[0-9]+|broker-[0-9]+-fetcher-[0-9]+)$"
# Without a lambda, which Spark would interpret.
_HAS_RECORDS = "coalesce(array_max(partitions.bytes), 0) > 0"

IS_FOLLOWER = f"(api = 'Fetch' and coalesce(client_id, '') rlike '{FOLLOWER_ID}')"


def is_idle(waited_for: str, completed_by: str, has_records: str = "false") -> str:
    """An expression: whether a wait, of which these are the columns, is idle."""
    unknown = f"(coalesce({completed_by}.cause, '') = 'timeout' and {has_records})"
    return f"""(coalesce({waited_for}.kind, '') in ('min_bytes', 'share_records')
        and coalesce({waited_for}.acquired, 0) = 0
        and coalesce(size({waited_for}.faults), 0) <= 0
        and if({waited_for}.had is null, not {unknown}, {waited_for}.had = 0))"""


LAST_IS_IDLE = is_idle("waited_for", "completed_by", _HAS_RECORDS)

# The role of a record.
ROLE = f"""case when {IS_FOLLOWER} then '{FOLLOWER}'
    when purgatory is not null and api in ('Fetch', 'ShareFetch')
        and coalesce(size(earlier_waits), 0) <= 0 and {LAST_IS_IDLE} then '{IDLE_POLL}'
    else '{REQUEST}' end"""
