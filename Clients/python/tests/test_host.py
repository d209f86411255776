"""The client for asyncio against live C# hosts."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import logging
import ssl
import tempfile
import unittest
from pathlib import Path
from typing import Any, AsyncIterator
from unittest import mock

from reloaded_messaging import Endpoint, Fault, FileOffer, HandshakeError, Host, Progress, Schema, TransferError, connect, parse, websocket
from reloaded_messaging import compression

from .hosts import PEER, Host as Process

SCHEMA = Schema.load(PEER / "contracts.schema.json")
TOKEN = bytes(range(32))
WAIT = 30.0


def setUpModule() -> None:
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # slow steps of a loaded machine

def pattern(size: int) -> bytes:
    """The bytes of a file, as the server creates them."""
    return (bytes(7 * i % 251 for i in range(251)) * (size // 251 + 1))[:size]


class LanguageServer(unittest.IsolatedAsyncioTestCase):
    verb, token = "languages", b""

    @classmethod
    def setUpClass(cls) -> None:
        cls.process = Process(PEER, cls.verb, cls.token.hex() or "none", "0")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.process.stop()

    def endpoint(self) -> str | Endpoint:
        return f"tcp://127.0.0.1:{self.process.ready}"

    def host(self, **options: Any) -> Host:
        return connect(self.endpoint(), SCHEMA, token=self.token, timeout=WAIT, **options)


class Messages(LanguageServer):
    async def test_requests_at_the_same_time_get_their_own_replies(self) -> None:
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

    async def test_server_asks_back_while_it_is_asked(self) -> None:
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

    async def test_canceled_caller_cancels_the_handler(self) -> None:
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

    async def test_payload_is_compressed_in_both_directions(self) -> None:
        lines = {"Text": ["again and again"] * 20000}
        async with self.host() as host:
            self.assertEqual({"Characters": 300_000}, await host.request("Lines", lines))
            self.assertLess(host.statistics.sent_bytes, 10_000)
            self.assertEqual({"Text": ["again and again"] * 1000}, await host.request("Repeat", {"Text": "again and again", "Count": 1000}))
            self.assertLess(host.statistics.received_bytes, 10_000)

    async def test_payload_is_plain_without_the_library(self) -> None:
        def missing(_: bytes) -> bytes:
            raise OSError("no library")

        with mock.patch.dict(compression.COMPRESSORS, BrotliCompressor=missing):
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

    async def test_round_trip_is_measured(self) -> None:
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

    async def test_large_payloads_span_frames(self) -> None:
        async with self.host() as host:
            for size in (100, 126, 1000, 65_536, 70_000, 900_000):
                with self.subTest(size=size):
                    got: asyncio.Queue[str] = asyncio.Queue()
                    host.on("Shout", lambda shout: got.put_nowait(shout["Text"]))
                    await host.send("Shout", {"Text": "x" * size, "Times": 1})
                    self.assertEqual(size, len(await asyncio.wait_for(got.get(), WAIT)))

    async def test_other_path_is_refused(self) -> None:
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

    async def test_certificate_that_is_trusted_connects(self) -> None:
        async with self.host() as host:
            self.assertEqual(3, (await host.request("Sum", {"Numbers": [1, 2]}))["Value"])
            self.assertEqual(20_000, len([item async for item in host.stream("Count", {"To": 20_000})]))

    async def test_certificate_that_is_not_trusted_is_refused(self) -> None:
        with self.assertRaises(HandshakeError) as raised:
            await connect(self.endpoint(trusted=False), SCHEMA, token=TOKEN)
        self.assertEqual("TlsFailed", raised.exception.reason)


class Streams(LanguageServer):
    async def test_items_arrive_in_order(self) -> None:
        async with self.host() as host:
            numbers = [item["Number"] async for item in host.stream("Count", {"To": 20_000})]
            self.assertEqual(list(range(20_000)), numbers)
            self.assertEqual([], [item async for item in host.stream("Count", {"To": 0})])

    async def test_fault_follows_the_items_before_it(self) -> None:
        numbers = []
        async with self.host() as host:
            with self.assertRaises(Fault) as raised:
                async for item in host.stream("Count", {"To": 1000, "Fails": True}):
                    numbers.append(item["Number"])
        self.assertEqual((1002, list(range(1000))), (raised.exception.code, numbers))

    async def test_left_streams_are_closed_on_the_server(self) -> None:
        async with self.host() as host:
            for _ in range(100):  # the server has at most 64 for a client
                items = host.stream("Count", {"To": 1_000_000})
                self.assertEqual(0, (await anext(items))["Number"])
                await items.aclose()
            self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_slow_loop_slows_down_the_server(self) -> None:
        async with self.host() as host:
            items = host.stream("Count", {"To": 2_000_000})
            await anext(items)
            received = list[int]()
            while len(received) < 5 or len(set(received[-5:])) > 1:  # until the server waits
                await asyncio.sleep(0.1)
                received.append(host.statistics.received_bytes)
            self.assertLess(received[-1], 6 * 64 * 1024)
            await items.aclose()

    async def test_request_for_a_stream_by_request_is_refused_and_closed(self) -> None:
        async with self.host() as host:
            for _ in range(65):
                with self.assertRaisesRegex(ValueError, "is a stream"):
                    await host.request("Count", {"To": 10})

    async def test_server_reads_a_stream_of_the_client(self) -> None:
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

    async def test_failing_stream_of_the_client_is_a_fault(self) -> None:
        async def count(_: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
            yield {"Number": 1, "Text": ""}
            raise RuntimeError("inside")

        async with self.host() as host:
            host.on_stream("Count", "Counted", count)
            with self.assertLogs("reloaded_messaging"), self.assertRaises(Fault):
                await host.request("CountBack", {"To": 1, "Leaves": 0})


class Files(LanguageServer):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    async def test_file_goes_to_the_server_and_back(self) -> None:
        content, reports = pattern(1_500_000), list[Progress]()
        (self.folder / "up").write_bytes(content)
        async with self.host() as host:
            self.assertEqual(Progress(1_500_000, 1_500_000), await host.send_file(self.folder / "up", progress=reports.append))
            self.assertEqual(Progress(1_500_000, 1_500_000), await host.receive_file("up", self.folder / "down"))
            self.assertEqual(Progress(0, 0), await host.send_file(io.BytesIO(), "empty"))
            await host.receive_file("empty", self.folder / "empty")
        self.assertEqual(content, (self.folder / "down").read_bytes())
        self.assertEqual([min(131_072 * (i + 1), 1_500_000) for i in range(12)], [report.transferred for report in reports])
        self.assertEqual(b"", (self.folder / "empty").read_bytes())

    async def test_part_is_continued_if_the_file_begins_with_it(self) -> None:
        content = pattern(500_000)
        async with self.host() as host:
            await host.send_file(io.BytesIO(content), "resumed")
            for part, resumed in ((content[:300_000], 300_000), (b"x" * 300_000, 0), (content + b"more", 0)):
                (self.folder / "down.part").write_bytes(part)
                self.assertEqual(Progress(500_000, 500_000, resumed), await host.receive_file("resumed", self.folder / "down"))
                self.assertEqual(content, (self.folder / "down").read_bytes())
                self.assertFalse((self.folder / "down.part").exists())

    async def test_link_in_place_of_the_part_is_refused(self) -> None:
        (self.folder / "target").touch()
        (self.folder / "down.part").symlink_to(self.folder / "target")
        async with self.host() as host:
            await host.send_file(io.BytesIO(b"1"), "linked")
            with self.assertRaises(TransferError):
                await host.receive_file("linked", self.folder / "down")
        self.assertEqual(b"", (self.folder / "target").read_bytes())

    async def test_refusals_have_the_programs_codes(self) -> None:
        async with self.host() as host:
            for code, transfer in ((1000, host.send_file(io.BytesIO(b"1"), "refused")), (1001, host.receive_file("missing", self.folder / "down"))):
                with self.assertRaises(Fault) as raised:
                    await transfer
                self.assertEqual(code, raised.exception.code)

    async def test_server_fetches_and_pushes_files(self) -> None:
        pushed = list[str]()

        async def save(offer: FileOffer) -> None:
            pushed.append(offer.name)
            await offer.save(self.folder / "pushed")

        (self.folder / "served").write_bytes(pattern(300_000))
        async with self.host() as host:
            host.on_file(save)
            host.on_file_request(lambda name: self.folder / "served" if name == "log" else None)
            self.assertEqual({"Number": 0, "ProcessId": 300_000}, await host.request("FetchFile", {"Name": "log", "Has": 0}))
            self.assertEqual({"Number": 200_000, "ProcessId": 300_000}, await host.request("FetchFile", {"Name": "log", "Has": 200_000}))
            self.assertEqual({"Number": 0, "ProcessId": 400_000}, await host.request("PushFile", {"Name": "../name", "Length": 400_000}))
        self.assertEqual((["../name"], pattern(400_000)), (pushed, (self.folder / "pushed").read_bytes()))


class Reconnecting(unittest.IsolatedAsyncioTestCase):
    async def test_requests_are_sent_again_in_their_order(self) -> None:
        first = await asyncio.to_thread(Process, PEER, "languages", "none", "0")
        async with connect(f"tcp://127.0.0.1:{first.ready}", SCHEMA, reconnect=True, resend=True, timeout=WAIT) as host:
            asked, ended, back, goes_on = list[int](), asyncio.Event(), asyncio.Event(), asyncio.Event()

            async def answer(question: dict[str, Any]) -> dict[str, Any]:
                asked.append(question["Number"])
                await goes_on.wait()
                return {"Number": question["Number"], "ProcessId": 0}

            host.on_request("Question", "Answer", answer)
            host.disconnected = lambda reason, text: ended.set()
            host.connected = back.set
            waiting = asyncio.create_task(host.request("AskBack", {"Number": 1}))
            while not asked:
                await asyncio.sleep(0.001)
            first.kill()
            await asyncio.wait_for(ended.wait(), WAIT)
            goes_on.set()
            asked.clear()
            back.clear()
            later = [asyncio.create_task(host.request("AskBack", {"Number": number})) for number in (2, 3)]
            again = await asyncio.to_thread(Process, PEER, "languages", "none", first.ready)
            self.assertEqual([1, 2, 3], [(await one)["Number"] for one in (waiting, *later)])
            self.assertEqual([1, 2, 3], asked)
            self.assertTrue(back.is_set())
            self.assertEqual((2, 1), (host.statistics.connections, host.statistics.resent_requests))
        await asyncio.to_thread(again.stop)

    async def test_first_connection_waits_for_the_server(self) -> None:
        process = await asyncio.to_thread(Process, PEER, "languages", "none", "0")
        process.kill()
        failed = asyncio.Event()
        host = connect(f"tcp://127.0.0.1:{process.ready}", SCHEMA, reconnect=True)
        host.failed = lambda error: failed.set()
        connecting = asyncio.ensure_future(host.__aenter__())
        await asyncio.wait_for(failed.wait(), WAIT)
        again = await asyncio.to_thread(Process, PEER, "languages", "none", process.ready)
        async with await connecting:
            self.assertTrue(host.is_connected)
        await asyncio.to_thread(again.stop)

    async def test_transfer_continues_over_the_next_connection(self) -> None:
        first = await asyncio.to_thread(Process, PEER, "languages", "none", "0")
        killed = False

        def kill(progress: Progress) -> None:
            nonlocal killed
            if progress.transferred > 2_000_000 and not killed:
                killed = True
                first.process.kill()

        async with connect(f"tcp://127.0.0.1:{first.ready}", SCHEMA, reconnect=True, timeout=WAIT) as host:
            sending = asyncio.create_task(host.send_file(io.BytesIO(pattern(10_000_000)), "large", kill))
            while not killed and not sending.done():
                await asyncio.sleep(0.001)
            first.kill()
            again = await asyncio.to_thread(Process, PEER, "languages", "none", first.ready)
            self.assertEqual(10_000_000, (await sending).transferred)
            self.assertEqual(2, host.statistics.connections)
        await asyncio.to_thread(again.stop)

    async def test_permanent_refusal_ends_the_first_connection(self) -> None:
        process = await asyncio.to_thread(Process, PEER, "languages", TOKEN.hex(), "0")
        with self.assertRaises(HandshakeError):
            await connect(f"tcp://127.0.0.1:{process.ready}", SCHEMA, reconnect=True)
        await asyncio.to_thread(process.stop)


if __name__ == "__main__":
    unittest.main()
