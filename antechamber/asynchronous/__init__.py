"""The handle of a cluster for asyncio and trio.

`make docs` writes `admin_client`, `broker_clock`, `handle` and `running_cluster` from the modules
of the same names of the blocking handle; the other modules do the I/O. anyio runs them on both
event loops.
"""

try:
    import anyio as _anyio  # noqa: F401 - the check of the requirement
except ModuleNotFoundError:
    _WORDS = "the asynchronous handle needs anyio: pip install 'antechamber[async]'"
    raise ModuleNotFoundError(_WORDS, name="anyio") from None
