"""Reports of the progress of requests, in both roles, frame by frame."""

from __future__ import annotations

import asyncio
import queue
import random
import socket
from typing import Any, AsyncIterator, Callable

from reloaded_messaging import Fault, Header, Kind
from reloaded_messaging.wire import BLOCK_REPLY, CANCEL, PING, PONG, REPORT, read_fault

from .servers import WAIT, Scripted, Server, frame
from .test_hostile import reply, text

CLOSE, NEXT, OPEN = range(3)


def pull(number: int, correlation: int, action: int) -> bytes:
    return frame(Header(REPORT, Kind.REQUEST, number), correlation.to_bytes(4, "little") + action.to_bytes(4, "little"))


def report(value: str) -> bytes:
    return frame(Header(1), text(value))


def opened(correlation: int) -> bytes:
    """Opens the reports of a request, with the numbers 101 and 102, and sends the request."""
    return pull(101, correlation, OPEN) + pull(102, correlation, OPEN) + frame(Header(2, Kind.REQUEST, correlation), text(""))


class Progress(Scripted):
    async def answers_of(self, sends: bytes, handler: Callable[..., Any], count: int, **options: str) -> list[tuple[int, bytes | int]]:
        """The ids and the payloads of the answers of a client; the code in place of the payload of a fault."""
        answers = queue.Queue[tuple[int, bytes | int]]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(sends)
            for _ in range(count):
                header, payload = server.receive(stream)
                answers.put((header.correlation, read_fault(payload)[0] if header.kind == Kind.FAULT else payload))
            server.wait(stream)

        host = self.host(script)
        host.on_request("Ask", "Answer", handler, **options)
        async with host:
            return [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in range(count)]

    async def test_the_newest_report_is_sent_and_the_last_one_with_the_end_before_the_reply(self) -> None:
        async def answer(_: Any, send: Callable[[Any], None]) -> dict[str, str]:
            for value in "abc":
                send({"Text": value})
            return {"Text": "done"}

        found = await self.answers_of(opened(7), answer, 3, progress="Event")
        self.assertEqual([(101, b"\0" + report("a")), (102, b"\1" + report("c")), (7, text("done"))], found)

    async def test_reports_after_the_reply_are_dropped(self) -> None:
        late = list[Callable[[Any], None]]()

        def answer(ask: dict[str, str], send: Callable[[Any], None]) -> dict[str, str]:
            late.append(send)
            late[0]({"Text": "late"})
            return ask

        found = await self.answers_of(opened(7) + frame(Header(2, Kind.REQUEST, 8), text("8")), answer, 4, progress="Event")
        self.assertEqual([(101, b"\0" + report("late")), (102, b"\1"), (7, text("")), (8, text("8"))], found)

    async def test_handler_without_reports_or_that_refuses_ends_them(self) -> None:
        def refuse(_: Any) -> Any:
            raise Fault(1000, "No.")

        self.assertEqual([(101, b"\1"), (102, b"\1"), (7, text(""))], await self.answers_of(opened(7), lambda ask: ask, 3))
        self.assertEqual([(101, b"\1"), (102, b"\1"), (7, 1000)], await self.answers_of(opened(7), refuse, 3))

    async def test_items_and_reports_of_one_request(self) -> None:
        async def answer(_: Any, items: AsyncIterator[Any], send: Callable[[Any], None]) -> dict[str, str]:
            send({"Text": "begun"})
            return {"Text": "done"}

        self.assertEqual([(101, b"\0" + report("begun")), (102, b"\1"), (7, text("done"))], await self.answers_of(opened(7), answer, 3, items="Other", progress="Event"))

    async def test_invalid_requests_for_reports_are_refused(self) -> None:
        sends = pull(1, 7, NEXT) + pull(2, 7, 3) + pull(3, 7, OPEN) + pull(4, 7, OPEN) + pull(5, 7, NEXT) + pull(6, 7, CLOSE) + pull(8, 7, CLOSE)
        self.assertEqual([(1, b"\1"), (2, 3), (5, 3), (3, b"\1"), (4, b"\1"), (6, b"\1"), (8, b"\1")], await self.answers_of(sends, lambda ask: ask, 7))

    async def test_65th_open_reports_are_refused(self) -> None:
        sends = b"".join(pull(1000 + number, number, OPEN) for number in range(65)) + pull(2000, 0, CLOSE) + pull(1065, 65, OPEN) + pull(2001, 65, CLOSE)
        found = await self.answers_of(sends, lambda ask: ask, 5)
        self.assertEqual([(1064, 6), (1000, b"\1"), (2000, b"\1"), (1065, b"\1"), (2001, b"\1")], found)

    async def test_reports_follow_the_model(self) -> None:
        """A model: of the reports so far, the client sends the newest one while two requests wait for one."""
        drawn, expected, steps, waiting, newest, number = random.Random(3), list[tuple[int, bytes]](), list[str | int](), [101, 102], "", 200
        for step in range(200):
            if drawn.random() < 0.6:
                newest = str(step)
                steps.append(newest)
            elif len(waiting) < 2:
                number += 1
                waiting.append(number)
                steps.append(number)
            if newest and len(waiting) == 2:
                expected.append((waiting.pop(0), b"\0" + report(newest)))
                newest = ""
        expected += [(one, b"\1" + (report(newest) if newest and i == 0 else b"")) for i, one in enumerate(waiting)]
        answers = queue.Queue[tuple[int, bytes]]()

        def script(server: Server, stream: socket.socket) -> None:
            stream.sendall(opened(7))
            for one in steps:
                if isinstance(one, int):
                    stream.sendall(pull(one, 7, NEXT))
                stream.sendall(frame(Header(3), text(str(one))))
            stream.sendall(frame(Header(3), text("end")))
            while (answer := server.receive(stream))[0].correlation != 7:
                answers.put((answer[0].correlation, answer[1]))
            answers.put((7, answer[1]))
            server.wait(stream)

        host, sends, ended = self.host(script), list[Callable[[Any], None]](), asyncio.Event()

        async def wait() -> dict[str, str]:
            await ended.wait()
            return {"Text": ""}

        def run(_: Any, send: Callable[[Any], None]) -> Any:
            sends.append(send)
            return wait()

        def step_(one: dict[str, str]) -> None:
            if one["Text"] == "end":
                ended.set()
            elif int(one["Text"]) < 200:
                sends[0](one)

        host.on_request("Ask", "Answer", run, progress="Event")
        host.on("Answer", step_)
        async with host:
            found = [await asyncio.to_thread(answers.get, timeout=WAIT) for _ in range(len(expected) + 1)]
        self.assertEqual([*expected, (7, text(""))], found)

    async def test_reports_are_opened_before_the_request_and_passed_in_order_before_the_reply(self) -> None:
        errors = queue.Queue[Any]()

        def script(server: Server, stream: socket.socket) -> None:
            (first, one), (second, two), (header, _) = (server.receive(stream) for _ in range(3))
            number = header.correlation.to_bytes(4, "little")
            errors.put(((REPORT, REPORT, 2), (first.type, second.type, header.type)))
            errors.put(((number + b"\2\0\0\0",) * 2, (one, two)))
            stream.sendall(reply(first, BLOCK_REPLY, b"\0" + report("a")))
            third, three = server.receive(stream)
            errors.put(((REPORT, number + b"\1\0\0\0"), (third.type, three)))
            stream.sendall(reply(header, 3, text("done")))  # while a report is sent, the end may follow the reply
            stream.sendall(reply(second, BLOCK_REPLY, b"\0" + report("b")) + reply(third, BLOCK_REPLY, b"\1" + report("c")))
            fourth, _ = server.receive(stream)
            stream.sendall(reply(fourth, BLOCK_REPLY, b"\1"))
            server.wait(stream)

        got = list[str]()
        async with self.host(script) as host:
            self.assertEqual({"Text": "done"}, await host.request("Ask", {"Text": ""}, progress=lambda one: got.append(one["Text"])))
            self.assertEqual(["a", "b", "c"], got)
            self.assertEqual((0, 1), (host.statistics.unanswered_requests, host.statistics.sent_requests))
        while not errors.empty():
            self.assertEqual(*errors.get())

    async def test_slow_function_is_awaited_before_the_next_report_is_requested(self) -> None:
        goes_on, seen = asyncio.Event(), queue.Queue[Header]()

        def script(server: Server, stream: socket.socket) -> None:
            first, second, header = (server.receive(stream)[0] for _ in range(3))
            stream.sendall(reply(first, BLOCK_REPLY, b"\0" + report("a")))
            for _ in range(3):  # round trips, in which the client would request the next report
                stream.sendall(frame(Header(PING, Kind.CONTROL)))
                while server.receive(stream, control=True)[0].type != PONG:
                    pass
            stream.sendall(frame(Header(2, Kind.REQUEST, 1), text("")))
            answered = server.receive(stream)[0]
            seen.put(answered)
            seen.put(server.receive(stream)[0])
            stream.sendall(reply(second, BLOCK_REPLY, b"\1") + reply(header, 3, text("")))
            server.wait(stream)

        async def wait(_: Any) -> None:
            await goes_on.wait()

        host = self.host(script)
        host.on_request("Ask", "Answer", lambda ask: ask)
        async with host:
            asking = asyncio.create_task(host.request("Ask", {"Text": ""}, progress=wait))
            self.assertEqual(Kind.REPLY, (await asyncio.to_thread(seen.get, timeout=WAIT)).kind)
            goes_on.set()
            self.assertEqual(REPORT, (await asyncio.to_thread(seen.get, timeout=WAIT)).type)
            await asking

    async def test_server_without_reports_answers_the_request(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            first, second, header = (server.receive(stream)[0] for _ in range(3))
            for one in (first, second):
                stream.sendall(frame(Header(REPORT, Kind.FAULT, one.correlation), b"\2none"))
            stream.sendall(reply(header, 3, text("done")))
            server.wait(stream)

        async with self.host(script) as host:
            self.assertEqual({"Text": "done"}, await host.request("Ask", {"Text": ""}, progress=lambda _: self.fail("There is no report.")))
            self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_error_of_the_function_cancels_the_request_and_closes_the_reports(self) -> None:
        for block in (b"\0" + report("a"), b"\0", b"\2", b"\0" + report("a")[:-1], b"\0" + report("a") * 2, b"\0" + frame(Header(1, Kind.REQUEST, 1), text(""))):
            closed = queue.Queue[tuple[int, bytes, bytes]]()

            def script(server: Server, stream: socket.socket, block: bytes = block) -> None:
                first, _, header = (server.receive(stream)[0] for _ in range(3))
                stream.sendall(reply(first, BLOCK_REPLY, block))
                while (canceled := server.receive(stream, control=True))[0].type != CANCEL:
                    pass
                last, payload = server.receive(stream)
                closed.put((last.type, payload[4:], canceled[1]))
                server.wait(stream)

            def fail(_: Any) -> None:
                raise KeyError("inside")

            with self.subTest(block=block):
                async with self.host(script) as host:
                    with self.assertRaises((KeyError, ValueError)) as raised:
                        await host.request("Ask", {"Text": ""}, progress=fail)
                    self.assertEqual(block == b"\0" + report("a"), isinstance(raised.exception, KeyError))
                    type_, action, canceled = await asyncio.to_thread(closed.get, timeout=WAIT)
                    self.assertEqual((REPORT, bytes(4), 1), (type_, action, len(canceled)))
                    self.assertEqual(0, host.statistics.unanswered_requests)

    async def test_lost_connection_ends_the_reports_with_the_request(self) -> None:
        def script(server: Server, stream: socket.socket) -> None:
            for _ in range(3):
                server.receive(stream)

        async with self.host(script) as host:
            with self.assertRaises(ConnectionError):
                await host.request("Ask", {"Text": ""}, progress=lambda _: None)


if __name__ == "__main__":
    unittest.main()
