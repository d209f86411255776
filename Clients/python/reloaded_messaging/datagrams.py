"""The format of datagrams, and the state of a connection over UDP that no socket and no clock is needed for."""

from __future__ import annotations

from typing import Iterator, NamedTuple

from .wire import CONTROL_LIMIT, MAX_MESSAGE_SIZE, WireError, check, read_frame, read_uvarint, write_uvarint

CLOSE, ACKNOWLEDGEMENT = 1, 2
PING, DATA, ROOM, FRAMES, CHALLENGE, RESPONSE = 0, 3, 4, 5, 9, 10
_KINDS = 11
DATA_HEADER = 12  # of a part: its own header, the channel, and the offset
CHANNELS = 16
BLOCKS = 15  # the channel of the blocks of streams and files
FIRST_ROOMS = (65536, 16384)  # of channel 0, and of the others
_ROOMS = (262144, 65536)
_MAX_GAPS = 256
_MAX_RANGES = 31  # of an acknowledgement, after the first one
_WINDOW = 1024


def write_part(kind: int, body: bytes = b"") -> bytes:
    return bytes([kind]) + len(body).to_bytes(2, "little") + body


def read_parts(content: bytes) -> list[tuple[int, bytes]]:
    """Returns the kind and the body of each part. Raises :class:`WireError`."""
    parts, position = [], 0
    check(len(content) > 0, "Empty")
    while position < len(content):
        end = position + 3 + int.from_bytes(content[position + 1 : position + 3], "little")
        check(position + 3 <= len(content) and end <= len(content) and content[position] < _KINDS, "Malformed")
        parts.append((content[position], content[position + 3 : end]))
        position = end
    return parts


def are_frames(body: bytes) -> bool:
    """Whether bytes are one or more whole frames."""
    position = 0
    while position < len(body):
        try:
            message, position = read_frame(body, position, len(body))
        except WireError:
            return False
        if message is None:
            return False
    return position > 0


class Acknowledgement(NamedTuple):
    """Received numbers. ``delay`` is the time in seconds since the newest one arrived; ``ranges`` are first and last numbers, the newest range first."""

    newest: int
    delay: float
    ranges: list[tuple[int, int]]


def read_acknowledgement(body: bytes) -> Acknowledgement:
    """Raises :class:`WireError`."""
    check(len(body) > 12, "Truncated")
    newest, position = int.from_bytes(body[:8], "little"), 12
    ranges, last = list[tuple[int, int]](), newest
    while position < len(body):
        if ranges:
            missing, position = read_uvarint(body, position)
            check(missing > 0, "Malformed")
            last = ranges[-1][0] - missing - 1
        count, position = read_uvarint(body, position)
        check(0 < count <= last + 1 and len(ranges) <= _MAX_RANGES, "Malformed")
        ranges.append((last - count + 1, last))
    return Acknowledgement(newest, int.from_bytes(body[8:12], "little") / 1e6, ranges)


class Received:
    """The newest received numbers of datagrams, of which each is handled once."""

    def __init__(self) -> None:
        self._newest = -1
        self._arrived = 0.0
        self._bits = 0  # bit i: the newest number minus i was received

    def is_new(self, number: int) -> bool:
        age = self._newest - number
        return age < 0 or (age < _WINDOW and not self._bits >> age & 1)

    def add(self, number: int, now: float) -> None:
        if number > self._newest:
            self._bits = (self._bits << min(number - self._newest, _WINDOW) | 1) & (1 << _WINDOW) - 1
            self._newest, self._arrived = number, now
        else:
            self._bits |= 1 << self._newest - number

    def write(self, now: float) -> bytes:
        """Returns the body of an acknowledgement."""
        body = self._newest.to_bytes(8, "little") + min(int((now - self._arrived) * 1e6), 2**32 - 1).to_bytes(4, "little")
        bits, runs = self._bits, 0
        while bits and runs <= _MAX_RANGES:
            if runs:
                missing = (bits & -bits).bit_length() - 1
                body += write_uvarint(missing)
                bits >>= missing
            count = (~bits & bits + 1).bit_length() - 1
            body += write_uvarint(count)
            bits >>= count
            runs += 1
        return body


