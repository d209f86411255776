"""One connection to a server, from the handshake to its end: dispatches messages to handlers, and answers requests."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple

from . import handshake
from .binary import Contract, Schema
from .connection import Connection
from .contracts import RemoteContracts
from .errors import Fault, HandshakeError
from .layouts import clean
from .outgoing import Outgoings, log
from .requests import Pending, Requests
from .statistics import Statistics
from .wire import BLOCK, BLOCK_REPLY, CANCEL, FILE_FOUND, GOODBYE, HELLO, MAX_MESSAGE_SIZE, PING, PONG, STREAM, Header, Kind, check, cut, read_header, read_uvarint, write_uvarint

if TYPE_CHECKING:
    from .progress import SentReports

KEEP_ALIVE = 15.0  # seconds without a byte after which a connection is lost
PING_INTERVAL = 2.0
MAX_RUNNING = 1000  # handlers; while they run, the client does not read
MAX_UNREADABLE = 16  # messages; a further one ends the connection
MAX_FAULT = 1000  # bytes of the text of a fault

_OPENING = (STREAM, FILE_FOUND)  # replies with the number of a stream
_REQUEST, _REPLY, _FAULT, _CONTROL = Kind.REQUEST, Kind.REPLY, Kind.FAULT, Kind.CONTROL  # members of an enum are slow to get


class Handler(NamedTuple):
    """Handles a type of message. ``call`` gets the value and the correlation id of the message. ``write`` returns the type, the payload and its size after decompression of a reply, or ``None`` if ``call`` replies itself; it is ``None`` for events."""

    name: str
    read: Callable[[Session, bytes, int | None], Any]
    call: Callable[[Session, Any, int], Any]
    write: Callable[[Any], tuple[int, bytes, int | None] | None] | None = None
    contracts: tuple[Contract, ...] = ()  # that the hello announces
    is_internal: bool = False  # a part of a stream or a file, which continues while the client drains


class Session:
    """A connection after its handshake."""

    def __init__(self, connection: Connection, schema: Schema, handlers: dict[int, Handler], requests: Requests, statistics: Statistics) -> None:
        self.connection, self.requests = connection, requests
        self.contracts = RemoteContracts(schema)
        self.largest = MAX_MESSAGE_SIZE
        self.is_draining = False
        self.running: dict[asyncio.Future[Any], int] = {}  # handlers, with the correlation ids of their requests; -1 for an event
        self.handlers = handlers
        self.outgoing = Outgoings()
        self.reports: dict[int, SentReports] = {}  # that the server has opened, by the correlation ids of their requests
        self._schema, self._statistics = schema, statistics
        self._answering: dict[int, asyncio.Future[Any]] = {}
        self._unreadable = 0
        self._has_hello = False
        self._ping: tuple[bytes, float] | None = None
        self._loop = asyncio.get_running_loop()
        self._next_tick = 0.0
        self._timer: asyncio.TimerHandle | None = None

    async def shake_hands(self, token: bytes) -> None:
        """Raises :class:`HandshakeError` if a side refuses the other. The connection has then ended."""
        try:
            await self._exchange_hellos(token, self.own_contracts())
        except ValueError as error:
            raise HandshakeError("NotAPeer", f"The server's part of the handshake cannot be read. {error}") from None
        finally:
            if not self._has_hello:
                self.connection.abort()

    def start(self) -> None:
        """Begins to receive."""
        self.connection.lost.add_done_callback(self._ended)
        self._next_tick = self._loop.time()
        self._tick()
        self.connection.start(self._receive)

    def announce(self, contracts: list[Contract]) -> None:
        """Announces contracts after the handshake."""
        layouts = handshake.layouts_of(self._schema, contracts) if self.contracts.has_layouts else ""
        self.connection.send(Header(HELLO, Kind.CONTROL), handshake.write_contracts(contracts, layouts))

    def cancel(self, correlation: int) -> None:
        """Tells the server that the reply to a request is no longer awaited."""
        self.connection.send(Header(CANCEL, Kind.CONTROL), write_uvarint(correlation))

    def leave(self, pending: Pending) -> None:
        """Ends a request whose caller has left. What its reply has opened in the same step of the event loop is closed."""
        reply = pending.reply
        if reply.done() and not reply.cancelled() and reply.exception() is None:
            self._close_unread(*reply.result())
        else:
            self.cancel(pending.header.correlation)

    def cancel_handler(self, correlation: int) -> None:
        """Cancels the handler of a request of the server, once."""
        if running := self._answering.pop(correlation, None):
            running.cancel()

    def end_reports(self, correlation: int) -> None:
        """Ends the reports of a request that is about to be answered."""
        if reports := self.reports.pop(correlation, None):
            reports.end()
            self.outgoing.leave()

    def own_contracts(self) -> list[Contract]:
        """The contracts that this side handles, and those of its replies."""
        return list({contract.id: contract for handler in self.handlers.values() for contract in handler.contracts}.values())

    async def _exchange_hellos(self, token: bytes, own: list[Contract]) -> None:
        nonce, layouts = secrets.token_bytes(16), handshake.layouts_of(self._schema, own)
        self._say(handshake.write_hello(nonce, bool(token), own, MAX_MESSAGE_SIZE, layouts))
        hello = handshake.read_hello(await self._next_hello())
        if hello is None or hello.has_token != bool(token):
            raise HandshakeError("WrongVersion", "Update one side.") if hello is None else HandshakeError(
                "WrongToken", "The server has no token." if token else "The server has a token, and this client has none. A published server has a random token: connect to process:ID/NAME."
            )  # fmt: skip
        if token:
            self._say(handshake.make_proof(token, False, nonce, hello.nonce))
            if not compare_digest(await self._next_hello(), handshake.make_proof(token, True, hello.nonce, nonce)):
                raise HandshakeError("WrongToken", "The server does not know it.")
            self._say(handshake.write_contracts(own, layouts))
        await self._accept(hello.contracts or (), own)
        self._say(b"")
        while payload := await self._next_hello():
            await self._accept(handshake.read_contracts(payload), own)
        self.largest, self._has_hello = hello.max_message_size, True

    def _say(self, hello: bytes) -> None:
        self.connection.send(Header(HELLO, Kind.CONTROL), hello)

    async def _accept(self, contracts: Iterable[handshake.Told], own: list[Contract]) -> None:
        if mismatch := self.contracts.learn(contracts, own):
            await self.connection.end("WrongContract", mismatch.seen_there)
            raise HandshakeError("WrongContract", str(mismatch))

    async def _next_hello(self) -> bytes:
        message = await self.connection.next()
        if not message:
            raise HandshakeError("ConnectionLost", self.connection.lost.result()[1])
        header, position = read_header(message)
        if header == Header(HELLO, Kind.CONTROL):
            return message[position:]
        raise HandshakeError(*_read_goodbye(message[position:])) if header == Header(GOODBYE, Kind.CONTROL) else HandshakeError("NotAPeer")

    def _receive(self, message: bytes) -> bool:
        """Handles a message. Returns ``False`` if there is no room for it now."""
        try:
            header, position = read_header(message)
            kind = header.kind
            if self.connection.is_full and (kind == _REQUEST or header[:2] == (PING, _CONTROL) or header.type in _OPENING):
                return False  # the answer waits, so that a server that does not read does not fill the memory
            if kind == _CONTROL:
                self._control(header, message[position:])
                return True
        except ValueError:
            self._drop_unreadable()
            return True
        if kind == _REPLY or kind == _FAULT:
            pending = self.requests.answer(header, message[position:])
            if header.type in _OPENING and (pending is None or pending.opens != header.type):
                self._close_unread(header, message[position:])
            return True
        handler, is_request = self.handlers.get(header.type), kind == _REQUEST
        if handler is None or (handler.write is None) == is_request:
            if is_request:
                self._refuse(header, 2, "No handler answers requests of this type.")
            else:
                self._statistics.unhandled_messages += 1
            return True
        if len(self.running) >= MAX_RUNNING:
            return False
        if is_request:
            self._statistics.received_requests += 1
        else:
            self._statistics.received_events += 1
        if self.is_draining and is_request and not handler.is_internal:
            self._refuse(header, 7, "The client is stopping.")
            return True
        try:
            value = handler.read(self, message[position:], header.size)
        except ValueError as error:
            log.warning("A message of type %d (%s) was dropped: %s", header.type, handler.name, error)
            if is_request:
                self._refuse(header, 3, f"The request {handler.name} (type {header.type}) cannot be read: a value in it is invalid for the contract of the receiver.")
            else:
                self._drop_unreadable()
            return True
        self._call(handler, header, value)
        return True

    def _close_unread(self, header: Header, payload: bytes) -> None:
        """Closes a stream or file that a reply opens, because no call reads it. Nothing waits for the reply to the close."""
        if header.kind == _REPLY and header.type in _OPENING and len(payload) >= 4:
            self.connection.send(Header(BLOCK, _REQUEST, header.correlation), payload[:4] + bytes(4))

    def _drop_unreadable(self) -> None:
        self._statistics.unreadable_messages += 1
        self._unreadable += 1
        if self._unreadable > MAX_UNREADABLE:
            self.connection.disconnect("Malformed", f"More than {MAX_UNREADABLE} messages could not be read.")

    def _control(self, header: Header, payload: bytes) -> None:
        check(header.size is None, "A control message is compressed.")
        if header.type == PING:
            check(len(payload) <= 64, "A ping has more than 64 bytes.")
            self.connection.send(Header(PONG, Kind.CONTROL), payload)
        elif header.type == PONG:
            if self._ping and payload == self._ping[0]:
                self._statistics.round_trip = self._loop.time() - self._ping[1]
        elif header.type == GOODBYE:
            self.connection.abort(*_read_goodbye(payload))
        elif header.type == CANCEL:
            self.cancel_handler(read_uvarint(payload)[0])
        elif header.type == HELLO:
            self._learn(payload)

    def _learn(self, payload: bytes) -> None:
        try:
            mismatch = self.contracts.learn(handshake.read_contracts(payload), self.own_contracts())
        except ValueError as error:
            self.connection.disconnect("Malformed", str(error))
            return
        if mismatch:
            self.connection.disconnect("WrongContract", str(mismatch), mismatch.seen_there)

    def _call(self, handler: Handler, header: Header, value: Any) -> None:
        try:
            result = handler.call(self, value, header.correlation)
        except Exception as error:
            self._fail(handler, header, error)
            return
        if hasattr(result, "__await__"):
            running = asyncio.ensure_future(result)
            self.running[running] = -1
            if header.kind == Kind.REQUEST:
                self.running[running] = header.correlation
                self._answering[header.correlation] = running
            running.add_done_callback(partial(self._finish, handler, header))
        elif handler.write:
            self._reply(handler, header, result)

    def _finish(self, handler: Handler, header: Header, task: asyncio.Future[Any]) -> None:
        del self.running[task]
        if header.kind == Kind.REQUEST and self._answering.get(header.correlation) is task:
            del self._answering[header.correlation]
        if task.cancelled():
            self._refuse(header, 5, "The request was canceled.")
        elif error := task.exception():
            self._fail(handler, header, error)
        elif handler.write:
            self._reply(handler, header, task.result())
        if self.connection.is_held:
            self.connection.resume()

    def _reply(self, handler: Handler, header: Header, result: Any) -> None:
        assert handler.write
        written: tuple[int, bytes, int | None] | None = None
        try:
            written = handler.write(result)
            if written is None:
                return
            type_, payload, size = written
            if len(payload) + 17 > self.largest:  # 17 bytes: the largest header
                raise ValueError(f"The reply has {len(payload)} bytes; the server accepts at most {self.largest}, with the header.")
        except Exception:
            log.exception("The reply to %s cannot be sent.", handler.name)
            self._refuse(header, 4, f"The reply to {handler.name} cannot be sent.")
            if written and written[0] in _OPENING and (opened := self.outgoing.find(int.from_bytes(written[1][:4], "little"))):
                opened.close()  # the server does not know its number
            return
        self.end_reports(header.correlation)
        self.connection.send(Header(type_, Kind.REPLY, header.correlation, size), payload, is_block=type_ == BLOCK_REPLY)

    def _fail(self, handler: Handler, header: Header, error: BaseException) -> None:
        if isinstance(error, Fault) and not error.is_remote and header.kind == Kind.REQUEST:
            self._refuse(header, error.code, error.text)
            return
        if self.connection.lost.done() and isinstance(error, ConnectionError):
            return  # the handler used the connection, which has ended
        self._statistics.failed_handlers += 1
        log.error("The handler of %s failed.", handler.name, exc_info=error)
        self._refuse(header, 1, "The handler failed.")

    def _refuse(self, header: Header, code: int, text: str) -> None:
        if header.kind == Kind.REQUEST:
            self.end_reports(header.correlation)
            self.connection.send(Header(header.type, Kind.FAULT, header.correlation), write_uvarint(code) + cut(text, MAX_FAULT))

    def _tick(self) -> None:
        """Sends a ping, and ends a connection that is silent. A tick that is late says nothing about the server: the program has blocked the event loop."""
        now, connection = self._loop.time(), self.connection
        if connection.is_held or now > self._next_tick + PING_INTERVAL:
            connection.last_received = now
        if now - connection.last_received > KEEP_ALIVE:
            connection.abort("NotResponding", f"Nothing arrived for {KEEP_ALIVE} s.")
            return
        self._ping = secrets.token_bytes(8), now
        connection.send(Header(PING, Kind.CONTROL), self._ping[0])
        self._next_tick = now + PING_INTERVAL
        self._timer = self._loop.call_later(PING_INTERVAL, self._tick)

    def _ended(self, _: object) -> None:
        if self._timer:
            self._timer.cancel()
        self.outgoing.close()
        for running in list(self.running):
            running.cancel()


def _read_goodbye(payload: bytes) -> tuple[str, str]:
    reason = payload[0] if payload and payload[0] < len(handshake.REASONS) else 1
    return handshake.REASONS[reason], clean(payload[1:].decode("utf-8", "replace"))
