r"""Regular expressions of subscriptions: the syntax of RE2/J, matched in linear time.

Python's `re` has another syntax and may take exponential time for a pattern that a client sends.
The ``google-re2`` package is linear, but implements RE2 and not RE2/J: it refuses nested
repetitions of more than 1000 in total, which Kafka accepts, accepts `\C`, which Kafka refuses, has
other messages, and has no wheels for musl. Topic names are ASCII; transactional ids, which
ListTransactions matches, may have all characters, so a `char_set` has both bits and a predicate.
Greediness does not affect whether a whole name matches, so it is parsed and ignored. `parser`
parses a pattern, `program` matches names.
"""
