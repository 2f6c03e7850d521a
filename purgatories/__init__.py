"""Timers and delayed operations, which complete exactly once: by an event or by a timeout.

    request -> DelayedOperation --try_complete_else_watch--> DelayedOperationPurgatory
                                                              |                    |
                                       check_and_complete(key)|                    |SystemTimer
                                       an event has occurred  |                    |delay expired
                                                              v                    v
                                                         force_complete: the first caller wins
The classes have the names of Kafka's. They are thread-safe; keys are opaque; the clock and the
executor are passed in. Only `purgatories.timer.trio_reaper` depends on an event loop.
"""
