"""Where a server listens: TCP with or without TLS, a WebSocket, UDP, a Unix socket, or the server that a process has published."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import errno
import getpass
import os
import ssl
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator
from urllib.parse import urlsplit

from .connection import Connection
from .errors import HandshakeError
from .protection import Protection
from .udp import open_udp
from .websocket import WebSocket

_MAX_ENTRY = 4096  # characters of the entry of a published server


@dataclass(frozen=True)
class Endpoint:
    """An address. ``port`` is 0 for a Unix socket. ``token`` is the published one of a process's server. ``path`` is that of a WebSocket; otherwise, it is empty. ``protection`` is for UDP."""

    address: str
    port: int = 0
    token: bytes = b""
    tls: ssl.SSLContext | None = None
    path: str = ""
    is_udp: bool = False
    protection: Protection | None = None

    async def open(self, token: bytes) -> Connection:
        """Opens a connection. Raises :class:`OSError` or :class:`HandshakeError`."""
        loop = asyncio.get_running_loop()
        websocket = WebSocket(self.address, self.port, self.path) if self.path else None
        connection = Connection(websocket)
        if self.port == 0:
            await loop.create_unix_connection(lambda: connection, self.address)
            return connection
        if self.is_udp:
            await open_udp(connection, self.address, self.port, self.protection, token)
            return connection
        try:
            await loop.create_connection(lambda: connection, self.address, self.port, ssl=self.tls)
            await connection.wait_until_open()
        except ssl.SSLError as error:
            raise HandshakeError("TlsFailed", str(error)) from None
        except BaseException:
            connection.abort()
            raise
        return connection


def parse(text: str, tls: ssl.SSLContext | None = None, protection: Protection | None = None) -> Endpoint:
    """Reads an endpoint: ``tcp://HOST:PORT``, ``ws://HOST:PORT/PATH``, ``wss://HOST:PORT/PATH``, ``udp://HOST:PORT``, ``unix:PATH`` or ``process:ID/NAME``.

    :param tls: TLS for ``tcp``, or the settings of TLS for ``wss``. Without settings, ``wss`` uses those of :func:`ssl.create_default_context`.
    :param protection: the protection for ``udp``.
    """
    scheme, _, rest = text.partition(":")
    place = urlsplit(text)
    if scheme in ("tcp", "ws", "wss") and place.hostname and place.port:
        tls = ssl.create_default_context() if scheme == "wss" and tls is None else tls
        return Endpoint(place.hostname, place.port, tls=tls, path="" if scheme == "tcp" else place.path or "/")
    if scheme == "udp" and place.hostname and place.port:
        return udp(place.port, place.hostname, protection)
    rest = rest.removeprefix("//")
    process, _, name = rest.partition("/")
    if scheme == "unix" and rest:
        return Endpoint(rest)
    if scheme == "process" and process.isdecimal() and name:
        return of_process(int(process), name)
    raise ValueError(f"{text!r} is no endpoint. Use tcp://HOST:PORT, ws://HOST:PORT/PATH, wss://HOST:PORT/PATH, udp://HOST:PORT, unix:PATH or process:ID/NAME.")


def tcp(port: int, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Endpoint:
    """A TCP port, of this machine unless ``host`` says another."""
    return Endpoint(host, port, tls=tls)


def websocket(port: int, host: str = "127.0.0.1", path: str = "/", tls: ssl.SSLContext | None = None) -> Endpoint:
    """A WebSocket."""
    return Endpoint(host, port, tls=tls, path=path)


def udp(port: int, host: str = "127.0.0.1", protection: Protection | None = None) -> Endpoint:
    """A UDP port. Without protection, any machine on the way can read and change the messages: use it on this machine only."""
    return Endpoint(host, port, is_udp=True, protection=protection)


def unix(path: str | Path) -> Endpoint:
    """A Unix socket."""
    return Endpoint(str(path))


def of_process(process_id: int, name: str) -> Endpoint:
    """Returns the endpoint of a server that a process of this user has published.

    Raises :class:`ConnectionError` if there is no such server. Raises :class:`PermissionError` if other users can access the entry or its folders.
    """
    try:
        with _open_servers() as servers, _open_private(f"{name}.{process_id}", servers) as entry, open(entry, encoding="utf-8", closefd=False) as file:
            first, process, *places, token = file.read(_MAX_ENTRY).rstrip("\n").split("\n")
        if first != "reloaded-messaging server 1" or process.split(" ")[2] != _started(process_id):
            raise ValueError
        kind, port, _, address = next(place.split(" ", 3) for place in places if place.startswith(("Unix ", "Tcp ")))
        return Endpoint(address, int(port) if kind == "Tcp" else 0, base64.b64decode(token.removeprefix("token ")))
    except PermissionError:
        raise
    except (OSError, ValueError, IndexError, StopIteration):
        raise ConnectionError(f"Process {process_id} has no server {name!r} that this client can reach: {_folder() / 'servers'}.") from None


def find_servers(name: str) -> list[int]:
    """Returns the ids of the processes of this user that have published a server with this name.

    Raises :class:`PermissionError` if other users can access the folder of the entries.
    """
    try:
        with _open_servers() as servers:
            entries = [entry.rpartition(".") for entry in os.listdir(servers)]
    except FileNotFoundError:
        return []  # no program of this user has published a server
    found = []
    for process_id in (int(suffix) for first, _, suffix in entries if first == name and suffix.isdecimal()):
        with contextlib.suppress(ConnectionError, PermissionError):  # a server that has ended, or an entry that other users can access
            of_process(process_id, name)
            found.append(process_id)
    return sorted(found)


def _folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):
        return Path(runtime, "reloaded-messaging")
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user of a container without a name
        user = str(os.geteuid())
    return Path(tempfile.gettempdir(), f"reloaded-messaging-{user}")


@contextlib.contextmanager
def _open_servers() -> Iterator[int]:
    """Opens the folder of the entries. Another user may have created it first, because the temporary folder is open to all users."""
    if not hasattr(os, "geteuid"):
        raise FileNotFoundError("Finding servers by their process needs Linux. Use tcp() with the port of the server.")
    with _open_private(_folder(), is_folder=True) as parent, _open_private("servers", parent, is_folder=True) as servers:
        yield servers


@contextlib.contextmanager
def _open_private(path: str | Path, parent: int | None = None, is_folder: bool = False) -> Iterator[int]:
    """Opens a file or folder that only this user can access. The checks use the open descriptor, so that another user cannot replace the path between the check and the use."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise PermissionError(f"{path} is a link. Remove it; the next server of this user creates it again.") from None
        raise
    try:
        found = os.fstat(opened)
        if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise PermissionError(
                f"{path} belongs to user {found.st_uid} and has the mode {found.st_mode & 0o7777:04o}; it must be a {'folder' if is_folder else 'file'} "
                f"of user {os.geteuid()} that no other user can access. Remove it, or connect with tcp() or unix()."
            )
        yield opened
    finally:
        os.close(opened)


def _started(process_id: int) -> str:
    """When a process started, as Linux counts: field 22 of its stat. An id may belong to another process later."""
    return Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
