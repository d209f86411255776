"""The client against servers that send without end, and against servers that differ."""

from __future__ import annotations

import contextlib
import logging
import queue
import socket
import threading
import unittest
from typing import Callable

from reloaded_messaging import Client, Header, Kind, PayloadError, Schema
from reloaded_messaging.contracts import MAX_CONTRACTS
from reloaded_messaging.session import MAX_RUNNING
from reloaded_messaging.wire import BLOCK, CANCEL, HELLO, PING, PONG, STREAM, read_fault, write_uvarint

from .servers import EVENT, SCHEMA, WAIT, Server, frame

class Limits(unittest.TestCase):
    def serve(self, script: Callable[[Server, socket.socket], None], hello: bytes | None = None) -> Server:
        server = Server(script, hello)
        self.addCleanup(server.close)
        return server

    def client(self, server: Server, timeout: float = WAIT, **options: bool) -> Client:
        client = Client(server.endpoint, SCHEMA, timeout=timeout, **options)
        self.addCleanup(client.close)
        return client

    def test_a_server_that_sends_without_end_has_to_wait_for_the_handlers(self) -> None:
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
        self.assertLessEqual(client.statistics.running_handlers, MAX_RUNNING)
        goes_on.set()
        for _ in range(2 * MAX_RUNNING):
            self.assertTrue(handled.acquire(timeout=WAIT))
        ends.set()

    def test_events_without_a_handler_do_not_wait(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(1), SCHEMA.encode("Event", {"Text": ""})))
            header, _ = server.receive(stream)
            for _ in range(2 * MAX_RUNNING):
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
                stream.sendall(frame(Header(HELLO, Kind.CONTROL), b"\x01"))
                threading.Event().wait(0.05)

        with self.assertRaises(TimeoutError):
            self.client(self.serve(drip, hello=b""), timeout=0.5).connect()

    def test_announced_contracts_are_limited(self) -> None:
        def announce(_: Server, stream: socket.socket) -> None:
            for id_ in range(10, 10 + MAX_CONTRACTS + 1):
                one = write_uvarint(2) + write_uvarint(id_) + b"\x02n\x02s" + bytes(4) + b"\x01"
                stream.sendall(frame(Header(HELLO, Kind.CONTROL), one))
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
        logging.getLogger("reloaded_messaging").disabled = True
        self.addCleanup(setattr, logging.getLogger("reloaded_messaging"), "disabled", False)
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
        for _ in range(5):
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
            stream.sendall(frame(Header(STREAM, Kind.REPLY, header.correlation), b"\x07\0\0\0"))
            asked.put(server.receive(stream))

        with self.assertRaisesRegex(PayloadError, "Samples.Ask is a stream"):
            self.client(self.serve(open_stream)).connect().request("Ask", {"Text": ""})
        header, payload = asked.get(timeout=WAIT)
        self.assertEqual((Kind.REQUEST, BLOCK, b"\x07\0\0\0\0\0\0\0"), (header.kind, header.type, payload))

    def test_values_of_another_type_and_unknown_names_are_payload_errors(self) -> None:
        for value in ({"Text": 5}, {"Text": b"bytes"}, {"Text": ["x"]}, ["Text"], {"Text": "\ud800"}):
            with self.subTest(value=value), self.assertRaisesRegex(PayloadError, "Samples.Event"):
                SCHEMA.encode(1, value)  # type: ignore[arg-type]
        for name in ("Missing", "vent", 99):
            with self.subTest(name=name), self.assertRaisesRegex(PayloadError, "no contract .*Samples.Event"):
                SCHEMA.find(name)

    def test_request_is_not_sent_or_handled_as_an_event(self) -> None:
        roles = {"Request": "request", "Stream": "stream", "Event": "event"}
        common = {"kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": []}
        schema = Schema({"contracts": [{"id": id_, "name": name, "role": role, **common} for id_, (name, role) in enumerate(roles.items(), 1)]})
        received = queue.Queue[tuple[Header, bytes]]()
        client = Client(self.serve(lambda server, stream: received.put(server.receive(stream))).endpoint, schema)
        self.addCleanup(client.close)
        for name in ("Request", "Stream"):
            with self.assertRaisesRegex(PayloadError, f"{name} is a request, and not an event. Use request or stream to send it"):
                client.on(name, print)
        client.on("Event", print)
        client.connect()
        for name in ("Request", "Stream"):
            with self.assertRaisesRegex(PayloadError, f"{name} is a request, and not an event. Use request or stream to send it"):
                client.send(name)
        client.send("Event")
        self.assertEqual(3, received.get(timeout=WAIT)[0].type)

    def test_canceled_request_is_fault_5(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(1), SCHEMA.encode("Event", {"Text": ""})))  # occupies the handlers' thread
            stream.sendall(frame(Header(2, Kind.REQUEST, 9), SCHEMA.encode("Ask", {"Text": ""})))
            stream.sendall(frame(Header(CANCEL, Kind.CONTROL), b"\x09") + frame(Header(PING, Kind.CONTROL)))
            while server.receive(stream, control=True)[0].type != PONG:  # then the client has read the cancellation
                pass
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
