"""Files, and connections that are lost, with live C# hosts."""

from __future__ import annotations

import asyncio
import io
import tempfile
import unittest
from pathlib import Path
from typing import Any

from reloaded_messaging import Fault, FileOffer, HandshakeError, Progress, TransferError, connect
from reloaded_messaging.files import part_of

from . import test_host
from .hosts import PEER, Host as Process
from .test_host import SCHEMA, TOKEN, WAIT


setUpModule = test_host.setUpModule


def pattern(size: int) -> bytes:
    """The bytes of a file, as the server creates them."""
    return (bytes(7 * i % 251 for i in range(251)) * (size // 251 + 1))[:size]


class Files(test_host.LanguageServer):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    async def test_a_file_goes_to_the_server_and_back(self) -> None:
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

    async def test_a_part_is_continued_if_the_file_begins_with_it(self) -> None:
        content = pattern(500_000)
        async with self.host() as host:
            await host.send_file(io.BytesIO(content), "resumed")
            for part, resumed in ((content[:300_000], 300_000), (b"x" * 300_000, 0), (content + b"more", 0)):
                part_of(self.folder / "down").write_bytes(part)
                self.assertEqual(Progress(500_000, 500_000, resumed), await host.receive_file("resumed", self.folder / "down"))
                self.assertEqual(content, (self.folder / "down").read_bytes())
                self.assertFalse(part_of(self.folder / "down").exists())

    async def test_link_in_place_of_the_part_is_refused(self) -> None:
        (self.folder / "target").touch()
        part_of(self.folder / "down").symlink_to(self.folder / "target")
        async with self.host() as host:
            await host.send_file(io.BytesIO(b"1"), "linked")
            with self.assertRaises(TransferError):
                await host.receive_file("linked", self.folder / "down")
        self.assertEqual(b"", (self.folder / "target").read_bytes())

    async def test_refusals_of_files_have_codes_of_the_program(self) -> None:
        async with self.host() as host:
            for code, transfer in ((1000, host.send_file(io.BytesIO(b"1"), "refused")), (1001, host.receive_file("missing", self.folder / "down"))):
                with self.assertRaises(Fault) as raised:
                    await transfer
                self.assertEqual(code, raised.exception.code)

    async def test_the_server_fetches_and_pushes_files(self) -> None:
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

    async def test_the_first_connection_waits_for_the_server(self) -> None:
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

    async def test_a_transfer_continues_over_the_next_connection(self) -> None:
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

    async def test_a_permanent_refusal_ends_the_first_connection(self) -> None:
        process = await asyncio.to_thread(Process, PEER, "languages", TOKEN.hex(), "0")
        with self.assertRaises(HandshakeError):
            await connect(f"tcp://127.0.0.1:{process.ready}", SCHEMA, reconnect=True)
        await asyncio.to_thread(process.stop)


if __name__ == "__main__":
    unittest.main()
