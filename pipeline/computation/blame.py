"""What caused the waiting: for each replica, client, member, transaction, node and fault rule.

Each wait counts for one cause, so that the times of different causes add up. Time in the queue of a
connection is apart (``queue``), because the waits of the earlier requests cause it; so are waits
that delay no client (``idle``). Rows of different runs are merged by addition, as cells are.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from pipeline.computation.cells import window_start
from pipeline.computation.roles import FOLLOWER, LAST_IS_IDLE, ROLE, is_idle

KEY = ("window", "kind", "name", "detail", "api")

# Spark interprets lambdas, which takes longer than all compiled expressions of a record. Those for
# earlier waits, which few records have, are therefore behind a condition.
_HAS_EARLIER = "coalesce(size(earlier_waits), 0) > 0"
# The last wait of a request. Records of older brokers have no earlier waits.
LAST_US = f"""if({_HAS_EARLIER}, greatest(0L, parked_us - aggregate(
    earlier_waits, 0L, (sum, wait) -> sum + coalesce(wait.parked_us, 0L))), parked_us)"""
# The waits of a record in purgatories, in their order.
WAITS = f"""concat(
    if({_HAS_EARLIER}, transform(earlier_waits, e -> named_struct(
        'us', coalesce(e.parked_us, 0L), 'purgatory', e.purgatory, 'waited_for', e.waited_for,
        'completed_by', e.completed_by, 'idle', {is_idle("e.waited_for", "e.completed_by")},
        'other', null)), array()),
    if(purgatory is null, array(), array(named_struct(
        'us', {LAST_US}, 'purgatory', purgatory, 'waited_for', waited_for,
        'completed_by', completed_by, 'idle', {LAST_IS_IDLE}, 'other', null))))"""

# The node whose fetch ended a wait, also where the record has only its client id.
_REPLICA = """coalesce(cast(w.completed_by.replica as string), if(
    w.completed_by.cause = 'high_watermark' and w.completed_by.request.api = 'Fetch',
    nullif(regexp_extract(w.completed_by.request.client_id, '^(node|broker)-([0-9]+)', 2), ''),
    null))"""
# Of the replicas behind, those that do not run; if all run, all of them.
_STOPPED = """nullif(array_join(zip_with(coalesce(w.waited_for.behind, array()),
    coalesce(w.waited_for.behind_states, array()),
    (b, s) -> if(coalesce(s, 'running') = 'running', null, cast(b as string))), ', '), '')"""
_BEHIND = "nullif(array_join(cast(w.waited_for.behind as array<string>), ', '), '')"
_STATES = """nullif(array_join(array_distinct(filter(
    coalesce(w.waited_for.behind_states, array()), s -> s != 'running')), ', '), '')"""
# The state of the replica that ended the wait.
_STATE = f"""nullif(get(w.waited_for.behind_states, cast(array_position(
    cast(w.waited_for.behind as array<string>), {_REPLICA}) as int) - 1), 'running')"""
_TRANSACTION = "w.waited_for.transaction"


def _rule(of: str, what: str = "action") -> str:
    return f"""named_struct('kind', 'rule', 'name', coalesce({of}.name,
        concat('rule ', {of}.rule)), 'detail', {of}.{what})"""


def _is(kind: str, name: str, detail: str = "cast(null as string)") -> str:
    return f"named_struct('kind', '{kind}', 'name', {name}, 'detail', {detail})"


# The cause of the wait `w`, which has the fields of `WAITS`, of a record with its `role`.
BLAMED = f"""case
    when w.waited_for.kind = 'fault' then {_rule("w.waited_for", "effect")}
    when size(w.waited_for.faults) > 0 then {_rule("w.waited_for.faults[0]")}
    when w.idle or (role = '{FOLLOWER}' and w.waited_for.kind = 'min_bytes')
        then {_is("idle", "cast(null as string)", "role")}
    when w.waited_for.kind = 'transaction' then {
    _is(
        "transaction",
        f"coalesce({_TRANSACTION}.transactional_id, concat('producer ',"
        f" {_TRANSACTION}.producer_id))",
        f"{_TRANSACTION}.state",
    )
}
    when w.waited_for.kind = 'members' and coalesce(w.completed_by.cause, '') != 'high_watermark'
        then {_is("member", "w.completed_by.request.client_id", "w.waited_for.`group`")}
    when w.waited_for.kind = 'share_records'
        then {_is("member", "w.waited_for.member", "w.waited_for.`group`")}
    when w.waited_for.kind = 'min_bytes'
        then {_is("client", "client_id", "'fetch.min.bytes'")}
    when w.waited_for.kind = 'failed_authentication'
        then {_is("client", "client_id", "'failed login'")}
    when w.waited_for.kind = 'transaction_coordinator'
        then {_is("node", "cast(w.waited_for.node as string)", "'transaction coordinator'")}
    when w.waited_for.kind = 'applied' then {
    _is(
        "node",
        "nullif(array_join(cast(w.waited_for.nodes as array<string>), ', '), '')",
        "'change of the cluster'",
    )
}
    when {_REPLICA} is not null then {_is("replica", _REPLICA, _STATE)}
    when size(w.waited_for.behind) > 0
        then {_is("replica", f"coalesce({_STOPPED}, {_BEHIND})", _STATES)}
    else {_is("other", "coalesce(w.waited_for.kind, w.purgatory)")} end"""


def _other(condition: str, us: str, blamed: str) -> str:
    """What delayed a record outside of purgatories, as `WAITS` with its cause in ``other``."""
    return f"""if({condition}, array(named_struct('us', {us}, 'purgatory', null, 'waited_for', null,
        'completed_by', null, 'idle', null, 'other', {blamed})), array())"""


_QUEUED = _other(
    "queued_us > 0",
    "queued_us",
    f"""if(muted_by is null, {_is("queue", "client_id")},
        {_is("client", "coalesce(muted_by.client_id, muted_by.user, client_id)", "muted_by.quota")}
    )""",
)
_LONG_STEP = "'long step of the event loop'"
_STALLED = _other(
    "stalled_by.ms > 0",
    "stalled_by.ms * 1000L",
    f"""if(stalled_by.client_id is null, {_is("other", _LONG_STEP)},
        {_is("client", "stalled_by.client_id", _LONG_STEP)})""",
)
# A fault rule that fired without a wait.
_FIRED = _other(
    """fault is not null and coalesce(waited_for.kind, '') != 'fault'
        and not coalesce(array_contains(earlier_waits.waited_for.kind, 'fault'), false)""",
    "0L",
    _rule("fault"),
)


def blame(records: DataFrame, window_s: int) -> DataFrame:
    """Return the waits, their sum and their maximum in µs, for each `KEY`."""
    waits = records.select(
        window_start(window_s).alias("window"),
        "api",
        "client_id",
        sf.expr(ROLE).alias("role"),
        sf.expr(f"concat({WAITS}, {_QUEUED}, {_STALLED}, {_FIRED})").alias("waits"),
    )
    # The causes are found after the explosion, where Spark generates code for them.
    return (
        waits.select("window", "api", "client_id", "role", sf.explode("waits").alias("w"))
        .select(
            "window",
            "api",
            sf.col("w.us").alias("us"),
            sf.expr(f"if(w.other is null, {BLAMED}, w.other)").alias("blamed"),
        )
        .select("window", "api", "us", "blamed.*")
        .groupBy(*KEY)
        .agg(
            sf.count("*").alias("waits"),
            sf.sum("us").alias("waited_us"),
            sf.max("us").alias("longest_us"),
        )
    )


def added_up(blame: DataFrame) -> DataFrame:
    """Merge the rows of several runs."""
    return blame.groupBy(*KEY).agg(
        sf.sum("waits").alias("waits"),
        sf.sum("waited_us").alias("waited_us"),
        sf.max("longest_us").alias("longest_us"),
    )
