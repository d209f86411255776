"""Servers in Python, which send what a test says."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import unittest
from typing import Any, Callable

from reloaded_messaging import Endpoint, Header, Host, Kind, Schema, connect
from reloaded_messaging.handshake import write_hello
from reloaded_messaging.wire import HELLO, read_header, take_frame, write_header, write_uvarint

WAIT = 30.0


def _contract(id_: int, name: str) -> dict[str, object]:
    field = {"number": 1, "name": "Text", "type": "s", "shape": "100000001"}
    return {"id": id_, "name": name, "kind": "message", "struct": False, "version": 1, "serializer": "generated", "compressor": None, "fields": [field]}


SCHEMA = Schema({"contracts": [_contract(1, "Samples.Event"), _contract(2, "Samples.Ask"), _contract(3, "Samples.Answer"), _contract(4, "Samples.Other")]})


class Server:
    """Accepts connections, shakes hands, and then runs a script for each."""

    def __init__(self, script: Callable[[Server, socket.socket], None], hello: bytes | None = None, contracts: bytes = b"\x01") -> None:
        self.contracts = contracts
        self.script, self.hello, self.errors = script, hello, queue.Queue[BaseException]()
        self._buffers: dict[socket.socket, bytearray] = {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = Endpoint("127.0.0.1", self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # it is closed already
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener was closed
            while True:
                threading.Thread(target=self._serve, args=[self._listener.accept()[0]], daemon=True).start()

    def _serve(self, stream: socket.socket) -> None:
        try:
            with stream:
                stream.settimeout(WAIT)
                stream.sendall(frame(Header(HELLO, Kind.CONTROL), write_hello(bytes(16), False, max_message_size=100_000)[:-1] + self.contracts))
                if self.hello is None:
                    stream.sendall(frame(Header(HELLO, Kind.CONTROL)))
                self.script(self, stream)
        except BaseException as error:
            self.errors.put(error)

    def wait(self, stream: socket.socket) -> None:
        """Reads until the client closes. A server that closes before it has read all resets the connection."""
        while stream.recv(65536):
            pass

    def receive(self, stream: socket.socket, control: bool = False) -> tuple[Header, bytes]:
        """The next message that is no control message, or the next one that is."""
        buffer = self._buffers.setdefault(stream, bytearray())
        while True:
            while (message := take_frame(buffer, 1 << 20, 1 << 20)) is None:
                data = stream.recv(65536)
                if not data:
                    raise ConnectionError("The client closed.")
                buffer += data
            header, position = read_header(message)
            if (header.kind == Kind.CONTROL) == control:
                return header, message[position:]


def frame(header: Header, payload: bytes = b"") -> bytes:
    message = write_header(header) + payload
    return write_uvarint(len(message)) + message


EVENT = frame(Header(1), SCHEMA.encode("Event", {"Text": "x" * 1000}))


Script = Callable[[Server, socket.socket], None]


class Scripted(unittest.IsolatedAsyncioTestCase):
    """Tests of a client with a server that runs a script."""

    def host(self, script: Script, **options: Any) -> Host:
        self.server = Server(script)
        self.addCleanup(self.server.close)
        return connect(self.server.endpoint, SCHEMA, timeout=WAIT, **options)
