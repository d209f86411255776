"""The client for asyncio against live C# hosts."""

from __future__ import annotations

import asyncio
import base64
import logging
import ssl
import unittest
from typing import Any, AsyncIterator
from unittest import mock

from reloaded_messaging import Endpoint, Fault, HandshakeError, Host, Schema, connect, parse, websocket
from reloaded_messaging import compression

from .hosts import PEER, Host as Process
from .support import EXTENT

SCHEMA = Schema.load(PEER / "contracts.schema.json")
TOKEN = bytes(range(32))
WAIT = 30.0


def setUpModule() -> None:
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # slow steps of a loaded machine

class LanguageServer(unittest.IsolatedAsyncioTestCase):
    verb, token = "languages", b""

    @classmethod
    def setUpClass(cls) -> None:
        cls.process = Process(PEER, cls.verb, cls.token.hex() or "none", "0")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.process.stop()

    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().set_debug(EXTENT >= 2)  # unittest turns it on; the stacks that it notes need more time than the messages

    def endpoint(self) -> str | Endpoint:
        return f"tcp://127.0.0.1:{self.process.ready}"

    def host(self, **options: Any) -> Host:
        return connect(self.endpoint(), SCHEMA, token=self.token, timeout=WAIT, **options)


class Messages(LanguageServer):
    async def test_many_requests_get_their_own_replies(self) -> None:
        async with self.host() as host:
            replies = await asyncio.gather(*(host.request("Sum", {"Numbers": [number, 1]}) for number in range(2000)))
            self.assertEqual([number + 1 for number in range(2000)], [reply["Value"] for reply in replies])
            self.assertEqual((2000, 0), (host.statistics.sent_requests, host.statistics.unanswered_requests))

    async def test_events_come_back_in_order(self) -> None:
        got: asyncio.Queue[str] = asyncio.Queue()
        async with self.host() as host:
            host.on("Shout", lambda shout: got.put_nowait(shout["Text"]))  # registered while the client is connected
            for i in range(500):
                await host.send("Shout", {"Text": str(i), "Times": 1})
            self.assertEqual([str(i) for i in range(500)], [await asyncio.wait_for(got.get(), WAIT) for _ in range(500)])
            self.assertEqual(500, host.statistics.received_events)

    async def test_the_server_asks_back_while_it_is_asked(self) -> None:
        async def answer(question: dict[str, Any]) -> dict[str, Any]:
            inner = await host.request("Sum", {"Numbers": [question["Number"], 1]})
            return {"Number": inner["Value"], "ProcessId": 0}

        async with self.host() as host:
            host.on_request("Question", "Answer", answer)
            self.assertEqual({"Number": 22, "ProcessId": 0}, await host.request("AskBack", {"Number": 21}))

    async def test_fault_of_the_server_is_not_passed_on_by_a_handler(self) -> None:
        async with self.host() as host:
            host.on_request("Question", "Answer", lambda _: host.request("Fail", {"Code": 1234, "Text": "secret"}))
            with self.assertLogs("reloaded_messaging"), self.assertRaises(Fault) as raised:
                await host.request("AskBack", {"Number": 1})
            self.assertEqual(1, raised.exception.code)

    async def test_a_handler_sees_that_the_server_cancels_its_request(self) -> None:
        canceled = asyncio.Event()

        async def wait(_: dict[str, Any]) -> dict[str, Any]:
            try:
                await asyncio.sleep(WAIT)
            finally:
                canceled.set()
            return {}

        async with self.host() as host:
            host.on_request("Question", "Answer", wait)
            asking = asyncio.create_task(host.request("AskBack", {"Number": 1}))
            while not host.statistics.running_handlers:
                await asyncio.sleep(0.001)
            asking.cancel()  # the server cancels its request to this side
            await asyncio.wait_for(canceled.wait(), WAIT)
            self.assertEqual(3, (await host.request("Sum", {"Numbers": [3]}))["Value"])

    async def test_payloads_are_compressed_in_both_directions(self) -> None:
        lines = {"Text": ["again and again"] * 20000}
        async with self.host() as host:
            self.assertEqual({"Characters": 300_000}, await host.request("Lines", lines))
            self.assertLess(host.statistics.sent_bytes, 10_000)
            self.assertEqual({"Text": ["again and again"] * 1000}, await host.request("Repeat", {"Text": "again and again", "Count": 1000}))
            self.assertLess(host.statistics.received_bytes, 10_000)

    async def test_payload_is_plain_without_the_library(self) -> None:
        def missing(_: bytes) -> bytes:
            raise OSError("no library")

        with mock.patch.dict(compression.COMPRESSORS, brotli=missing):
            async with self.host() as host:
                self.assertEqual({"Characters": 15_000}, await host.request("Lines", {"Text": ["again and again"] * 1000}))
                self.assertGreater(host.statistics.sent_bytes, 15_000)

    async def test_close_waits_for_what_runs(self) -> None:
        goes_on, ended = asyncio.Event(), asyncio.Event()

        async def answer(_: dict[str, Any]) -> dict[str, Any]:
            await goes_on.wait()
            ended.set()
            return {"Number": 5, "ProcessId": 0}

        host = await self.host()
        host.on_request("Question", "Answer", answer)
        asking = asyncio.create_task(host.request("AskBack", {"Number": 1}))
        while not host.statistics.running_handlers:
            await asyncio.sleep(0.001)
        closing = asyncio.create_task(host.close(WAIT))
        await asyncio.sleep(0)
        with self.assertRaises(ConnectionError):
            await host.send("Shout", {"Text": "late"})
        goes_on.set()
        self.assertEqual(5, (await asking)["Number"])
        await closing
        self.assertTrue(ended.is_set())

    async def test_close_without_drain_ends_what_runs(self) -> None:
        host = await self.host()
        waiting = asyncio.create_task(host.request("Wait"))
        await host.request("Sum", {"Numbers": []})
        await host.close(0)
        with self.assertRaises(ConnectionError):
            await waiting

    async def test_the_round_trip_is_measured(self) -> None:
        async with self.host() as host:
            while host.statistics.round_trip is None:
                await asyncio.sleep(0.001)
            self.assertGreater(host.statistics.round_trip, 0)


