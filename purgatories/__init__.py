"""Timers and delayed operations: what waits, what ends a wait, and that it ends exactly once.

    request -> DelayedOperation --try_complete_else_watch--> DelayedOperationPurgatory
                                                              |                    |
                                       check_and_complete(key)|                    |SystemTimer
                                       something has happened |                    |time is up
                                                              v                    v
                                                         force_complete: the first one wins

Kafka's classes under Kafka's names. Thread-safe; keys are opaque; time and executor are given. Only
`purgatories.timer.trio_reaper` knows an event loop.
"""
