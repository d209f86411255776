"""Where a server listens: TCP, a Unix socket, or the server that a process has published."""

from __future__ import annotations

import base64
import contextlib
import getpass
import os
import socket
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Endpoint:
    """An address. ``port`` is 0 for a Unix socket. ``token`` is the published one of a process's server."""

    address: str
    port: int = 0
    token: bytes = b""
    tls: ssl.SSLContext | None = None

    def connect(self, timeout: float) -> socket.socket:
        """Opens a connection. Raises :class:`OSError`."""
        if self.port == 0:
            stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            stream.settimeout(timeout)
            stream.connect(self.address)
            return stream
        stream = socket.create_connection((self.address, self.port), timeout)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return stream if self.tls is None else self.tls.wrap_socket(stream, server_hostname=self.address)


def tcp(port: int, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Endpoint:
    """A TCP port, of this machine unless ``host`` says another."""
    return Endpoint(host, port, tls=tls)


def unix(path: str | Path) -> Endpoint:
    """A Unix socket."""
    return Endpoint(str(path))


def of_process(process_id: int, name: str) -> Endpoint:
    """The server that a process of this user has published. Raises :class:`ConnectionError` if there is no such server."""
    entry = _folder() / f"{name}.{process_id}"
    try:
        first, process, *places, token = entry.read_text(encoding="utf-8").rstrip("\n").split("\n")
        if first != "reloaded-messaging server 1" or process.split(" ")[2] != _started(process_id):
            raise ValueError
        kind, port, _, address = next(place.split(" ", 3) for place in places if place.startswith(("Unix ", "Tcp ")))
        return Endpoint(address, int(port) if kind == "Tcp" else 0, base64.b64decode(token.removeprefix("token ")))
    except (OSError, ValueError, IndexError, StopIteration):
        raise ConnectionError(f"Process {process_id} has no server {name!r} that this client can reach: {entry}.") from None


def find_servers(name: str) -> list[int]:
    """The processes of this user that have published a server of this name."""
    found = []
    for process_id in (int(path.suffix[1:]) for path in _folder().glob(f"{name}.*") if path.suffix[1:].isdigit()):
        with contextlib.suppress(ConnectionError):  # a server that is gone
            of_process(process_id, name)
            found.append(process_id)
    return sorted(found)


def _folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    base = Path(runtime, "reloaded-messaging") if os.path.isabs(runtime) else Path(tempfile.gettempdir(), f"reloaded-messaging-{getpass.getuser()}")
    return base / "servers"


def _started(process_id: int) -> str:
    """When a process started, as Linux counts: field 22 of its stat. An id may belong to another process later."""
    return Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
