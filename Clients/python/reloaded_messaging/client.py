"""A client: events, requests and replies in both directions, faults, and reconnecting."""

from __future__ import annotations

import contextlib
import itertools
import logging
import random
import secrets
import socket
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from hmac import compare_digest
from typing import Any, Callable, Iterable

from . import handshake
from .binary import Contract, PayloadError, Schema
from .compression import DECOMPRESSORS
from .endpoints import Endpoint
from .layouts import clean
from .wire import CONTROL_LIMIT, Header, Kind, WireError, read_fault, read_header, read_uvarint, take_frame, write_header, write_uvarint

HELLO, PING, PONG, GOODBYE, CANCEL = range(5)
ACKNOWLEDGEMENT = 0xFFFF0040  # the reply to a request without a reply
STREAM, BLOCK = 0xFFFF0020, 0xFFFF0021  # a reply that is a stream, and the request for a block of it
MAX_MESSAGE_SIZE = 1 << 20
KEEP_ALIVE = 15.0
MAX_WAITING = 1000  # messages that wait for their handlers
MAX_CONTRACTS = 4096  # contracts that a server may announce
MAX_ANNOUNCED = 512 * 1024  # characters of the names, layouts and shapes that a server may announce
MAX_TEXT = 1024  # bytes of the text in a goodbye
LINGER = 1.0  # seconds in which a server closes after a goodbye


class Fault(Exception):
    """A request was refused. A handler raises one to refuse: codes from 1000 up are the program's."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"Fault {code}: {text}")
        self.code, self.text = code, text


class HandshakeError(ConnectionError):
    """The server was reached, and one of the two sides refused the other. ``reason`` is a name of the table of disconnect reasons; ``text`` says more, for example which contract differs."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(f"The handshake failed: {reason}. {text}".rstrip())
        self.reason, self.text = reason, text


class ContractMismatch(ValueError):
    """The two sides know a type of message by different contracts.

    ``path`` is the path of the field that differs, such as ``ModList.Mods[].Version``, or ``None`` if the serializers or the versions differ.
    """

    def __init__(self, text: str, path: str | None = None) -> None:
        super().__init__(text)
        self.path = path