class MessagesWithToken(Messages):
    token = TOKEN


class OverWebSocket(Messages):
    verb = "languages-websocket"

    def endpoint(self) -> str | Endpoint:
        return f"ws://127.0.0.1:{self.process.ready}/"

    async def test_large_messages_go_over_a_WebSocket(self) -> None:
        async with self.host() as host:
            for size in (100, 126, 1000, 65_536, 70_000, 900_000):
                with self.subTest(size=size):
                    got: asyncio.Queue[str] = asyncio.Queue()
                    host.on("Shout", lambda shout: got.put_nowait(shout["Text"]))
                    await host.send("Shout", {"Text": "x" * size, "Times": 1})
                    self.assertEqual(size, len(await asyncio.wait_for(got.get(), WAIT)))

    async def test_another_path_of_a_WebSocket_is_refused(self) -> None:
        with self.assertRaises(HandshakeError) as raised:
            await connect(websocket(int(self.process.ready), path="/other"), SCHEMA)
        self.assertEqual("NotAPeer", raised.exception.reason)
        self.assertIn("404", raised.exception.text)


class OverTls(LanguageServer):
    verb, token = "languages-tls", TOKEN

    def endpoint(self, trusted: bool = True) -> Endpoint:
        tls = ssl.create_default_context()
        if trusted:
            tls.load_verify_locations(cadata=base64.b64decode(self.process.words[1]))
        return parse(f"tcp://localhost:{self.process.ready}", tls)

    async def test_only_a_trusted_certificate_connects(self) -> None:
        async with self.host() as host:
            self.assertEqual(3, (await host.request("Sum", {"Numbers": [1, 2]}))["Value"])
            self.assertEqual(20_000, len([item async for item in host.stream("Count", {"To": 20_000})]))
        with self.assertRaises(HandshakeError) as raised:
            await connect(self.endpoint(trusted=False), SCHEMA, token=TOKEN)
        self.assertEqual("TlsFailed", raised.exception.reason)


class Streams(LanguageServer):
    async def test_items_of_a_stream_arrive_in_order(self) -> None:
        async with self.host() as host:
            numbers = [item["Number"] async for item in host.stream("Count", {"To": 20_000})]
            self.assertEqual(list(range(20_000)), numbers)
            self.assertEqual([], [item async for item in host.stream("Count", {"To": 0})])

    async def test_a_fault_of_a_stream_follows_the_items_before_it(self) -> None:
        numbers = []
        async with self.host() as host:
            with self.assertRaises(Fault) as raised:
                async for item in host.stream("Count", {"To": 1000, "Fails": True}):
                    numbers.append(item["Number"])
        self.assertEqual((1002, list(range(1000))), (raised.exception.code, numbers))

    async def test_streams_that_are_left_are_closed_on_the_server(self) -> None:
        async with self.host() as host:
            for _ in range(100):  # the server has at most 64 for a client
                items = host.stream("Count", {"To": 1_000_000})
                self.assertEqual(0, (await anext(items))["Number"])
                await items.aclose()
            self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_a_slow_loop_slows_down_the_server(self) -> None:
        async with self.host() as host:
            items = host.stream("Count", {"To": 2_000_000})
            await anext(items)
            received = list[int]()
            while len(received) < 5 or len(set(received[-5:])) > 1:  # until the server waits
                await asyncio.sleep(0.1)
                received.append(host.statistics.received_bytes)
            self.assertLess(received[-1], 6 * 64 * 1024)
            await items.aclose()

    async def test_a_request_for_a_stream_is_refused_and_the_stream_is_closed(self) -> None:
        async with self.host() as host:
            for _ in range(65):
                with self.assertRaisesRegex(ValueError, "is a stream"):
                    await host.request("Count", {"To": 10})

    async def test_the_server_reads_a_stream_of_the_client(self) -> None:
        closed = asyncio.Event()

        async def count(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
            try:
                for i in range(request["To"]):
                    yield {"Number": i, "Text": "y" * (i % 300)}
            finally:
                closed.set()

        async with self.host() as host:
            host.on_stream("Count", "Counted", count)
            self.assertEqual(sum(range(5000)), (await host.request("CountBack", {"To": 5000, "Leaves": 0}))["Number"])
            closed.clear()
            self.assertEqual(45, (await host.request("CountBack", {"To": 1_000_000, "Leaves": 10}))["Number"])
            await asyncio.wait_for(closed.wait(), WAIT)

    async def test_a_stream_of_the_client_that_fails_is_a_fault(self) -> None:
        async def count(_: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
            yield {"Number": 1, "Text": ""}
            raise RuntimeError("inside")

        async with self.host() as host:
            host.on_stream("Count", "Counted", count)
            with self.assertLogs("reloaded_messaging"), self.assertRaises(Fault):
                await host.request("CountBack", {"To": 1, "Leaves": 0})


if __name__ == "__main__":
    unittest.main()
