"""The client's side of a WebSocket (RFC 6455), as a stream of bytes: the payloads of its binary messages."""

from __future__ import annotations

import base64
import hashlib
import secrets

from .errors import HandshakeError
from .wire import WireError, check

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_MAX_RESPONSE = 8192


class WebSocket:
    """Frames bytes that are sent, and takes received bytes out of their frames."""

    def __init__(self, host: str, port: int, path: str) -> None:
        key = base64.b64encode(secrets.token_bytes(16))
        name = f"[{host}]" if ":" in host else host
        self.request = f"GET {path} HTTP/1.1\r\nHost: {name}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ".encode("ascii") + key + b"\r\n\r\n"
        self.is_open = False
        self._accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())
        self._data = bytearray()
        self._left = 0  # bytes of the current binary frame that were not received yet
        self._in_message = False

    def frame(self, data: bytes, opcode: int = _BINARY) -> bytes:
        """Returns a masked frame."""
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big") if size < 1 << 16 else b"\xff" + size.to_bytes(8, "big")
        mask = secrets.token_bytes(4)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "little") ^ int.from_bytes(repeated, "little")).to_bytes(size, "little")
        return bytes([0x80 | opcode]) + length + mask + masked

    def close_frame(self, code: int = 1000) -> bytes:
        return self.frame(code.to_bytes(2, "big"), _CLOSE)

    def receive(self, data: bytes) -> tuple[bytes, bytes]:
        """Takes received bytes. Returns the bytes of the stream, and the frames to answer with.

        Raises :class:`HandshakeError` for a server that refuses, and :class:`WireError` for bytes that are not a WebSocket.
        """
        self._data += data
        if not self.is_open and not self._read_response():
            return b"", b""
        stream, answers = bytearray(), b""
        while True:
            taken = self._data[: self._left]
            stream += taken
            self._left -= len(taken)
            del self._data[: len(taken)]
            if self._left or (frame := self._read_header()) is None:
                return bytes(stream), answers
            answers += self._answer(*frame)

    def _read_response(self) -> bool:
        end = self._data.find(b"\r\n\r\n")
        check(max(end, len(self._data) if end < 0 else 0) <= _MAX_RESPONSE, "The response to the request for a WebSocket is too long.")
        if end < 0:
            return False
        status, *lines = bytes(self._data[:end]).split(b"\r\n")
        del self._data[: end + 4]
        if not status.startswith(b"HTTP/1.1 101"):
            raise HandshakeError("NotAPeer", f"The server refused the WebSocket: {status[:80].decode('ascii', 'replace')}")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
        if headers.get(b"sec-websocket-accept") != self._accept or headers.get(b"upgrade", b"").lower() != b"websocket":
            raise HandshakeError("NotAPeer", "The response is not that of a WebSocket.")
        self.is_open = True
        return True

    def _read_header(self) -> tuple[int, bytes] | None:
        """Takes the header of a frame, and the payload if it is no binary frame. Returns ``None`` if more bytes are needed."""
        data = self._data
        if len(data) < 2:
            return None
        opcode, length, start = data[0] & 15, data[1], 2
        if data[0] & 0x70 or length >= 0x80:
            raise WireError("The server sent a frame of a WebSocket with an extension or a mask.")
        is_control = opcode >= _CLOSE
        check(not is_control or (length < 126 and data[0] >= 0x80), "A control frame of a WebSocket is longer than 125 bytes, or not whole.")
        if length >= 126:
            start = 4 if length == 126 else 10
            if len(data) < start:
                return None
            length = int.from_bytes(data[2:start], "big")
            check(length < 1 << 63, "The length of a frame of a WebSocket is negative.")
        if is_control and len(data) < start + length:
            return None
        payload = bytes(data[start : start + length]) if is_control else b""
        if not is_control:
            check(opcode == (_CONTINUATION if self._in_message else _BINARY), "The server sent text, or began a message within another one.")
            self._in_message, self._left = data[0] < 0x80, length
        del data[: start + len(payload)]
        return opcode, payload

    def _answer(self, opcode: int, payload: bytes) -> bytes:
        if opcode == _CLOSE:
            return self.frame(payload[:2], _CLOSE)
        return self.frame(payload, _PONG) if opcode == _PING else b""
