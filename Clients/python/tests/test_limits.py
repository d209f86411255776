"""The client against servers that send without end, and against servers that differ."""

from __future__ import annotations

import contextlib
import logging
import queue
import socket
import threading
import unittest
from typing import Callable

from reloaded_messaging import Client, Endpoint, Header, Kind, PayloadError, Schema
from reloaded_messaging import client as module
from reloaded_messaging.handshake import write_hello
from reloaded_messaging.wire import read_fault, read_header, take_frame, write_header, write_uvarint

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
                stream.sendall(frame(Header(module.HELLO, Kind.CONTROL), write_hello(bytes(16), False, max_message_size=100_000)[:-1] + self.contracts))
                if self.hello is None:
                    stream.sendall(frame(Header(module.HELLO, Kind.CONTROL)))
                self.script(self, stream)
        except BaseException as error:
            self.errors.put(error)

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


class Limits(unittest.TestCase):
    def serve(self, script: Callable[[Server, socket.socket], None], hello: bytes | None = None) -> Server:
        server = Server(script, hello)
        self.addCleanup(server.close)
        return server

    def client(self, server: Server, timeout: float = WAIT, **options: bool) -> Client:
        client = Client(server.endpoint, SCHEMA, timeout=timeout, **options)
        self.addCleanup(client.close)
        return client

    def test_server_that_sends_without_end_has_to_wait_for_the_handler(self) -> None:
        waits, ends = threading.Event(), threading.Event()

        def flood(_: Server, stream: socket.socket) -> None:
            stream.settimeout(1)
            with contextlib.suppress(TimeoutError):  # the client reads no more
                while True:
                    stream.sendall(EVENT)
            waits.set()
            ends.wait(WAIT)

        client = self.client(self.serve(flood))
        goes_on, handled = threading.Event(), threading.Semaphore(0)

        def handle(_: object) -> None:
            goes_on.wait(WAIT)
            handled.release()

        client.on("Event", handle)
        client.connect()
        self.assertTrue(waits.wait(WAIT))
        self.assertLessEqual(client._worker._work_queue.qsize(), module.MAX_WAITING)
        goes_on.set()
        for _ in range(2 * module.MAX_WAITING):
            self.assertTrue(handled.acquire(timeout=WAIT))
        ends.set()

    def test_events_without_a_handler_do_not_wait(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(1), SCHEMA.encode("Event", {"Text": ""})))
            header, _ = server.receive(stream)
            for _ in range(2 * module.MAX_WAITING):
                stream.sendall(frame(Header(4), SCHEMA.encode("Other", {"Text": ""})))
            stream.sendall(frame(Header(3, Kind.REPLY, header.correlation), SCHEMA.encode("Answer", {"Text": "arrived"})))
            with contextlib.suppress(ConnectionError):  # until the client closes
                server.receive(stream)

        client, goes_on = self.client(self.serve(script)), threading.Event()
        self.addCleanup(goes_on.set)
        client.on("Event", lambda _: goes_on.wait(WAIT))
        self.assertEqual({"Text": "arrived"}, client.connect().request("Ask", {"Text": ""}))

    def test_handshake_without_end_has_a_deadline(self) -> None:
        def drip(_: Server, stream: socket.socket) -> None:
            while True:
                stream.sendall(frame(Header(module.HELLO, Kind.CONTROL), b"\x01"))
                threading.Event().wait(0.05)

        with self.assertRaises(TimeoutError):
            self.client(self.serve(drip, hello=b""), timeout=0.5).connect()

    def test_announced_contracts_are_limited(self) -> None:
        def announce(_: Server, stream: socket.socket) -> None:
            for id_ in range(10, 10 + module.MAX_CONTRACTS + 1):
                one = write_uvarint(2) + write_uvarint(id_) + b"\x02n\x02s" + bytes(4) + b"\x01"
                stream.sendall(frame(Header(module.HELLO, Kind.CONTROL), one))
            threading.Event().wait(WAIT)

        client, ended = self.client(self.serve(announce)), queue.Queue[str]()
        client.disconnected = lambda reason, text: ended.put(f"{reason}: {text}")
        client.connect()
        self.assertEqual("Malformed: The server announced more than 4096 contracts.", ended.get(timeout=WAIT))

    def test_reply_above_the_limit_is_fault_4_and_the_connection_goes_on(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()

        def ask(server: Server, stream: socket.socket) -> None:
            for number in (1, 2):
                stream.sendall(frame(Header(2, Kind.REQUEST, number), SCHEMA.encode("Ask", {"Text": str(number)})))
                answers.put(server.receive(stream))

        client = self.client(self.serve(ask))
        client.on_request("Ask", "Answer", lambda ask: {"Text": "x" * 100_000 if ask["Text"] == "1" else "small"})
        logging.getLogger("reloaded_messaging.client").disabled = True
        self.addCleanup(setattr, logging.getLogger("reloaded_messaging.client"), "disabled", False)
        client.connect()
        header, payload = answers.get(timeout=WAIT)
        self.assertEqual((Kind.FAULT, 4), (header.kind, read_fault(payload)[0]))
        header, payload = answers.get(timeout=WAIT)
        self.assertEqual((Kind.REPLY, {"Text": "small"}), (header.kind, SCHEMA.decode("Answer", payload)))

    def test_close_amid_events_ends_the_receiving_thread(self) -> None:
        def flood(_: Server, stream: socket.socket) -> None:
            with contextlib.suppress(OSError):  # the client closed
                while True:
                    stream.sendall(EVENT)

        failed: list[object] = []
        hook, threading.excepthook = threading.excepthook, failed.append
        self.addCleanup(setattr, threading, "excepthook", hook)
        server = self.serve(flood)
        for _ in range(40):
            got, client = threading.Event(), Client(server.endpoint, SCHEMA, timeout=WAIT)
            client.on("Event", lambda _: got.set())
            client.connect()
            self.assertTrue(got.wait(WAIT))
            client.close()
        for thread in threading.enumerate():
            if thread.name == "reloaded-messaging receive":
                thread.join(WAIT)
                self.assertFalse(thread.is_alive())
        self.assertEqual([], failed)

    def test_failed_attempts_to_reconnect_are_reported(self) -> None:
        server = self.serve(lambda server, stream: server.receive(stream))  # closes after one message
        client, failed = self.client(server, reconnect=True), queue.Queue[Exception]()
        client.failed = failed.put
        client.disconnected = lambda reason, text: server.close()
        client.connect().send("Other", {"Text": ""})
        self.assertIsInstance(failed.get(timeout=WAIT), OSError)

    def test_reply_that_is_a_stream_is_named_and_closed(self) -> None:
        asked = queue.Queue[tuple[Header, bytes]]()

        def open_stream(server: Server, stream: socket.socket) -> None:
            header, _ = server.receive(stream)
            stream.sendall(frame(Header(module.STREAM, Kind.REPLY, header.correlation), b"\x07\0\0\0"))
            asked.put(server.receive(stream))

        with self.assertRaisesRegex(PayloadError, "Samples.Ask is a stream"):
            self.client(self.serve(open_stream)).connect().request("Ask", {"Text": ""})
        header, payload = asked.get(timeout=WAIT)
        self.assertEqual((Kind.REQUEST, module.BLOCK, b"\x07\0\0\0\0\0\0\0"), (header.kind, header.type, payload))

    def test_values_of_another_type_and_unknown_names_are_payload_errors(self) -> None:
        for value in ({"Text": 5}, {"Text": b"bytes"}, {"Text": ["x"]}, ["Text"], {"Text": "\ud800"}):
            with self.subTest(value=value), self.assertRaisesRegex(PayloadError, "Samples.Event"):
                SCHEMA.encode(1, value)  # type: ignore[arg-type]
        for name in ("Missing", "vent", 99):
            with self.subTest(name=name), self.assertRaisesRegex(PayloadError, "0 contracts"):
                SCHEMA.find(name)

    def test_canceled_request_is_fault_5(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(1), SCHEMA.encode("Event", {"Text": ""})))  # occupies the handlers' thread
            stream.sendall(frame(Header(2, Kind.REQUEST, 9), SCHEMA.encode("Ask", {"Text": ""})))
            stream.sendall(frame(Header(module.CANCEL, Kind.CONTROL), b"\x09") + frame(Header(module.PING, Kind.CONTROL)))
            server.receive(stream, control=True)  # the pong: the client has read the cancellation
            goes_on.set()
            answers.put(server.receive(stream))

        goes_on = threading.Event()
        client = self.client(self.serve(script))
        client.on("Event", lambda _: goes_on.wait(WAIT))
        client.on_request("Ask", "Answer", lambda ask: ask)
        client.connect()
        header, payload = answers.get(timeout=WAIT)
        self.assertEqual((Kind.FAULT, 9, 5), (header.kind, header.correlation, read_fault(payload)[0]))


if __name__ == "__main__":
    unittest.main()
