"""Groups of the classic protocol, whose leader assigns the partitions.

    JoinGroup   members wait; when all have joined (or at the rebalance timeout) a generation
                begins, and the leader's response contains the list of members
    SyncGroup   members wait for the leader's request, which contains the assignments; each
                response contains the assignment of its member

Heartbeats keep a member in the group, and their error responses make it join again. Subscriptions
and assignments are bytes that are passed on; only the topics of consumers are read from them.

`coordinator` handles the requests, `joining` decides what a JoinGroup does, `rebalance` moves a
group through its states, `sessions` expires members. Everything that waits is a delayed operation:
joins and syncs in the purgatory "Rebalance", sessions in "Heartbeat", as in Kafka up to 3.9.
"""
