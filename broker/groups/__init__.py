"""The group coordinator: groups of the classic and the consumer protocol, and committed offsets.

    GroupCoordinatorService      looks up the group of each request
      classic/                   groups whose leader assigns the partitions
      consumer/                  groups whose coordinator assigns the partitions (KIP-848)
      OffsetMetadataManager      committed offsets of all groups
    records/                     the records of ``__consumer_offsets``, which is the only state

`broker.coordinators` loads the partitions of that topic, appends to them and waits for replication.
All of this is plain functions; a response that has to wait is passed to a callback.
"""
