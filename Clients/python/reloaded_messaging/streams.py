"""Streams of items in both directions, and the blocks of which streams and files consist."""

from __future__ import annotations

import collections
import struct
from typing import Any, AsyncGenerator, AsyncIterator, Callable

from .binary import Contract, PayloadError, Schema
from .contracts import read_payload, write_payload
from .errors import Fault
from .outgoing import END, OutgoingItems
from .requests import Pending
from .session import Handler, Session
from .wire import BLOCK, BLOCK_REPLY, MAX_SIZE, STREAM, Header, Kind, read_fault, read_frame, read_header, write_header, write_uvarint

_ITEMS_BLOCK = 64 * 1024
_WINDOW = 4  # blocks that are requested in advance
_OVERHEAD = 32  # bytes of a block that are not its contents
_PULL = struct.Struct("<Ii")


class IncomingStream:
    """A stream of the server, which this side reads in blocks."""

    def __init__(self, session: Session, number: int, block_size: int = _ITEMS_BLOCK) -> None:
        self._session, self._number, self._block_size = session, number, block_size
        self._pulls: collections.deque[Pending] = collections.deque()
        self._has_ended = False

    async def read(self) -> bytes | None:
        """Returns the next block; ``None`` at the end. Raises :class:`Fault`, :class:`PayloadError` or :class:`ConnectionError`."""
        while len(self._pulls) < _WINDOW:
            await self._session.connection.wait_for_room()
            self._pulls.append(self._request(self._block_size))
        header, payload = await self._pulls[0].reply
        self._session.requests.remove(self._pulls.popleft())
        self._has_ended = header.kind == Kind.FAULT or payload == END
        if header.kind == Kind.FAULT:
            raise remote_fault(payload)
        if payload == END:
            return None
        if header.type != BLOCK_REPLY or payload[:1] != b"\0" or len(payload) == 1:
            raise PayloadError("A block of a stream is invalid.")
        return payload[1:]

    def close(self) -> None:
        """Closes the stream on both sides. Blocks that are under way are dropped."""
        if not self._has_ended and not self._session.connection.lost.done():
            self._pulls.append(self._request(0))
        self._has_ended = True
        while self._pulls:
            pending = self._pulls.popleft()
            self._session.requests.remove(pending)
            if not pending.reply.cancel() and not pending.reply.cancelled():
                pending.reply.exception()  # nothing waits for it

    def _request(self, size: int) -> Pending:
        pending = self._session.requests.add(BLOCK, _PULL.pack(self._number, size))
        self._session.requests.send(pending, self._session)
        return pending


async def read_items(session: Session, schema: Schema, number: int, item: Contract | None) -> AsyncGenerator[dict[str, Any], None]:
    """Reads the items of a stream. ``item`` is their contract, as far as the schema names it."""
    stream = IncomingStream(session, number)
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


def close_late(session: Session, opening: Pending) -> None:
    """Closes a stream that is opened although nothing waits for it any more."""

    def close(_: object) -> None:
        session.requests.remove(opening)
        if not opening.reply.cancelled() and opening.reply.exception() is None:
            header, payload = opening.reply.result()
            if header.type == STREAM and len(payload) == 4:
                IncomingStream(session, int.from_bytes(payload, "little")).close()

    opening.reply.add_done_callback(close)


def remote_fault(payload: bytes) -> Fault:
    """Reads a fault of the server. Raises :class:`ValueError` if it cannot be read."""
    fault = Fault(*read_fault(payload))
    fault.is_remote = True
    return fault


def stream_handler(schema: Schema, request: Contract, item: Contract, call: Callable[[dict[str, Any]], AsyncIterator[dict[str, Any]]]) -> Handler:
    """Returns the handler of requests for a stream of items."""

    def frame(value: dict[str, Any]) -> bytes:
        payload, size = write_payload(schema, item, value)
        message = write_header(Header(item.id, size=size)) + payload
        return write_uvarint(len(message)) + message

    def read(session: Session, payload: bytes, size: int | None) -> dict[str, Any]:
        session.contracts.check(request)
        return read_payload(schema, request, payload, size)

    def open_stream(session: Session, value: dict[str, Any]) -> int:
        session.contracts.check(item)
        session.outgoing.check_room()
        return session.outgoing.add(OutgoingItems(call(value), frame, session.largest - _OVERHEAD))

    return Handler(request.name, read, open_stream, lambda number: (STREAM, number.to_bytes(4, "little"), None), (request, item))


def _read_pull(_: Session, payload: bytes, size: int | None) -> tuple[int, int]:
    if len(payload) != _PULL.size or size is not None:
        raise PayloadError("A request for a block is invalid.")
    number, requested = _PULL.unpack(payload)
    return number, requested


async def _answer_pull(session: Session, pull: tuple[int, int]) -> bytes:
    number, size = pull
    outgoing = session.outgoing.find(number)
    return END if outgoing is None else await outgoing.pull(min(size, session.largest - _OVERHEAD))


BLOCK_HANDLER = Handler("a block of a stream", _read_pull, _answer_pull, lambda block: (BLOCK_REPLY, block, None), is_internal=True)
