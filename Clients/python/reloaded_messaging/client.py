"""The blocking client: the client for asyncio, whose event loop runs on a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncGenerator, AsyncIterator, BinaryIO, Callable, Coroutine, Iterable, Iterator, TypeVar

from .binary import Schema
from .endpoints import Endpoint
from .errors import Progress
from .files import Report
from .host import Host
from .outgoing import log
from .statistics import Statistics
from .streams import Value

T = TypeVar("T")


class Client:
    """A connection to a server. Thread-safe. Handlers run one after the other on a thread of the client's own.

    While 1,000 messages wait for their handlers, the client does not read from the server. The arguments are those of :class:`Host`.
    """

    def __init__(
        self, endpoint: str | Endpoint | Callable[[], str | Endpoint], schema: Schema, *, token: bytes = b"", reconnect: bool = False, resend: bool = False, timeout: float = 5.0
    ) -> None:
        self._host = Host(endpoint, schema, token=token, reconnect=reconnect, resend=resend, timeout=timeout)
        self._host.disconnected = lambda reason, text: self._submit(self.disconnected, reason, text)
        self._host.failed = lambda error: self._submit(self.failed, error)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker = ThreadPoolExecutor(1, "reloaded-messaging")
        self._worker_thread: int | None = None
        self._lock = threading.Lock()  # protects _is_closed, and _loop against a use after its end
        self._is_closed = False
        self.disconnected: Callable[[str, str], object] = lambda reason, text: None
        self.failed: Callable[[Exception], object] = lambda error: None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def schema(self) -> Schema:
        return self._host.schema

    @property
    def statistics(self) -> Statistics:
        """The counters up to now."""
        return self._host.statistics

    def on(self, event: str, handler: Callable[[Value], object]) -> None:
        """Handles an event. Before :meth:`connect`."""
        self._host.on(event, self._wrap(handler))

    def on_request(self, request: str, reply: str | None, handler: Callable[[Value], Value | None]) -> None:
        """Answers a request. Before :meth:`connect`."""
        self._host.on_request(request, reply, self._wrap(handler))

    def connect(self) -> Client:
        """Connects. Raises :class:`HandshakeError` or :class:`OSError`."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run_loop, args=[self._loop], name="reloaded-messaging receive", daemon=True).start()
        try:
            self._run(self._host.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def wait_connected(self, timeout: float | None = None) -> bool:
        """Waits until there is a connection."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            self._run(_within(self._host.wait_connected(), timeout))
            return True
        return False

    def send(self, event: str, value: Value | None = None) -> None:
        """Sends an event. Waits while many bytes wait to be sent."""
        self._run(self._host.send(event, value))

    def request(
        self, request: str, value: Value | None = None, timeout: float | None = None, *, items: tuple[str, Iterable[Value]] | None = None, progress: Callable[[Value], object] | None = None
    ) -> Value:
        """Sends a request and returns the reply, which is empty for a request without a reply. Raises :class:`Fault`, :class:`ContractMismatch`, :class:`PayloadError`, :class:`TimeoutError` or :class:`ConnectionError`.

        :param items: the contract and the source of items that are sent with the request, as those of :meth:`Host.request`. The source runs on other threads, one step at a time.
        :param progress: called with each report of the handler, on the thread of the event loop.
        """
        return self._run(self._host.request(request, value, timeout=timeout, items=_iterate(items), progress=progress))

    def stream(self, request: str, value: Value | None = None, *, items: tuple[str, Iterable[Value]] | None = None) -> Iterator[Value]:
        """Sends a request whose reply is a stream, and returns the items in their order. Leaving the loop closes the stream. ``items`` are those of :meth:`request`."""
        received = self._host.stream(request, value, items=_iterate(items))
        try:
            while (item := self._run(_next(received))) is not None:
                yield item
        finally:
            with contextlib.suppress(ConnectionError):  # the client may be closed
                self._run(_close(received))

    def send_file(self, source: str | os.PathLike[str] | BinaryIO, name: str | None = None, progress: Report | None = None) -> Progress:
        """Sends a file, and waits until the handler of the server has saved it. The progress is reported on the thread of the event loop."""
        return self._run(self._host.send_file(source, name, progress))

    def receive_file(self, name: str, path: str | os.PathLike[str], progress: Report | None = None) -> Progress:
        """Requests a file of the server, and saves it at a path."""
        return self._run(self._host.receive_file(name, path, progress))

    def close(self, drain: float = 5.0) -> None:
        """Says goodbye and closes the connection. Waits for up to ``drain`` seconds for requests and handlers that run; a handler that closes the client does not wait."""
        with self._lock:
            was_closed, self._is_closed = self._is_closed, True
        if was_closed:
            return
        if loop := self._loop:
            wait = 0.0 if threading.get_ident() == self._worker_thread else drain
            asyncio.run_coroutine_threadsafe(self._host.close(wait), loop).result()
            self._stop()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _stop(self) -> None:
        """Ends the thread of the event loop."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop:
            loop.call_soon_threadsafe(loop.stop)

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        with self._lock:
            future = None if self._loop is None or self._is_closed else asyncio.run_coroutine_threadsafe(call, self._loop)
        if future is None:
            call.close()
            raise ConnectionError("There is no connection.")
        try:
            return future.result()
        except BaseException:
            future.cancel()  # an interrupt of the caller
            raise

    def _wrap(self, handler: Callable[[Value], T]) -> Callable[[Value], Coroutine[Any, Any, T | None]]:
        """Calls a handler on the worker's thread. A canceled request keeps its place until the earlier handlers have ended, so that waiting messages are bounded."""

        async def call(value: Value) -> T | None:
            is_canceled = threading.Event()
            running: asyncio.Future[T | None] = asyncio.get_running_loop().run_in_executor(self._worker, self._call, handler, value, is_canceled)
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                is_canceled.set()
                await asyncio.wait([running])
                raise

        return call

    def _call(self, handler: Callable[[Value], T], value: Value, is_canceled: threading.Event) -> T | None:
        self._worker_thread = threading.get_ident()
        return None if is_canceled.is_set() else handler(value)

    def _submit(self, call: Callable[..., object], *arguments: object) -> None:
        """Calls a callback of the program on the worker's thread, unless the client is closed."""
        with self._lock:
            if not self._is_closed:
                self._worker.submit(_report, call, *arguments)


async def _within(call: Coroutine[Any, Any, None], timeout: float | None) -> None:
    await asyncio.wait_for(call, timeout)


def _iterate(items: tuple[str, Iterable[Value]] | None) -> tuple[str, AsyncIterator[Value]] | None:
    """Lets a source of items run on other threads."""

    async def read(source: Iterable[Value]) -> AsyncIterator[Value]:
        iterator = iter(source)

        def step() -> Value | None:
            return next(iterator, None)

        while (item := await asyncio.to_thread(step)) is not None:
            yield item

    return items and (items[0], read(items[1]))


async def _next(items: AsyncGenerator[Value, None]) -> Value | None:
    return await anext(items, None)


async def _close(items: AsyncGenerator[Value, None]) -> None:
    await items.aclose()


def _report(call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except Exception:
        log.exception("A callback of the client failed.")


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
