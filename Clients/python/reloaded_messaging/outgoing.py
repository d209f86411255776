"""What this side produces for the server in blocks: the items of a stream, or the bytes of a file. The server requests the blocks."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
from typing import Any, AsyncIterable, BinaryIO, Callable

from .errors import Fault, Progress

MAX_STREAMS = 64
_ITEMS_BLOCK = 64 * 1024  # bytes; a larger item is sent alone
_FILE_BLOCK = 128 * 1024
END = b"\1"

log = logging.getLogger(__package__)


class Outgoing:
    """Something that is produced. Requests for blocks are answered in their order."""

    def __init__(self) -> None:
        self._order = asyncio.Lock()
        self._is_aborted = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def pull(self, size: int) -> bytes:
        """Returns the payload of the reply to a request for a block. A size of 0 or less closes the stream."""
        if size <= 0:
            self.close()
        async with self._order:
            try:
                block = b"" if self.ended.done() else await self.take(size)
            except BaseException:
                self.close()
                raise
            if not block:
                self.close()
                if self._is_aborted:
                    raise Fault(5, "The requester no longer waits for the reply.")
            return b"\0" + block if block else END

    async def take(self, size: int) -> bytes:
        """Waits for the next block, which is empty at the end."""
        raise NotImplementedError

    def close(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class OutgoingItems(Outgoing):
    """The items of a handler, or of a request. Their source begins with the first request for a block. One block is prepared in advance, so a slow consumer stops the source."""

    def __init__(self, items: AsyncIterable[Any], frame: Callable[[Any], bytes], largest: int, is_of_request: bool = False) -> None:
        super().__init__()
        self._items, self._frame, self._largest, self._is_of_request = items, frame, largest, is_of_request
        self._block = bytearray()
        self._filled, self._taken = asyncio.Event(), asyncio.Event()
        self._source: asyncio.Task[None] | None = None
        self._error: BaseException | None = None

    async def take(self, size: int) -> bytes:
        if self._source is None:
            self._source = asyncio.get_running_loop().create_task(self._produce())
            self._source.add_done_callback(self._finish)
        while not self._block and not self._source.done() and not self.ended.done():
            self._filled.clear()
            await self._filled.wait()
        if self.ended.done():
            return b""
        block, self._block = bytes(self._block), bytearray()
        self._taken.set()
        if not block and self._error:
            if self._is_of_request and (not isinstance(self._error, Fault) or self._error.is_remote):
                raise Fault(1, "The source of the items failed.")  # the sender gets the error itself
            raise self._error
        return block

    def close(self) -> None:
        super().close()
        self._filled.set()
        if self._source:
            self._source.cancel()

    def abort(self) -> BaseException | None:
        """Closes the items of a request that has ended. Returns the error of their source."""
        self._is_aborted = True
        self.close()
        return self._error

    async def _produce(self) -> None:
        limit, items = min(_ITEMS_BLOCK, self._largest), aiter(self._items)
        try:
            async for item in items:
                frame = self._frame(item)
                if len(frame) > self._largest:
                    raise Fault(4, f"An item has {len(frame)} bytes; the server accepts at most {self._largest}.")
                while self._block and len(self._block) + len(frame) > limit:
                    self._taken.clear()
                    await self._taken.wait()
                self._block += frame
                self._filled.set()
        finally:
            if close := getattr(items, "aclose", None):
                await close()

    def _finish(self, source: asyncio.Task[None]) -> None:
        if not self.ended.done():
            self._error = Fault(5, "The source of the items was canceled.") if source.cancelled() else source.exception()
        elif not source.cancelled() and (error := source.exception()):
            log.error("The source of a stream failed after the stream had ended.", exc_info=error)
        self._filled.set()


class OutgoingFile(Outgoing):
    """The bytes of a file, which is read on other threads."""

    def __init__(self, source: BinaryIO, progress: Callable[[Progress], None] | None = None, is_owned: bool = False) -> None:
        super().__init__()
        self._source, self._report, self._is_owned = source, progress, is_owned
        self._reading = asyncio.Lock()
        self._has_begun = False
        self.error: Exception | None = None  # of the source or of the progress of a file that this side sends
        self.length = source.seek(0, io.SEEK_END)
        source.seek(0)
        self.progress = Progress(0, self.length)

    async def start(self, offset: int, expected: bytes) -> int:
        """Continues after the part that the receiver has, if the file begins with it. Returns the offset."""
        if self._has_begun:
            raise Fault(3, "The file has begun. Report the part of a file once, before the first request for a block.")
        self._has_begun = True
        async with self._reading:
            same = offset <= self.length and await asyncio.to_thread(hash_part, self._source, offset) == expected
            start = offset if same else 0
            self._source.seek(start)
            self.progress = Progress(start, self.length, start)
            return start

    async def take(self, size: int) -> bytes:
        self._has_begun = True
        try:
            return await self._read(size)
        except Exception as error:
            if self._is_owned:
                raise  # which is reported as the failure of a handler
            self.error = error
            raise Fault(1, f"The source of the file failed at byte {self.progress.transferred:,}.") from error

    async def _read(self, size: int) -> bytes:
        async with self._reading:
            if self.ended.done():
                return b""
            size = min(size, _FILE_BLOCK, self.length - self.progress.transferred)
            block = await asyncio.to_thread(self._source.read, size) if size else b""
        if block:
            self.progress = self.progress._replace(transferred=self.progress.transferred + len(block))
            if self._report:
                self._report(self.progress)
        return block

    def close(self) -> None:
        if not self.ended.done() and self._is_owned:
            self._closing = asyncio.get_running_loop().create_task(self.wait_until_unused())
        super().close()

    async def wait_until_unused(self) -> None:
        """Waits until the source is not read any more, and closes it if this object owns it."""
        async with self._reading:
            if self._is_owned:
                await asyncio.to_thread(self._source.close)


class Outgoings:
    """All that is produced for one connection: streams and files by number, and the items of requests by the correlation ids of the requests."""

    def __init__(self) -> None:
        self._last = 0
        self._open: dict[int, Outgoing] = {}
        self._opened = 0  # by the server
        self._is_closed = False
        self.items: dict[int, OutgoingItems] = {}

    def enter(self) -> None:
        """Counts what the server has opened, until :meth:`leave`."""
        if self._opened >= MAX_STREAMS:
            raise Fault(6, f"The server has {MAX_STREAMS} open streams and file transfers.")
        self._opened += 1

    def leave(self) -> None:
        self._opened -= 1

    def add(self, one: Outgoing) -> int:
        self._last += 1
        number = self._last
        self._open[number] = one
        one.ended.add_done_callback(lambda _: self._open.pop(number, None))
        if self._is_closed:
            one.close()  # its handler has ended after the connection
        return number

    def add_opened(self, one: Outgoing) -> int:
        """Adds what the server has opened, after :meth:`enter`."""
        one.ended.add_done_callback(lambda _: self.leave())
        return self.add(one)

    def find(self, number: int) -> Outgoing | None:
        """Returns what is produced under a number; ``None`` if it has ended."""
        if not 0 < number <= self._last:
            raise Fault(3, f"There is no stream with the number {number}.")
        return self._open.get(number)

    def unended(self) -> list[asyncio.Future[None]]:
        return [one.ended for one in self._open.values()]

    def close(self) -> None:
        self._is_closed = True
        for one in list(self._open.values()):
            one.close()
        for items in self.items.values():
            items.abort()


def hash_part(source: BinaryIO, size: int) -> bytes | None:
    """Returns the SHA-256 hash of the first bytes of a file, which is then at their end. No bytes have no hash. Returns ``None`` for a shorter file."""
    source.seek(0)
    found, left = hashlib.sha256(), size
    while left:
        data = source.read(min(left, 256 * 1024))
        if not data:
            return None
        found.update(data)
        left -= len(data)
    return found.digest() if size else b""