class Ranges:
    """A set of offsets, as ordered ranges that do not touch each other."""

    def __init__(self) -> None:
        self.items: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        before = [one for one in self.items if one[1] < start]
        after = [one for one in self.items if one[0] > end]
        inside = self.items[len(before) : len(self.items) - len(after)]
        self.items = [*before, (min([start, *(one[0] for one in inside)]), max([end, *(one[1] for one in inside)])), *after]

    def without(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts of a range that the set does not have."""
        for first, last in self.items:
            if start < first:
                yield start, min(first, end)
            start = max(start, last)
            if start >= end:
                return
        yield start, end


class IncomingChannel:
    """Orders the bytes of one channel, and divides them into frames. Each byte below ``limit`` has a place."""

    def __init__(self, channel: int) -> None:
        self.limit = FIRST_ROOMS[min(channel, 1)]
        self._room = _ROOMS[min(channel, 1)]
        self._arrived = Ranges()
        self._bytes = bytearray()  # from _start on; those that did not arrive are zeros
        self._start = 0  # the offset of the first byte that is not in _frames
        self._frames = bytearray()
        self._waiting = 0  # bytes of frames that wait for the program

    @property
    def has_new_room(self) -> bool:
        return self._start - self._waiting + self._room >= self.limit + self._room // 4

    def announce(self) -> int:
        """Raises the limit, and returns it."""
        self.limit = max(self.limit, self._start - self._waiting + self._room)
        return self.limit

    def take(self, offset: int, data: bytes) -> bool:
        """Takes bytes. Returns ``False`` if they have no place; they are not acknowledged then."""
        end = offset + len(data)
        if end > self.limit:
            return False
        if offset < self._start:
            data, offset = data[self._start - offset :], self._start
        if not data:
            return True
        arrived = Ranges()
        arrived.items = self._arrived.items
        arrived.add(offset, end)
        if len(arrived.items) > _MAX_GAPS:
            return False
        self._arrived = arrived
        self._bytes.extend(bytes(max(0, end - self._start - len(self._bytes))))
        self._bytes[offset - self._start : end - self._start] = data
        return True

    def cut(self) -> Iterator[bytes]:
        """The frames that have arrived as a whole, in their order. The program returns the bytes by :meth:`free`. Bytes that are no frame are returned as they are."""
        if not self._arrived.items or self._arrived.items[0][0] > self._start:
            return
        end = self._arrived.items.pop(0)[1]
        self._frames += self._bytes[: end - self._start]
        del self._bytes[: end - self._start]
        self._start, position = end, 0
        while position < len(self._frames):
            try:
                message, next_ = read_frame(self._frames, position, MAX_MESSAGE_SIZE, CONTROL_LIMIT)
            except WireError:
                message, next_ = b"", len(self._frames)
            if message is None:
                break
            self._waiting += next_ - position
            yield bytes(self._frames[position:next_])
            position = next_
        del self._frames[:position]

    def free(self, size: int) -> None:
        self._waiting -= size


class OutgoingChannel:
    """The bytes of one channel that are not acknowledged yet."""

    def __init__(self, channel: int = 0) -> None:
        self.limit = FIRST_ROOMS[min(channel, 1)]
        self._bytes = bytearray()  # from _start on
        self._start = self._next = 0  # the first byte that is not acknowledged, and the first one that was never sent
        self._acknowledged = Ranges()
        self._lost: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._bytes)

    @property
    def end(self) -> int:
        return self._start + len(self._bytes)

    @property
    def start(self) -> int:
        """The first byte that is not acknowledged."""
        return self._start

    @property
    def waits_for_room(self) -> bool:
        return self._next == self.limit < self.end and not self._lost

    def append(self, data: bytes) -> None:
        self._bytes += data

    def acknowledge(self, start: int, end: int) -> None:
        self._acknowledged.add(max(start, self._start), max(end, self._start))
        first, last = self._acknowledged.items[0]
        if first <= self._start < last:
            del self._bytes[: last - self._start]
            self._start = last
            self._acknowledged.items.pop(0)

    def lose(self, start: int, end: int) -> None:
        """Sends a range again, except acknowledged parts of it."""
        self._lost.append((start, end))

    def take(self, most: int) -> tuple[int, bytes] | None:
        """Returns the offset and the bytes to send next: lost ones, and then new ones below the limit."""
        while self._lost:
            start, end = self._lost.pop(0)
            start = max(start, self._start)
            missing = [one for one in self._acknowledged.without(start, end) if one[0] < one[1]] if start < end else []
            if not missing:
                continue
            first, last = missing[0]
            stop = min(last, first + most)
            self._lost[:0] = [one for one in ((stop, last), *missing[1:]) if one[0] < one[1]]
            return first, bytes(self._bytes[first - self._start : stop - self._start])
        first, stop = self._next, min(self._next + most, self.limit, self.end)
        if first >= stop:
            return None
        self._next = stop
        return first, bytes(self._bytes[first - self._start : stop - self._start])
