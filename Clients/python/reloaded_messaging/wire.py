"""Uvarints, headers and frames, as docs/wire-format.md specifies them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

MAX_SIZE = 2**31 - 1
CONTROL_LIMIT = 256 * 1024


class WireError(ValueError):
    """Bytes that break a rule of the format. ``status`` is the name of the verdict."""

    def __init__(self, status: str) -> None:
        super().__init__(f"The bytes are not valid: {status}.")
        self.status = status


class Kind(IntEnum):
    """The kind of a message."""

    EVENT = 0
    REQUEST = 1
    REPLY = 2
    FAULT = 3
    CONTROL = 4


@dataclass(frozen=True)
class Header:
    """A message's header. ``size`` is the payload's size after decompression, or ``None`` for a plain payload."""

    type: int
    kind: Kind = Kind.EVENT
    correlation: int = 0
    size: int | None = None


def write_uvarint(value: int) -> bytes:
    """Writes a number of at most 32 bits."""
    if not 0 <= value < 2**32:
        raise ValueError(f"{value} is not a number of 32 bits without a sign.")
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_uvarint(data: bytes | bytearray, position: int = 0, end: int | None = None) -> tuple[int, int]:
    """Returns the number at a position, and the position after it. Raises :class:`WireError`."""
    end = len(data) if end is None else end
    value = 0
    for count in range(5):
        if position >= end:
            raise WireError("Truncated")
        byte = data[position]
        position += 1
        if count == 4 and byte > 0x0F:
            raise WireError("BadVarint")
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            if byte == 0 and count > 0:
                raise WireError("BadVarint")
            return value, position
    raise WireError("BadVarint")


def write_header(header: Header) -> bytes:
    """Writes a header in its one encoding."""
    compressed = 0x80 if header.size is not None else 0
    if header.kind == Kind.EVENT and header.type < 127:
        size = b"" if header.size is None else header.size.to_bytes(4, "little")
        return bytes([compressed | header.type]) + size
    out = bytes([compressed | 0x7F, header.kind]) + write_uvarint(header.type)
    if header.kind in (Kind.REQUEST, Kind.REPLY, Kind.FAULT):
        out += write_uvarint(header.correlation)
    return out if header.size is None else out + write_uvarint(header.size)


def read_header(message: bytes) -> tuple[Header, int]:
    """Returns a message's header, and the position of its payload. Raises :class:`WireError`."""
    if not message:
        raise WireError("Empty")
    compressed, type_ = message[0] >= 0x80, message[0] & 0x7F
    if type_ < 127:
        if not compressed:
            return Header(type_), 1
        if len(message) < 5:
            raise WireError("Truncated")
        size = int.from_bytes(message[1:5], "little")
        if size > MAX_SIZE:
            raise WireError("SizeOutOfRange")
        return Header(type_, size=size), 5
    if len(message) < 2:
        raise WireError("Truncated")
    if message[1] & 0xF8:
        raise WireError("ReservedBits")
    if message[1] > Kind.CONTROL:
        raise WireError("ReservedKind")
    kind = Kind(message[1])
    type_, position = read_uvarint(message, 2)
    if kind == Kind.EVENT and type_ < 127:
        raise WireError("NotShortest")
    correlation, size_ = 0, None
    if kind in (Kind.REQUEST, Kind.REPLY, Kind.FAULT):
        correlation, position = read_uvarint(message, position)
    if compressed:
        size_, position = read_uvarint(message, position)
        if size_ > MAX_SIZE:
            raise WireError("SizeOutOfRange")
    return Header(type_, kind, correlation, size_), position


def write_frame(message: bytes) -> bytes:
    """Writes a message after its length."""
    return write_uvarint(len(message)) + message


def take_frame(stream: bytearray, limit: int, control_limit: int = 0) -> bytes | None:
    """Removes the first frame from a stream and returns its message, or ``None`` if it is not complete yet.

    A control message may have ``control_limit`` bytes where ``limit`` is lower. Raises :class:`WireError`: Malformed or TooLarge.
    """
    try:
        length, start = read_uvarint(stream)
    except WireError as error:
        if error.status == "Truncated":
            return None
        raise WireError("Malformed") from None
    if length == 0:
        raise WireError("Malformed")
    if length > max(limit, control_limit):
        raise WireError("TooLarge")
    if length > limit and len(stream) >= start + 2 and bytes(stream[start : start + 2]) != b"\x7f\x04":
        raise WireError("TooLarge")
    if len(stream) < start + length:
        return None
    message = bytes(stream[start : start + length])
    del stream[: start + length]
    return message


def read_fault(payload: bytes) -> tuple[int, str]:
    """Returns a fault's code and text. Raises :class:`WireError`."""
    code, position = read_uvarint(payload)
    try:
        text = payload[position:].decode("utf-8")
    except UnicodeDecodeError:
        raise WireError("Unreadable") from None
    if code > MAX_SIZE:
        raise WireError("Unreadable")
    return code, text
