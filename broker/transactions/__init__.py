"""Transactions: the coordinator, markers and verification (KIP-98, KIP-890).

    request --> TransactionCoordinator --record--> partition of __transaction_state
                   |         ^                          |
                   |         `------ response <---- replicated
                   |
                   `-- PendingMarkers --> MarkerSender --WriteTxnMarkers--> leaders of partitions

The states and their transitions are values and functions without I/O; the coordinator writes them
and applies them when they are replicated.

    TransactionVerification          before the first batch of a transaction in a partition
      `-- AddPartitionsToTxnSender --AddPartitionsToTxn--> coordinator

Both senders use `InterBrokerSender`: one connection, and one request in flight, per destination.
"""
