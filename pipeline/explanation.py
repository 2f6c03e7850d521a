"""Describes a wait in one English sentence, as a Spark expression.

Fetch 12 of client "billing" (User:alice, listener SASL_SSL, node 1, connection 4) waited 183.0 ms
in Fetch for 1000 bytes (had 312), and was checked 3 times; Produce 17 of client "orders" appended
to orders-0.
"""

from __future__ import annotations

# Records of older brokers have neither principal nor listener.
_SESSION = """case when principal != 'User:ANONYMOUS'
    then concat(principal, ', ', coalesce(concat('listener ', listener, ', '), '')) else '' end"""
_WHO = f"""concat(api, ' ', coalesce(correlation_id, '?'),
    coalesce(concat(' of client "', client_id, '"'), ' of a client without an id'),
    ' (', {_SESSION}, 'node ', coalesce(node, '?'),
    ', connection ', coalesce(connection, '?'), ')')"""

_PLACE = "concat(waited_for.topic, '-', coalesce(waited_for.partition, 0))"
_HAD = "coalesce(concat(' (had ', waited_for.had, ')'), '')"
# Records of older brokers have no states.
_BEHIND_NODES = """coalesce(
    array_join(zip_with(waited_for.behind, waited_for.behind_states, (node, state) -> concat(
        node, case when state in ('paused', 'stopped') then concat(' (', state, ')') else '' end
    )), ', '),
    array_join(waited_for.behind, ', '))"""
_BEHIND = f"""case when size(waited_for.behind) > 0
    then concat('; behind: node ', {_BEHIND_NODES}) else '' end"""

# A producer that no coordinator knows has no transactional id.
_PRODUCER = """coalesce(concat('producer "', {0}.transaction.transactional_id, '"'),
    concat('producer id ', {0}.transaction.producer_id), 'a producer')"""
_HOLDER = _PRODUCER.format("waited_for")
_ENDED = f"""concat(coalesce(completed_by.transaction.outcome, 'end'), ' of a transaction of ',
    {_PRODUCER.format("completed_by")})"""

# Records of older brokers have no state.
_WRITTEN = """coalesce(
    concat(' (', waited_for.state, ', epoch ', waited_for.producer_epoch, ')'), '')"""

# A fault rule, and the words of `antechamber explain` for what it does.
_RULE = """concat('fault rule ', {0}.rule, coalesce(concat(' (', {0}.name, ')'), ''))"""
_EFFECTS = """when 'delay_request' then 'delays it'
    when 'delay_response' then 'delays its response'
    when 'hang' then 'does not let it begin'
    when 'hang_response' then 'does not send its response'
    when 'half_open' then 'keeps its connection half-open'
    when 'slow' then 'sends its response slowly'"""
_REASONS = """when 'cut' then 'cuts a link'
    when 'delay' then 'delays a link'
    when 'loss' then 'loses messages of a link'
    when 'hold_high_watermark' then 'holds the high watermark'
    when 'hold_isr' then 'holds the in-sync replicas'"""
_BECAUSE = f"""case when size(waited_for.faults) > 0 then concat(', because ', array_join(
    transform(waited_for.faults, each -> concat({_RULE.format("each")}, ' ',
        case each.action {_REASONS} else each.action end)), ' and ')) else '' end"""
# The rule that fired on the request, unless the wait already says it.
_FIRED = f"""case when fault is not null and coalesce(waited_for.kind, '') != 'fault'
    then concat('; ', {_RULE.format("fault")}, ' fired on it: ', replace(fault.action, '_', ' '))
    else '' end"""

_FOR = f"""case
    when waited_for.kind = 'transaction' then concat(
        ' for offset ', coalesce(waited_for.offset, '?'), ' of ', coalesce({_PLACE}, 'a partition'),
        ', which a transaction of ', {_HOLDER}, ' held back',
        coalesce(concat(' for ', waited_for.transaction.held_ms, ' ms'), ''))
    when waited_for.kind = 'min_bytes' then concat(' for ',
        coalesce(concat(waited_for.need, ' bytes'), 'data'), {_HAD})
    when waited_for.kind = 'high_watermark' then concat(
        ' for the high watermark of ', coalesce({_PLACE}, 'its partitions'), ' to',
        coalesce(concat(' reach ', waited_for.need), ' advance'),
        coalesce(concat(' (was ', waited_for.had, ')'), ''), {_BEHIND})
    when waited_for.kind = 'low_watermark' then concat(
        ' for the low watermark of ', coalesce({_PLACE}, 'its partitions'), ' to',
        coalesce(concat(' reach ', waited_for.need), ' advance'),
        coalesce(concat(' (was ', waited_for.had, ')'), ''))
    when waited_for.kind = 'share_records' then concat(
        ' for records that its group can acquire',
        coalesce(concat(' (', waited_for.acquired, ' were acquired, first by ', waited_for.member,
            ')'), ''))
    when waited_for.kind = 'share_state' then ' for its acknowledgements to be stored'
    when waited_for.kind = 'members' then ' for the other members of its group'
    when waited_for.kind = 'failed_authentication' then ' for the delay after a failed login'
    when waited_for.kind = 'stored' then ' for the records of its group to be stored'
    when waited_for.kind = 'share_coordinator' then ' for share coordinators'
    when waited_for.kind = 'transaction_state'
        then concat(' for the record of its transaction', {_WRITTEN}, ' to be replicated')
    when waited_for.kind = 'transaction_coordinator' then concat(
        ' for the coordinator of its transaction',
        coalesce(concat(' "', waited_for.transactional_id, '"'), ''))
    when waited_for.kind = 'applied' then concat(
        ' for node ', array_join(waited_for.nodes, ', '), ' to apply its change')
    when waited_for.kind = 'flush' then ' for a flush'
    when waited_for.kind = 'fault' then concat(' because ', {_RULE.format("waited_for")}, ' ',
        case waited_for.effect {_EFFECTS} else waited_for.effect end)
    when waited_for.kind is not null then concat(
        ' for ', waited_for.kind, coalesce(concat(' ', waited_for.need), ''), {_HAD})
    else '' end"""

