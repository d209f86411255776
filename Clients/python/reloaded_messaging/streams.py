"""Streams of items in both directions, and the blocks of which streams and files consist."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import struct
from typing import Any, AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator

from .binary import Contract, PayloadError, Schema
from .contracts import read_payload, write_payload
from .errors import Fault
from .outgoing import END, OutgoingItems, log
from .requests import Pending
from .session import Handler, Session
from .wire import BLOCK, BLOCK_REPLY, ITEM_BLOCK, MAX_SIZE, STREAM, Header, Kind, read_fault, read_frame, read_header, write_header, write_uvarint

Value = dict[str, Any]

_ITEMS_BLOCK = 64 * 1024
_WINDOW = 4  # blocks that are requested in advance
OVERHEAD = 32  # bytes of a block that are not its contents
PULL = struct.Struct("<Ii")
_CANCELED, _OVER_RATE = 5, 12  # codes of faults


def start_pull(session: Session, type_: int, number: int, value: int) -> Pending:
    """Requests a block or a report: a number, and a size or an action."""
    pending = session.requests.add(type_, PULL.pack(number, value))
    session.requests.send(pending, session)
    return pending


class IncomingStream:
    """A stream of the server, which this side reads in blocks. The number is that of the stream or, for the items of a request, the correlation id of the request."""

    def __init__(self, session: Session, number: int, block_size: int = _ITEMS_BLOCK, pull: int = BLOCK) -> None:
        self._session, self._number, self._block_size, self._pull = session, number, block_size, pull
        self._pulls: collections.deque[Pending] = collections.deque()
        self._has_ended = False

    async def read(self) -> bytes | None:
        """Returns the next block; ``None`` at the end. Raises :class:`Fault`, :class:`PayloadError`, :class:`ConnectionError`, or :class:`RuntimeError` after the end."""
        if self._has_ended:
            raise RuntimeError("The stream has ended, or was closed. Read the items of a request before its handler completes.")
        while len(self._pulls) < _WINDOW:
            await self._session.connection.wait_for_room()
            self._pulls.append(self._request(self._block_size))
        header, payload = await self._pulls[0].reply
        self._session.requests.remove(self._pulls.popleft())
        if header.kind == Kind.FAULT:
            fault = remote_fault(payload)
            self._has_ended = fault.code != _OVER_RATE  # a server that drops a request keeps the stream until it is closed
            raise fault
        if payload == END:
            self._has_ended = True
            return None
        if header.type != BLOCK_REPLY or payload[:1] != b"\0" or len(payload) == 1:
            raise PayloadError("A block of a stream is invalid.")
        return payload[1:]

    def close(self) -> None:
        """Closes the stream on both sides. Blocks that are under way are dropped."""
        if not self._has_ended and not self._session.connection.lost.done():
            self._pulls.append(self._request(0))
        self._has_ended = True
        self._session.requests.drop(self._pulls)

    def _request(self, size: int) -> Pending:
        return start_pull(self._session, self._pull, self._number, size)


async def read_items(session: Session, schema: Schema, stream: IncomingStream, item: Contract | None) -> AsyncGenerator[Value, None]:
    """Reads the items of a stream, and closes it. ``item`` is their contract, as far as the schema names it."""
    try:
        while (block := await stream.read()) is not None:
            position = 0
            while position < len(block):
                message, position = read_frame(block, position, MAX_SIZE)
                if message is None:
                    raise PayloadError("An item of a stream is not complete.")
                header, start = read_header(message)
                if header.kind != Kind.EVENT or (item is not None and header.type != item.id):
                    raise PayloadError(f"An item of a stream has the type {header.type}, and not that of {item.name if item else 'an item'}.")
                contract = schema.find(header.type)
                session.contracts.check(contract)
                yield read_payload(schema, contract, message[start:], header.size)
    finally:
        stream.close()


class ReceivedItems:
    """The items that arrive with a request, for its handler. They can be enumerated once, until the handler has completed.

    :param cancel: cancels the handler. Called when the server no longer waits for the reply.
    """

    def __init__(self, session: Session, schema: Schema, correlation: int, item: Contract, cancel: Callable[[], None]) -> None:
        self._session, self._schema, self._item, self._cancel = session, schema, item, cancel
        self._stream: IncomingStream | None = None
        self._number = correlation

    def __aiter__(self) -> AsyncIterator[Value]:
        if self._stream:
            raise RuntimeError(f"The items {self._item.name} of a request are already enumerated. They arrive once. Enumerate them once, and copy those that are needed again.")
        self._stream = IncomingStream(self._session, self._number, pull=ITEM_BLOCK)
        return self._read(self._stream)  # and nothing else refers to the generator, so that it is closed when the handler leaves its loop

    def close(self) -> None:
        """Ends the items for a handler that has completed."""
        if self._stream:
            self._stream.close()

    async def _read(self, stream: IncomingStream) -> AsyncGenerator[Value, None]:
        try:
            async with contextlib.aclosing(read_items(self._session, self._schema, stream, self._item)) as items:
                async for item in items:
                    yield item
        except (Fault, ConnectionError) as error:
            if isinstance(error, Fault) and error.code != _CANCELED:
                raise
            self._cancel()
            await asyncio.sleep(0)  # raises in the task of the handler
            raise asyncio.CancelledError("The requester no longer waits for the reply.") from error


class SentItems:
    """The items that this side sends with a request."""

    def __init__(self, session: Session, schema: Schema, request: Contract, item: Contract, items: AsyncIterable[Value]) -> None:
        session.contracts.check_items(request, item)
        self._session = session
        self._items = OutgoingItems(items, framer(schema, item), session.largest - OVERHEAD, is_of_request=True)

    @contextlib.contextmanager
    def offered(self, request: Pending) -> Iterator[None]:
        """Sends the items while a request is open. Raises the error of their source in place of the result, unless the caller has left."""
        number, has_left = request.header.correlation, True
        self._session.outgoing.items[number] = self._items
        try:
            yield
            has_left = False
        except Exception:
            has_left = False
            raise
        finally:
            del self._session.outgoing.items[number]
            error = self._items.abort()
            if error and not has_left:
                raise error
            if error:
                log.error("The source of the items of a request failed.", exc_info=error)


def remote_fault(payload: bytes) -> Fault:
    """Reads a fault of the server. Raises :class:`PayloadError` if it cannot be read."""
    try:
        fault = Fault(*read_fault(payload))
    except ValueError as error:
        raise PayloadError(f"A fault of the server cannot be read: {error}") from None
    fault.is_remote = True
    return fault


def stream_handler(schema: Schema, request: Contract, item: Contract, received: Contract | None, call: Callable[..., AsyncIterable[Value]]) -> Handler:
    """Returns the handler of requests for a stream of items. ``received`` is the contract of the items that arrive with a request."""

    def read(session: Session, payload: bytes, size: int | None) -> Value:
        session.contracts.check(request)
        return read_payload(schema, request, payload, size)

    def open_stream(session: Session, value: Value, correlation: int) -> int:
        session.contracts.check(item)
        session.outgoing.enter()
        try:
            items = [ReceivedItems(session, schema, correlation, received, lambda: outgoing.abort())] if received else []
            outgoing = OutgoingItems(call(value, *items), framer(schema, item), session.largest - OVERHEAD)
        except BaseException:
            session.outgoing.leave()
            raise
        for one in items:
            outgoing.ended.add_done_callback(lambda _: one.close())
        return session.outgoing.add_opened(outgoing)

    contracts = (request, item, received) if received else (request, item)
    return Handler(request.name, read, open_stream, lambda number: (STREAM, number.to_bytes(4, "little"), None), contracts)


async def call_with_items(session: Session, schema: Schema, item: Contract, correlation: int, call: Callable[..., Awaitable[Any]]) -> Any:
    """Calls a handler with the items of its request."""
    session.outgoing.enter()
    items = ReceivedItems(session, schema, correlation, item, lambda: session.cancel_handler(correlation))
    try:
        return await call(items)
    finally:
        items.close()
        session.outgoing.leave()


def framer(schema: Schema, item: Contract) -> Callable[[Value], bytes]:
    """Returns a function that writes an item as a frame."""

    def frame(value: Value) -> bytes:
        payload, size = write_payload(schema, item, value)
        message = write_header(Header(item.id, size=size)) + payload
        return write_uvarint(len(message)) + message

    return frame


def read_pull(_: Session, payload: bytes, size: int | None) -> tuple[int, int]:
    if len(payload) != PULL.size or size is not None:
        raise PayloadError("A request for a block is invalid.")
    number, requested = PULL.unpack(payload)
    return number, requested


async def _answer_pull(session: Session, pull: tuple[int, int], _: int) -> bytes:
    number, size = pull
    outgoing = session.outgoing.find(number)
    return END if outgoing is None else await outgoing.pull(min(size, session.largest - OVERHEAD))


async def _answer_item_pull(session: Session, pull: tuple[int, int], _: int) -> bytes:
    number, size = pull
    if items := session.outgoing.items.get(number):
        return await items.pull(min(size, session.largest - OVERHEAD))
    if size <= 0:
        return END
    raise Fault(3, "The request was sent without items.") if number in session.requests else Fault(_CANCELED, "The request has ended.")


BLOCK_HANDLER = Handler("a block of a stream", read_pull, _answer_pull, lambda block: (BLOCK_REPLY, block, None), is_internal=True)
ITEM_BLOCK_HANDLER = BLOCK_HANDLER._replace(name="a block of the items of a request", call=_answer_item_pull)
