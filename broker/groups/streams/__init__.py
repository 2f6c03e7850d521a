"""Streams groups: the coordinator assigns the tasks of a Kafka Streams application (KIP-1071).

`topics` determines the internal topics of the topology and the number of tasks, `assignors` compute
the target assignment, `current_assignment` reconciles a member.
"""
