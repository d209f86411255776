"""The unanswered requests of a client. They outlive a connection if they are sent again."""

from __future__ import annotations

import asyncio
import collections
import itertools
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from .binary import Contract
from .contracts import check_size
from .statistics import Statistics
from .wire import Header, Kind

if TYPE_CHECKING:
    from .session import Session

# A host disconnects a peer whose 1,024 requests it handles. The blocks of 64 streams, and of the items of 64 requests of the host, are requests too, four for each.
MAX_UNANSWERED = 1024 - 2 * 4 * 64
_TICK = 0.02  # seconds by which a request may time out late
STOPPING = 7  # the code of a fault: the server is stopping, and has not called its handler

_REQUEST, _FAULT = Kind.REQUEST, Kind.FAULT

Reply = tuple[Header, bytes]


@dataclass(slots=True)
class Pending:
    """A request that was not answered."""

    header: Header
    payload: bytes
    contracts: tuple[Contract, ...]  # of the request and of its reply, as far as they are known
    is_resent: bool
    reply: asyncio.Future[Reply]
    deadline: float = inf
    opens: int = 0  # the type of the reply that opens a stream or file, if the caller reads one
    was_sent: bool = False


class Requests:
    """The unanswered requests in their order."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics
        self._pending: dict[int, Pending] = {}
        self._numbers = itertools.count(1)
        self._slots: list[asyncio.Future[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_watching = False

    def __len__(self) -> int:
        return len(self._pending)

    def __contains__(self, number: int) -> bool:
        """Whether a request has no reply yet."""
        return number in self._pending and not self._pending[number].reply.done()

    @property
    def is_full(self) -> bool:
        return len(self._pending) >= MAX_UNANSWERED

    def replies(self) -> list[asyncio.Future[Reply]]:
        return [one.reply for one in self._pending.values() if not one.reply.done()]

    async def wait_for_slot(self) -> None:
        """Waits until fewer than :data:`MAX_UNANSWERED` requests are unanswered."""
        while self.is_full:
            self._slots.append(asyncio.get_running_loop().create_future())
            await self._slots[-1]

    def add(self, type_: int, payload: bytes, size: int | None = None, contracts: tuple[Contract, ...] = (), is_resent: bool = False, deadline: float = inf, opens: int = 0) -> Pending:
        """Adds a request. ``deadline`` is a time of the event loop. ``opens`` is the type of a reply that opens what the caller reads."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        number = next(self._numbers) & 0xFFFFFFFF
        pending = self._pending[number] = Pending(Header(type_, _REQUEST, number, size), payload, contracts, is_resent, self._loop.create_future(), deadline, opens)
        if not self._is_watching and deadline < inf:
            self._is_watching = True
            self._loop.call_later(_TICK, self._watch)
        return pending

    def _watch(self) -> None:
        """Ends the requests whose time is over. One timer for all of them costs less than one for each."""
        assert self._loop
        now, self._is_watching = self._loop.time(), False
        for pending in list(self._pending.values()):
            if pending.reply.done() or pending.deadline == inf:
                continue
            if pending.deadline <= now:
                pending.reply.set_exception(TimeoutError())
            elif not self._is_watching:
                self._is_watching = True
                self._loop.call_later(_TICK, self._watch)

    def send(self, pending: Pending, session: Session) -> None:
        """Sends a request for the first time or again. Its contracts were compared."""
        if pending.was_sent:
            self._statistics.resent_requests += 1
        pending.was_sent = True
        if pending.contracts:  # a request of the program, and not a part of a stream or a file
            self._statistics.sent_requests += 1
        if session.connection.lost.done() and not pending.is_resent:
            pending.reply.set_exception(ConnectionError("The connection has ended."))
        session.connection.send(pending.header, pending.payload)

    def remove(self, pending: Pending) -> None:
        """Removes a request that has ended."""
        self._pending.pop(pending.header.correlation, None)
        if self._slots and not self.is_full:
            slots, self._slots = self._slots, []
            for slot in slots:
                if not slot.done():
                    slot.set_result(None)

    def drop(self, left: collections.deque[Pending]) -> None:
        """Removes requests of the library whose replies are not awaited any more."""
        while left:
            pending = left.popleft()
            self.remove(pending)
            if not pending.reply.cancel() and not pending.reply.cancelled():
                pending.reply.exception()  # nothing waits for it

    def answer(self, header: Header, payload: bytes) -> Pending | None:
        """Ends a request by its reply, and returns it. Replies to unknown requests are dropped. A request that is sent again stays if the server is stopping."""
        pending = self._pending.get(header.correlation)
        if pending is None or pending.reply.done():
            return None
        if pending.is_resent and header.kind == _FAULT and payload[:1] == bytes([STOPPING]):
            return None
        pending.reply.set_result((header, payload))
        return pending

    def fail(self, text: str, all_: bool = False) -> None:
        """Ends the requests of a connection that was lost."""
        for pending in list(self._pending.values()):
            if (all_ or not pending.is_resent) and not pending.reply.done():
                pending.reply.set_exception(ConnectionError(text))

    async def resend(self, session: Session) -> None:
        """Sends all waiting requests over a new connection, in their order, also those that are added meanwhile."""
        last = 0
        while pending := next((one for number, one in self._pending.items() if number > last), None):
            last = pending.header.correlation
            await session.connection.wait_for_room()
            if pending.reply.done():
                continue
            try:
                for contract in pending.contracts:
                    session.contracts.check(contract)
                if pending.contracts:
                    check_size(pending.contracts[0], pending.payload, session.largest)
            except ValueError as error:
                pending.reply.set_exception(error)
                continue
            self.send(pending, session)
