"""A connection as a sequence of messages: frames over a transport of asyncio, with back-pressure in both directions."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Callable

from .errors import HandshakeError
from .handshake import REASONS
from .udp import UdpTransport
from .websocket import WebSocket
from .wire import CONTROL_LIMIT, GOODBYE, MAX_MESSAGE_SIZE, Header, Kind, WireError, cut, read_frame, take_frame, write_header, write_uvarint

MAX_PENDING = 4 << 20  # bytes that wait to be sent, before senders wait
_MAX_UNREAD = 2 * CONTROL_LIMIT  # bytes that are received in the handshake before they are needed
MAX_TEXT = 1024  # bytes of the text in a goodbye
LINGER = 0.5  # seconds in which a server closes after a goodbye


class Connection(asyncio.Protocol):
    """Sends and receives whole messages. In the handshake, messages are read by :meth:`next`; later, each one is passed to a function.

    Messages that are sent within one step of the event loop are written together.
    """

    def __init__(self, websocket: WebSocket | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._websocket = websocket
        self._unread, self._unsent = bytearray(), bytearray()
        self._unsent_blocks = bytearray()  # that have a channel of their own
        self._transport: asyncio.Transport | None = None
        self._receiver: Callable[[bytes], bool] | None = None
        self._is_scheduled = self._is_held = self._is_writing_paused = self._is_parsing = self._is_ending = self._has_lost = False
        self._failure: HandshakeError | None = None
        self._waiting: list[asyncio.Future[None]] = []  # for bytes, for room, or for the end
        self._closed: asyncio.Future[None] = self._loop.create_future()  # by the transport
        self._ending: asyncio.Task[None] | None = None
        self.lost: asyncio.Future[tuple[str, str]] = self._loop.create_future()  # the reason and the text
        self.last_received = self._loop.time()
        self.received_bytes = self.sent_bytes = 0

    # The transport calls these methods.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=MAX_PENDING // 4)
        if self._websocket:
            transport.write(self._websocket.request)

    def data_received(self, data: bytes) -> None:
        self.last_received = self._loop.time()
        self.received_bytes += len(data)
        if self._is_ending or self.lost.done():
            return
        try:
            if self._websocket:
                data, answers = self._websocket.receive(data)
                if answers and self._transport:
                    self._transport.write(answers)
            self._unread += data
            self._read()
        except WireError as error:
            self._fail(error)
        except HandshakeError as error:
            self._failure = error
            self.abort()

    def pause_writing(self) -> None:
        self._is_writing_paused = True

    def resume_writing(self) -> None:
        self._is_writing_paused = False
        self._make_room()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._closed.done():
            self._closed.set_result(None)
        self._lose("ConnectionLost", "" if error is None else str(error))

    # The client calls these methods.

    @property
    def is_full(self) -> bool:
        """Whether senders have to wait."""
        return (self._is_writing_paused or len(self._unsent) + len(self._unsent_blocks) >= MAX_PENDING) and not self._has_lost

    @property
    def is_held(self) -> bool:
        """Whether the client does not read, because messages wait for their handlers."""
        return self._is_held

    @property
    def pending_bytes(self) -> int:
        return len(self._unsent) + len(self._unsent_blocks) + (self._transport.get_write_buffer_size() if self._transport else 0)

    def send(self, header: Header, payload: bytes = b"", is_block: bool = False) -> None:
        """Queues a message. Messages for a connection that has ended are dropped. A block of a stream or a file may overtake other messages, and be overtaken."""
        if not self._has_lost:
            self._append(header, payload, self._unsent_blocks if is_block and isinstance(self._transport, UdpTransport) else self._unsent)
            if not self._is_scheduled:
                self._is_scheduled = True
                self._loop.call_soon(self._flush)

    async def wait_for_room(self) -> None:
        while self.is_full:
            await self._wait()

    async def wait_until_open(self) -> None:
        """Waits for the response to the request for a WebSocket. Raises :class:`HandshakeError`."""
        while self._websocket and not self._websocket.is_open and not self.lost.done():
            await self._wait()
        if self._failure:
            raise self._failure

    async def next(self) -> bytes:
        """Returns the next message of the handshake; no bytes at the end of the connection. Raises :class:`WireError` or :class:`HandshakeError`."""
        while (message := take_frame(self._unread, MAX_MESSAGE_SIZE, CONTROL_LIMIT)) is None:
            if self.lost.done():
                if self._failure:
                    raise self._failure
                return b""
            self._hold(False)
            await self._wait()
        return message

    def start(self, receiver: Callable[[bytes], bool]) -> None:
        """Passes all further messages to a function. If it returns ``False``, the message is passed again after :meth:`resume`, and nothing is read meanwhile."""
        self._receiver = receiver
        self.resume()

    def resume(self) -> None:
        """Reads on, after the function that receives had no room."""
        if not self._is_parsing and not self.lost.done():
            try:
                self._read()
            except WireError as error:
                self._fail(error)

    def disconnect(self, reason: str, text: str, seen_there: str | None = None) -> None:
        """Ends the connection with a goodbye, without a wait. ``seen_there`` is the text for the server, if it differs."""
        self._lose(reason, text)
        self._ending = self._loop.create_task(self.end(reason, text if seen_there is None else seen_there))

    async def end(self, reason: str, text: str = "") -> None:
        """Sends the queued messages and a goodbye, and waits for a moment until the server closes. Unread bytes would otherwise reset the connection before the server has read the goodbye."""
        if self._is_ending or self._transport is None:
            return
        self._append(Header(GOODBYE, Kind.CONTROL), bytes([REASONS.index(reason)]) + cut(text, MAX_TEXT), self._unsent)
        self._flush()
        self._is_ending = True
        if self._websocket and self._websocket.is_open:
            self._transport.write(self._websocket.close_frame())
        self._hold(False)
        if self._transport.can_write_eof() and not self._transport.is_closing():
            with contextlib.suppress(OSError):  # the server has ended the connection
                self._transport.write_eof()
        try:
            with contextlib.suppress(TimeoutError):  # the server may not close in time
                await asyncio.wait_for(asyncio.shield(self._closed), LINGER)
        finally:
            self.abort()

    def abort(self, reason: str = "ConnectionLost", text: str = "") -> None:
        """Ends the connection without a goodbye."""
        self._is_ending = True
        if self._transport:
            self._transport.abort()
        self._lose(reason, text)

    def _append(self, header: Header, payload: bytes, unsent: bytearray) -> None:
        message = write_header(header) + payload
        unsent += write_uvarint(len(message)) + message

    def _fail(self, error: WireError) -> None:
        self.disconnect("FrameTooLarge" if error.status == "TooLarge" else "Malformed", str(error))

    def _read(self) -> None:
        if self._receiver is None:
            self._hold(len(self._unread) > _MAX_UNREAD)
            self._wake()
            return
        unread, receive, position, is_held = self._unread, self._receiver, 0, False
        self._is_parsing = True
        try:
            while not self._has_lost:
                message, end = read_frame(unread, position, MAX_MESSAGE_SIZE, CONTROL_LIMIT)
                if message is None:
                    break
                if is_held := not receive(message):
                    break
                position = end
        finally:
            self._is_parsing = False
            del unread[:position]
        self._hold(is_held)

    def _flush(self) -> None:
        self._is_scheduled = False
        if not self._transport or self._is_ending or not (self._unsent or self._unsent_blocks):
            return
        data, self._unsent, blocks, self._unsent_blocks = bytes(self._unsent), bytearray(), bytes(self._unsent_blocks), bytearray()
        self.sent_bytes += len(data) + len(blocks)
        if blocks:
            assert isinstance(self._transport, UdpTransport)
            self._transport.write_blocks(blocks)
        if data:
            self._transport.write(self._websocket.frame(data) if self._websocket else data)
        if not self.is_full:
            self._make_room()

    def _hold(self, is_held: bool) -> None:
        if is_held == self._is_held or self._transport is None or self._transport.is_closing():
            return
        self._is_held = is_held
        self.last_received = self._loop.time()
        if is_held:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _make_room(self) -> None:
        self._wake()
        if self._is_held and self._receiver:
            self.resume()

    def _lose(self, reason: str, text: str) -> None:
        if not self._has_lost:
            self._has_lost = True
            self.lost.set_result((reason, text))
        self._wake()

    async def _wait(self) -> None:
        waiter = self._loop.create_future()
        self._waiting.append(waiter)
        await waiter

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)