class Client:
    """A connection to a server. Thread-safe. Handlers run one after the other on a thread of the client's own.

    While 1,000 messages wait for their handlers, the client does not read from the server.

    :param endpoint: where the server is, or a function that finds it again for each attempt.
    :param reconnect: whether to connect again after the connection was lost, until :meth:`close`.
    """

    def __init__(
        self, endpoint: Endpoint | Callable[[], Endpoint], schema: Schema, *, token: bytes = b"", reconnect: bool = False, timeout: float = 5.0
    ) -> None:
        self._find, self.schema, self._token, self.reconnect, self.timeout = endpoint, schema, token, reconnect, timeout
        self._handlers: dict[int, tuple[Contract | None, Callable[[dict[str, Any]], Any]]] = {}
        self._pending: dict[int, Future[tuple[Header, bytes]]] = {}
        self._requests: dict[int, bool] = {}  # of the server, which are not answered yet; True once it has canceled one
        self._told: dict[int, handshake.Told] = {}
        self._mismatches: dict[int, handshake.Mismatch | None] = {}  # of the contracts that were compared
        self._numbers = itertools.count(1)
        self._lock, self._closed, self._connected = threading.Lock(), threading.Event(), threading.Event()
        self._worker = ThreadPoolExecutor(1, "reloaded-messaging")
        self._room = threading.BoundedSemaphore(MAX_WAITING)
        self._deadline: float | None = None  # of the handshake
        self.disconnected: Callable[[str, str], None] = lambda reason, text: None
        self.failed: Callable[[Exception], None] = lambda error: None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        """Handles an event. Before :meth:`connect`."""
        self._handlers[self.schema.find(event).id] = (None, handler)

    def on_request(self, request: str, reply: str, handler: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Answers a request. Before :meth:`connect`."""
        self._handlers[self.schema.find(request).id] = (self.schema.find(reply), handler)

    def connect(self) -> Client:
        """Connects. Raises :class:`HandshakeError` or :class:`OSError`."""
        self._open()
        threading.Thread(target=self._run, name="reloaded-messaging receive", daemon=True).start()
        return self

    def wait_connected(self, timeout: float | None = None) -> bool:
        """Waits until there is a connection."""
        return self._connected.wait(timeout)

    def send(self, event: str, value: dict[str, Any] | None = None) -> None:
        """Sends an event."""
        contract = self._use(event)
        self._send(Header(contract.id), self.schema.encode(contract.id, value))

    def request(self, request: str, value: dict[str, Any] | None = None, timeout: float | None = None) -> dict[str, Any]:
        """Sends a request and returns the reply, which is empty for a request without a reply. Raises :class:`Fault`, :class:`ContractMismatch`, :class:`TimeoutError` or :class:`ConnectionError`."""
        contract = self._use(request)
        if contract.reply in self.schema.contracts:
            self._check(self.schema.contracts[contract.reply])  # a reply that cannot be read is no reason to run the handler
        number, answer = next(self._numbers) & 0xFFFFFFFF, Future[tuple[Header, bytes]]()
        payload = self.schema.encode(contract.id, value)
        self._pending[number] = answer
        try:
            self._send(Header(contract.id, Kind.REQUEST, number), payload)
            header, reply = answer.result(self.timeout if timeout is None else timeout)
        except TimeoutError:
            self._control(CANCEL, write_uvarint(number))
            raise TimeoutError(f"{contract.name} was not answered in time.") from None
        finally:
            self._pending.pop(number, None)
        if header.kind == Kind.FAULT:
            raise Fault(*read_fault(reply))
        if header.type == STREAM:
            self._send(Header(BLOCK, Kind.REQUEST, next(self._numbers) & 0xFFFFFFFF), reply[:4] + bytes(4))  # a block of 0 bytes closes the stream
            raise PayloadError(f"The reply to {contract.name} is a stream, which this client cannot read. The stream was closed.")
        return {} if header.type == ACKNOWLEDGEMENT else self._decode(header, reply)

    def close(self) -> None:
        """Says goodbye and closes the connection."""
        self._closed.set()
        if self._connected.is_set():
            with contextlib.suppress(OSError):  # the server may be gone
                self._control(GOODBYE, b"\0")
            self._hang_up()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _use(self, name: str) -> Contract:
        contract = self.schema.find(name)
        self._check(contract)
        return contract

    def _check(self, contract: Contract) -> None:
        """Raises :class:`ContractMismatch` if the server announced another contract. Each contract is compared once."""
        mismatches = self._mismatches  # a later hello replaces it
        if contract.id not in mismatches:
            mismatches[contract.id] = handshake.find_mismatch(self.schema, [contract], self._told)
        if mismatch := mismatches[contract.id]:
            raise ContractMismatch(str(mismatch), mismatch.path)

    def _own_contracts(self) -> list[Contract]:
        """The contracts that this client handles, and those of its replies."""
        replies = [reply for reply, _ in self._handlers.values() if reply is not None]
        return list({contract.id: contract for contract in [*map(self.schema.find, self._handlers), *replies]}.values())

    def _learn(self, contracts: Iterable[handshake.Told]) -> tuple[str, str] | None:
        """Keeps contracts that the server announced, and compares those of this client with them. Returns the reason and the text of a refusal, of which the server is told."""
        new = {told.id: told for told in contracts}
        told = {**self._told, **new}
        layouts = {id(one.layouts): len(one.layouts.text) for one in told.values() if one.layouts is not None}
        if len(told) > MAX_CONTRACTS:
            return "Malformed", f"The server announced more than {MAX_CONTRACTS} contracts."
        if sum(layouts.values()) + sum(len(one.type) + 8 * len(one.shape) for one in told.values()) > MAX_ANNOUNCED:
            return "Malformed", f"The contracts that the server announced have more than {MAX_ANNOUNCED} characters."
        self._told, self._mismatches = told, {}
        if mismatch := handshake.find_mismatch(self.schema, self._own_contracts(), new):
            self._disconnect("WrongContract", mismatch.seen_there)
            return "WrongContract", str(mismatch)
        return None

    def _disconnect(self, reason: str, text: str) -> None:
        """Says goodbye to the server, and waits until the server closes, so that unread bytes do not reset the connection before the goodbye is read."""
        with contextlib.suppress(OSError):  # the server may have closed first, or may not close in time
            self._control(GOODBYE, bytes([handshake.REASONS.index(reason)]) + _cut(text, MAX_TEXT))
            self._stream.shutdown(socket.SHUT_WR)
            end = time.monotonic() + LINGER
            while (left := end - time.monotonic()) > 0:
                self._stream.settimeout(left)
                if not self._stream.recv(65536):
                    break

    def _send(self, header: Header, payload: bytes) -> None:
        message = write_header(header) + payload
        if header.kind != Kind.CONTROL and not self._connected.is_set():
            raise ConnectionError("There is no connection.")
        if header.kind != Kind.CONTROL and len(message) > self._largest:
            raise ValueError(f"The message has {len(message)} bytes; the server accepts at most {self._largest}.")
        try:
            with self._lock:
                self._stream.sendall(write_uvarint(len(message)) + message)
        except OSError as error:
            self._hang_up()
            raise ConnectionError(f"The connection ended while it was written to: {error}") from None

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):  # it may have ended
            self._stream.shutdown(socket.SHUT_RDWR)  # wakes the thread that receives

    def _control(self, opcode: int, payload: bytes) -> None:
        self._send(Header(opcode, Kind.CONTROL), payload)

    def _open(self) -> None:
        endpoint = self._find() if callable(self._find) else self._find
        self._deadline = time.monotonic() + self.timeout
        self._stream, self._buffer = endpoint.connect(self.timeout), bytearray()
        try:
            self._shake_hands(self._token or endpoint.token, secrets.token_bytes(16))
            self._deadline = None
        except BaseException as error:
            self._stream.close()
            if isinstance(error, ValueError):
                raise HandshakeError("NotAPeer", f"The server's part of the handshake cannot be read. {error}") from None
            raise
        self._stream.settimeout(KEEP_ALIVE)  # the server sends a ping every 2 s
        self._connected.set()

    def _shake_hands(self, token: bytes, nonce: bytes) -> None:
        own = self._own_contracts()
        layouts = handshake.layouts_of(self.schema, own)
        self._told = {}
        self._say(handshake.write_hello(nonce, bool(token), own, MAX_MESSAGE_SIZE, layouts))
        hello = handshake.read_hello(self._receive_hello())
        if hello is None or hello.has_token != bool(token):
            raise HandshakeError("WrongVersion" if hello is None else "WrongToken")
        if token:
            self._say(handshake.make_proof(token, False, nonce, hello.nonce))
            if not compare_digest(self._receive_hello(), handshake.make_proof(token, True, hello.nonce, nonce)):
                raise HandshakeError("WrongToken", "The server does not know it.")
            self._say(handshake.write_contracts(own, layouts))
        self._accept(hello.contracts or ())
        self._say(b"")
        while payload := self._receive_hello():
            self._accept(handshake.read_contracts(payload))
        self._largest = hello.max_message_size

    def _say(self, hello: bytes) -> None:
        with contextlib.suppress(OSError):  # the server may have refused this client and closed; its goodbye is received next
            self._control(HELLO, hello)

    def _accept(self, contracts: Iterable[handshake.Told]) -> None:
        if refusal := self._learn(contracts):
            raise HandshakeError(*refusal)

    def _receive_hello(self) -> bytes:
        message = self._receive()
        header, position = read_header(message) if message else (Header(GOODBYE, Kind.CONTROL), 0)
        if header == Header(HELLO, Kind.CONTROL):
            return message[position:]
        if header != Header(GOODBYE, Kind.CONTROL):
            raise HandshakeError("NotAPeer")
        raise HandshakeError(*_goodbye(message[position:])) if message else HandshakeError("ConnectionLost")

    def _receive(self) -> bytes:
        """The next message; no bytes at the end of the stream."""
        while (message := take_frame(self._buffer, MAX_MESSAGE_SIZE, CONTROL_LIMIT)) is None:
            if self._deadline is not None:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"The server did not complete the handshake within {self.timeout} s.")
                self._stream.settimeout(left)
            data = self._stream.recv(65536)
            if not data:
                return b""
            self._buffer += data
        return message

    def _run(self) -> None:
        while not self._closed.is_set():
            reason, text = "ConnectionLost", ""
            try:
                while not self._closed.is_set() and (message := self._receive()):  # a server may send without end
                    if ended := self._handle(message):
                        reason, text = ended
                        break
            except (OSError, ValueError) as error:
                text = str(error)
            self._connected.clear()
            self._stream.close()
            for answer in list(self._pending.values()):
                if not answer.done():
                    answer.set_exception(ConnectionError(f"The connection ended: {reason}. {text}".rstrip()))
            if self._closed.is_set():
                return
            self._submit(self.disconnected, reason, text)
            if not self.reconnect or not self._reopen():
                return

    def _reopen(self) -> bool:
        delay = 0.1
        while not self._closed.wait(delay * random.uniform(0.75, 1.25)):  # so that many clients do not return at once
            try:
                self._open()
                return True
            except (OSError, ValueError) as error:
                self._submit(self.failed, error)
            delay = min(2 * delay, 2.0)
        return False

    def _handle(self, message: bytes) -> tuple[str, str] | None:
        try:
            header, position = read_header(message)
        except WireError:
            return None  # this message is dropped alone
        payload = message[position:]
        if header.kind == Kind.CONTROL:
            return self._handle_control(header, payload)
        if header.kind in (Kind.REPLY, Kind.FAULT):
            if (answer := self._pending.get(header.correlation)) and not answer.done():
                answer.set_result((header, payload))
            return None
        if header.kind == Kind.EVENT and header.type not in self._handlers:
            return None
        while not self._room.acquire(timeout=0.1):
            if self._closed.is_set():
                return None
        if header.kind == Kind.REQUEST:
            self._requests[header.correlation] = False
        self._submit(self._call, header, payload)
        return None

    def _submit(self, call: Callable[..., None], *arguments: Any) -> None:
        """Calls a function on the worker's thread, unless the client is closed."""
        try:
            self._worker.submit(call, *arguments)
        except RuntimeError:
            if not self._closed.is_set():
                raise

    def _handle_control(self, header: Header, payload: bytes) -> tuple[str, str] | None:
        if header.type == PING:
            self._control(PONG, payload)
        elif header.type == GOODBYE:
            return _goodbye(payload)
        elif header.type == CANCEL and (number := read_uvarint(payload)[0]) in self._requests:
            self._requests[number] = True
        elif header.type == HELLO:
            return self._learn(handshake.read_contracts(payload))
        return None

    def _call(self, header: Header, payload: bytes) -> None:
        """Calls a handler on the worker's thread, and answers a request."""
        reply, handler = self._handlers.get(header.type, (None, None))
        try:
            if handler is None or (header.kind == Kind.REQUEST) != (reply is not None):
                raise Fault(2, "No handler answers requests of this type.")
            if self._requests.get(header.correlation):
                raise Fault(5, "The request was canceled.")
            try:
                value = self._decode(header, payload)
            except ValueError:
                raise Fault(3, f"The request {self._name_of(header.type)} (type {header.type}) cannot be read: a value in it is invalid for the contract of the receiver.") from None
            result = handler(value)
            if reply is not None:
                self._answer(Header(reply.id, Kind.REPLY, header.correlation), self._encode_reply(reply, result))
        except Fault as fault:
            self._refuse(header, fault.code, fault.text)
        except Exception:
            logging.getLogger(__name__).exception("The handler of messages of type %d failed.", header.type)
            self._refuse(header, 1, "The handler failed.")
        finally:
            self._requests.pop(header.correlation, None)
            self._room.release()

    def _name_of(self, id_: int) -> str:
        contract = self.schema.contracts.get(id_)
        return contract.name if contract else "of an unknown type"

    def _encode_reply(self, reply: Contract, value: dict[str, Any]) -> bytes:
        try:
            payload = self.schema.encode(reply.id, value)
            if len(payload) + 17 > self._largest:  # 17 bytes: the largest header
                raise PayloadError(f"The reply has {len(payload)} bytes; the server accepts at most {self._largest}, with the header.")
            return payload
        except Exception:
            logging.getLogger(__name__).exception("The reply %s cannot be sent.", reply.name)
            raise Fault(4, f"The reply {reply.name} cannot be sent.") from None

    def _refuse(self, header: Header, code: int, text: str) -> None:
        if header.kind == Kind.REQUEST:
            self._answer(Header(header.type, Kind.FAULT, header.correlation), write_uvarint(code) + _cut(text, 1000))

    def _answer(self, header: Header, payload: bytes) -> None:
        with contextlib.suppress(OSError):  # the server may be gone
            self._send(header, payload)

    def _decode(self, header: Header, payload: bytes) -> dict[str, Any]:
        contract = self.schema.find(header.type)
        self._check(contract)
        if header.size is not None:
            decompress = next((one for name, one in DECOMPRESSORS.items() if (contract.compressor or "").endswith(name)), None)
            if decompress is None or header.size > MAX_MESSAGE_SIZE:
                raise PayloadError(f"{contract.name} is compressed by {contract.compressor}, which this client does not know, or is too large.")
            payload = decompress(payload, header.size)
        return self.schema.decode(contract.id, payload)


def _cut(text: str, size: int) -> bytes:
    return text.encode("utf-8")[:size].decode("utf-8", "ignore").encode("utf-8")


def _goodbye(payload: bytes) -> tuple[str, str]:
    reason = payload[0] if payload and payload[0] < len(handshake.REASONS) else 1
    return handshake.REASONS[reason], clean(payload[1:].decode("utf-8", "replace"))
