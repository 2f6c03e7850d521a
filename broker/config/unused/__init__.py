"""The keys that Kafka uses and this broker does not, by reason.

They are validated, stored and described as in Kafka, so that both can use the same configuration.
"""
