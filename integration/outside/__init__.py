"""Test suites of other projects, run against our broker and against a real Kafka."""
