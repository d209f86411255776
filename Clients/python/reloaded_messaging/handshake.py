"""The first messages of a connection: hellos, token proofs and contracts."""

from __future__ import annotations

import hmac
from typing import Iterable, NamedTuple

from .binary import Contract, Schema
from .layouts import ENTRY, Comparison, Layouts, clean, write_layouts
from .wire import check, read_uvarint, write_uvarint

MAGIC = b"RLM3"
LATER = bytes.fromhex("02FFFFFFFF0F01010000000001")
REASONS = (
    "Requested Goodbye ConnectionLost HandshakeTimeout NotAPeer WrongVersion WrongToken WrongContract TooManyPeers FrameTooLarge Malformed RepliesUnread "
    "TooManyRunningHandlers NotResponding TlsFailed WrongProtection Tampered NotAuthenticated Kicked Idle TooManyMessages TooManyBytes LockedOut "
    "TooManyUnauthenticated TooManyUnauthenticatedFromAddress TooManyPeersFromAddress NotReading WrongOrigin Banned"
).split()


_MAX_LAYOUTS = 224 * 1024  # of a list of contracts with its layouts, in bytes
_NO_FORMAT = "none"


class Told(NamedTuple):
    """A contract that the other side announced. ``encoding`` is what :func:`encoding_of` returns. ``line`` is the number of its line in the layouts of the list."""

    id: int
    type: str
    encoding: str
    version: int
    shape: tuple[int, ...]
    layouts: Layouts | None = None
    line: int = 0


class Mismatch(NamedTuple):
    """The first difference between the contracts of a type of message. ``path`` is ``None`` if the serializers, the compressors or the versions differ."""

    id: int
    our_name: str
    their_name: str
    path: str | None
    here: str
    there: str

    def __str__(self) -> str:
        return _describe(self.id, self.our_name, self.their_name, self.here)

    @property
    def seen_there(self) -> str:
        """The sentence for the other side, in which "here" is that side."""
        return _describe(self.id, self.their_name, self.our_name, self.there)

#: The other side's first hello. The contracts are None if they follow the proof.
Hello = NamedTuple("Hello", [("has_token", bool), ("max_message_size", int), ("nonce", bytes), ("contracts", tuple[Told, ...] | None)])


def write_hello(nonce: bytes, has_token: bool, contracts: Iterable[Contract] = (), max_message_size: int = 1 << 20, layouts: str = "") -> bytes:
    """Writes the payload of a first hello. With a token, the contracts follow the proof."""
    start = MAGIC + bytes([1, has_token]) + write_uvarint(max_message_size) + nonce
    return start + (LATER if has_token else write_contracts(contracts, layouts))


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


def write_contracts(contracts: Iterable[Contract], layouts: str = "") -> bytes:
    """Writes a list of contracts. An entry with layouts, as :func:`layouts_of` returns them, follows the contracts unless the layouts are empty."""
    entries = [_entry(one.id, one.name, encoding_of(one), one.version, [field.shape for field in one.fields]) for one in contracts]
    if layouts:
        entries.append(_entry(ENTRY, layouts, "layouts", 1, []))
    return write_uvarint(len(entries) + 1) + b"".join(entries)


def layouts_of(schema: Schema, contracts: Iterable[Contract]) -> str:
    """Returns the layouts for a list of contracts, as far as they fit into it."""
    told = list(contracts)
    return write_layouts(schema, told, _MAX_LAYOUTS - len(write_contracts(told)))


def _entry(id_: int, name: str, encoding: str, version: int, shape: list[int]) -> bytes:
    start = write_uvarint(id_) + _string(name) + _string(encoding) + version.to_bytes(4, "little", signed=True)
    return start + write_uvarint(len(shape) + 1) + b"".join(entry.to_bytes(8, "little") for entry in shape)


