"""The socket option with which a port can be bound again at once, and by one socket only.

SO_REUSEADDR does that, except on Windows, where it lets several sockets share a port.
"""

from __future__ import annotations

import socket
import sys

if sys.platform == "win32":
    ADDRESS_OPTION = socket.SO_EXCLUSIVEADDRUSE
else:
    ADDRESS_OPTION = socket.SO_REUSEADDR
