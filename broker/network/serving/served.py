"""What the serving task serves: one end of a connection, as its channel uses it.

    poller --ready--> Channel --on_readable, on_resume, on_writable--> Served
                        ^                                                |
                        `------- interest, resume, drain, close ---------'

A connection of a client and a connection to another node are served in the same way.
"""

from __future__ import annotations

from broker.network.serving.driver import Interest
from purgatories.marks import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Served:
    """An end of a connection; ``is_closed`` once it has ended.

    Its methods contain every exception: they end the connection instead of raising it.
    """

    __slots__ = ("is_closed",)

    def __init__(self) -> None:
        self.is_closed = False

    def on_readable(self) -> Interest:
        """Receive what has arrived, and use it; returns what to wait for next."""
        raise NotImplementedError

    def on_resume(self) -> Interest:
        """Continue after `Driver.resume`, or after others have been served."""
        raise NotImplementedError

    def on_writable(self) -> bool:
        """Send more of what is unsent; False if the driver is to wait for room no longer."""
        raise NotImplementedError

    def send_deferred(self) -> None:
        """Send what `Driver.defer_send` has deferred; without effect after the end."""
        raise NotImplementedError

    def break_down(self, bug: Exception) -> None:
        """End the connection because of an unexpected exception."""
        raise NotImplementedError

    def shut_down(self) -> None:
        """End the connection because its node stops."""
        raise NotImplementedError
