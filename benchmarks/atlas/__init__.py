"""The latency atlas: short experiments that measure where the latency of a request comes from.

    python -m benchmarks.atlas [NAME ...] --> measure --> check --> docs/explanation/atlas/NAME.json
                                                   `------> plot --> docs/explanation/atlas/NAME.svg
                                                                     docs/explanation/atlas.md

Each experiment is one file with a claim, a ``measure(size)``, a ``check`` of the claim and a
``plot``. A check compares measured values with each other, as an order or a ratio; it never
compares a value with a time of this machine. Most experiments with a broker run in virtual time and
read the latencies from the broker's own wait records; those with the column ``broker`` run in real
time, with a real Kafka if there is a JVM.
"""
