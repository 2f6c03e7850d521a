"""The group coordinator: groups of all kinds, and committed offsets.

    GroupCoordinatorService      looks up the group of each request
      classic/                   groups whose leader assigns the partitions
      consumer/                  groups whose coordinator assigns the partitions (KIP-848)
      share/                     groups whose members share partitions (KIP-932)
      streams/                   groups whose coordinator assigns tasks (KIP-1071)
      OffsetMetadataManager      committed offsets of all groups
    records/                     the records of ``__consumer_offsets``, which is the only state

`broker.coordinators` loads the partitions of that topic, appends to them and waits for replication.
All of this is plain functions; a response that has to wait is passed to a callback.
"""
