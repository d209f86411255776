"""Items that are sent with requests, in both roles, and in both directions at once, with live C# hosts and with servers that send what a test says."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import random
import socket
import threading
import unittest
from typing import Any, AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator

from reloaded_messaging import Client, ContractMismatch, Fault, Header, Host, Kind, Schema, connect, parse, tcp
from reloaded_messaging.wire import BLOCK, BLOCK_REPLY, CANCEL, GOODBYE, ITEM_BLOCK, PING, PONG, STREAM, read_fault

from . import test_host
from .hosts import PEER
from .servers import WAIT, Scripted, Server, frame
from .support import EXTENT, cases
from .test_hostile import reply, text

SCHEMA = Schema.load(PEER / "contracts.schema.json")


def counted(number: int) -> dict[str, Any]:
    return {"Number": number, "Text": "z" * (number % 300)}


async def count(to: int) -> AsyncIterator[dict[str, Any]]:
    for i in range(to):
        yield counted(i)


def hash_of(items: list[dict[str, Any]]) -> int:
    """The hash of the items as the server computes it."""
    found = 0
    for item in items:
        found = found * 31 + item["Number"] + len(item["Text"]) & 0xFFFFFFFF
    return found - (1 << 32) if found >> 31 else found


def answer_of(to: int) -> dict[str, int]:
    return {"Number": hash_of([counted(i) for i in range(to)]), "ProcessId": to}


class Source:
    """Items without an end. It notes how many were created, and that it was canceled."""

    def __init__(self, size: int = 100) -> None:
        self.size, self.created = size, 0
        self.canceled = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        try:
            while True:
                self.created += 1
                yield {"Number": self.created, "Text": os.urandom(self.size // 2).hex()}  # which compression does not shrink much
                await asyncio.sleep(0)
        finally:
            self.canceled.set()


class RequestItems(test_host.LanguageServer):
    def ended(self, host: Host) -> asyncio.Queue[str]:
        """How the loops of the server end."""
        ends = asyncio.Queue[str]()
        host.on("LoopEnded", lambda loop: ends.put_nowait(loop["How"]))
        return ends

    async def test_items_of_a_request_arrive_in_order(self) -> None:
        async with self.host() as host:
            ends = self.ended(host)
            for to in (0, 1, 20_000):
                self.assertEqual(answer_of(to), await host.request("Collect", {"Leaves": 0}, items=("Counted", count(to))))
                self.assertEqual("end", await asyncio.wait_for(ends.get(), WAIT))
            self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_the_server_sends_items_with_a_request(self) -> None:
        got = list[dict[str, Any]]()

        async def collect(request: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, int]:
            got.clear()
            async for item in items:
                got.append(item)
            return {"Number": request["Leaves"], "ProcessId": len(got)}

        async with self.host() as host:
            host.on_request("Collect", "Answer", collect, items="Counted")
            for to in (0, 1, 20_000):
                self.assertEqual({"Number": 7, "ProcessId": to}, await host.request("CollectBack", {"To": to, "Fails": False, "Leaves": 7}))
                self.assertEqual(list(range(to)), [item["Number"] for item in got])

    async def test_a_handler_that_reads_no_more_ends_the_items(self) -> None:
        async with self.host() as host:
            ends, source = self.ended(host), Source()
            reply = await host.request("Collect", {"Leaves": 3}, items=("Counted", source))
            self.assertEqual((3, "left"), (reply["ProcessId"], await asyncio.wait_for(ends.get(), WAIT)))
            await asyncio.wait_for(source.canceled.wait(), WAIT)

    async def test_a_handler_that_leaves_its_loop_closes_the_items_at_once(self) -> None:
        closed = asyncio.Event()

        async def collect(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, int]:
            async for _item in items:
                break
            while host.statistics.unanswered_requests > 1:  # that of the test
                await asyncio.sleep(0.001)
            closed.set()
            return {"Number": 1, "ProcessId": 1}

        async with self.host() as host:
            host.on_request("Collect", "Answer", collect, items="Counted")
            await host.request("CollectBack", {"To": 10_000_000, "Fails": False, "Leaves": 0})
            self.assertTrue(closed.is_set())

    async def test_a_call_that_is_canceled_cancels_the_handler_and_the_items(self) -> None:
        async with self.host() as host:
            ends, source = self.ended(host), Source()
            sending = asyncio.create_task(host.request("Collect", {"Leaves": 0}, items=("Counted", source)))
            while source.created < 1000:
                await asyncio.sleep(0.001)
            sending.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await sending
            await asyncio.wait_for(source.canceled.wait(), WAIT)
            self.assertEqual("canceled", await asyncio.wait_for(ends.get(), WAIT))

    async def test_a_server_that_cancels_its_request_cancels_the_handler(self) -> None:
        started, ended = asyncio.Event(), asyncio.Queue[str]()

        async def collect(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, int]:
            how = "canceled"
            try:
                async for _item in items:
                    started.set()
                how = "end"
            finally:
                ended.put_nowait(how)
            return {"Number": 0, "ProcessId": 0}

        async with self.host() as host:
            host.on_request("Collect", "Answer", collect, items="Counted")
            asking = asyncio.create_task(host.request("CollectBack", {"To": 100_000_000, "Fails": False, "Leaves": 0}))
            await asyncio.wait_for(started.wait(), WAIT)
            asking.cancel()
            self.assertEqual("canceled", await asyncio.wait_for(ended.get(), WAIT))
            while host.statistics.running_handlers:
                await asyncio.sleep(0.001)
            self.assertEqual(0, host.statistics.failed_handlers)

    async def test_an_error_of_the_items_is_raised_by_the_call_and_a_fault_for_the_handler(self) -> None:
        async def fail(error: Exception) -> AsyncIterator[dict[str, Any]]:
            yield counted(1)
            raise error

        async with self.host() as host:
            ends = self.ended(host)
            for error, how in ((KeyError("inside"), "fault 1"), (TimeoutError("inside"), "fault 1"), (Fault(1003, "No more."), "fault 1003")):
                with self.assertRaises(type(error)) as raised:
                    await host.request("Collect", {"Leaves": 0}, items=("Counted", fail(error)))
                self.assertIs(error, raised.exception)
                self.assertEqual(how, await asyncio.wait_for(ends.get(), WAIT))
            self.assertEqual((0, 0), (host.statistics.failed_handlers, host.statistics.timeouts))

    async def test_an_error_of_the_items_of_the_server_is_a_fault_after_the_items(self) -> None:
        got, faults = list[int](), list[Fault]()

        async def collect(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, int]:
            try:
                async for item in items:
                    got.append(item["Number"])
            except Fault as fault:
                faults.append(fault)
            return {"Number": 0, "ProcessId": 0}

        async with self.host() as host:
            host.on_request("Collect", "Answer", collect, items="Counted")
            with self.assertRaises(Fault) as raised:
                await host.request("CollectBack", {"To": 1000, "Fails": True, "Leaves": 0})
        self.assertEqual((1002, [1002], [True], list(range(1000))), (raised.exception.code, [one.code for one in faults], [one.is_remote for one in faults], got))

    async def test_a_fault_of_the_handler_ends_the_items(self) -> None:
        async with self.host() as host:
            source = Source()
            with self.assertRaises(Fault) as raised:
                await host.request("Collect", {"Leaves": 1, "Fault": 1001}, items=("Counted", source))
            self.assertEqual((1001, "The disk is full."), (raised.exception.code, raised.exception.text))
            await asyncio.wait_for(source.canceled.wait(), WAIT)

    async def test_a_slow_handler_slows_down_the_items(self) -> None:
        goes_on, items_of = asyncio.Event(), 4096

        async def collect(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, int]:
            async for _item in items:
                await goes_on.wait()
            return {"Number": 0, "ProcessId": 0}

        async with self.host() as host:
            host.on_request("Collect", "Answer", collect, items="Counted")
            asking = asyncio.create_task(host.request("CollectBack", {"To": 10_000_000, "Fails": False, "Leaves": 0}))
            received = list[int]()
            while len(received) < 5 or len(set(received[-5:])) > 1:  # until the server waits
                await asyncio.sleep(0.1)
                received.append(host.statistics.received_bytes)
            self.assertLess(received[-1], 6 * 64 * 1024)
            asking.cancel()
            goes_on.set()

            source = Source(items_of)  # in the other direction: the server leaves its loop, and requests no more than it reads
            await host.request("Collect", {"Leaves": 1}, items=("Counted", source))
            self.assertLess(source.created, 6 * (64 * 1024 // items_of + 2) * 3)

    async def test_items_go_both_ways_at_once(self) -> None:
        asked, answers = asyncio.Queue[int | None](), list[int]()

        async def ask() -> AsyncIterator[dict[str, Any]]:
            while (number := await asked.get()) is not None:
                yield counted(number)

        async with self.host() as host:
            ends = self.ended(host)
            asked.put_nowait(0)
            async for answer in host.stream("Converse", {"Factor": 3}, items=("Counted", ask())):
                answers.append(answer["Number"])
                asked.put_nowait(len(answers) if len(answers) < 100 else None)  # a question follows an answer
            self.assertEqual([3 * i for i in range(100)], answers)
            self.assertEqual("end", await asyncio.wait_for(ends.get(), WAIT))
            many = [item["Number"] async for item in host.stream("Converse", {"Factor": 1}, items=("Counted", count(20_000)))]
            self.assertEqual(list(range(20_000)), many)

    async def test_the_server_sends_and_reads_items_at_once(self) -> None:
        async def converse(request: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
            async for item in items:
                yield {"Number": item["Number"] * request["Factor"], "Text": ""}

        async with self.host() as host:
            host.on_stream("Converse", "Counted", converse, items="Counted")
            for to, leaves in ((0, 0), (20_000, 0), (1_000_000, 10)):
                expected = [{"Number": 2 * i, "Text": ""} for i in range(leaves or to)]
                self.assertEqual({"Number": hash_of(expected), "ProcessId": len(expected)}, await host.request("ConverseBack", {"To": to, "Factor": 2, "Leaves": leaves}))
            while host.statistics.unanswered_requests:
                await asyncio.sleep(0.001)
            self.assertEqual(0, host.statistics.failed_handlers)

    async def test_a_loop_that_is_left_cancels_the_handler_and_the_items(self) -> None:
        async with self.host() as host:
            ends, source = self.ended(host), Source()
            answers = host.stream("Converse", {"Factor": 1}, items=("Counted", source))
            self.assertEqual(1, (await anext(answers))["Number"])
            await answers.aclose()
            await asyncio.wait_for(source.canceled.wait(), WAIT)
            self.assertEqual("canceled", await asyncio.wait_for(ends.get(), WAIT))
            self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_an_error_of_the_items_ends_the_loop_after_the_received_items(self) -> None:
        async def fail() -> AsyncIterator[dict[str, Any]]:
            yield counted(1)
            yield counted(2)
            raise KeyError("inside")

        async with self.host() as host:
            answers = list[int]()
            with self.assertRaises(KeyError):
                async for answer in host.stream("Converse", {"Factor": 5}, items=("Counted", fail())):
                    answers.append(answer["Number"])
            self.assertEqual([5, 10], answers)

    async def test_a_handler_without_items_is_not_sent_items(self) -> None:
        async with self.host() as host:
            with self.assertRaisesRegex(ContractMismatch, "handles .*Sum, but reads no items .*Question"):
                await host.request("Sum", {"Numbers": []}, items=("Question", count(1)))
            self.assertEqual(0, host.statistics.sent_requests)

    async def test_each_form_of_a_call_to_each_handler_ends_and_leaves_nothing_open(self) -> None:
        async def read_three(items: AsyncGenerator[dict[str, Any], None]) -> None:
            async with contextlib.aclosing(items) as received:
                for _ in range(3):
                    await anext(received)

        requests = {"Repeat": {"Text": "a", "Count": 2}, "Answer": {"Number": 1, "ProcessId": 1}, "Collect": {"Leaves": 3}, "Count": {"To": 10_000}, "Converse": {"Factor": 2}, "Work": {"Steps": 50}}
        calls: list[Callable[[Host, str, dict[str, Any]], Awaitable[Any]]] = [
            lambda host, name, value: host.request(name, value),
            lambda host, name, value: host.request(name, value, items=("Counted", Source())),
            lambda host, name, value: host.request(name, value, progress=lambda _: None),
            lambda host, name, value: read_three(host.stream(name, value)),
            lambda host, name, value: read_three(host.stream(name, value, items=("Counted", Source()))),
        ]
        async with self.host() as host:
            ended = 0
            for name, value in requests.items():
                for call in calls:
                    for _ in range(13):  # the calls to one handler open 65 streams; the server has at most 64 for a client
                        try:
                            await asyncio.wait_for(call(host, name, value), WAIT)
                            ended += 1
                        except Fault as fault:
                            self.assertNotEqual(6, fault.code)
                        except ValueError as error:
                            self.assertRegex(str(error), f"{name} is a stream|{name} is no stream|handles .*{name}, but reads no items")
            self.assertEqual(13 * 13, ended)
            assert host._session
            self.assertEqual((0, {}), (host.statistics.unanswered_requests, host._session.outgoing.items))

    async def test_reports_of_the_server_arrive_in_order_before_the_reply(self) -> None:
        async def slow(report: dict[str, int]) -> None:
            await asyncio.sleep(0)
            got.append(report["Number"])

        async with self.host() as host:
            for steps in (0, 1, 1000):
                for show in (lambda report: got.append(report["Number"]), slow):
                    got = list[int]()
                    self.assertEqual(steps, (await host.request("Work", {"Steps": steps}, progress=show))["Number"])
                    self.assertEqual((sorted(set(got)), steps), (got, got[-1] if got else 0))
            self.assertEqual(3, (await host.request("Work", {"Steps": 3}))["Number"])
            self.assertEqual(6, (await host.request("Sum", {"Numbers": [1, 2, 3]}, progress=lambda _: self.fail("There is no report.")))["Value"])
            self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_reports_of_the_client_arrive_in_order_before_the_reply(self) -> None:
        async def work(request: dict[str, int], report: Callable[[dict[str, int]], None]) -> dict[str, int]:
            for step in range(1, request["Steps"] + 1):
                report({"Number": step})
                if step % 10 == 0:
                    await asyncio.sleep(0)
            return {"Number": 0, "ProcessId": 0}

        async with self.host() as host:
            host.on_request("Work", "Answer", work, progress="Step")
            for steps in (0, 1, 1000):
                answer = await host.request("WorkBack", {"Steps": steps})
                self.assertEqual(steps, answer["Number"])
                self.assertTrue(min(steps, 1) <= answer["ProcessId"] <= steps, answer)

    async def test_items_of_random_calls_arrive_as_they_were_sent(self) -> None:
        """A model: a call has the items up to the first end, which is that of the source, of the handler or of the caller."""

        async def collect(request: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, int]:
            got = list[dict[str, Any]]()
            async for item in items:
                got.append(item)
                if len(got) == request["Leaves"]:
                    break
                if len(got) % 97 == 0:
                    await asyncio.sleep(0)
            return {"Number": hash_of(got), "ProcessId": len(got)}

        async def call(host: Host, drawn: random.Random) -> None:
            to, leaves, fails, cancels = drawn.choice((0, 1, 10, 3000)), drawn.choice((0, 0, 1, 500)), drawn.random() < 0.2, drawn.random() < 0.2
            end, sent = asyncio.Event(), list[dict[str, Any]]()

            async def source() -> AsyncIterator[dict[str, Any]]:
                for i in range(to):
                    if cancels and i == to // 2:
                        end.set()
                    sent.append({"Number": i, "Text": "w" * drawn.choice((0, 10, 300, 2000))})
                    yield sent[-1]
                if fails:
                    raise KeyError("The end.")

            sending = asyncio.create_task(host.request("Collect", {"Leaves": leaves}, items=("Counted", source())))
            if cancels and to:
                ending = asyncio.create_task(end.wait())
                await asyncio.wait([sending, ending], return_when=asyncio.FIRST_COMPLETED)
                ending.cancel()
                sending.cancel()
            try:
                got = await sending
            except asyncio.CancelledError:
                self.assertTrue(cancels)
            except KeyError:
                self.assertTrue(fails)
            else:
                read = leaves if 0 < leaves <= to else to
                self.assertEqual({"Number": hash_of(sent[:read]), "ProcessId": read}, got)
                self.assertFalse(fails and read == to and leaves != to)  # the handler has read the end of the items

        drawn = random.Random(11)
        async with self.host() as host:
            host.on_request("Collect", "Answer", collect, items="Counted")
            for _ in range(30 if EXTENT >= 2 else 6):
                back = [(drawn.choice((0, 1, 10, 3000)), drawn.choice((0, 1, 500))) for _ in range(4)]
                asked = [host.request("CollectBack", {"To": to, "Fails": False, "Leaves": leaves}, timeout=WAIT) for to, leaves in back]
                replies, *_ = await asyncio.gather(asyncio.gather(*asked), *(call(host, drawn) for _ in range(8)))
                for (to, leaves), reply in zip(back, replies):
                    self.assertEqual(leaves if 0 < leaves <= to else to, reply["ProcessId"])
            while host.statistics.unanswered_requests or host.statistics.running_handlers:
                await asyncio.sleep(0.001)
            self.assertEqual(0, host.statistics.failed_handlers)


class RequestItemsOverWebSocket(RequestItems):
    verb = "languages-websocket"

    def endpoint(self) -> str:
        return f"ws://127.0.0.1:{self.process.ready}/"


class RequestItemsOverUdp(RequestItems):
    verb = "languages-udp"

    def endpoint(self) -> Any:
        return parse(f"udp://127.0.0.1:{self.process.ready}")


class BlockingItems(test_host.LanguageServer):
    def test_blocking_client_sends_items_of_a_generator(self) -> None:
        def items(to: int) -> Iterator[dict[str, Any]]:
            for i in range(to):
                yield counted(i)

        with Client(tcp(int(self.process.ready)), SCHEMA, timeout=WAIT).connect() as client:
            self.assertEqual(answer_of(300), client.request("Collect", {"Leaves": 0}, items=("Counted", items(300))))
            answers = client.stream("Converse", {"Factor": 2}, items=("Counted", items(100)))
            self.assertEqual([2 * i for i in range(100)], [answer["Number"] for answer in answers])


class Vectors(unittest.IsolatedAsyncioTestCase):
    """Cases of answers.json: the client sends the frames of the client, byte by byte."""

    async def play(self, name: str, call: Callable[[Host], Awaitable[dict[str, Any]]], answer: dict[str, Any], configure: Callable[[Host], None] = lambda _: None) -> None:
        steps = next(case["steps"] for case in cases("answers") if case["name"] == name)
        end = next((i for i, step in enumerate(steps) if step["what"] in ("end", "next block after the reply")), len(steps))  # what a client sends after the reply depends on the moment
        got, expected = queue.Queue[bytes](), [bytes.fromhex(step["bytes"]) for step in steps[:end] if step["from"] == "client"]

        def script(server: Server, stream: socket.socket) -> None:
            for step in steps[:end]:
                data, frames = bytes.fromhex(step["bytes"]), b""
                if step["from"] == "host":
                    stream.sendall(data)
                while step["from"] == "client" and len(frames) < len(data):
                    frames += frame(*server.receive(stream))
                got.put(frames)
            server.wait(stream)

        messages = ((1, "Ping", "i4"), (2, "Pong", "i4"), (3, "Note", "s"), (38, "Rebuild", "s"), (39, "Rebuilt", "i4"), (40, "Percent", "i4"))
        contracts = [
            {
                "id": id_, "name": f"Samples.{one}", "kind": "message", "struct": True, "version": 1, "serializer": "binary", "compressor": None,
                "fields": [{"number": 1, "name": "Number" if type_ == "i4" else "Text", "type": type_, "shape": "1"}],
            }
            for id_, one, type_ in messages
        ]  # fmt: skip
        server = Server(script)
        self.addCleanup(server.close)
        host = connect(server.endpoint, Schema({"contracts": contracts}), timeout=WAIT)
        configure(host)
        async with host:
            self.assertEqual(answer, await call(host))
            found = [await asyncio.to_thread(got.get, timeout=WAIT) for _ in steps[:end]]
        self.assertEqual(expected, [frames for frames in found if frames])

    async def test_items_that_the_client_sends_with_a_request(self) -> None:
        async def five() -> AsyncIterator[dict[str, Any]]:
            yield {"Number": 5}

        await self.play("items of a request", lambda host: host.request("Pong", {"Number": 0}, items=("Ping", five())), {"Text": "5"})

    async def test_items_that_a_handler_of_the_client_reads(self) -> None:
        async def add(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, str]:
            return {"Text": str(sum([item["Number"] async for item in items]))}

        await self.play("items of a request of the host", lambda host: host.request("Note", {"Text": "items"}), {"Text": "5"}, lambda host: host.on_request("Pong", "Note", add, items="Ping"))

    async def test_reports_of_a_request_of_the_client(self) -> None:
        got = list[int]()
        await self.play("reports of a request", lambda host: host.request("Rebuild", {"Text": "city"}, progress=lambda one: got.append(one["Number"])), {"Number": 3})
        self.assertEqual([50, 70], got)


class Frames(Scripted):
    """What the client sends and answers, frame by frame."""

    async def test_items_of_an_ended_request_are_a_fault_and_never_the_end(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            header, _ = server.receive(stream)
            for number in (1, 2, 3):
                stream.sendall(frame(Header(ITEM_BLOCK, Kind.REQUEST, number), header.correlation.to_bytes(4, "little") + b"\0\0\1\0"))
            answers.put(server.receive(stream))  # the first item
            stream.sendall(reply(header, 3, text("done")))
            for _ in range(2):
                answers.put(server.receive(stream))
            for number, size in ((4, b"\0\0\1\0"), (5, bytes(4))):
                stream.sendall(frame(Header(ITEM_BLOCK, Kind.REQUEST, number), header.correlation.to_bytes(4, "little") + size))
                answers.put(server.receive(stream))
            server.wait(stream)

        async def items() -> AsyncIterator[dict[str, Any]]:
            yield {"Text": "1"}
            await asyncio.sleep(WAIT)

        async with self.host(script) as host:
            self.assertEqual({"Text": "done"}, await host.request("Ask", {"Text": ""}, items=("Event", items())))
            (first, block), *others = [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in range(5)]
        self.assertEqual((BLOCK_REPLY, b"\0" + frame(Header(1), text("1"))), (first.type, block))
        self.assertEqual([(Kind.FAULT, 5)] * 3, [(header.kind, read_fault(payload)[0]) for header, payload in others[:3]])
        self.assertEqual((Kind.REPLY, b"\1"), (others[3][0].kind, others[3][1]))

    async def test_request_without_items_has_none(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            header, _ = server.receive(stream)
            for number, size in ((1, b"\0\0\1\0"), (2, bytes(4))):
                stream.sendall(frame(Header(ITEM_BLOCK, Kind.REQUEST, number), header.correlation.to_bytes(4, "little") + size))
                answers.put(server.receive(stream))
            stream.sendall(reply(header, 3, text("done")))
            server.wait(stream)

        async with self.host(script) as host:
            await host.request("Ask", {"Text": ""})
        (first, fault), (second, end) = answers.get(timeout=WAIT), answers.get(timeout=WAIT)
        self.assertEqual((Kind.FAULT, 3, Kind.REPLY, b"\1"), (first.kind, read_fault(fault)[0], second.kind, end))

    async def test_items_that_are_canceled_before_their_request_cancel_the_handler_once(self) -> None:
        answers = queue.Queue[tuple[Header, bytes]]()
        cleans, goes_on, cleaned = threading.Event(), threading.Event(), threading.Event()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(2, Kind.REQUEST, 7), text("")))
            pull, payload = server.receive(stream)
            self.assertEqual((ITEM_BLOCK, b"\7\0\0\0\0\0\1\0"), (pull.type, payload))
            stream.sendall(frame(Header(ITEM_BLOCK, Kind.FAULT, pull.correlation), b"\5"))
            self.assertTrue(cleans.wait(WAIT))
            stream.sendall(frame(Header(CANCEL, Kind.CONTROL), b"\7") + frame(Header(PING, Kind.CONTROL)))
            while server.receive(stream, control=True)[0].type != PONG:  # then the client has read the cancellation
                pass
            goes_on.set()
            while (answer := server.receive(stream))[0].kind == Kind.REQUEST:
                pass
            answers.put(answer)
            server.wait(stream)

        async def collect(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
            try:
                async for _item in items:
                    pass
            except asyncio.CancelledError:
                cleans.set()
                await asyncio.to_thread(goes_on.wait, WAIT)  # a second cancellation would end it
                cleaned.set()
                raise
            return {"Text": "whole"}

        host = self.host(script)
        host.on_request("Ask", "Answer", collect, items="Event")
        async with host:
            header, payload = await asyncio.to_thread(answers.get, timeout=WAIT)
        self.assertEqual((Kind.FAULT, 5, True, 0), (header.kind, read_fault(payload)[0], cleaned.is_set(), host.statistics.failed_handlers))

    async def test_items_of_a_lost_connection_are_no_end(self) -> None:
        ended = asyncio.Queue[str]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(2, Kind.REQUEST, 7), text("")))
            server.receive(stream)  # and closes

        async def read(items: AsyncIterator[dict[str, Any]]) -> None:
            how = "canceled"
            try:
                async for _item in items:
                    pass
                how = "end"
            finally:
                ended.put_nowait(how)

        async def collect(_: dict[str, Any], items: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
            await asyncio.shield(read(items))  # which the cancellation of the handler does not reach
            return {"Text": ""}

        host = self.host(script)
        host.on_request("Ask", "Answer", collect, items="Event")
        async with host:
            self.assertEqual("canceled", await asyncio.wait_for(ended.get(), WAIT))

    async def test_65th_request_with_items_is_refused(self) -> None:
        goes_on, answers = asyncio.Event(), queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            for number in range(65):
                stream.sendall(frame(Header(2, Kind.REQUEST, number), text("")))
            answers.put(server.receive(stream))
            server.wait(stream)

        async def collect(_: dict[str, Any], items: object) -> dict[str, Any]:
            await goes_on.wait()
            return {"Text": ""}

        host = self.host(script)
        host.on_request("Ask", "Answer", collect, items="Event")
        async with host:
            header, payload = await asyncio.to_thread(answers.get, timeout=WAIT)
            goes_on.set()
        self.assertEqual((64, Kind.FAULT, 6), (header.correlation, header.kind, read_fault(payload)[0]))

    async def test_items_can_be_enumerated_once_and_until_the_handler_has_completed(self) -> None:
        kept = list[Any]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(2, Kind.REQUEST, 7), text("")))
            while (answer := server.receive(stream))[0].kind == Kind.REQUEST:
                if answer[0].type == ITEM_BLOCK and answer[1][4:] != bytes(4) and not kept:
                    stream.sendall(reply(answer[0], BLOCK_REPLY, b"\0" + frame(Header(1), text("1"))))
            answered.set()
            server.wait(stream)

        async def collect(_: dict[str, Any], items: Any) -> dict[str, Any]:
            reading = aiter(items)
            self.assertEqual({"Text": "1"}, await anext(reading))
            with self.assertRaisesRegex(RuntimeError, "already enumerated"):
                aiter(items)
            kept.append(reading)
            return {"Text": ""}

        answered = threading.Event()
        host = self.host(script)
        host.on_request("Ask", "Answer", collect, items="Event")
        async with host:
            self.assertTrue(await asyncio.to_thread(answered.wait, WAIT))
            with self.assertRaisesRegex(RuntimeError, "before its handler completes"):
                await anext(kept[0])

    async def test_stream_whose_connection_is_lost_when_it_opens_ends(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(reply(server.receive(stream)[0], STREAM, b"\x09\0\0\0") + frame(Header(GOODBYE, Kind.CONTROL), b"\0"))
            server.wait(stream)

        async with self.host(script) as host:
            with self.assertRaises(ConnectionError):
                await asyncio.wait_for(anext(host.stream("Ask", {"Text": ""})), WAIT)

    async def test_source_that_is_canceled_by_itself_is_no_end_of_a_stream(self) -> None:
        async def items(_: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
            yield {"Text": "1"}
            raise asyncio.CancelledError

        answers = queue.Queue[tuple[Header, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(2, Kind.REQUEST, 7), text("")))
            number = server.receive(stream)[1]
            for pull in (1, 2):
                stream.sendall(frame(Header(BLOCK, Kind.REQUEST, pull), number + b"\0\0\1\0"))
                answers.put(server.receive(stream))
            server.wait(stream)

        host = self.host(script)
        host.on_stream("Ask", "Event", items)
        async with host:
            (_, block), (header, fault) = [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in range(2)]
        self.assertEqual((b"\0" + frame(Header(1), text("1")), Kind.FAULT, 5), (block, header.kind, read_fault(fault)[0]))


if __name__ == "__main__":
    unittest.main()
