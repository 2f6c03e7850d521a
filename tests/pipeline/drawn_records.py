"""Random wait records for Hypothesis: optional fields are missing or null, and need not agree."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Drawn = st.SearchStrategy[Any]

APIS = ("Fetch", "Produce", "ShareFetch", "DeleteRecords", "JoinGroup", "OffsetCommit", "EndTxn")
PURGATORIES = (
    *("Fetch", "Produce", "ShareFetch", "DeleteRecords", "Rebalance", "Persister"),
    *("AlterAcls", "FailedAuthentication", "Fault", "Remote"),
)
KINDS = (
    *("min_bytes", "high_watermark", "low_watermark", "members", "stored", "applied", "flush"),
    *("transaction", "transaction_coordinator", "transaction_state", "markers", "fault"),
    *("share_records", "share_state", "share_coordinator", "failed_authentication", "new_kind"),
)
CAUSES = (
    *("arrival", "error", "append", "high_watermark", "transaction", "leadership", "deleted"),
    *("members", "flush", "applied", "coordinator", "acknowledgement", "lock_expired"),
    *("share_session", "share_fetch", "rule_removed", "timeout", "disconnect", "shutdown"),
    "unknown",
)
EFFECTS = (
    *("delay_request", "delay_response", "hang", "half_open", "slow", "cut", "hold_isr"),
    *("hold_high_watermark", "new_effect"),
)

numbers = st.integers(0, 5)
times_us = st.one_of(st.integers(0, 300), st.integers(0, 2_000_000), st.integers(0, 2**41))
offsets = st.integers(-1, 600)
topics = st.sampled_from(("orders", "payments"))
names = st.sampled_from(("billing", "shipping", "", 'a "b"', "ü\n"))


def some(**fields: Drawn) -> Drawn:
    """An object in which each field may be missing or null."""
    return st.fixed_dictionaries({}, optional={k: st.none() | v for k, v in fields.items()})


place = {"topic": topics, "partition": numbers}
rule = {"rule": numbers, "name": names, "action": st.sampled_from(EFFECTS)}
request = some(api=st.sampled_from(APIS), client_id=names, correlation_id=numbers)
lock = {"first_offset": numbers, "last_offset": numbers, "member": names}
lock |= {"delivery_count": numbers}
transaction = some(
    transactional_id=names,
    producer_id=numbers,
    producer_epoch=numbers,
    state=st.sampled_from(("open", "decided")),
    outcome=st.sampled_from(("commit", "abort")),
    held_ms=numbers,
)
waited_for = some(
    **place,
    kind=st.sampled_from(KINDS),
    need=offsets,
    had=offsets,
    behind=st.lists(numbers, max_size=3, unique=True),
    behind_at=st.lists(offsets, max_size=3),
    behind_states=st.lists(st.sampled_from(("running", "paused")), max_size=3),
    offset=offsets,
    node=numbers,
    nodes=st.lists(numbers, max_size=4),
    transactional_id=names,
    state=st.sampled_from(("Ongoing", "PrepareCommit")),
    producer_epoch=numbers,
    effect=st.sampled_from(EFFECTS),
    rule=numbers,
    name=names,
    group=names,
    acquired=numbers,
    member=names,
    lock_expires_in_ms=numbers,
    available=numbers,
    full_window=st.sampled_from(("orders-0", "t-1")),
    locks=st.lists(some(**place, **lock, lock_expires_in_ms=numbers), max_size=3),
    faults=st.lists(some(**rule), max_size=2),
    throttled=st.lists(some(**place), max_size=2),
    transaction=transaction,
)
completed_by = some(
    **place,
    cause=st.sampled_from(CAUSES),
    offset=offsets,
    replica=numbers,
    transaction=transaction,
    segment=offsets,
    lock=some(**lock),
    request=request,
)
quota = some(
    quota=st.sampled_from(("producer_byte_rate", "request_percentage", "fault_rule", "new_quota")),
    user=names,
    client_id=names,
    rate=st.floats(0, 1e6, allow_nan=False).map(lambda rate: round(rate, 3)),
    limit=st.sampled_from((0.5, 1000.0, 1e6)),
    ms=numbers,
)
wait = {"purgatory": st.sampled_from(PURGATORIES), "waited_for": waited_for}
wait |= {"timeout_ms": st.integers(0, 30_000), "checks": st.integers(0, 9)}
wait |= {"completed_by": completed_by}
partition = some(
    **place,
    offset=offsets,
    records=st.integers(0, 40),
    bytes=st.integers(0, 5_000),
    error=st.sampled_from((0, 0, 3, 6, 7, 20, 999)),
    high_watermark=offsets,
    log_end_offset=offsets,
)
_optional = some(
    **wait,
    node=numbers,
    connection=numbers,
    client_id=names,
    principal=st.sampled_from(("User:ANONYMOUS", "User:alice")),
    listener=st.sampled_from(("PLAINTEXT", "SASL_SSL")),
    correlation_id=st.integers(0, 2**31 - 1),
    version=numbers,
    earlier_waits=st.lists(some(parked_us=st.integers(0, 900), **wait), max_size=2),
    stalled_by=some(api=st.sampled_from(APIS), client_id=names, correlation_id=numbers, ms=numbers),
    throttle=quota,
    muted_by=quota,
    fault=some(**rule),
    partitions=st.lists(partition, max_size=3),
    error=st.sampled_from((0, 0, 0, 7, 16, 999)),
)
_required = st.fixed_dictionaries(
    {
        "schema": st.just(1),
        "api": st.sampled_from(APIS),
        # Two hours around the border of a day.
        "arrived_us": st.integers(0, 7_200_000_000).map(lambda us: 1_763_679_600_000_000 + us),
        **dict.fromkeys(("queued_us", "local_us", "parked_us", "send_us", "total_us"), times_us),
    }
)
# Records as a foreign writer may write them: the required fields, and any of the others.
records = st.builds(lambda one, other: {**one, **other}, _required, _optional)


def without_nulls(value: Any) -> Any:
    """Leave out the fields that are null."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value
