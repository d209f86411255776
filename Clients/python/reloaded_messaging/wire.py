"""Uvarints, headers and frames, as docs/specification/wire-format.md specifies them."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

MAX_SIZE = 2**31 - 1
MAX_MESSAGE_SIZE = 1 << 20
MAX_HEADER = 17
CONTROL_LIMIT = 256 * 1024

#: The types of control messages.
HELLO, PING, PONG, GOODBYE, CANCEL = range(5)

#: The types of the library's own requests and replies.
STREAM, BLOCK, BLOCK_REPLY, FILE_OFFER, FILE_RECEIVED, FILE_WANTED, FILE_FOUND, FILE_START, FILE_STARTED, ITEM_BLOCK, REPORT = range(0xFFFF0020, 0xFFFF002B)
ACKNOWLEDGEMENT = 0xFFFF0040  # the reply to a request without a reply


class WireError(ValueError):
    """Bytes that break a rule of the format. ``status`` is the name of the verdict, or a sentence."""

    def __init__(self, status: str) -> None:
        super().__init__(status if " " in status else f"The bytes are not valid: {status}.")
        self.status = status


class Kind(IntEnum):
    """The kind of a message."""

    EVENT = 0
    REQUEST = 1
    REPLY = 2
    FAULT = 3
    CONTROL = 4


CORRELATED = (Kind.REQUEST, Kind.REPLY, Kind.FAULT)
_KINDS = tuple(Kind)
_EVENT = Kind.EVENT
_PLAIN, _COMPRESSED = [bytes([0x7F, kind]) for kind in Kind], [bytes([0xFF, kind]) for kind in Kind]
_SMALL = [bytes([value]) for value in range(0x80)]


class Header(NamedTuple):
    """A message's header. ``size`` is the payload's size after decompression, or ``None`` for a plain payload."""

    type: int
    kind: Kind = Kind.EVENT
    correlation: int = 0
    size: int | None = None


def check(is_valid: bool, status: str) -> None:
    """Raises :class:`WireError` for what is not valid."""
    if not is_valid:
        raise WireError(status)


def write_uvarint(value: int) -> bytes:
    """Writes a number of at most 32 bits."""
    if 0 <= value < 0x80:
        return _SMALL[value]
    if 0x80 <= value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    if not 0 <= value < 2**32:
        raise ValueError(f"{value} is not a number of 32 bits without a sign.")
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def read_uvarint(data: bytes | bytearray, position: int = 0, end: int | None = None) -> tuple[int, int]:
    """Returns the number at a position, and the position after it. Raises :class:`WireError`."""
    limit = len(data) if end is None else end
    value = shift = 0
    while position < limit:
        byte = data[position]
        position += 1
        if byte < 0x80:
            if shift and (byte == 0 or (byte > 0x0F and shift == 28)):
                raise WireError("BadVarint")
            return value | byte << shift, position
        if shift == 28:
            raise WireError("BadVarint")
        value |= (byte & 0x7F) << shift
        shift += 7
    raise WireError("Truncated")


def write_header(header: Header) -> bytes:
    """Writes a header in its one encoding."""
    type_, kind, correlation, size = header
    if size is None:
        start = _PLAIN[kind]
    elif kind == _EVENT and type_ < 127:
        return bytes([0x80 | type_]) + size.to_bytes(4, "little")
    else:
        start = _COMPRESSED[kind]
    if kind == _EVENT and type_ < 127:
        return _SMALL[type_]
    start += write_uvarint(type_)
    if kind in CORRELATED:
        start += write_uvarint(correlation)
    return start if size is None else start + write_uvarint(size)


def read_header(message: bytes) -> tuple[Header, int]:
    """Returns a message's header, and the position of its payload. Raises :class:`WireError`."""
    check(len(message) > 0, "Empty")
    if message[0] < 127:
        return Header(message[0]), 1
    if len(message) > 1 and message[0] == 127 and 1 <= message[1] <= 3:
        type_, position = read_uvarint(message, 2)
        correlation, position = read_uvarint(message, position)
        return Header(type_, _KINDS[message[1]], correlation), position
    is_compressed, type_ = message[0] >= 0x80, message[0] & 0x7F
    kind, correlation, size, position = Kind.EVENT, 0, None, 1
    if type_ < 127:
        if is_compressed:
            check(len(message) >= 5, "Truncated")
            size, position = int.from_bytes(message[1:5], "little"), 5
    else:
        check(len(message) >= 2, "Truncated")
        check(not message[1] & 0xF8, "ReservedBits")
        check(message[1] <= Kind.CONTROL, "ReservedKind")
        kind = _KINDS[message[1]]
        type_, position = read_uvarint(message, 2)
        check(kind != Kind.EVENT or type_ >= 127, "NotShortest")
        if kind in CORRELATED:
            correlation, position = read_uvarint(message, position)
        if is_compressed:
            size, position = read_uvarint(message, position)
    check(size is None or size <= MAX_SIZE, "SizeOutOfRange")
    return Header(type_, kind, correlation, size), position


def take_frame(stream: bytearray, limit: int, control_limit: int = 0) -> bytes | None:
    """Removes the first frame from a stream and returns its message, or ``None`` if it is not complete yet.

    A control message may have ``control_limit`` bytes where ``limit`` is lower. Raises :class:`WireError`: Malformed or TooLarge.
    """
    message, end = read_frame(stream, 0, limit, control_limit)
    del stream[:end]
    return message


def read_frame(stream: bytes | bytearray, position: int, limit: int, control_limit: int = 0) -> tuple[bytes | None, int]:
    """Returns the message of the frame at a position, and the position after it; ``None`` and the same position if the frame is not complete. Raises :class:`WireError`."""
    try:
        length, start = read_uvarint(stream, position)
    except WireError as error:
        check(error.status == "Truncated", "Malformed")
        return None, position
    end = start + length
    if not 0 < length <= limit:
        check(length > 0, "Malformed")
        check(stream[start : start + 2] in (b"\x7f\x04", b"\x7f", b"") and length <= control_limit, "TooLarge")
    return (None, position) if len(stream) < end else (bytes(stream[start:end]), end)


def read_fault(payload: bytes) -> tuple[int, str]:
    """Returns a fault's code and text. Raises :class:`ValueError`."""
    code, position = read_uvarint(payload)
    check(code <= MAX_SIZE, "Unreadable")
    return code, payload[position:].decode("utf-8")


def cut(text: str, size: int) -> bytes:
    """Returns the beginning of a text as UTF-8 of at most ``size`` bytes."""
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore").encode("utf-8")
