"""Timers and delayed operations, which complete exactly once: by an event or by a timeout.

    request -> DelayedOperation --try_complete_else_watch--> DelayedOperationPurgatory
                                                              |                    |
                                       check_and_complete(key)|                    |SystemTimer
                                       an event has occurred  |                    |delay expired
                                                              v                    v
                                                         force_complete: the first caller wins

The classes have the names of Kafka's. They are thread-safe; keys are opaque; the clock and the
executor are passed in. Only `purgatories.timer.asyncio_reaper`, and `purgatories.timer.trio_reaper`
with its alarms, import an event loop.

Start with `purgatories.purgatory`, `purgatories.delayed_operation` and
`purgatories.timer.system_timer`.
"""