# The waits before the one that is described.
_EARLIER = """array_join(transform(earlier_waits, wait -> concat(
    '; before, it waited ', format_number(wait.parked_us / 1000, 1), ' ms in ', wait.purgatory,
    case when wait.waited_for.kind = 'transaction_coordinator' then concat(
        ' for the coordinator of its transaction "', wait.waited_for.transactional_id, '"')
    else '' end)), '')"""
# Records of older brokers have no earlier waits.
LAST_US = """parked_us - coalesce(
    aggregate(earlier_waits, 0L, (sum, wait) -> sum + wait.parked_us), 0L)"""

_CHECKS = """case when checks = 1 then ', and was checked once'
    when checks > 1 then concat(', and was checked ', checks, ' times') else '' end"""

_BY = """coalesce(concat(completed_by.request.api, ' ',
    coalesce(completed_by.request.correlation_id, '?'),
    coalesce(concat(' of client "', completed_by.request.client_id, '"'), '')),
    concat('node ', completed_by.replica))"""
_AT = """coalesce(concat(completed_by.topic, '-', completed_by.partition), 'its partitions')"""

_END = f"""case completed_by.cause
    when 'append' then concat(coalesce({_BY}, 'a Produce'), ' appended to ', {_AT})
    when 'high_watermark' then concat(coalesce({_BY}, 'a change of the in-sync replicas'),
        ' advanced the high watermark of ', {_AT})
    when 'transaction' then concat(coalesce({_BY}, 'a marker'), ' brought the ', {_ENDED},
        ' in ', {_AT})
    when 'coordinator' then 'the coordinator of its transaction responded'
    when 'timeout' then concat('it timed out',
        coalesce(concat(' after ', timeout_ms, ' ms'), ''))
    when 'leadership' then concat('the leader of ', {_AT}, ' changed')
    when 'deleted' then concat({_AT}, ' was deleted')
    when 'error' then 'it failed'
    when 'disconnect' then 'its client disconnected'
    when 'members' then concat('the group was complete', coalesce(concat(' with ', {_BY}), ''))
    when 'flush' then 'its records were flushed'
    when 'applied' then 'every node had applied it'
    when 'acknowledgement' then concat('records of ', {_AT}, ' were acknowledged')
    when 'lock_expired' then concat('a lock on records of ', {_AT}, ' expired')
    when 'share_session' then concat('a session ended that had records of ', {_AT})
    when 'rule_removed' then 'the fault rule was removed'
    when 'shutdown' then 'the broker stopped'
    else 'the cause is unknown' end"""

_STALLED = """coalesce(concat('; it was delayed by a step of ', stalled_by.ms, ' ms',
    coalesce(concat(' of ', stalled_by.api, ' ', stalled_by.correlation_id), '')), '')"""

# What a throttle is because of: the quota, whose it is, and the rates.
_QUOTA = """concat({0}.quota, coalesce(concat(' of user ', {0}.user), ''),
    coalesce(concat(if({0}.user is null, ' of client ', ' and client '), {0}.client_id), ''),
    ' (', round({0}.rate, 1), ' instead of ', {0}.limit, ')')"""
_THROTTLED = f"""concat(
    coalesce(concat('; it was queued because of the quota ', {_QUOTA.format("muted_by")}), ''),
    coalesce(concat('; its client was throttled for ', throttle.ms, ' ms by the quota ',
        {_QUOTA.format("throttle")}), ''))"""

# An SQL expression over the columns of a record.
SENTENCE = f"""concat({_WHO}, ' waited ', format_number(({LAST_US}) / 1000, 1), ' ms in ',
    coalesce(purgatory, 'no purgatory'), {_FOR}, {_BECAUSE}, {_CHECKS},
    coalesce({_EARLIER}, ''), '; ', {_END}, {_STALLED}, {_THROTTLED}, {_FIRED}, '.')"""
