"""TLS over another transport, with ``ssl.SSLObject`` and two memory BIOs.

    HANDSHAKE --both sides have finished--> OPEN --close--> CLOSED
        `---- failure; the alert is sent ----`------------------^

`TlsTransport.receive_into` makes the steps of the handshake. A burst of handshakes must not delay
other connections: the serving task calls it for one handshake in each step, and of the tasks that
use `TlsTransport.wait_readable` one continues in each pass of the event loop.

`TlsTransport.send` returns the size of the plaintext whose ciphertext has been sent. If the socket
is full, the rest of the ciphertext of one chunk is kept, and the caller passes the same bytes again
after `TlsTransport.wait_writable`.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress

import trio

from broker.network.transports.tls_failures import describe
from broker.network.transports.tls_records import RECORDS_AT_ONCE, RecordPieces
from broker.network.transports.transport import (
    Awaits,
    Disconnected,
    ReadinessListener,
    TlsFailed,
    Transport,
    Watch,
)
from protocol.output import SendFile

# Parts are encrypted together up to this size: a record has 22 bytes more than its plaintext and
# takes 5 µs. The ciphertext of one chunk is what is kept while the socket is full.
_CHUNK_BYTES = 64 * 1024
# After that many bytes, which take 2 ms, `send` returns.
_SENT_AT_ONCE_BYTES = 2 * 1024 * 1024
# All connections of the process receive ciphertext into one buffer.
_CIPHERTEXT = memoryview(bytearray(128 * 1024))
_NO_BYTES = memoryview(b"")
# A task that has acquired it may make a step of its handshake.
_turn = trio.Lock()

_Part = bytes | bytearray | memoryview


class TlsTransport:
    """One side of a TLS connection over *transport*; the server's unless ``server_side`` is False.

    A client awaits `handshake` before it sends. ``server_hostname`` is the name that it sends, and
    verifies if *context* requires that. ``peer_certificate`` is the peer's certificate as DER; None
    if it has none, or before the handshake has ended.
    """

    __slots__ = (
        "_failure",
        "_has_decrypted",
        "_has_ended",
        "_incoming",
        "_is_closed",
        "_is_open",
        "_outgoing",
        "_owed_bytes",
        "_pieces",
        "_socket_has_more",
        "_ssl",
        "_transport",
        "_unsent",
        "_waiting",
        "peer",
        "peer_certificate",
        "send_file",
    )

    def __init__(
        self,
        transport: Transport,
        context: ssl.SSLContext,
        *,
        server_side: bool = True,
        server_hostname: str | None = None,
    ) -> None:
        self.peer = transport.peer
        self.send_file: SendFile | None = None  # what is sent has to be encrypted
        self.peer_certificate: bytes | None = None
        self._transport = transport
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._ssl = context.wrap_bio(self._incoming, self._outgoing, server_side, server_hostname)
        self._is_open = False  # whether the handshake has ended
        self._is_closed = False
        self._failure: Disconnected | None = None  # `receive_into` and `send` raise it
        self._has_decrypted = False  # whether the SSL object may have decrypted bytes
        self._has_ended = False  # whether the peer sends no more
        self._socket_has_more = False  # whether the last receive took only a part
        self._pieces = RecordPieces()
        self._waiting = _NO_BYTES  # received ciphertext, which the next steps decrypt
        self._unsent = _NO_BYTES  # ciphertext
        self._owed_bytes = 0  # the size of the plaintext of `_unsent`

    # ---------------------------------------------------------------------------- handshake

    @property
    def is_opening(self) -> bool:
        """See `Transport.is_opening`."""
        return not (self._is_open or self._is_closed)

    async def handshake(self) -> None:
        """Complete the handshake of a client.

        Raises `TlsFailed`, and `Disconnected` if the peer disconnects.
        """
        async with _turn:
            self._check()
        self._step()
        while not self._is_open:
            await self.wait_readable()
            self._check()
            with suppress(BlockingIOError):
                self._progress()

    def _progress(self) -> None:
        """Make the next step of the handshake; raises `BlockingIOError` unless it is the last.

        Raises `Disconnected`, `TlsFailed`.
        """
        self._pieces.left = RECORDS_AT_ONCE
        if self._unsent:
            may_step = self._flush()
        else:
            may_step = bool(self._incoming.pending) or self._fill()
            if self._has_ended and not may_step:
                self._failure = Disconnected("it has disconnected during the TLS handshake")
        if may_step:
            self._step()
        self._check()
        if not self._is_open:
            raise BlockingIOError

    def _step(self) -> None:
        try:
            self._ssl.do_handshake()
            self.peer_certificate = self._ssl.getpeercert(binary_form=True)
            is_finished = True
        except ssl.SSLWantReadError:
            is_finished = False
        except ssl.SSLError as error:
            self._fail(error)
            return
        # The peer may wait for the last message of this side.
        self._is_open = self._flush() and is_finished

    # -------------------------------------------------------------------------------- waits

    @property
    def awaits(self) -> Awaits:
        """See `Transport.awaits`."""
        if self._has_decrypted or self._incoming.pending or self._waiting or self._failure:
            return Awaits.NOTHING
        return Awaits.ROOM if self._unsent and not self._is_open else self._transport.awaits

    def fileno(self) -> int:
        """See `Transport.fileno`."""
        return self._transport.fileno()

    def watch(self, user: ReadinessListener) -> Watch | None:
        """See `Transport.watch`."""
        return self._transport.watch(user)

    async def wait_readable(self) -> None:
        """Wait until `receive_into` can receive bytes, or continue the handshake."""
        awaits = self.awaits
        if awaits is Awaits.NOTHING:
            await trio.lowlevel.checkpoint()
        elif awaits is Awaits.ROOM:
            await self._transport.wait_writable()
        else:
            await self._transport.wait_readable()
        if not self._is_open:
            async with _turn:
                pass
        if self._is_closed:
            raise Disconnected(_CLOSED_HERE)

    async def wait_writable(self) -> None:
        """Wait until bytes can be sent."""
        await self._transport.wait_writable()

    # ------------------------------------------------------------------------------ receive

    def receive_into(self, buffer: memoryview) -> int:
        """See `Transport.receive_into`; decrypts what fits of up to `RECORDS_AT_ONCE` records."""
        self._check()
        self._pieces.left = RECORDS_AT_ONCE
        if not self._is_open:
            self._progress()
        size, received = len(buffer), 0
        while received < size:
            if not (self._has_decrypted or self._incoming.pending):
                if received and not (self._socket_has_more or self._waiting):
                    break
                if not self._fill():
                    if received or self._has_ended:
                        break
                    raise BlockingIOError
            count = self._decrypt(buffer[received:])
            if count == 0 and self._has_ended:
                break
            received += count
        if self._outgoing.pending:  # a response to a change of keys
            with suppress(Disconnected):  # received bytes must not be lost
                self._flush()
        if not received and self._failure is not None:
            raise self._failure
        return received

    def _decrypt(self, buffer: memoryview) -> int:
        """Decrypt up to one record; returns its size, 0 if it is incomplete or at the end."""
        self._has_decrypted = False
        try:
            count: int = self._ssl.read(len(buffer), buffer)  # type: ignore[assignment]  # an int
        except ssl.SSLWantReadError:
            return 0
        except ssl.SSLError as error:
            self._fail(error)
            count = 0
        if not count:
            self._has_ended = True
        self._has_decrypted = count == len(buffer)
        return count

    def _fill(self) -> bool:
        """Pass more ciphertext to OpenSSL.

        False if nothing arrived, at the end, and after `RECORDS_AT_ONCE` in one call.
        """
        if not self._pieces.left:
            return False
        ciphertext = self._waiting or self._receive()
        size = self._pieces.take(ciphertext)
        self._incoming.write(ciphertext[:size])
        rest = ciphertext[size:]
        # What was received just now is in the common buffer.
        self._waiting = memoryview(bytes(rest)) if rest and not self._waiting else rest
        return size > 0

    def _receive(self) -> memoryview:
        """Receive ciphertext from the socket once; it is valid until another transport does."""
        try:
            count = self._transport.receive_into(_CIPHERTEXT)
        except BlockingIOError:
            self._socket_has_more = False
            return _NO_BYTES
        self._socket_has_more = count == len(_CIPHERTEXT)
        if not count:  # OpenSSL would send no more if it knew
            self._has_ended = True
        return _CIPHERTEXT[:count]

    # --------------------------------------------------------------------------------- send

    def send(self, parts: Sequence[_Part]) -> int:
        """See `Transport.send`; *parts* begin with the bytes that the call before did not send."""
        self._check()
        if not self._is_open or not self._flush():
            return 0
        sent, self._owed_bytes = self._owed_bytes, 0
        for chunk in _chunks(parts, sent):
            try:
                encrypted = self._ssl.write(chunk)
            except ssl.SSLError as error:
                self._fail(error)
                self._check()
            assert encrypted == len(chunk), "a memory BIO takes everything"
            if not self._flush():
                self._owed_bytes = encrypted
                break
            sent += encrypted
            if sent >= _SENT_AT_ONCE_BYTES:
                break
        return sent

    def _flush(self) -> bool:
        """Send ciphertext; returns whether all of it was sent. Raises `Disconnected`."""
        if self._outgoing.pending:
            self._unsent = memoryview(bytes(self._unsent) + self._outgoing.read())
        if self._unsent:
            self._unsent = self._unsent[self._transport.send([self._unsent]) :]
        return not self._unsent

    # ---------------------------------------------------------------------------------- end

    def close(self) -> None:
        """Send the end of the TLS session if the socket takes it, and close at once."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._is_open and self._failure is None:
            with suppress(ssl.SSLError, Disconnected):
                self._ssl.unwrap()
        with suppress(Disconnected):
            self._flush()
        self._failure = None  # its traceback refers to this object
        self._waiting = _NO_BYTES
        self._transport.close()

    def _check(self) -> None:
        if self._is_closed:
            raise Disconnected(_CLOSED_HERE)
        if self._failure is not None:
            raise self._failure

    def _fail(self, error: ssl.SSLError) -> None:
        """Record the failure, and send the alert that names it if the socket takes it."""
        self._failure = TlsFailed(describe(error))
        with suppress(Disconnected):
            self._flush()


_CLOSED_HERE = "closed on this side"


def _chunks(parts: Sequence[_Part], skipped_bytes: int) -> Iterator[_Part]:
    """The bytes of *parts* after the first *skipped_bytes*, in pieces of up to `_CHUNK_BYTES`.

    Small parts are joined.
    """
    if not skipped_bytes and sum(map(len, parts)) <= _CHUNK_BYTES:
        yield parts[0] if len(parts) == 1 else b"".join(parts)
        return
    joined = bytearray()
    for part in parts:
        view = memoryview(part)[skipped_bytes:]
        skipped_bytes -= len(part) - len(view)
        while view:
            if not joined and len(view) >= _CHUNK_BYTES:
                yield view[:_CHUNK_BYTES]
                view = view[_CHUNK_BYTES:]
                continue
            room = _CHUNK_BYTES - len(joined)
            joined += view[:room]
            view = view[room:]
            if len(joined) == _CHUNK_BYTES:
                yield joined
                joined = bytearray()
    if joined:
        yield joined
