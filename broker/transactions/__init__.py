"""Transactions: markers and verification.

MarkerChannel                sends the markers that end transactions to partition leaders
TransactionVerification      asks the coordinator before the first batch of a transaction
  AddPartitionsToTxnSender   batches these requests
InterBrokerSender            sends the requests of both
"""