def read_contracts(payload: bytes) -> tuple[Told, ...]:
    """Reads a list of contracts. Raises :class:`WireError`."""
    position = 0
    told: dict[int, Told] = {}

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
        name, encoding = (take(count()).decode("utf-8") for _ in range(2))
        version = int.from_bytes(take(4), "little", signed=True)
        told[id_] = Told(id_, name, encoding, version, tuple(int.from_bytes(take(8), "little") for _ in range(count())))
    check(position == len(payload) and len(told) == total <= 4096, "Unreadable")
    contracts = tuple(told.values())
    if not contracts or contracts[-1].id != ENTRY:
        return contracts
    layouts = Layouts(contracts[-1].type)  # the text is in place of the name of a type
    return tuple(one._replace(layouts=layouts, line=line) for line, one in enumerate(contracts[:-1]))


def find_mismatch(schema: Schema, contracts: Iterable[Contract], told: dict[int, Told]) -> Mismatch | None:
    """Returns the first difference between contracts of this side and those that the other side announced; ``None`` if each side can read the other."""
    own = [one for one in contracts if one.id in told]
    lines = Layouts(write_layouts(schema, own))
    comparisons: dict[int, Comparison] = {}  # one for all contracts of a list, so that each message inside is compared once
    for line, ours in enumerate(own):
        theirs = told[ours.id]
        if theirs.layouts is None:
            comparison = None
        else:
            comparison = comparisons.setdefault(id(theirs.layouts), Comparison(lines, theirs.layouts))
        if mismatch := _compare(ours, theirs, comparison, line):
            return mismatch
    return None


def _compare(ours: Contract, theirs: Told, comparison: Comparison | None, line: int) -> Mismatch | None:
    def differ(path: str | None, here: str, there: str) -> Mismatch:
        return Mismatch(ours.id, ours.name, clean(theirs.type), path, here, there)

    texts = compare_encodings(encoding_of(ours), theirs.encoding)
    if not texts and ours.version != theirs.version:
        texts = _sentences("version", str(ours.version), str(theirs.version))
    if texts:
        return differ(None, *texts)
    if comparison and (difference := comparison.find(line, theirs.line)):
        return differ(difference.path, difference.here, difference.there)
    shape = {entry >> 32: entry for entry in theirs.shape}
    for field in ours.fields:
        if shape.get(field.shape >> 32, field.shape) != field.shape:
            text = f"the first difference is the field {field.name}"
            return differ(field.name, text, text)
    return None


def encoding_of(contract: Contract) -> str:
    """The name of the serializer. For a contract with a compressor, a plus sign and the name of the compressor's format follow; or that of its class, if the schema does not know the format."""
    return contract.serializer if contract.compressor is None else f"{contract.serializer}+{contract.compressor}"


def compare_encodings(ours: str, theirs: str) -> tuple[str, str] | None:
    """Compares two encodings. Returns the difference as this side and as the other side sees it; ``None`` if each side can read the other. A name of a compressor with a dot is that of a class."""
    (our_serializer, our_format), (their_serializer, their_format) = map(_divide, (ours, theirs))
    if our_serializer != their_serializer:
        return _sentences("serializer", our_serializer, their_serializer)
    if our_format == their_format or _NO_FORMAT not in (our_format, their_format) and "." in our_format + their_format:
        return None
    return _sentences("compressor", our_format, their_format, "; both sides need the same format")


def _divide(encoding: str) -> tuple[str, str]:
    serializer, sign, format_ = encoding.rpartition("+")
    return (serializer, format_) if sign else (encoding, _NO_FORMAT)


def _sentences(what: str, ours: str, theirs: str, advice: str = "") -> tuple[str, str]:
    theirs = clean(theirs)
    return f"the {what} is {ours} here and {theirs} there{advice}", f"the {what} is {theirs} here and {ours} there{advice}"


def _describe(id_: int, our_name: str, their_name: str, difference: str) -> str:
    return f"The contracts of message type {id_} ({our_name} on this side, {their_name} on the remote side) differ: {difference}."


def make_proof(token: bytes, is_server: bool, own_nonce: bytes, other_nonce: bytes) -> bytes:
    """What a side sends to prove that it knows the token."""
    return hmac.digest(token, (b"S" if is_server else b"C") + own_nonce + other_nonce, "sha256")


def _string(text: str) -> bytes:
    data = text.encode("utf-8")
    return write_uvarint(len(data) + 1) + data
