"""The keys that Kafka uses and this broker does not, by the reason.

They are checked, stored and described as in Kafka, so that a configuration can be shared with it.
"""
