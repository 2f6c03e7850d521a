"""Share groups: members share the partitions of topics, each record goes to one member (KIP-932).

A heartbeat changes a draft of its group. When the draft's records are appended, the draft replaces
the group.
"""
