"""The first messages of a connection: hellos, token proofs and contracts."""

from __future__ import annotations

import hmac
from typing import Iterable, NamedTuple

from .binary import Contract
from .wire import check, read_uvarint, write_uvarint

MAGIC = b"RLM3"
LATER = bytes.fromhex("02FFFFFFFF0F01010000000001")
REASONS = (
    "Requested Goodbye ConnectionLost HandshakeTimeout NotAPeer WrongVersion WrongToken WrongContract TooManyPeers FrameTooLarge Malformed RepliesUnread "
    "TooManyRunningHandlers NotResponding TlsFailed WrongProtection Tampered NotAuthenticated Kicked Idle TooManyMessages TooManyBytes LockedOut "
    "TooManyUnauthenticated TooManyUnauthenticatedFromAddress TooManyPeersFromAddress NotReading WrongOrigin"
).split()


#: A contract that the other side announced.
Told = NamedTuple("Told", [("id", int), ("type", str), ("serializer", str), ("version", int), ("shape", tuple[int, ...])])

#: The other side's first hello. The contracts are None if they follow the proof.
Hello = NamedTuple("Hello", [("has_token", bool), ("max_message_size", int), ("nonce", bytes), ("contracts", tuple[Told, ...] | None)])


def write_hello(nonce: bytes, has_token: bool, contracts: Iterable[Contract] = (), max_message_size: int = 1 << 20) -> bytes:
    """Writes the payload of a first hello."""
    start = MAGIC + bytes([1, has_token]) + write_uvarint(max_message_size) + nonce
    return start + (LATER if has_token else write_contracts(contracts))


def read_hello(payload: bytes) -> Hello | None:
    """Reads a first hello; ``None`` for another version of the protocol. Raises :class:`WireError`."""
    check(payload[:4] == MAGIC and len(payload) > 4, "Unreadable")
    if payload[4] != 1:
        return None
    check(len(payload) > 5 and payload[5] <= 1, "Unreadable")
    size, position = read_uvarint(payload, 6)
    nonce, rest = payload[position : position + 16], payload[position + 16 :]
    check(size >= 128 and len(nonce) == 16, "Unreadable")
    return Hello(payload[5] == 1, min(size, 2**31 - 1), nonce, None if rest == LATER else read_contracts(rest))


def write_contracts(contracts: Iterable[Contract]) -> bytes:
    """Writes a list of contracts."""
    told = list(contracts)
    out = write_uvarint(len(told) + 1)
    for one in told:
        out += write_uvarint(one.id) + _string(one.name) + _string(one.serializer) + one.version.to_bytes(4, "little", signed=True)
        out += write_uvarint(len(one.fields) + 1) + b"".join(field.shape.to_bytes(8, "little") for field in one.fields)
    return out


def read_contracts(payload: bytes) -> tuple[Told, ...]:
    """Reads a list of contracts. Raises :class:`WireError`."""
    position, told = 0, {}

    def take(size: int) -> bytes:
        nonlocal position
        check(size <= len(payload) - position, "Unreadable")
        position += size
        return payload[position - size : position]

    def count() -> int:
        nonlocal position
        value, position = read_uvarint(payload, position)
        check(0 < value <= len(payload) - position + 1, "Unreadable")
        return value - 1

    total = count()
    for _ in range(total):
        id_, position = read_uvarint(payload, position)
        name, serializer = (take(count()).decode("utf-8") for _ in range(2))
        version = int.from_bytes(take(4), "little", signed=True)
        told[id_] = Told(id_, name, serializer, version, tuple(int.from_bytes(take(8), "little") for _ in range(count())))
    check(position == len(payload) and len(told) == total <= 4096, "Unreadable")
    return tuple(told.values())


def make_proof(token: bytes, is_server: bool, own_nonce: bytes, other_nonce: bytes) -> bytes:
    """What a side sends to prove that it knows the token."""
    return hmac.digest(token, (b"S" if is_server else b"C") + own_nonce + other_nonce, "sha256")


def _string(text: str) -> bytes:
    data = text.encode("utf-8")
    return write_uvarint(len(data) + 1) + data
