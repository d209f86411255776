"""The client for asyncio: events, requests and replies in both directions, streams, files, and reconnecting."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
from math import inf
from types import TracebackType
from typing import Any, AsyncGenerator, AsyncIterable, Awaitable, BinaryIO, Callable, Coroutine, Generator, Self

from . import files, progress as reports
from .binary import Contract, PayloadError, Schema
from .contracts import check_size, find_event, read_payload, write_payload
from .endpoints import Endpoint
from .errors import Progress, TransferError
from .keeper import Keeper
from .requests import Pending
from .session import Handler, Session
from .statistics import Statistics
from .streams import BLOCK_HANDLER, ITEM_BLOCK_HANDLER, IncomingStream, SentItems, Value, call_with_items, read_items, remote_fault, stream_handler
from .wire import ACKNOWLEDGEMENT, BLOCK, FILE_OFFER, FILE_START, FILE_WANTED, ITEM_BLOCK, REPORT, STREAM, Header, Kind

Items = tuple[str, AsyncIterable[Value]]  #: The name of the contract of items, and their source, such as an asynchronous generator.

_FAULT = Kind.FAULT


def connect(
    endpoint: str | Endpoint | Callable[[], str | Endpoint], schema: Schema, *, token: bytes = b"", reconnect: bool = False, resend: bool = False, timeout: float = 5.0
) -> Host:
    """Returns a client, which connects by ``async with`` or ``await``. Register handlers before, or later. The arguments are those of :class:`Host`."""
    return Host(endpoint, schema, token=token, reconnect=reconnect, resend=resend, timeout=timeout)


class Host(Keeper):
    """A connection to a server. Used by one event loop.

    :param endpoint: where the server is: a text that :func:`parse` reads, an :class:`Endpoint`, or a function that finds it again for each attempt.
    :param reconnect: whether to repeat the first connection until the server is there, and to connect again after the connection was lost, until :meth:`close`.
    :param resend: whether unanswered requests are sent again in their order over the next connection. The server may then handle a request twice.
    :param timeout: the seconds for the handshake, and the default for a request.
    """

    def __init__(
        self, endpoint: str | Endpoint | Callable[[], str | Endpoint], schema: Schema, *, token: bytes = b"", reconnect: bool = False, resend: bool = False, timeout: float = 5.0
    ) -> None:
        super().__init__(endpoint, schema, token, reconnect, resend, timeout)
        self._closing: asyncio.Task[Any] | None = None
        self._handlers |= {BLOCK: BLOCK_HANDLER, ITEM_BLOCK: ITEM_BLOCK_HANDLER, REPORT: reports.HANDLER, FILE_START: files.START_HANDLER}

    async def __aenter__(self) -> Self:
        await self._connect()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close(5.0 if kind is None else 0.0)

    def __await__(self) -> Generator[Any, None, Self]:
        return self.__aenter__().__await__()

    @property
    def is_connected(self) -> bool:
        return self._session is not None

    @property
    def statistics(self) -> Statistics:
        """The counters up to now."""
        now = dataclasses.replace(self._counters, unanswered_requests=len(self._requests))
        if session := self._session:
            now.running_handlers, now.pending_bytes = len(session.running), session.connection.pending_bytes
            now.sent_bytes += session.connection.sent_bytes
            now.received_bytes += session.connection.received_bytes
        return now

    # Handlers

    def on(self, event: str, handler: Callable[[Value], Any]) -> None:
        """Handles an event. A coroutine function runs as a task: handlers begin in the order of the events, and may end in another order."""
        contract = find_event(self.schema, event)
        self._register(contract.id, Handler(contract.name, self._reader(contract), lambda _session, value, _id: handler(value), None, (contract,)))

    def on_request(self, request: str, reply: str | None, handler: Callable[..., Any], *, items: str | None = None, progress: str | None = None) -> None:
        """Answers a request with the value that the handler returns. A request without a reply is acknowledged when the handler has completed. A cancellation by the server cancels the task of the handler.

        :param items: the contract of the items that arrive with the request. The handler is then a coroutine function, whose second argument is an asynchronous iterable of the items. It can read them once, and need not read all of them.
        :param progress: the contract of the reports of the progress of the request. The last argument of the handler is then a function that sends a report. A report replaces one that waits because the server is slow, and is dropped after the reply.
        """
        contract = self.schema.find(request)
        answer, item, report = (None if name is None else self.schema.find(name) for name in (reply, items, progress))

        def call(session: Session, value: Value, correlation: int) -> Any:
            last = [] if report is None else [reports.reporter(session, self.schema, report, correlation)]
            return handler(value, *last) if item is None else call_with_items(session, self.schema, item, correlation, lambda *received: handler(value, *received, *last))

        def write(value: Any) -> tuple[int, bytes, int | None]:
            return (ACKNOWLEDGEMENT, b"", None) if answer is None else (answer.id, *write_payload(self.schema, answer, value))

        self._register(contract.id, Handler(contract.name, self._reader(contract), call, write, tuple(one for one in (contract, answer, item, report) if one)))

    def on_stream(self, request: str, item: str, handler: Callable[..., AsyncIterable[Value]], *, items: str | None = None) -> None:
        """Answers a request with a stream: the handler is an asynchronous generator of the items. It is closed when the server leaves the stream.

        :param items: the contract of the items that arrive with the request. The second argument of the handler is then an asynchronous iterable of them. It can be read once, until the stream has ended.
        """
        contract = self.schema.find(request)
        self._register(contract.id, stream_handler(self.schema, contract, self.schema.find(item), None if items is None else self.schema.find(items), handler))

    def on_file(self, handler: Callable[[files.FileOffer], Awaitable[None]]) -> None:
        """Handles files that the server sends: the handler awaits :meth:`FileOffer.save`, or raises :class:`Fault` to refuse the file."""
        self._register(FILE_OFFER, files.offer_handler(handler))

    def on_file_request(self, handler: Callable[[str], Any]) -> None:
        """Handles requests for files: the handler returns the path of the file with this name, or an open binary file. The name comes from the server; do not use it as a path."""
        self._register(FILE_WANTED, files.request_handler(handler))

    # Messages

    async def send(self, event: str, value: Value | None = None) -> None:
        """Sends an event. Waits while many bytes wait to be sent."""
        contract, session = find_event(self.schema, event), self._get_session()
        session.contracts.check(contract)
        payload, size = write_payload(self.schema, contract, value)
        check_size(contract, payload, session.largest)
        if session.connection.is_full:
            await session.connection.wait_for_room()
        session.connection.send(Header(contract.id, size=size), payload)
        self._counters.sent_events += 1

    async def request(self, request: str, value: Value | None = None, *, items: Items | None = None, progress: Callable[[Value], Any] | None = None, timeout: float | None = None) -> Value:
        """Sends a request and returns the reply, which is empty for a request without a reply.

        Raises :class:`Fault`, :class:`ContractMismatch`, :class:`PayloadError`, :class:`TimeoutError` or :class:`ConnectionError`. The cancellation of the caller cancels the handler of the server.

        :param items: items that are sent with the request, in blocks that the handler requests. They end with the request: their source is canceled when the handler reads no more. An error of the source is raised when the handler has ended. Such a request is not sent again over another connection.
        :param progress: called with each report of the handler, in order, and never after the reply. While a coroutine function runs, the newest report replaces the one that waits. Such a request is not sent again either.
        :param timeout: the seconds until the reply (default: those of the client; no limit for a request with items or progress).
        """
        contract = self.schema.find(request)
        payload, size = write_payload(self.schema, contract, value)
        if timeout is None and items is None and progress is None:
            timeout = self.timeout
        end = inf if timeout is None else asyncio.get_running_loop().time() + timeout
        if self._requests.is_full or (self._session and self._session.connection.is_full):
            try:
                async with asyncio.timeout_at(None if timeout is None else end):
                    await self._wait_for_room()
            except TimeoutError:
                raise self._time_out(contract, timeout) from None
        sent = self._offer(contract, items)
        pending = self._add(contract, payload, size, end, self._resends and items is None and progress is None)
        received = reports.ReceivedReports(self._get_session(), self.schema, pending, progress) if progress else None
        if self._session:
            self._requests.send(pending, self._session)
        with sent.offered(pending) if sent else contextlib.nullcontext():
            try:
                header, reply = await pending.reply
                if received:
                    async with asyncio.timeout_at(None if timeout is None else end):
                        await received.wait()
            except BaseException as error:
                if self._session:
                    self._session.leave(pending)
                if isinstance(error, TimeoutError):
                    raise self._time_out(contract, timeout) from None
                raise
            finally:
                self._requests.remove(pending)
                if received:
                    received.close()
        return self._read_reply(contract, header, reply)

    async def stream(self, request: str, value: Value | None = None, *, items: Items | None = None) -> AsyncGenerator[Value, None]:
        """Sends a request whose reply is a stream, and returns the items in their order. Leaving the loop closes the stream.

        Four blocks of 64 KiB are requested in advance, so a slow loop slows down the server. Raises the exceptions of :meth:`request`; :class:`Fault` follows the items before it.

        :param items: items that are sent with the request, as those of :meth:`request`, while the loop reads. They end with the loop.
        """
        contract, session = self.schema.find(request), self._get_session()
        item = self.schema.contracts.get(contract.reply or -1)
        for one in (contract, item):
            if one:
                session.contracts.check(one)
        payload, size = write_payload(self.schema, contract, value)
        check_size(contract, payload, session.largest)
        await session.connection.wait_for_room()
        sent = self._offer(contract, items)
        opening = self._requests.add(contract.id, payload, size, (contract,), deadline=asyncio.get_running_loop().time() + self.timeout, opens=STREAM)
        self._requests.send(opening, session)
        with sent.offered(opening) if sent else contextlib.nullcontext():
            stream = IncomingStream(session, await self._open_stream(session, contract, opening))
            async with contextlib.aclosing(read_items(session, self.schema, stream, item)) as received:
                async for one_item in received:
                    yield one_item

    async def send_file(self, source: str | os.PathLike[str] | BinaryIO, name: str | None = None, progress: files.Report | None = None) -> Progress:
        """Sends a file, and waits until the handler of the server has saved it. A binary file can be read and can seek. With ``reconnect``, the transfer continues after each new connection.

        Raises :class:`Fault` if the server refuses, and :class:`TransferError` if the transfer fails later.
        """
        if isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as opened:
                return await self.send_file(opened, os.path.basename(source) if name is None else name, progress)
        known, bytes_ = name or "", source
        return await self._transfer(lambda session: files.send_file(session, bytes_, known, progress))

    async def receive_file(self, name: str, path: str | os.PathLike[str], progress: files.Report | None = None) -> Progress:
        """Requests a file of the server, and saves it at a path. Until all bytes have arrived, they are in a file ``.reloaded-*.part`` of the same folder, which a later transfer continues."""
        return await self._transfer(lambda session: files.receive_file(session, name, path, progress, self.timeout))

    async def close(self, drain: float = 5.0) -> None:
        """Ends the connection with a goodbye.

        :param drain: the seconds to wait for the replies to requests, for handlers that run, for streams and files that the server reads, and for bytes that wait to be sent. Requests that arrive meanwhile are refused: the client is stopping. 0 for no wait.
        """
        self._is_closed, self._closing = True, asyncio.current_task()
        if session := self._session:
            session.is_draining = True
            if drain > 0:
                with contextlib.suppress(TimeoutError):  # what still runs is canceled
                    await asyncio.wait_for(self._drain(session), drain)
            await session.connection.end("Requested")
        if self._keeping:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
        self._requests.fail("The client was closed.", all_=True)

    # Inside

    def _get_session(self) -> Session:
        if self._session is None or self._is_closed:
            raise ConnectionError("There is no connection.")
        return self._session

    async def _drain(self, session: Session) -> None:
        """Waits for what runs now. A connection that is lost ends all of it."""
        running = [one for one in session.running if one is not self._closing]  # a handler that closes the client does not wait for itself
        waited = [*running, *session.outgoing.unended(), *self._requests.replies()]
        if waited:
            await asyncio.wait(waited)
        await session.connection.wait_for_room()

    def _reader(self, contract: Contract) -> Callable[[Session, bytes, int | None], Value]:
        def read(session: Session, payload: bytes, size: int | None) -> Value:
            session.contracts.check(contract)
            return read_payload(self.schema, contract, payload, size)

        return read

    def _register(self, id_: int, handler: Handler) -> None:
        self._handlers[id_] = handler
        if self._session:
            self._session.handlers[id_] = handler
            self._session.announce(list({contract.id: contract for contract in handler.contracts}.values()))

    async def _wait_for_room(self) -> None:
        await self._requests.wait_for_slot()
        if self._session:
            await self._session.connection.wait_for_room()

    def _offer(self, contract: Contract, items: Items | None) -> SentItems | None:
        return None if items is None else SentItems(self._get_session(), self.schema, contract, self.schema.find(items[0]), items[1])

    def _time_out(self, contract: Contract, timeout: float | None) -> TimeoutError:
        self._counters.timeouts += 1
        return TimeoutError(f"{contract.name} was not answered within {timeout} s.")

    async def _open_stream(self, session: Session, contract: Contract, opening: Pending) -> int:
        """Returns the number of the stream that a request opens."""
        try:
            header, reply = await opening.reply
        except TimeoutError:
            session.leave(opening)
            raise self._time_out(contract, self.timeout) from None
        except asyncio.CancelledError:
            session.leave(opening)
            raise
        finally:
            self._requests.remove(opening)
        if header.kind == _FAULT:
            self._counters.faults += 1
            raise remote_fault(reply)
        if header.type != STREAM or len(reply) != 4:
            raise PayloadError(f"The reply to {contract.name} is no stream. Use request.")
        return int.from_bytes(reply, "little")

    def _add(self, contract: Contract, payload: bytes, size: int | None, end: float, is_resent: bool) -> Pending:
        """Adds a request that is about to be sent. Without a connection, it is sent over the next one."""
        contracts = (contract, self.schema.contracts[contract.reply]) if contract.reply in self.schema.contracts else (contract,)
        if self._session is None and not is_resent or self._is_closed:
            raise ConnectionError("There is no connection.")
        if self._session:
            for one in contracts:
                self._session.contracts.check(one)  # a reply that cannot be read is no reason to run the handler
            check_size(contract, payload, self._session.largest)
        return self._requests.add(contract.id, payload, size, contracts, is_resent, end)

    def _read_reply(self, contract: Contract, header: Header, reply: bytes) -> Value:
        if header.kind == _FAULT:
            self._counters.faults += 1
            raise remote_fault(reply)
        if header.type == ACKNOWLEDGEMENT:
            return {}
        if header.type == STREAM:
            raise PayloadError(f"The reply to {contract.name} is a stream. Use stream. The stream was closed.")
        answer = self.schema.find(header.type)
        if self._session:
            self._session.contracts.check(answer)
        return read_payload(self.schema, answer, reply, header.size)

    async def _transfer(self, transfer: Callable[[Session], Coroutine[Any, Any, Progress]]) -> Progress:
        """Repeats a transfer of a client that reconnects, until it ends for another reason than a lost connection."""
        while True:
            if self.reconnect and not self._session:
                await self.wait_connected()
            session = self._get_session()
            try:
                return await transfer(session)
            except (ConnectionError, TransferError) as error:
                if not self.reconnect or not isinstance(error.__cause__ if isinstance(error, TransferError) else error, ConnectionError):
                    raise
            await asyncio.wait([session.connection.lost])
