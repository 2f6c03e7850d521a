"""Checks transactions as Jepsen's list-append does: concurrent clients, faults, and a judge.

    seed --> clients (confluent-kafka) -----+--> history --> judge --> anomalies
         `-> faults (pause or stop nodes) --'

Partitions are the lists, records the appended values. `python -m integration.transactions` runs
many seeds on our broker or on a real Kafka.
"""
