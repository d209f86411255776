"""Files in both directions. A transfer that was interrupted continues where it ended."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import inspect
import os
import stat
import struct
import weakref
from pathlib import Path
from typing import Any, AsyncIterator, Awaitable, BinaryIO, Callable

from .binary import PayloadError
from .errors import Fault, Progress, TransferError
from .outgoing import OutgoingFile, hash_part
from .session import Handler, Session
from .streams import IncomingStream, remote_fault
from .wire import FILE_FOUND, FILE_OFFER, FILE_RECEIVED, FILE_START, FILE_STARTED, FILE_WANTED, Kind

Report = Callable[[Progress], None]

_BLOCK = 128 * 1024
_PART = ".reloaded-", ".part"  # the beginning and the end of the names of unfinished files
_HASH = 32
_OFFER, _STARTED = struct.Struct("<Iq"), struct.Struct("<q")
_locks: weakref.WeakValueDictionary[tuple[int, str], asyncio.Lock] = weakref.WeakValueDictionary()  # by event loop and path


class FileOffer:
    """A file that the server wants to send. The handler saves it, or raises :class:`Fault` to refuse it."""

    def __init__(self, session: Session, number: int, length: int, name: str) -> None:
        self._session, self._number = session, number
        self.length = length
        self.name = name  #: The name that the server gave to the file. Do not use it as a path.
        self.is_saved = False

    async def save(self, path: str | os.PathLike[str], progress: Report | None = None) -> Progress:
        """Receives the file to a path. Until all bytes have arrived, they are in a file ``.reloaded-*.part`` of the same folder, which a later transfer continues."""
        received = await _receive(self._session, self._number, self.length, self.name, path, progress)
        self.is_saved = True
        return received


async def send_file(session: Session, source: BinaryIO, name: str, progress: Report | None) -> Progress:
    """Sends a file, and waits until the server has saved it."""
    file = OutgoingFile(source, progress)
    number = session.outgoing.add(file)
    try:
        await _ask(session, FILE_OFFER, _OFFER.pack(number, file.length) + name.encode("utf-8"), FILE_RECEIVED)
        return file.progress
    except (Fault, ConnectionError) as error:
        cause = file.error or error  # the server does not know why this side failed
        if file.error or file.progress.transferred:
            raise TransferError(name, file.progress, cause) from cause
        raise
    finally:
        file.close()
        await file.wait_until_unused()


async def receive_file(session: Session, name: str, path: str | os.PathLike[str], progress: Report | None, timeout: float) -> Progress:
    """Requests a file of the server."""
    found = await asyncio.wait_for(_ask(session, FILE_WANTED, name.encode("utf-8"), FILE_FOUND), timeout)
    number, length, _ = _read_offer(session, found, None)
    return await _receive(session, number, length, name, path, progress)


def offer_handler(call: Callable[[FileOffer], Awaitable[None]]) -> Handler:
    """Returns the handler of files that the server sends."""

    async def receive(session: Session, offered: tuple[int, int, str], _: int) -> int:
        offer = FileOffer(session, *offered)
        try:
            await call(offer)
        except TransferError as error:
            raise _describe(error.__cause__) or error from error
        if not offer.is_saved:
            raise ValueError("The handler of files returned without the file. Await offer.save, or raise a Fault to refuse the file.")
        return offer.length

    return Handler("a file", _read_offer, receive, lambda length: (FILE_RECEIVED, _STARTED.pack(length), None))


def request_handler(call: Callable[[str], Any]) -> Handler:
    """Returns the handler of requests for files."""

    async def find(session: Session, name: str, _: int) -> tuple[int, int, str]:
        session.outgoing.enter()
        try:
            found = call(name)
            if inspect.isawaitable(found):
                found = await found
            source: BinaryIO = await asyncio.to_thread(_open, found) if isinstance(found, (str, os.PathLike)) else found
            file = OutgoingFile(source, is_owned=True)
        except BaseException:
            session.outgoing.leave()
            raise
        return session.outgoing.add_opened(file), file.length, name

    def read(_: Session, payload: bytes, size: int | None) -> str:
        return payload.decode("utf-8")

    return Handler("a request for a file", read, find, lambda found: (FILE_FOUND, _OFFER.pack(*found[:2]) + found[2].encode("utf-8"), None))


async def _receive(session: Session, number: int, length: int, name: str, path: str | os.PathLike[str], progress: Report | None) -> Progress:
    stream, state = IncomingStream(session, number, _BLOCK), Progress(0, length)
    try:
        target = Path(os.path.abspath(path))
        part = part_of(target)
        async with _only_one(target):
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, "The destination is a folder. Pass the path of a file.", str(target))
            file = await asyncio.to_thread(_open_part, part)
            try:
                start = await _start(session, number, file)
                state = Progress(start, length, start)
                while (block := await stream.read()) is not None:
                    if len(block) > length - state.transferred:
                        raise PayloadError("The server sent more bytes than the length of the file.")
                    await asyncio.to_thread(file.write, block)
                    state = state._replace(transferred=state.transferred + len(block))
                    if progress:
                        progress(state)
                if state.transferred != length:
                    raise PayloadError("The server ended the transfer, or the file became shorter.")
            finally:
                await asyncio.to_thread(file.close)
            os.replace(part, target)
            return state
    except (Fault, OSError, ValueError) as error:
        raise TransferError(name, state, error) from error
    finally:
        stream.close()


async def _start(session: Session, number: int, file: BinaryIO) -> int:
    """Reports the part that is there, and seeks to the offset at which the file continues."""
    size = file.seek(0, os.SEEK_END)
    found = await asyncio.to_thread(hash_part, file, size)
    if found is None:
        raise PayloadError("The destination became shorter.")
    reply = await _ask(session, FILE_START, _OFFER.pack(number, size) + found, FILE_STARTED)
    if len(reply) != _STARTED.size or (start := _STARTED.unpack(reply)[0]) not in (0, size):
        raise PayloadError("The reply to the start of a transfer is invalid.")
    file.truncate(start)  # another file had been there
    file.seek(start)
    return int(start)


async def _ask(session: Session, type_: int, payload: bytes, reply_type: int) -> bytes:
    """Sends a request of the library, which has no timeout, and returns the payload of its reply."""
    await session.connection.wait_for_room()
    pending = session.requests.add(type_, payload, opens=reply_type)
    try:
        session.requests.send(pending, session)
        header, reply = await pending.reply
    except asyncio.CancelledError:
        session.leave(pending)
        raise
    finally:
        session.requests.remove(pending)
    if header.kind == Kind.FAULT:
        raise remote_fault(reply)
    if header.type != reply_type:
        raise PayloadError(f"The reply has the type {header.type} in place of {reply_type}.")
    return reply


@contextlib.asynccontextmanager
async def _only_one(path: Path) -> AsyncIterator[None]:
    """Lets one transfer at a time write to a path."""
    key = id(asyncio.get_running_loop()), str(path)
    lock = _locks.get(key) or asyncio.Lock()
    _locks[key] = lock
    async with lock:
        yield


def part_of(target: Path) -> Path:
    """Returns the path of the file with the bytes of an unfinished transfer: a name of fixed length in the same folder, which no other file has."""
    name = target.name
    if name.lower().startswith(_PART[0]) and name.lower().endswith(_PART[1]):
        raise FileExistsError(errno.EEXIST, "The destination has a name of unfinished transfers. Choose another name.", str(target))
    if len(os.fsencode(name)) > 255:
        raise OSError(errno.ENAMETOOLONG, "The name of the destination is longer than 255 bytes. Choose a shorter name.", str(target))
    code = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32].upper()
    return target.with_name(code.join(_PART))


def _describe(error: BaseException | None) -> Fault | None:
    """Returns the reason of a failed transfer for the sender, without a path of this machine."""
    if not isinstance(error, OSError) or isinstance(error, ConnectionError):
        return None
    if error.errno == errno.ENOSPC:
        return Fault(8, "The receiver has no space for the file.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP):
        return Fault(9, "The receiver cannot write to the path that it chose for the file.")
    return None


def _open(path: str | os.PathLike[str]) -> BinaryIO:
    return open(path, "rb")


def _open_part(path: Path) -> BinaryIO:
    opened = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o666)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise PermissionError(errno.EACCES, f"{path} is not a file. Remove it.")
    return os.fdopen(opened, "r+b", buffering=0)


def _read_offer(_: Session, payload: bytes, size: int | None) -> tuple[int, int, str]:
    if len(payload) < _OFFER.size or size is not None:
        raise PayloadError("The offer of a file is invalid.")
    number, length = _OFFER.unpack_from(payload)
    if length < 0:
        raise PayloadError("The length of a file is negative.")
    return number, length, payload[_OFFER.size :].decode("utf-8")


def _read_start(session: Session, payload: bytes, size: int | None) -> tuple[int, int, bytes]:
    if len(payload) < _OFFER.size or size is not None:
        raise PayloadError("The start of a transfer is invalid.")
    number, offset = _OFFER.unpack_from(payload)
    part = payload[_OFFER.size :]
    if offset < 0 or len(part) != (_HASH if offset else 0):
        raise PayloadError("The part of a file is invalid.")
    return number, offset, part


async def _answer_start(session: Session, start: tuple[int, int, bytes], _: int) -> int:
    number, offset, part = start
    file = session.outgoing.find(number)
    if not isinstance(file, OutgoingFile):
        raise Fault(3, f"No file with the number {number} is being sent.")
    return await file.start(offset, part)


START_HANDLER = Handler("the start of a transfer", _read_start, _answer_start, lambda offset: (FILE_STARTED, _STARTED.pack(offset), None), is_internal=True)
