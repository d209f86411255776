"""What this side produces for the server in blocks: the items of a stream, or the bytes of a file. The server requests the blocks."""

from __future__ import annotations

import asyncio
import hashlib
import io
from typing import Any, AsyncIterator, BinaryIO, Callable

from .errors import Fault, Progress

MAX_STREAMS = 64
_ITEMS_BLOCK = 64 * 1024  # bytes; a larger item is sent alone
_FILE_BLOCK = 128 * 1024
END = b"\1"


class Outgoing:
    """Something that is produced. Requests for blocks are answered in their order."""

    def __init__(self) -> None:
        self._order = asyncio.Lock()
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
            return b"\0" + block if block else END

    async def take(self, size: int) -> bytes:
        """Waits for the next block, which is empty at the end."""
        raise NotImplementedError

    def close(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class OutgoingItems(Outgoing):
    """The items of a handler. One block is prepared in advance, so a slow consumer stops the handler."""

    def __init__(self, items: AsyncIterator[Any], frame: Callable[[Any], bytes], largest: int) -> None:
        super().__init__()
        self._items, self._frame, self._largest = items, frame, largest
        self._block = bytearray()
        self._filled, self._taken = asyncio.Event(), asyncio.Event()
        self._error: BaseException | None = None
        self._source = asyncio.get_running_loop().create_task(self._produce())
        self._source.add_done_callback(self._finish)

    async def take(self, size: int) -> bytes:
        while not self._block and not self._source.done():
            self._filled.clear()
            await self._filled.wait()
        block, self._block = bytes(self._block), bytearray()
        self._taken.set()
        if not block and self._error:
            raise self._error
        return block

    def close(self) -> None:
        super().close()
        self._source.cancel()

    async def _produce(self) -> None:
        limit = min(_ITEMS_BLOCK, self._largest)
        try:
            async for item in self._items:
                frame = self._frame(item)
                if len(frame) > self._largest:
                    raise Fault(4, f"An item has {len(frame)} bytes; the server accepts at most {self._largest}.")
                while self._block and len(self._block) + len(frame) > limit:
                    self._taken.clear()
                    await self._taken.wait()
                self._block += frame
                self._filled.set()
        finally:
            if close := getattr(self._items, "aclose", None):
                await close()

    def _finish(self, source: asyncio.Task[None]) -> None:
        self._error = None if source.cancelled() else source.exception()
        self._filled.set()


class OutgoingFile(Outgoing):
    """The bytes of a file, which is read on other threads."""

    def __init__(self, source: BinaryIO, progress: Callable[[Progress], None] | None = None, is_owned: bool = False) -> None:
        super().__init__()
        self._source, self._report, self._is_owned = source, progress, is_owned
        self._reading = asyncio.Lock()
        self._has_begun = False
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
    """All that is produced for one connection, by number."""

    def __init__(self) -> None:
        self._last = 0
        self._open: dict[int, Outgoing] = {}

    def check_room(self) -> None:
        if len(self._open) >= MAX_STREAMS:
            raise Fault(6, f"There are {MAX_STREAMS} open streams and file transfers.")

    def add(self, one: Outgoing) -> int:
        self._last += 1
        number = self._last
        self._open[number] = one
        one.ended.add_done_callback(lambda _: self._open.pop(number, None))
        return number

    def find(self, number: int) -> Outgoing | None:
        """Returns what is produced under a number; ``None`` if it has ended."""
        if not 0 < number <= self._last:
            raise Fault(3, f"There is no stream with the number {number}.")
        return self._open.get(number)

    def unended(self) -> list[asyncio.Future[None]]:
        return [one.ended for one in self._open.values()]

    def close(self) -> None:
        for one in list(self._open.values()):
            one.close()


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
