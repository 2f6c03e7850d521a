"""What ``__consumer_offsets`` consists of: a key and a value for everything that groups remember.

A key begins with the type of its record, a value with its version; a null value deletes what was
said under the key before. The classes are messages of `protocol.schema`, one for all versions, in
Kafka's names; `serde` turns them into bytes and back. Records of share and streams groups are not
read: this broker has no such groups.
"""
