"""Groups whose coordinator assigns the partitions (KIP-848).

The heartbeat of a member contains its subscription and the partitions that it owns; the response
contains the partitions that it is assigned. Three epochs order the changes:

    group epoch        increases when members, subscriptions or topics change
    assignment epoch   the group epoch for which the target assignment was computed
    member epochs      the assignment epoch to which each member is reconciled

Members are reconciled one by one: a member first revokes the partitions that it loses, then gets
the partitions that no other member owns. Members that keep their partitions do not stop.

`coordinator` handles heartbeats. A `draft` collects the records of a request, `target_assignment`
calls an assignor, `current_assignment` reconciles a member. `classic_members` handles requests of
the classic protocol in a consumer group, `migration` converts groups between the protocols.
"""
