"""The records of ``__consumer_offsets``.

Keys and values are messages of `protocol.schema`, one class for all versions, with Kafka's names;
`serde` lists their types.
"""
