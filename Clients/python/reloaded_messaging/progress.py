"""Reports of the progress of requests, in both roles. The newest report replaces one that waits."""

from __future__ import annotations

import asyncio
import collections
from typing import Any, Callable

from .binary import Contract, PayloadError, Schema
from .contracts import read_payload
from .errors import Fault
from .outgoing import END
from .requests import Pending
from .session import Handler, Session
from .streams import OVERHEAD, Value, framer, read_pull, start_pull
from .wire import BLOCK_REPLY, MAX_SIZE, REPORT, Header, Kind, read_frame, read_header

_CLOSE, _NEXT, _OPEN = range(3)
_WAITING = 2  # requests for a report that wait for one


class SentReports:
    """The reports of one request of the server, which the server has opened before the request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: collections.deque[int] = collections.deque()  # the correlation ids of requests for a report
        self._report = b""

    def pull(self, correlation: int) -> None:
        if len(self._waiting) >= _WAITING:
            raise Fault(3, f"{_WAITING} requests for a report wait already.")
        self._waiting.append(correlation)
        self._pass_on()

    def send(self, report: bytes) -> None:
        """Sends a report, or keeps it until the server requests the next one. Reports after the end are dropped."""
        self._report = report
        self._pass_on()

    def end(self) -> None:
        while self._waiting:
            self._answer(END)

    def _pass_on(self) -> None:
        if self._report and len(self._waiting) == _WAITING:  # the last request that waits is for the end
            self._answer(b"\0")

    def _answer(self, start: bytes) -> None:
        answer(self._session, self._waiting.popleft(), start + self._report)
        self._report = b""


class ReceivedReports:
    """The reports of a request of this side, which is about to be sent. They are passed to a function, which can return an awaitable."""

    def __init__(self, session: Session, schema: Schema, request: Pending, call: Callable[[Value], Any]) -> None:
        self._session, self._schema, self._request, self._call = session, schema, request, call
        self._pulls = collections.deque([self._pull(_OPEN), self._pull(_OPEN)])
        self._is_open = True
        self._reading = asyncio.get_running_loop().create_task(self._read())
        self._reading.add_done_callback(self._fail)

    async def wait(self) -> None:
        """Waits until the last report was passed on. Raises the error of the function."""
        await self._reading

    def close(self) -> None:
        """Ends the reports of a request that has ended."""
        self._reading.cancel()
        if self._is_open and not self._session.connection.lost.done():
            self._pulls.append(self._pull(_CLOSE))
        self._session.requests.drop(self._pulls)

    async def _read(self) -> None:
        while self._is_open:
            try:
                header, payload = await self._pulls[0].reply
            except ConnectionError:
                return  # which ends the request too
            self._session.requests.remove(self._pulls.popleft())
            self._is_open = header.kind != Kind.FAULT and payload[:1] != END
            if header.kind == Kind.FAULT:
                return  # the server has no reports, or too many streams
            if header.type != BLOCK_REPLY or payload[:1] not in (b"\0", END) or payload == b"\0":
                raise PayloadError("A report of the progress of a request is invalid.")
            if len(payload) > 1:
                passed = self._call(self._decode(payload))
                if hasattr(passed, "__await__"):
                    await passed
            if self._is_open:
                self._pulls.append(self._pull(_NEXT))

    def _decode(self, block: bytes) -> Value:
        message, end = read_frame(block, 1, MAX_SIZE)
        if message is None or end != len(block):
            raise PayloadError("A report of the progress of a request is not one whole frame.")
        header, start = read_header(message)
        if header.kind != Kind.EVENT:
            raise PayloadError("A report of the progress of a request is no event.")
        contract = self._schema.find(header.type)
        self._session.contracts.check(contract)
        return read_payload(self._schema, contract, message[start:], header.size)

    def _fail(self, reading: asyncio.Task[None]) -> None:
        """Ends the request if a report cannot be passed on."""
        if not reading.cancelled() and (error := reading.exception()) and not self._request.reply.done():
            self._request.reply.set_exception(error)

    def _pull(self, action: int) -> Pending:
        return start_pull(self._session, REPORT, self._request.header.correlation, action)


def reporter(session: Session, schema: Schema, report: Contract, correlation: int) -> Callable[[Value], None]:
    """Returns the function by which a handler reports its progress. It does nothing if the server has not opened the reports of the request."""
    frame = framer(schema, report)
    reports = session.reports.get(correlation)

    def send(value: Value) -> None:
        if reports:
            written = frame(value)
            if len(written) > session.largest - OVERHEAD:
                raise PayloadError(f"The report {report.name} has {len(written)} bytes; the server accepts at most {session.largest - OVERHEAD}.")
            reports.send(written)

    return send


def answer(session: Session, correlation: int, block: bytes) -> None:
    """Answers a request for a report, in the order of all other messages."""
    session.connection.send(Header(BLOCK_REPLY, Kind.REPLY, correlation), block)


def _answer_pull(session: Session, pull: tuple[int, int], correlation: int) -> None:
    number, action = pull
    reports = session.reports.get(number)
    if action not in (_CLOSE, _NEXT, _OPEN):
        raise Fault(3, "A request for a report is invalid.")
    if reports is None and action == _OPEN:
        session.outgoing.enter()
        reports = session.reports[number] = SentReports(session)
    if reports and action != _CLOSE:
        reports.pull(correlation)
        return
    session.end_reports(number)
    answer(session, correlation, END)


HANDLER = Handler("a report of the progress of a request", read_pull, _answer_pull, lambda _: None, is_internal=True)
