"""The mutated messages that docs/vectors/README.md specifies."""

from __future__ import annotations

from reloaded_messaging import Header, Kind, PayloadError, WireError
from reloaded_messaging.wire import read_header, write_header

from .support import SCHEMA, cases


class Mutations:
    """Makes the messages in order, and judges them."""

    def __init__(self) -> None:
        self._state = 0x2545F491
        self._bases = [
            (write_header(Header(SCHEMA.find(case["message"]).id)), bytes.fromhex(case["bytes"])) for case in cases("payloads") if case["mutated"]
        ]
        self._known = {read_header(header)[0].type for header, _ in self._bases}

    def next(self, index: int) -> bytes:
        header, payload = self._bases[index % len(self._bases)]
        message = bytearray(header + payload)
        for _ in range(1 + self._draw(3)):
            operation = self._draw(5)
            start = 0 if self._draw(8) == 0 else min(len(header), len(message))
            if start == len(message):
                operation = 3
            position = start + self._draw(len(message) - start + (operation == 3))
            if operation == 0:
                message[position] ^= 1 << self._draw(8)
            elif operation == 1:
                message[position] = self._draw(256)
            elif operation == 2:
                del message[position:]
            elif operation == 3:
                message.insert(position, self._draw(256))
            else:
                del message[position]
        return bytes(message)

    def judge(self, message: bytes) -> int:
        try:
            header, position = read_header(message)
        except WireError:
            return 1
        if header.kind > Kind.REQUEST:
            return 2
        if header.type not in self._known:
            return 3
        if header.size is not None:
            return 1
        try:
            SCHEMA.decode(header.type, message[position:])
            return 0
        except PayloadError:
            return 4

    def _draw(self, bound: int) -> int:
        self._state ^= self._state << 13 & 0xFFFFFFFF
        self._state ^= self._state >> 17
        self._state ^= self._state << 5 & 0xFFFFFFFF
        return self._state % bound
