"""Keeps a client connected: the first connection, its end, and the attempts after it."""

from __future__ import annotations

import asyncio
import random
from typing import Callable

from .binary import Schema
from .endpoints import Endpoint, parse
from .errors import HandshakeError
from .outgoing import log
from .requests import Requests
from .session import Handler, Session
from .statistics import Statistics

_FIRST_DELAY, _MAX_DELAY = 0.1, 5.0  # of attempts to connect, in seconds
_JITTER = 0.2  # a fraction of each delay, so that many clients do not return at once
_PERMANENT = ("WrongToken", "WrongContract", "WrongVersion", "WrongProtection", "TlsFailed", "NotAPeer", "Banned")


class Keeper:
    """The connection of a client, one after the other."""

    def __init__(self, endpoint: str | Endpoint | Callable[[], str | Endpoint], schema: Schema, token: bytes, reconnect: bool, resend: bool, timeout: float) -> None:
        self._find, self.schema, self._token, self.reconnect, self.timeout = endpoint, schema, token, reconnect, timeout
        self._resends = resend and reconnect
        self._handlers: dict[int, Handler] = {}
        self._counters = Statistics()
        self._requests = Requests(self._counters)
        self._session: Session | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._is_closed = False
        self._connection_made = asyncio.Event()
        self.connected: Callable[[], object] = lambda: None  #: Called after each connection.
        self.disconnected: Callable[[str, str], object] = lambda reason, text: None  #: Called with the reason and the text of each lost connection.
        self.failed: Callable[[Exception], object] = lambda error: None  #: Called after each failed attempt to reconnect.

    async def wait_connected(self) -> None:
        """Waits until there is a connection. Raises :class:`ConnectionError` if the client does not reconnect."""
        while not self._session:
            if self._keeping is None or self._keeping.done():
                raise ConnectionError("There is no connection, and the client does not reconnect.")
            made = asyncio.ensure_future(self._connection_made.wait())
            await asyncio.wait([made, self._keeping], return_when=asyncio.FIRST_COMPLETED)
            made.cancel()

    async def _connect(self) -> None:
        """Makes the first connection. Raises :class:`HandshakeError` or :class:`OSError`."""
        delay = _FIRST_DELAY
        while True:
            try:
                session = await self._open()
                break
            except OSError as error:
                if not self.reconnect or (isinstance(error, HandshakeError) and error.reason in _PERMANENT):
                    raise
                self._notify(self.failed, error)
            await asyncio.sleep(delay * random.uniform(1 - _JITTER, 1 + _JITTER))
            delay = min(2 * delay, _MAX_DELAY)
        self._keeping = asyncio.create_task(self._keep(session))

    async def _open(self) -> Session:
        """Makes a connection, over which the waiting requests are sent again."""
        endpoint = self._find() if callable(self._find) else self._find
        if isinstance(endpoint, str):
            endpoint = parse(endpoint)
        try:
            async with asyncio.timeout(self.timeout):
                token = self._token or endpoint.token
                session = Session(await endpoint.open(token), self.schema, self._handlers, self._requests, self._counters)
                await session.shake_hands(token)
        except TimeoutError:
            raise TimeoutError(f"The server did not complete the handshake within {self.timeout} s.") from None
        session.start()
        try:
            await self._requests.resend(session)
        except BaseException:
            session.connection.abort()
            raise
        self._session = session
        session.connection.lost.add_done_callback(lambda lost: self._lose(session, *lost.result()))
        self._counters.connections += 1
        self._connection_made.set()
        self._notify(self.connected)
        return session

    async def _keep(self, session: Session) -> None:
        """Waits for the end of each connection, and makes the next one."""
        while True:
            reason, text = await asyncio.shield(session.connection.lost)
            if not self._is_closed:
                log.info("The connection ended: %s. %s", reason, text)
                self._notify(self.disconnected, reason, text)
            if not self.reconnect or self._is_closed:
                return
            session = await self._reopen()

    def _lose(self, session: Session, reason: str, text: str) -> None:
        """Called at the end of each connection, before those who wait for its end."""
        self._counters.sent_bytes += session.connection.sent_bytes
        self._counters.received_bytes += session.connection.received_bytes
        if self._session is session:
            self._session = None
            self._connection_made.clear()
        self._requests.fail(f"The connection ended: {reason}. {text}".rstrip(), all_=self._is_closed or not self.reconnect)

    async def _reopen(self) -> Session:
        delay = _FIRST_DELAY
        while True:
            await asyncio.sleep(delay * random.uniform(1 - _JITTER, 1 + _JITTER))
            try:
                return await self._open()
            except (OSError, ValueError) as error:
                log.info("An attempt to reconnect failed: %s", error)
                self._notify(self.failed, error)
            delay = min(2 * delay, _MAX_DELAY)

    def _notify(self, callback: Callable[..., object], *arguments: object) -> None:
        try:
            callback(*arguments)
        except Exception:
            log.exception("A callback of the client failed.")
