"""The client for asyncio against servers that break the rules, and against servers that stop."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import queue
import socket
import tempfile
import threading
import unittest
from typing import Any, Callable, Coroutine, Iterable

from reloaded_messaging import Client, Fault, Header, HandshakeError, Host, Kind, PayloadError, TransferError, WireError, connect
from reloaded_messaging.wire import BLOCK, BLOCK_REPLY, FILE_FOUND, FILE_STARTED, FILE_WANTED, GOODBYE, PING, STREAM, read_fault
from reloaded_messaging.websocket import WebSocket

from .servers import SCHEMA, WAIT, Scripted, Server, frame


def setUpModule() -> None:
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # slow steps of a loaded machine


def text(value: str) -> bytes:
    return SCHEMA.encode("Event", {"Text": value})


def reply(to: Header, type_: int, payload: bytes) -> bytes:
    return frame(Header(type_, Kind.REPLY, to.correlation), payload)


class Hostile(Scripted):
    async def test_fault_whose_text_is_not_utf_8_is_a_payload_error(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            for _ in range(3):
                asked, _ = server.receive(stream)
                stream.sendall(frame(Header(asked.type, Kind.FAULT, asked.correlation), b"\1\xff"))

        host = self.host(script)
        async with host:
            for ask in (lambda: host.request("Ask", {"Text": ""}), lambda: anext(host.stream("Ask", {"Text": ""})), lambda: host.receive_file("n", io.BytesIO())):
                with self.assertRaisesRegex(PayloadError, "A fault of the server cannot be read"):
                    await ask()

    async def test_17th_unreadable_message_ends_the_connection(self) -> None:
        goodbyes = queue.Queue[bytes]()
        bad = [frame(Header(1), b"\xff"), b"\x02\x7f\x0d", frame(Header(PING, Kind.CONTROL), bytes(65))]

        def script(server: Server, stream: socket.socket) -> None:
            server.receive(stream)
            for i in range(17):
                if i == 16:
                    stream.sendall(frame(Header(2, Kind.REQUEST, 5), text("")))
                    server.receive(stream)  # its answer: the connection goes on after 16 of them
                stream.sendall(bad[i % 3])
            while (received := server.receive(stream, control=True))[0].type != GOODBYE:
                pass
            goodbyes.put(received[1])

        host, ended = self.host(script), asyncio.Queue[tuple[str, str]]()
        host.disconnected = lambda *end: ended.put_nowait(end)
        host.on("Event", lambda _: self.fail("An unreadable event was handled."))
        async with host:
            with self.assertLogs("reloaded_messaging"):
                await host.send("Other", {"Text": ""})
                self.assertEqual("Malformed", (await asyncio.wait_for(ended.get(), WAIT))[0])
        self.assertEqual(10, (await asyncio.to_thread(goodbyes.get, timeout=WAIT))[0])
        self.assertEqual(17, host.statistics.unreadable_messages)

    async def test_frame_that_is_too_large_ends_the_connection(self) -> None:
        for data, reason in ((b"\xff\xff\xff\x7f", "FrameTooLarge"), (b"\x00", "Malformed")):
            host, ended = self.host(lambda server, stream: (stream.sendall(data), server.wait(stream))[1]), asyncio.Queue[str]()
            host.disconnected = lambda reason, _: ended.put_nowait(reason)
            async with host:
                self.assertEqual(reason, await asyncio.wait_for(ended.get(), WAIT))

    async def test_blocks_that_are_invalid_are_payload_errors(self) -> None:
        item = frame(Header(1), text("x"))
        for block in (b"", b"\0", b"\2x", b"\1x", b"\0" + item[:-1], b"\0" + frame(Header(99), text("x")), b"\0" + frame(Header(1, Kind.REQUEST, 1), text("x")), b"\0\0"):
            with self.subTest(block=block):
                closed = queue.Queue[bytes]()

                def script(server: Server, stream: socket.socket, block: bytes = block) -> None:
                    stream.sendall(reply(server.receive(stream)[0], STREAM, b"\x09\0\0\0"))
                    stream.sendall(reply(server.receive(stream)[0], BLOCK_REPLY, block))
                    while (payload := server.receive(stream)[1])[4:] != bytes(4):
                        pass
                    closed.put(payload)
                    server.wait(stream)

                async with self.host(script) as host:
                    with self.assertRaises((PayloadError, WireError)):
                        async for _ in host.stream("Ask", {"Text": "4"}):
                            pass
                    self.assertEqual(b"\x09\0\0\0" + bytes(4), await asyncio.to_thread(closed.get, timeout=WAIT))

    async def test_stream_is_closed_if_a_request_for_a_block_is_dropped(self) -> None:
        closed = queue.Queue[bytes]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(reply(server.receive(stream)[0], STREAM, b"\x09\0\0\0"))
            stream.sendall(frame(Header(BLOCK, Kind.FAULT, server.receive(stream)[0].correlation), b"\x0cLater."))
            while (payload := server.receive(stream)[1])[4:] != bytes(4):
                pass
            closed.put(payload)
            server.wait(stream)

        async with self.host(script) as host:
            with self.assertRaises(Fault) as raised:
                async for _ in host.stream("Ask", {"Text": ""}):
                    pass
            self.assertEqual(b"\x09\0\0\0" + bytes(4), await asyncio.to_thread(closed.get, timeout=WAIT))
        self.assertEqual(12, raised.exception.code)

    async def test_what_a_late_reply_opens_is_closed(self) -> None:
        async def read(host: Host) -> None:
            async for _ in host.stream("Ask", {"Text": ""}):
                pass

        number = b"\x09\0\0\0"
        calls: list[tuple[Callable[[Host], Coroutine[Any, Any, Any]], int, bytes]] = [
            (lambda host: host.request("Ask", {"Text": ""}), STREAM, number),
            (read, STREAM, number),
            (lambda host: host.receive_file("n", "never"), FILE_FOUND, number + bytes(8) + b"n"),
        ]
        for call, type_, opened in calls:
            for is_canceled in (False, True):
                with self.subTest(type=type_, is_canceled=is_canceled):
                    received, left, closed = threading.Event(), threading.Event(), queue.Queue[tuple[int, bytes]]()

                    def script(server: Server, stream: socket.socket, type_: int = type_, opened: bytes = opened) -> None:
                        request, _ = server.receive(stream)
                        received.set()
                        left.wait(WAIT)
                        stream.sendall(reply(request, type_, opened))
                        close, payload = server.receive(stream)
                        closed.put((close.type, payload))
                        server.wait(stream)

                    async with self.host(script) as host:
                        host.timeout = WAIT if is_canceled else 0.05
                        calling = asyncio.create_task(call(host))
                        await asyncio.to_thread(received.wait, WAIT)
                        if is_canceled:
                            calling.cancel()
                        with self.assertRaises(asyncio.CancelledError if is_canceled else TimeoutError):
                            await calling
                        left.set()
                        self.assertEqual((BLOCK, number + bytes(4)), await asyncio.to_thread(closed.get, timeout=WAIT))

    async def test_error_of_a_file_that_is_sent_is_raised_by_the_call(self) -> None:
        class Broken(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                raise OSError("The disk is gone.")

        faults = queue.Queue[tuple[int, str]]()

        def script(server: Server, stream: socket.socket) -> None:
            offer, payload = server.receive(stream)
            stream.sendall(frame(Header(BLOCK, Kind.REQUEST, 1), payload[:4] + (131_072).to_bytes(4, "little")))
            faults.put(read_fault(server.receive(stream)[1]))
            stream.sendall(frame(Header(offer.type, Kind.FAULT, offer.correlation), b"\x01The handler failed."))
            server.wait(stream)

        async with self.host(script) as host:
            with self.assertRaises(TransferError) as raised:
                await host.send_file(Broken(b"1"), "n")
        self.assertIsInstance(raised.exception.__cause__, OSError)
        self.assertEqual((1, "The source of the file failed at byte 0."), faults.get(timeout=WAIT))

    async def test_stream_of_a_lost_connection_ends(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(reply(server.receive(stream)[0], STREAM, b"\x09\0\0\0"))
            server.receive(stream)

        async with self.host(script) as host:
            with self.assertRaises(ConnectionError):
                async for _ in host.stream("Ask", {"Text": ""}):
                    pass

    async def test_file_that_is_longer_or_shorter_than_its_offer_fails(self) -> None:
        for block in (b"\0" + bytes(11), b"\1"):

            def script(server: Server, stream: socket.socket, block: bytes = block) -> None:
                stream.sendall(reply(server.receive(stream)[0], FILE_FOUND, (1).to_bytes(4, "little") + (10).to_bytes(8, "little") + b"n"))
                stream.sendall(reply(server.receive(stream)[0], FILE_STARTED, bytes(8)))
                stream.sendall(reply(server.receive(stream)[0], BLOCK_REPLY, block))
                server.wait(stream)

            with tempfile.TemporaryDirectory() as folder:
                async with self.host(script) as host:
                    with self.assertRaises(TransferError) as raised:
                        await host.receive_file("n", f"{folder}/n")
            self.assertEqual((0, 10), raised.exception.progress[:2])

    async def answers_to(self, requests: Iterable[tuple[int, int, bytes]]) -> list[tuple[Header, bytes]]:
        """Sends requests, each with a type, an id and a payload, to a client that answers "Ask" with a stream of one item. Returns its answers."""
        answers = queue.Queue[tuple[Header, bytes]]()
        requests = list(requests)

        def script(server: Server, stream: socket.socket) -> None:
            for type_, number, payload in requests:
                stream.sendall(frame(Header(type_, Kind.REQUEST, number), payload))
                answers.put(server.receive(stream))
            server.wait(stream)

        async def items(_: object) -> Any:
            yield {"Text": "1"}

        host = self.host(script)
        host.on_stream("Ask", "Event", items)
        async with host:
            return [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in requests]

    async def test_pulls_of_unknown_and_ended_streams(self) -> None:
        requests = ((BLOCK, b"\x05\0\0\0\1\0\0\0"), (2, text("")), (BLOCK, b"\x01\0\0\0\0\0\0\0"), (BLOCK, b"\x01\0\0\0\1\0\0\0"), (BLOCK, b"short"))
        with self.assertLogs("reloaded_messaging"):
            got = await self.answers_to((type_, 1, payload) for type_, payload in requests)
        self.assertEqual([Kind.FAULT, Kind.REPLY, Kind.REPLY, Kind.REPLY, Kind.FAULT], [header.kind for header, _ in got])
        self.assertEqual((3, b"\x01\0\0\0", b"\1", b"\1", 3), (read_fault(got[0][1])[0], got[1][1], got[2][1], got[3][1], read_fault(got[4][1])[0]))

    async def test_65th_stream_is_refused(self) -> None:
        got = await self.answers_to((2, number, text("")) for number in range(65))
        self.assertEqual([Kind.REPLY] * 64 + [Kind.FAULT], [header.kind for header, _ in got])
        self.assertEqual(6, read_fault(got[64][1])[0])

    async def test_file_whose_reply_is_not_sent_is_closed(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            for i in range(66):
                stream.sendall(frame(Header(FILE_WANTED, Kind.REQUEST, 1), b"n" * (99_980 if i < 65 else 4)))
                answers.put(server.receive(stream))
            server.wait(stream)

        opened = list[io.BytesIO]()

        def find(_: str) -> io.BytesIO:
            opened.append(io.BytesIO(b"bytes"))
            return opened[-1]

        host = self.host(script)
        host.on_file_request(find)
        async with host:
            with self.assertLogs("reloaded_messaging"):
                found = [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in range(66)]
        self.assertEqual([4] * 65, [read_fault(payload)[0] for _, payload in found[:65]])
        self.assertEqual(Kind.REPLY, found[65][0].kind)
        self.assertTrue(all(file.closed for file in opened[:65]))

    async def test_file_that_a_handler_opens_after_the_connection_has_ended_is_closed(self) -> None:
        runs, ends, source = asyncio.Event(), threading.Event(), io.BytesIO(b"bytes")

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(FILE_WANTED, Kind.REQUEST, 1), b"name"))
            ends.wait(WAIT)

        async def find(_: str) -> io.BytesIO:
            runs.set()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(WAIT)
            return source

        host = self.host(script)
        host.on_file_request(find)
        async with host:
            await asyncio.wait_for(runs.wait(), WAIT)
            ends.set()
            async with asyncio.timeout(WAIT):
                while not source.closed:
                    await asyncio.sleep(0.01)

    async def test_a_server_that_does_not_read_makes_senders_wait(self) -> None:
        goes_on = threading.Event()
        self.addCleanup(goes_on.set)
        async with self.host(lambda server, stream: (goes_on.wait(WAIT), server.wait(stream))[1]) as host:

            async def flood() -> None:
                while True:
                    await host.send("Other", {"Text": "x" * 90_000})

            flooding, sent = asyncio.create_task(flood()), list[int]()
            while len(sent) < 5 or len(set(sent[-5:])) > 1:  # until the sender waits
                await asyncio.sleep(0.1)
                sent.append(host.statistics.sent_events)
            self.assertLess(host.statistics.pending_bytes, 6 << 20)
            goes_on.set()
            while host.statistics.sent_events == sent[-1]:
                await asyncio.sleep(0.01)
            flooding.cancel()

    async def test_answers_to_a_server_that_does_not_read_are_bounded(self) -> None:
        for data in (frame(Header(PING, Kind.CONTROL), bytes(64)), frame(Header(77, Kind.REQUEST, 1)), frame(Header(2, Kind.REQUEST, 1), text("x" * 1000))):
            with self.subTest(data=data[:8]):
                waits, ends = threading.Event(), threading.Event()

                def flood(server: Server, stream: socket.socket, data: bytes = data, waits: threading.Event = waits, ends: threading.Event = ends) -> None:
                    stream.settimeout(1)
                    with contextlib.suppress(TimeoutError):  # the client reads no more
                        while not ends.is_set():
                            stream.sendall(data * 1000)
                    waits.set()
                    ends.wait(WAIT)

                host = self.host(flood)
                host.on_request("Ask", "Answer", lambda ask: ask)
                async with host:
                    self.assertTrue(await asyncio.to_thread(waits.wait, WAIT))
                    self.assertLess(host.statistics.pending_bytes, 6 << 20)
                    ends.set()

    async def test_request_that_a_stopping_server_refuses_is_sent_again(self) -> None:
        connections = queue.Queue[int]()

        def script(server: Server, stream: socket.socket) -> None:
            connections.put(0)
            header, payload = server.receive(stream)
            if connections.qsize() == 1:
                stream.sendall(frame(Header(2, Kind.FAULT, header.correlation), b"\7stops") + frame(Header(GOODBYE, Kind.CONTROL), b"\0"))
            else:
                stream.sendall(reply(header, 3, payload))
            server.wait(stream)

        async with self.host(script, reconnect=True, resend=True) as host:
            self.assertEqual({"Text": "1"}, await host.request("Ask", {"Text": "1"}))
            self.assertEqual(1, host.statistics.resent_requests)

    async def test_close_ends_a_request_that_waits_for_a_connection(self) -> None:
        async with self.host(lambda server, stream: None, reconnect=True, resend=True) as host:
            ended = asyncio.Event()
            host.disconnected = lambda *_: ended.set()
            self.server.close()
            await asyncio.wait_for(ended.wait(), WAIT)
            waiting = asyncio.create_task(host.request("Ask", {"Text": ""}))
            while not host.statistics.unanswered_requests:
                await asyncio.sleep(0.001)
            await host.close()
            with self.assertRaises(ConnectionError):
                await waiting

    async def test_request_that_arrives_while_the_client_drains_is_refused(self) -> None:
        answers, drains = queue.Queue[tuple[Header, bytes]](), threading.Event()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(2, Kind.REQUEST, 1), text("")))
            drains.wait(WAIT)
            stream.sendall(frame(Header(2, Kind.REQUEST, 2), text("")))
            for _ in range(2):
                answers.put(server.receive(stream))
                goes_on.set()
            server.wait(stream)

        runs, goes_on = asyncio.Event(), threading.Event()

        async def answer(ask: dict[str, Any]) -> dict[str, Any]:
            runs.set()
            await asyncio.to_thread(goes_on.wait, WAIT)
            return ask

        host = self.host(script)
        host.on_request("Ask", "Answer", answer)
        await host
        await asyncio.wait_for(runs.wait(), WAIT)
        closing = asyncio.create_task(host.close(WAIT))
        await asyncio.sleep(0)
        drains.set()
        (first, fault), (second, _) = [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in range(2)]
        await closing
        self.assertEqual(((2, Kind.FAULT, 7), (1, Kind.REPLY)), ((first.correlation, first.kind, read_fault(fault)[0]), (second.correlation, second.kind)))


class WebSocketFrames(unittest.TestCase):
    def opened(self) -> WebSocket:
        socket_ = WebSocket("localhost", 1, "/")
        socket_.receive(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + socket_._accept + b"\r\n\r\n")
        return socket_

    def test_bytes_are_those_of_all_binary_frames(self) -> None:
        data = b"\x02\x03abc" + b"\x89\x02hi" + b"\x80\x7e\x00\x7e" + b"x" * 126 + b"\x82\x00" + b"\x82\x7f" + (70_000).to_bytes(8, "big") + b"y" * 70_000
        for size in (1, 7, len(data)):
            opened, stream, answers = self.opened(), b"", b""
            for start in range(0, len(data), size):
                one, answer = opened.receive(data[start : start + size])
                stream, answers = stream + one, answers + answer
            self.assertEqual(b"abc" + b"x" * 126 + b"y" * 70_000, stream)
            self.assertEqual((8, 0x8A, 0x82), (len(answers), *answers[:2]))  # a pong with a mask

    def test_frames_that_break_the_rules_are_refused(self) -> None:
        for data in (b"\x81\x01a", b"\xc2\x01a", b"\x82\x81abcda", b"\x80\x01a", b"\x02\x01a\x82\x01a", b"\x09\x00", b"\x89\x7e\x00\x7e", b"\x82\x7f" + b"\xff" * 8):
            with self.subTest(data=data), self.assertRaises(WireError):
                self.opened().receive(data)

    def test_response_of_another_server_is_refused(self) -> None:
        for response in (b"HTTP/1.1 403 Forbidden\r\n\r\n", b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: AAAA\r\n\r\n"):
            with self.assertRaises(HandshakeError):
                WebSocket("localhost", 1, "/").receive(response)
        with self.assertRaises(WireError):
            WebSocket("localhost", 1, "/").receive(b"HTTP/1.1 101 x\r\n" + b"x" * 8192)


class Blocking(unittest.TestCase):
    def test_stream_of_the_blocking_client_ends_with_its_loop(self) -> None:
        closed = queue.Queue[bytes]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(reply(server.receive(stream)[0], STREAM, b"\x09\0\0\0"))
            stream.sendall(reply(server.receive(stream)[0], BLOCK_REPLY, b"\0" + 3 * frame(Header(1), text("item"))))
            while (payload := server.receive(stream)[1])[4:] != bytes(4):
                pass
            closed.put(payload)
            server.wait(stream)

        server = Server(script)
        self.addCleanup(server.close)
        with Client(server.endpoint, SCHEMA, timeout=WAIT).connect() as client:
            for item in client.stream("Ask", {"Text": ""}):
                self.assertEqual({"Text": "item"}, item)
                break
            closed.get(timeout=WAIT)

    def test_failed_connection_ends_the_thread(self) -> None:
        server = Server(lambda server, stream: None)
        server.close()
        before = set(threading.enumerate())
        client = Client(server.endpoint, SCHEMA, timeout=WAIT)
        for _ in range(2):
            self.assertRaises(OSError, client.connect)
        for thread in set(threading.enumerate()) - before:
            thread.join(WAIT)
            self.assertFalse(thread.is_alive())

    def test_handler_that_closes_the_client_does_not_wait_for_itself(self) -> None:
        server = Server(lambda server, stream: (stream.sendall(frame(Header(1), text(""))), server.wait(stream))[1])
        self.addCleanup(server.close)
        client, closed = Client(server.endpoint, SCHEMA, timeout=WAIT), threading.Event()

        def close(_: object) -> None:
            client.close(2 * WAIT)
            closed.set()

        client.on("Event", close)
        client.connect()
        self.assertTrue(closed.wait(WAIT))


if __name__ == "__main__":
    unittest.main()
