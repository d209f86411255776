"""UDP, as a transport of asyncio for a stream of frames. Messages that must arrive are sent again; pings are not."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from typing import Callable

from .datagrams import (
    ACKNOWLEDGEMENT, BLOCKS, CHALLENGE, CHANNELS, CLOSE, DATA, DATA_HEADER, FRAMES, PING, RESPONSE, ROOM,
    IncomingChannel, OutgoingChannel, Received, are_frames, read_acknowledgement, read_parts, write_part,
)  # fmt: skip
from .errors import HandshakeError
from .protection import Exchange, Keys, Protection
from .recovery import MAX_DATAGRAM, Recovery, Sent
from .wire import GOODBYE, HELLO, PING as PING_MESSAGE, PONG, WireError, read_frame

_HELLO, _COOKIE, _CONNECT, _ACCEPT, _REFUSE, _PLAIN, _SEALED = range(1, 8)
_RANDOM, _ID = 16, 8
_EARLY_WAIT, _EARLY_TRIES, _LATER_WAIT, _TRIES = 0.1, 10, 0.5, 16
_REFUSAL_GRACE = 1.0  # seconds for which a refusal, which anyone can send, has to be the only answer
_LOCKED_OUT = 22
_MAX_LOOSE = 256 * 1024  # bytes of frames that may be lost, and wait for the program
_PROBE_PINGS = 4  # with them, a datagram is as large as a challenge, which it may cause
_ROOM_PROBE = 1.0  # seconds after which a sender that waits for room asks
_HELLO_MESSAGE, _GOODBYE_MESSAGE = (bytes((0x7F, 4, opcode)) for opcode in (HELLO, GOODBYE))
_LOOSE = tuple(bytes((0x7F, 4, opcode)) for opcode in (PING_MESSAGE, PONG))


async def open_udp(protocol: asyncio.Protocol, host: str, port: int, protection: Protection | None, token: bytes) -> None:
    """Connects a protocol. Raises :class:`OSError` or :class:`HandshakeError`."""
    exchange = Exchange(protection, token) if protection else None
    loop = asyncio.get_running_loop()
    socket, datagrams = await loop.create_datagram_endpoint(_Datagrams, remote_addr=(host, port))
    try:
        id_, keys = await _shake_hands(socket, datagrams, exchange)
    except BaseException:
        socket.close()
        raise
    transport = UdpTransport(protocol, socket, id_, keys)
    datagrams.receive = transport.receive
    protocol.connection_made(transport)
    transport.start()
    for data in datagrams.early:
        transport.receive(data)


class _Datagrams(asyncio.DatagramProtocol):
    """Keeps datagrams until the connection is made."""

    def __init__(self) -> None:
        self.early: deque[bytes] = deque(maxlen=64)
        self.receive: Callable[[bytes], None] = self._keep
        self.failure: Exception | None = None
        self.arrived = asyncio.Event()

    def datagram_received(self, data: bytes, _: object) -> None:
        self.receive(data)

    def error_received(self, error: Exception) -> None:
        """A system reports what any machine on the way can cause. It ends an attempt to connect only."""
        self.failure = error
        self.arrived.set()

    async def next(self, wait: float) -> bytes | None:
        try:
            async with asyncio.timeout(wait):
                while not self.early:
                    if self.failure:
                        raise self.failure
                    self.arrived.clear()
                    await self.arrived.wait()
        except TimeoutError:
            return None
        return self.early.popleft()

    def _keep(self, data: bytes) -> None:
        self.early.append(data)
        self.arrived.set()


async def _shake_hands(socket: asyncio.DatagramTransport, datagrams: _Datagrams, exchange: Exchange | None) -> tuple[bytes, Keys | None]:
    """Returns the id of the connection, and its keys."""
    now = asyncio.get_running_loop().time
    random = secrets.token_bytes(_RANDOM)
    hello = (b"\1RMU\1" + random).ljust(64, b"\0")
    asking, tries, refusal, since = hello, 0, "", 0.0
    while True:
        if tries == _TRIES:
            asking, tries = hello, 0  # the cookie has expired
        tries += 1
        socket.sendto(asking)
        end, has_cookie = now() + (_EARLY_WAIT if tries <= _EARLY_TRIES else _LATER_WAIT), False
        while not has_cookie and (data := await datagrams.next(end - now())) is not None:
            kind = data[0] if data[1 : 1 + _RANDOM] == random else 0
            if kind == _COOKIE and len(data) == 34:
                connect = bytes([_CONNECT]) + data[1:] + (exchange.offer(data[1:]) if exchange else b"")
                if connect != asking:
                    asking, tries, has_cookie = connect, 0, True
            elif kind == _ACCEPT and len(data) >= 25:
                keys = exchange.finish(data[25:]) if exchange else None
                if keys or (exchange is None and len(data) == 25):
                    return data[17:25], keys
                refusal, since = refusal or "WrongProtection", since if refusal else now()
            elif kind == _REFUSE and len(data) <= 18:
                reason = "LockedOut" if data[17:] == bytes([_LOCKED_OUT]) else "WrongProtection"
                refusal, since = reason, since if refusal else now()
        if refusal and (exchange is None or now() > since + _REFUSAL_GRACE):
            raise HandshakeError(refusal, "Give both sides the same protection and the same token.")


class UdpTransport(asyncio.Transport):
    """A connection. The protocol gets whole frames, in the order in which they arrived as a whole."""

    def __init__(self, protocol: asyncio.Protocol, socket: asyncio.DatagramTransport, id_: bytes, keys: Keys | None) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._protocol, self._socket, self._id, self._keys = protocol, socket, id_, keys
        self._space = MAX_DATAGRAM - (34 if keys else 17)
        self._number = 0  # of the next datagram
        self._received, self._recovery = Received(), Recovery()
        self._out = {channel: OutgoingChannel(channel) for channel in (0, BLOCKS)}
        self._turn = 0  # the channel that is to send next
        self._in = [IncomingChannel(channel) for channel in range(CHANNELS)]
        self._barrier = 0  # in channel 0, the end of the last hello of the handshake, or of the goodbye; other channels and parts wait until it is acknowledged
        self._has_shaken_hands = False
        self._goodbye = b""  # waits until the data of the other channel is acknowledged
        self._loose: deque[bytes] = deque(maxlen=64)
        self._inbox: deque[tuple[int, bytes]] = deque()  # frames and their channels; -1 for those that may be lost
        self._loose_size = 0
        self._rooms = set[int]()
        self._response = b""
        self._acknowledges = self._is_paused = self._is_closing = self._is_writing_paused = self._is_scheduled = False
        self._pings = 0
        self._high = 64 * 1024
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Sends the first packet, which shows that this side has the keys."""
        self._pings = 1
        self._flush()

    # The protocol calls these methods.

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Sends whole frames."""
        frames, position = bytes(data), 0
        while position < len(frames) and not self._is_closing:
            message, end = read_frame(frames, position, len(frames))
            assert message is not None, "A transport of datagrams sends whole frames."
            frame = frames[position:end]
            if message.startswith(_LOOSE):
                self._loose.append(frame)
            elif message.startswith(_GOODBYE_MESSAGE):
                self._goodbye = frame
                self._say_goodbye()
            else:
                self._out[0].append(frame)
                if message.startswith(_HELLO_MESSAGE) and not self._has_shaken_hands:
                    self._barrier = self._out[0].end
                    self._has_shaken_hands = message == _HELLO_MESSAGE  # the last one is empty
            position = end
        self._note_written()

    def write_blocks(self, data: bytes) -> None:
        """Sends whole frames on the channel of blocks, which other messages do not wait for."""
        if not self._is_closing:
            self._out[BLOCKS].append(data)
            self._note_written()

    def _note_written(self) -> None:
        self._schedule()
        if self.get_write_buffer_size() > self._high and not self._is_writing_paused:
            self._is_writing_paused = True
            self._protocol.pause_writing()

    def _say_goodbye(self) -> None:
        if self._goodbye and not len(self._out[BLOCKS]):
            self._out[0].append(self._goodbye)
            self._barrier, self._goodbye = self._out[0].end, b""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._high = 64 * 1024 if high is None else high

    def get_write_buffer_size(self) -> int:
        return sum(map(len, self._out.values()))

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        self._loop.call_soon(self._deliver)

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        """Closes the connection. The close is sent three times, because it is not acknowledged."""
        if not self._is_closing:
            for _ in range(3):
                self._send(write_part(CLOSE))
            self._end()

    # Receiving

    def receive(self, data: bytes) -> None:
        """Handles a datagram. One that another program sent is dropped."""
        if self._is_closing or data[1 : 1 + _ID] != self._id or len(data) < 18 or data[0] != (_SEALED if self._keys else _PLAIN):
            return
        content: bytes | None
        if self._keys:
            number = int.from_bytes(data[10:18], "little")
            content = self._keys.opener.open(data[9], number, data[18:])
        else:
            number, content = int.from_bytes(data[9:17], "little"), data[17:]
        if content is None or not self._received.is_new(number):
            return
        now, has_place = self._loop.time(), True
        try:
            parts = read_parts(content)
            for kind, body in parts:
                if kind == CLOSE:
                    self._deliver()
                    self._end()
                    return
                has_place &= self._take(kind, body, now)
        except WireError:
            return
        if has_place:
            self._received.add(number, now)
            self._acknowledges |= any(kind not in (CLOSE, ACKNOWLEDGEMENT) for kind, _ in parts)
        self._deliver()
        self._schedule()

    def _take(self, kind: int, body: bytes, now: float) -> bool:
        """Handles a part. Returns ``False`` if there is no place for it."""
        if kind == ACKNOWLEDGEMENT:
            received = read_acknowledgement(body)
            if received.newest < self._number:
                acknowledged, lost = self._recovery.acknowledge(received, now)
                for channel, start, end in (one for sent in acknowledged for one in sent.data):
                    self._out[channel].acknowledge(start, end)
                self._say_goodbye()
                self._lose(lost)
        elif kind == DATA and len(body) > 9 and body[0] < CHANNELS:
            incoming = self._in[body[0]]
            if not incoming.take(int.from_bytes(body[1:9], "little"), body[9:]):
                return False
            self._inbox.extend((body[0], frame) for frame in incoming.cut())
            self._note_room(body[0])
        elif kind == ROOM and len(body) == 9 and body[0] in self._out:
            self._out[body[0]].limit = max(self._out[body[0]].limit, int.from_bytes(body[1:], "little"))
        elif kind == FRAMES and are_frames(body) and self._loose_size + len(body) <= _MAX_LOOSE:
            self._loose_size += len(body)
            self._inbox.append((-1, body))
        elif kind == CHALLENGE and len(body) == 8:
            self._response = body
            self._recovery.probes = 0  # acknowledgements went to the earlier address
        return True

    def _deliver(self) -> None:
        while self._inbox and not self._is_paused and not self._is_closing:
            channel, frame = self._inbox.popleft()
            if channel < 0:
                self._loose_size -= len(frame)
            else:
                self._in[channel].free(len(frame))
                self._note_room(channel)
            self._protocol.data_received(frame)
        if self._rooms:
            self._schedule()

    def _note_room(self, channel: int) -> None:
        if self._in[channel].has_new_room:
            self._rooms.add(channel)

    # Sending

    def _schedule(self) -> None:
        """Sends what waits after this step of the event loop, so that it is sent together."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._flush)

    def _flush(self, probes: int = 0) -> None:
        self._is_scheduled = False
        while not self._is_closing and self._send_next(probes > 0):
            probes -= 1
        if self._timer:
            self._timer.cancel()
        deadline = self._recovery.deadline
        if deadline is None and any(channel.waits_for_room for channel in self._out.values()):
            deadline = self._loop.time() + _ROOM_PROBE
        self._timer = None if deadline is None or self._is_closing else self._loop.call_at(deadline, self._tick)
        if self._is_writing_paused and self.get_write_buffer_size() < self._high // 2:
            self._is_writing_paused = False
            self._protocol.resume_writing()

    def _send_next(self, is_probe: bool) -> bool:
        """Sends the next datagram. Returns whether there was one."""
        now, content = self._loop.time(), b""
        if self._acknowledges:
            content, self._acknowledges = write_part(ACKNOWLEDGEMENT, self._received.write(now)), False
        eliciting = len(content)
        if self._pings:
            content, self._pings = content + write_part(PING) * self._pings, 0
        if self._response:
            content, self._response = content + write_part(RESPONSE, self._response), b""
        rooms = tuple(self._rooms)
        for channel in rooms:
            content += write_part(ROOM, bytes([channel]) + self._in[channel].announce().to_bytes(8, "little"))
        self._rooms.clear()
        data = list[tuple[int, int, int]]()
        if self._recovery.has_room or is_probe:
            while self._loose and not self._is_held and len(content) + 3 + len(self._loose[0]) <= self._space:
                content += write_part(FRAMES, self._loose.popleft())
            while (most := self._space - len(content) - DATA_HEADER) > 0 and (taken := self._take_data(most)):
                channel, offset, part = taken
                content += write_part(DATA, bytes([channel]) + offset.to_bytes(8, "little") + part)
                data.append((channel, offset, offset + len(part)))
        if not content:
            return False
        if len(content) > eliciting:
            self._recovery.note(self._number, Sent(now, len(content) + MAX_DATAGRAM - self._space, tuple(data), rooms))
        self._send(content)
        return True

    @property
    def _is_held(self) -> bool:
        """Whether only channel 0 is sent, because a hello or a goodbye was not acknowledged."""
        return self._out[0].start < self._barrier

    def _take_data(self, most: int) -> tuple[int, int, bytes] | None:
        """Returns the channel, the offset and the bytes of the data to send next. The channels take turns."""
        for channel in (0,) if self._is_held else (self._turn, BLOCKS - self._turn):
            if taken := self._out[channel].take(most):
                self._turn = BLOCKS - channel
                return channel, *taken
        return None

    def _send(self, content: bytes) -> None:
        number, self._number = self._number, self._number + 1
        start = bytes([_SEALED if self._keys else _PLAIN]) + self._id
        self._socket.sendto(start + (self._keys.sealer.seal(number, content) if self._keys else number.to_bytes(8, "little") + content))

    def _lose(self, lost: list[Sent]) -> None:
        for sent in lost:
            for channel, start, end in sent.data:
                self._out[channel].lose(start, end)
            self._rooms.update(sent.rooms)

    def _tick(self) -> None:
        """Finds lost datagrams. If nothing is acknowledged, sends the oldest data in up to two datagrams, or pings."""
        self._timer = None
        lost = self._recovery.tick(self._loop.time()) if self._recovery.flight else None
        if lost is not None:
            self._lose(lost)
            self._flush()
            return
        oldest = next((sent for sent in self._recovery.flight.values() if sent.data or sent.rooms), None)
        if oldest:
            self._lose([oldest])
        else:
            self._pings = _PROBE_PINGS
        self._flush(2)

    def _end(self) -> None:
        if self._is_closing:
            return
        self._is_closing = True
        if self._timer:
            self._timer.cancel()
        self._socket.close()
        self._loop.call_soon(self._protocol.connection_lost, None)
