"""Groups whose members assign their partitions themselves, in a dance that everybody dances.

    JoinGroup   members come and are parked; when all are there (or time is up) a generation
                begins, one of them is told to lead and gets the list of members
    SyncGroup   members are parked until the leader brings its assignment; then all get their part

Heartbeats in between keep a member in the group and tell it when to dance again. Nothing here
interprets subscriptions or assignments: they are bytes between clients.

`coordinator` is the front door, `joining` decides what a JoinGroup means, `rebalance` moves a
group through its states, `sessions` throws silent members out. Everything that waits is a delayed
operation: joins and syncs in the purgatory "Rebalance", sessions in "Heartbeat". All of it is plain
functions; an answer that has to wait goes through a callback.
"""
