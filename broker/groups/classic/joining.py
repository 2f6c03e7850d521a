"""JoinGroup, by the state of the group and the member (Kafka's ``classicGroupJoin``).

A new member has no member id. A dynamic one gets an id and must join again with it (KIP-394); a
static one is added, or replaces the member that has its instance id (KIP-345). A known member that
joins again causes a rebalance only if its protocols have changed or it leads.
"""

from __future__ import annotations

from functools import partial

from broker.common.errors import ApiError
from broker.config import Config
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.group import ClassicGroup, generate_member_id
from broker.groups.classic.group_metadata_record import group_metadata_record
from broker.groups.classic.group_state import (
    COMPLETING_REBALANCE,
    DEAD,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
)
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.rebalance import Rebalancer, join_result_of
from broker.groups.classic.requests import (
    UNKNOWN_MEMBER_ID,
    JoinCallback,
    JoinGroup,
    JoinResult,
    SyncResult,
)
from protocol.errors import ErrorCode

# A new member does not know its id before the response, so it cannot heartbeat. Its membership ends
# after this time if its client has given up (Kafka's new member join timeout).
NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000

# The longest string in bytes that all versions of requests, responses and records can contain.
STRING_BYTES_MAX = 2**15 - 1


class Joining:
    """Handles JoinGroup for groups that exist."""

    def __init__(self, config: Config, rebalancer: Rebalancer, runtime: CoordinatorRuntime) -> None:
        self._size_max = config.group_max_size
        self._rebalancer = rebalancer
        self._runtime = runtime

    def join(self, group: ClassicGroup, request: JoinGroup, on_response: JoinCallback) -> None:
        """Add or update the member; *on_response* is called once, now or later."""
        if not self._accepts(group, request.member_id):
            group.remove(request.member_id)
            self._rebalancer.sessions.cancel(group, request.member_id)
            on_response(_refusal(ErrorCode.GROUP_MAX_SIZE_REACHED))
        elif group.state is DEAD:
            on_response(_refusal(ErrorCode.COORDINATOR_NOT_AVAILABLE, request.member_id))
        elif not group.supports_protocols(request.protocol_type, request.protocol_names):
            on_response(_refusal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, request.member_id))
        elif request.member_id == UNKNOWN_MEMBER_ID:
            self._join_new_member(group, request, on_response)
        elif request.member_id in group.pending_join_members:
            self._join_pending(group, request, on_response)
        else:
            self._rejoin(group, request, on_response)

    def _accepts(self, group: ClassicGroup, member_id: str) -> bool:
        """Whether the group has room for the member (``group.max.size``).

        In PreparingRebalance only waiting members count, so the members that join last are refused
        if the group is too large.
        """
        if group.state is EMPTY or group.state is DEAD:
            return True
        member = group.members.get(member_id)
        if group.state is PREPARING_REBALANCE:
            if member is not None and member.awaiting_join is not None:
                return True
            return group.awaiting_join_count < self._size_max
        return member is not None or len(group.members) < self._size_max

    # -------------------------------------------------------------------------- new members

    def _join_new_member(
        self, group: ClassicGroup, request: JoinGroup, on_response: JoinCallback
    ) -> None:
        member_id = generate_member_id(request.client_id, request.group_instance_id)
        if len(member_id.encode()) > STRING_BYTES_MAX:
            # Neither a record nor a response can contain it; Kafka fails to serialize it.
            on_response(_refusal(ErrorCode.UNKNOWN_SERVER_ERROR))
            return
        if request.group_instance_id is not None:
            former_id = group.static_members.get(request.group_instance_id)
            if former_id is None:
                self._add(group, request, member_id, on_response)
            else:
                former = group.members[former_id]
                self._replace_static(group, request, former, member_id, on_response)
        elif request.require_known_member_id:
            group.pending_join_members.add(member_id)
            self._rebalancer.sessions.schedule_pending(group, member_id, request.session_timeout_ms)
            on_response(_refusal(ErrorCode.MEMBER_ID_REQUIRED, member_id))
        else:
            self._add(group, request, member_id, on_response)

    def _join_pending(
        self, group: ClassicGroup, request: JoinGroup, on_response: JoinCallback
    ) -> None:
        if request.group_instance_id is not None:
            # Only dynamic members have pending ids; Kafka fails on such a request, too.
            on_response(_refusal(ErrorCode.UNKNOWN_SERVER_ERROR))
        else:
            self._add(group, request, request.member_id, on_response)

    def _add(
        self, group: ClassicGroup, request: JoinGroup, member_id: str, on_response: JoinCallback
    ) -> None:
        member = ClassicGroupMember(
            MemberKey(group.group_id, member_id),
            group_instance_id=request.group_instance_id,
            client_id=request.client_id,
            client_host=request.client_host,
            rebalance_timeout_ms=request.rebalance_timeout_ms,
            session_timeout_ms=request.session_timeout_ms,
            protocol_type=request.protocol_type,
            protocols=request.protocols,
            protocol_names=request.protocol_names,
        )
        member.is_new = True
        if group.state is PREPARING_REBALANCE and group.previous_state is EMPTY:
            group.new_member_added = True
        group.add(member, on_response)
        self._rebalancer.sessions.reschedule(group, member, NEW_MEMBER_JOIN_TIMEOUT_MS)
        self._rebalancer.rebalance_or_complete_join(group, _reason(request, f"{member_id} is new"))

    # ----------------------------------------------------------------------- static members

    def _replace_static(
        self,
        group: ClassicGroup,
        request: JoinGroup,
        former: ClassicGroupMember,
        member_id: str,
        on_response: JoinCallback,
    ) -> None:
        """Replace the member of an instance that joins without its member id."""
        rebalancer = self._rebalancer
        leader_before = group.leader_id
        fenced = ErrorCode.FENCED_INSTANCE_ID
        refusal = JoinResult(error=fenced, member_id=former.member_id)
        rebalancer.responses.join(group, former, refusal)
        rebalancer.responses.sync(former, SyncResult(error=fenced))
        member = group.replace_static_member(former, member_id)
        rebalancer.sessions.cancel(group, former.member_id)
        rebalancer.sessions.reschedule(group, member)
        _update(group, member, request, on_response)
        reason = _reason(request, f"{member_id} replaces {former.member_id}")
        if group.state is COMPLETING_REBALANCE:
            # The leader may assign to the former id, and the new one would get nothing.
            rebalancer.prepare(group, reason)
        elif group.state is STABLE and group.select_protocol() == group.protocol_name:
            on_stored = partial(
                self._on_replacement_stored, group, request, former, member, leader_before
            )
            assignments = {each.member_id: each.assignment for each in group.members.values()}
            self._runtime.write(
                group.group_id, [group_metadata_record(group, assignments)], on_stored
            )
        else:
            rebalancer.rebalance_or_complete_join(group, reason)

    def _on_replacement_stored(
        self,
        group: ClassicGroup,
        request: JoinGroup,
        former: ClassicGroupMember,
        member: ClassicGroupMember,
        leader_before: str | None,
        error: ErrorCode,
    ) -> None:
        """Respond with the present generation: nothing has changed for the other members."""
        rebalancer = self._rebalancer
        if group.state is not STABLE or group.members.get(member.member_id) is not member:
            return  # another rebalance has begun, which responds to the join
        if error:
            refusal = JoinResult(error=error, member_id=UNKNOWN_MEMBER_ID)
            rebalancer.responses.join(group, member, refusal)
            restored = group.replace_static_member(member, former.member_id)
            group.update(
                restored,
                former.protocols,
                former.protocol_names,
                former.rebalance_timeout_ms,
                former.session_timeout_ms,
                None,
            )
            rebalancer.sessions.cancel(group, member.member_id)
            rebalancer.sessions.reschedule(group, restored)
        else:
            result = join_result_of(group, member)
            leads = group.leader_id == member.member_id
            if request.supports_skipping_assignment:
                result.skip_assignment = leads
            elif leads:
                # A leader would compute an assignment, which a stable group ignores. So the
                # response names the former member id as the leader.
                result.leader_id, result.members = leader_before or "", ()
            rebalancer.responses.join(group, member, result)

    # ------------------------------------------------------------------------ known members

    def _rejoin(self, group: ClassicGroup, request: JoinGroup, on_response: JoinCallback) -> None:
        try:
            member = group.check_member(request.member_id, request.group_instance_id)
        except ApiError as error:
            on_response(_refusal(error.code, request.member_id))
            return
        leads = group.leader_id == member.member_id
        changes = member.protocols != request.protocols
        if group.state is PREPARING_REBALANCE:
            self._rejoin_changed(group, request, member, "joins again", on_response)
        elif changes:
            self._rejoin_changed(group, request, member, "has changed its protocols", on_response)
        elif leads and group.state is STABLE:
            # The leader may have seen changes that its own metadata does not show.
            self._rejoin_changed(group, request, member, "leads and joins again", on_response)
        else:
            on_response(join_result_of(group, member))

    def _rejoin_changed(
        self,
        group: ClassicGroup,
        request: JoinGroup,
        member: ClassicGroupMember,
        what: str,
        on_response: JoinCallback,
    ) -> None:
        _update(group, member, request, on_response)
        reason = _reason(request, f"{member.member_id} {what}")
        self._rebalancer.rebalance_or_complete_join(group, reason)


def _update(
    group: ClassicGroup, member: ClassicGroupMember, request: JoinGroup, on_response: JoinCallback
) -> None:
    group.update(
        member,
        request.protocols,
        request.protocol_names,
        request.rebalance_timeout_ms,
        request.session_timeout_ms,
        on_response,
    )


def _refusal(error: ErrorCode, member_id: str = UNKNOWN_MEMBER_ID) -> JoinResult:
    return JoinResult(error=error, member_id=member_id)


def _reason(request: JoinGroup, what: str) -> str:
    """The reason of a rebalance, with the reason that the client gives (KIP-800)."""
    return f"{what}; client reason: {request.reason or 'not provided'}"
