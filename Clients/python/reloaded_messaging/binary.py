"""Payloads of generated serializers, driven by an exported schema: docs/specification/binary-format.md and docs/specification/schema.md."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import reprlib
import struct
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, Callable, NamedTuple

from .wire import WireError, check, read_uvarint, write_uvarint

FORMAT = 2  # of the schemas that this client reads
MAX_DEPTH = 64
_MAX_SCHEMA = 64 * 1024 * 1024  # bytes of a schema file
_MAX_TICKS = 3155378975999999999
_UNFIT = (struct.error, ValueError, TypeError, AttributeError, ArithmeticError)  # what a value of a wrong type or range raises
_TOKEN = re.compile(r"[iu]16|[iufc]\d|t[sot]|dd|m\d+|[gbdts?:()\[\]{}]")


class PayloadError(ValueError):
    """A payload that is malformed, or a value that a contract can't hold."""


class Time(NamedTuple):
    """A ``DateTime``: ticks of 100 ns since the year 1, and the kind (0 none, 1 UTC, 2 local, whose ticks are in UTC)."""

    ticks: int
    kind: int = 1

    @property
    def datetime(self) -> dt.datetime:
        return (dt.datetime(1, 1, 1) + dt.timedelta(microseconds=self.ticks // 10)).replace(tzinfo=dt.timezone.utc if self.kind else None)


class OffsetTime(NamedTuple):
    """A ``DateTimeOffset``: the ticks that its clock shows, and its offset from UTC in minutes."""

    ticks: int
    minutes: int = 0

    @property
    def utc_ticks(self) -> int:
        return self.ticks - self.minutes * 600_000_000

    @property
    def datetime(self) -> dt.datetime:
        return (dt.datetime(1, 1, 1) + dt.timedelta(microseconds=self.ticks // 10)).replace(tzinfo=dt.timezone(dt.timedelta(minutes=self.minutes)))


@dataclass(frozen=True)
class Type:
    """A parsed type of the schema. ``kind`` is one of: a code, ``(``, ``[``, ``{``, ``?`` or ``m``."""

    kind: str
    parts: tuple[Type, ...] = ()
    message: int = 0
    nullable: bool = False


@dataclass(frozen=True)
class Field:
    """A field, or a type of a union: then ``number`` is the tag."""

    number: int
    name: str
    type: Type
    shape: int
    default: Any = None
    is_computed: bool = False  # only the .NET program knows the value of a missing field


@dataclass(frozen=True)
class Contract:
    """A contract of the schema. ``compressor`` is the name of the format, or of the compressor's class if the schema does not know the format; ``None`` if payloads are never compressed. ``layout`` is ``None`` in a schema of format 1."""

    id: int
    name: str
    kind: str
    is_struct: bool
    version: int
    serializer: str
    compressor: str | None
    fields: tuple[Field, ...]
    layout: str | None = None
    reply: int | None = None  # the id of the reply, or of the items of a stream; None if there is none, or if it is not known
    is_request: bool = False  # whether the schema names it as a request, or as a request of a stream


class Schema:
    """The contracts of one or more schema files. Encodes and decodes values: messages are dictionaries."""

    def __init__(self, *documents: dict[str, Any]) -> None:
        self.contracts: dict[int, Contract] = {}
        self._names: dict[str, list[Contract]] = {}  # each name, and each end of it after a dot
        for document in documents:
            if (later := document.get("format", 1)) > FORMAT:
                raise ValueError(f"The schema of {document.get('assembly')!r} has format {later}; this client reads formats up to {FORMAT}. Update the client.")
            for one in document["contracts"]:
                fields = tuple(Field(f["number"], f["name"], _parse(_TOKEN.findall(f["type"])), int(f["shape"], 16), f.get("default"), f.get("computed", False)) for f in one["fields"])
                self.contracts[one["id"]] = Contract(
                    one["id"], one["name"], one["kind"], one["struct"], one["version"], one["serializer"], one["compressor"] and (one.get("compressorName") or one["compressor"]), fields, one.get("layout"), one.get("reply", one.get("item")), one.get("role") in ("request", "stream")
                )  # fmt: skip
        for contract in self.contracts.values():
            parts = contract.name.split(".")
            for start in range(len(parts)):
                self._names.setdefault(".".join(parts[start:]), []).append(contract)

    @staticmethod
    def load(*paths: str | Path) -> Schema:
        """Reads schema files."""
        return Schema(*(json.loads(_read(path), parse_int=_read_integer) for path in paths))

    def find(self, name: str | int) -> Contract:
        """Finds a contract by its id, its full name, or the end of its name if only one contract has it. Raises :class:`PayloadError`."""
        found = self._names.get(name, []) if isinstance(name, str) else [self.contracts[name]] if name in self.contracts else []
        if not found:
            raise PayloadError(f"The schema has no contract {name!r}. It has {', '.join(c.name for c in self.contracts.values()) or 'none'}.")
        if len(found) > 1:
            raise PayloadError(f"The schema has {len(found)} contracts named {name!r}: {', '.join(c.name for c in found)}. Write more of the name.")
        return found[0]

    def missing(self, field: Field) -> Any:
        """The value of a field that a payload lacks. Raises :class:`PayloadError` for a class that never is null, and for a default that only the .NET program knows."""
        type_ = field.type.parts[0] if field.type.kind == "?" else field.type
        check(not field.is_computed, f"{field.name} is missing, and code of .NET computes its default.")
        if field.default is None:
            return self._zero(field.type, field.name)
        return int(field.default) if type_.kind[0] in "iu" or type_.kind in ("ts", "tt", "dd") else Decimal(field.default) if type_.kind == "d" else _round(type_.kind, float(field.default)) if type_.kind[0] == "f" else chr(field.default) if type_.kind == "c2" else field.default

    def _zero(self, type_: Type, name: str) -> Any:
        if type_.nullable or type_.kind == "?":
            return None
        if type_.kind == "(":
            return tuple(self._zero(part, name) for part in type_.parts)
        if type_.kind == "m":
            contract = self.find(type_.message)
            check(contract.is_struct, f"{name} is missing, and has no default.")
            return {f.name: self._zero(f.type, f.name) for f in contract.fields}
        if type_.kind in "s[{":
            return "" if type_.kind == "s" else {} if type_.kind == "{" else b"" if type_.parts[0].kind == "u1" else []
        return _FIXED[type_.kind][1](bytes(_FIXED[type_.kind][0]))

    def encode(self, name: str | int, value: dict[str, Any] | None = None) -> bytes:
        """Writes a message's payload. Raises :class:`PayloadError`."""
        return self.write(self.find(name), value)

    def write(self, contract: Contract, value: dict[str, Any] | None) -> bytes:
        """Writes a message's payload. Raises :class:`PayloadError`."""
        writer = _Writer(self)
        try:
            writer.message(contract, {} if value is None else value, 1)
        except PayloadError:
            raise
        except _UNFIT as error:
            raise PayloadError(f"A value of {contract.name} does not fit its contract: {error}") from None
        return bytes(writer.out)

    def decode(self, name: str | int, payload: bytes) -> dict[str, Any]:
        """Reads a message's payload. Raises :class:`PayloadError`."""
        return self.read(self.find(name), payload)

    def read(self, contract: Contract, payload: bytes) -> dict[str, Any]:
        """Reads a message's payload. Raises :class:`PayloadError`."""
        try:
            return _Reader(self, payload).message(contract)
        except (PayloadError, WireError, struct.error, UnicodeDecodeError) as error:
            raise PayloadError(f"A payload of {contract.name} is invalid for its contract: {error}") from None


def _read(path: str | Path) -> bytes:
    with open(path, "rb") as file:
        data = file.read(_MAX_SCHEMA + 1)
        if len(data) > _MAX_SCHEMA:
            raise ValueError(f"The schema {path} has at least {max(len(data), os.fstat(file.fileno()).st_size)} bytes; the limit is {_MAX_SCHEMA} bytes.")
    return data


def _parse(tokens: list[str]) -> Type:
    """Takes a type of the schema, such as ``{s:[?i4]}?``, from its tokens. A question mark is before a value and after a reference."""
    kind, parts, message = tokens.pop(0), [], 0
    if kind == "?":
        return Type("?", (_parse(tokens),))
    if kind in "([{":
        while tokens[0] not in ")]}":
            if tokens[0] == ":":
                tokens.pop(0)  # it separates a nullable key or item from the question mark of the next
            parts.append(_parse(tokens))
        tokens.pop(0)
    elif kind[0] == "m":
        kind, message = "m", int(kind[1:])
    nullable = kind in "s[{m" and tokens[:1] == ["?"]
    return Type(kind, tuple(parts), message, bool(nullable and tokens.pop(0)))


class _Reader:
    def __init__(self, schema: Schema, data: bytes) -> None:
        self.schema, self.data, self.position, self.end, self.depth = schema, data, 0, len(data), 0

    def message(self, contract: Contract) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if contract.kind == "union":
            tag = self.uvarint()
            case = next((f for f in contract.fields if f.number == tag), None)
            if case is None:
                raise PayloadError(f"{contract.name} has no tag {tag}.")
            return {"$type": case.name, **self.message(self.schema.find(case.type.message))}
        if contract.kind == "tolerant":
            self.numbered({f.number: f for f in contract.fields}, values)
        else:
            for field in contract.fields:
                if self.position == self.end:
                    break
                values[field.name] = self.value(field.type)
        return {f.name: values[f.name] if f.name in values else self.schema.missing(f) for f in contract.fields}

    def numbered(self, fields: dict[int, Field], values: dict[str, Any]) -> None:
        last = -1
        while self.position < self.end:
            number, outer = self.uvarint(), self.enter(False)
            check(number > last and self.position < self.end, "A field is out of order or empty.")
            last = number
            if field := fields.get(number):
                values[field.name] = self.value(field.type)
                check(self.position == self.end, f"Bytes follow the value of {field.name}.")
            self.leave(outer or 0)

    def value(self, type_: Type) -> Any:
        kind = type_.kind
        if kind in _FIXED:
            return _FIXED[kind][1](self.take(_FIXED[kind][0]))
        if kind == "m":
            if (outer := self.enter(type_.nullable)) is None:
                return None
            message = self.message(self.schema.find(type_.message))
            self.leave(outer)
            return message
        if kind in "s[{":
            size = self.length(type_.nullable)
            return None if size is None else self.collection(type_, size)
        if kind == "?":
            return self.value(type_.parts[0]) if _read_bool(self.take(1)) else None
        return tuple(map(self.value, type_.parts))

    def collection(self, type_: Type, size: int) -> Any:
        if type_.kind == "s":
            return self.take(size).decode("utf-8")
        if type_.kind == "[":
            item = type_.parts[0]
            return self.take(size) if item.kind == "u1" else [self.value(item) for _ in range(size)]
        pairs = [(self.value(type_.parts[0]), self.value(type_.parts[1])) for _ in range(size)]
        if not _is_hashable(type_.parts[0]):
            return pairs  # a dictionary is no key in Python
        check(len({_key_of(key) for key, _ in pairs}) == size, "A dictionary has a key twice.")
        return dict(pairs)

    def length(self, nullable: bool) -> int | None:
        """A length or a count: an item has at least one byte."""
        size = self.uvarint() - 1
        check(nullable or size >= 0, "A value is null, and must not be.")
        check(size <= self.end - self.position, "A length exceeds the bytes left.")
        return None if size < 0 else size

    def enter(self, nullable: bool) -> int | None:
        if (size := self.length(nullable)) is None:
            return None
        self.depth += 1
        check(self.depth < MAX_DEPTH, "Messages are too deep.")
        outer, self.end = self.end, self.position + size
        return outer

    def leave(self, outer: int) -> None:
        self.depth -= 1
        self.position, self.end = self.end, outer

    def uvarint(self) -> int:
        value, self.position = read_uvarint(self.data, self.position, self.end)
        return value

    def take(self, size: int) -> bytes:
        check(size <= self.end - self.position, "The payload ends inside a value.")
        self.position += size
        return self.data[self.position - size : self.position]


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema, self.out = schema, bytearray()

    def message(self, contract: Contract, value: dict[str, Any], depth: int, where: str = "") -> None:
        if not isinstance(value, Mapping):
            raise PayloadError(f"{where or contract.name} is {_text(value)}, and must be a dict with the fields of {contract.name}.")
        _require(depth <= MAX_DEPTH, f"More than {MAX_DEPTH} messages are inside each other.")
        if contract.kind == "union":
            name = str(value.get("$type"))
            ends = [f for f in contract.fields if f.name.endswith("." + name)]
            case = next((f for f in contract.fields if f.name == name), ends[0] if len(ends) == 1 else None)
            if case is None:
                raise PayloadError(f"{where or contract.name} has {'several types' if ends else 'no type'} {_text(name)}: set the key '$type'.")
            self.out += write_uvarint(case.number)
            return self.message(self.schema.find(case.type.message), {k: v for k, v in value.items() if k != "$type"}, depth, where)
        left = len(value)
        for field in contract.fields:
            if field.name in value:
                one, left = value[field.name], left - 1
            else:
                one = self.schema.missing(field)
            try:
                if contract.kind == "tolerant":
                    self.out += write_uvarint(field.number)
                    self.nested(lambda: self.value(field.type, one, f"{contract.name}.{field.name}", depth + 1))
                elif one is not None and field.type.kind in _FIXED:
                    self.out += _FIXED[field.type.kind][2](one)
                else:
                    self.value(field.type, one, f"{contract.name}.{field.name}", depth)
            except PayloadError:
                raise
            except (WireError, *_UNFIT) as error:
                raise PayloadError(f"{contract.name}.{field.name} is {_text(one)}, which does not fit its type: {error}") from None
        if left:
            unknown = value.keys() - {f.name for f in contract.fields}
            raise PayloadError(f"{contract.name} has no field {_text(', '.join(sorted(map(str, unknown))))[1:-1]}{where and f' ({where})'}.")

    def nested(self, write: Callable[[], None]) -> None:
        outer, self.out = self.out, bytearray()
        write()
        self.out = outer + write_uvarint(len(self.out) + 1) + self.out

    def value(self, type_: Type, value: Any, where: str, depth: int) -> None:
        kind = type_.kind
        if value is None:
            _require(type_.nullable or kind == "?", f"{where} is None, and must not be.")
            self.out.append(0)
        elif kind == "?":
            self.out.append(1)
            self.value(type_.parts[0], value, where, depth)
        elif kind in _FIXED:
            self.out += _FIXED[kind][2](value)
        elif kind == "m":
            self.nested(lambda: self.message(self.schema.find(type_.message), value, depth + 1, where))
        elif kind == "s":
            text = str.encode(value, "utf-8")
            self.out += write_uvarint(len(text) + 1) + text
        else:
            if isinstance(value, str):
                raise PayloadError(f"{where} is the text {_text(value)}, and must be {'a dict' if kind == '{' else 'a list'}.")
            if kind == "(" and (isinstance(value, Mapping) or not hasattr(value, "__getitem__")):  # a set has no fields in an order
                raise PayloadError(f"{where} is {_text(value)}, and must be a tuple.")
            items = value.items() if isinstance(value, Mapping) else value
            _require(kind != "(" or len(items) == len(type_.parts), f"{where} has {len(items)} fields instead of {len(type_.parts)}.")
            _require(kind != "{" or all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in items), f"{where} must be a dict, or pairs of a key and a value.")
            self.out += b"" if kind == "(" else write_uvarint(len(items) + 1)
            keys, i = set(), -1
            for i, one in enumerate(items):
                if kind == "{":
                    start = len(self.out)
                    self.value(type_.parts[0], one[0], where, depth)
                    keys.add(_key_of(_Reader(self.schema, bytes(self.out[start:])).value(type_.parts[0])) if _is_hashable(type_.parts[0]) else i)  # as the receiver reads it
                    self.value(type_.parts[1], one[1], where, depth)
                else:
                    self.value(type_.parts[i if kind == "(" else 0], one, where, depth)
            _require(i + 1 == len(items), f"{where} has {i + 1} items, and its length is {len(items)}.")
            _require(kind != "{" or len(keys) == len(items), f"{where} has a key twice.")


def _text(value: Any) -> str:
    """A value in the text of an error."""
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of more digits than Python writes
        return type(value).__name__


def _require(is_valid: bool, error: str) -> None:
    """Refuses a value by an error that names its field."""
    if not is_valid:
        raise PayloadError(error)


def _to_number(value: Any, is_exact: bool = False) -> int | float | Decimal:
    """The number that an object of another class is, such as a scalar of NumPy. An array or a complex number also converts itself to a float, which is another value."""
    if isinstance(value, (int, float, Decimal)):
        return value
    if hasattr(value, "__index__"):
        return index(value)
    check(isinstance(value, Real), "it is no number")
    number = float(value)
    check(not is_exact or number == value, "it has more digits than a float")
    return number


def _write_bool(value: bool) -> bytes:
    check(value in {False, True}, "it is no bool")  # a set also refuses an array with one item, which has no hash
    return bytes([bool(value)])


def _is_hashable(type_: Type) -> bool:
    return type_.kind not in "m[{" and all(map(_is_hashable, type_.parts))


def _key_of(key: Any) -> Any:
    """What makes two keys equal in .NET: every NaN, times by their moment, structs by their fields. A local time becomes one of the receiver, except the first and the last time."""
    if isinstance(key, (OffsetTime, Time)):
        return key.utc_ticks if isinstance(key, OffsetTime) else (key.ticks, key.kind == 2 and 0 < key.ticks < _MAX_TICKS)
    return tuple(map(_key_of, key)) if isinstance(key, tuple) else "NaN" if key != key else key


def _number(format_: str) -> tuple[int, Callable[[bytes], Any], Callable[[Any], bytes]]:
    packer = struct.Struct(format_)
    return packer.size, lambda data: packer.unpack(data)[0], packer.pack


def _float(format_: str) -> tuple[int, Callable[[bytes], Any], Callable[[Any], bytes]]:
    size, read, write = _number(format_)

    def to_float(value: Any) -> float:
        number = float(_to_number(value))
        check(not math.isinf(number) or number == value, "it is out of range")  # a large Decimal becomes infinity
        return number

    return size, read, lambda value: write(value if type(value) is float or type(value) is int else to_float(value))


def _large(signed: bool) -> tuple[int, Callable[[bytes], Any], Callable[[Any], bytes]]:
    def write(value: int) -> bytes:
        return index(value).to_bytes(16, "little", signed=signed)

    return 16, lambda data: int.from_bytes(data, "little", signed=signed), write


def _bounded(format_: str, most: int) -> tuple[int, Callable[[bytes], Any], Callable[[Any], bytes]]:
    size, read, write = _number(format_)

    def within(value: int) -> int:
        check(0 <= value <= most, f"it is out of range: 0 to {most}")
        return value

    return size, lambda data: within(read(data)), lambda value: write(within(index(value)))


def _read_integer(text: str) -> int | float:
    return -0.0 if text == "-0" else int(text)


def _round(kind: str, value: float) -> float:
    """Rounds a default to the size of its field, as it arrives in a payload."""
    _, read, write = _FIXED[kind]
    rounded: float = read(write(value))
    return rounded


def _read_bool(data: bytes) -> bool:
    check(data[0] <= 1, "A bool is not 0 or 1.")
    return data[0] == 1


def _write_char(value: str) -> bytes:
    check(isinstance(value, str) and len(value) == 1, "it is no character")
    return ord(value).to_bytes(2, "little")


def _read_decimal(data: bytes) -> Decimal:
    number, flags = int.from_bytes(data[:12], "little"), int.from_bytes(data[12:], "little")
    check(flags >> 16 & 0xFF <= 28 and not flags & 0x7F00FFFF, "A decimal has an invalid scale.")
    return Decimal((flags >> 31, tuple(map(int, str(number))), -(flags >> 16 & 0xFF)))


def _write_decimal(value: Decimal) -> bytes:
    sign, digits, exponent = Decimal(value if isinstance(value, str) else _to_number(value, True)).as_tuple()
    check(isinstance(exponent, int) and exponent >= -28, "it has more than 28 digits after the point, or is no number")
    scaled: int = int("".join(map(str, digits))) * 10 ** min(max(int(exponent), 0), 29)  # 10 ** 29 is out of range
    return scaled.to_bytes(12, "little") + (max(-int(exponent), 0) << 16 | sign << 31).to_bytes(4, "little")


def _read_time(data: bytes) -> Time:
    bits = int.from_bytes(data, "little")
    return _check_time(Time(bits & (1 << 62) - 1, bits >> 62))


def _write_time(value: Time) -> bytes:
    check(isinstance(value, Time), "it is no Time")
    ticks, kind = _check_time(Time(*map(index, value)))
    return (ticks | kind << 62).to_bytes(8, "little")


def _check_time(time: Time) -> Time:
    check(0 <= time.ticks <= _MAX_TICKS and 0 <= time.kind <= 2, "a time is out of range")
    return time


def _read_moment(data: bytes) -> OffsetTime:
    return _check_moment(OffsetTime(*struct.unpack("<qh", data)))


def _write_moment(value: OffsetTime) -> bytes:
    check(isinstance(value, OffsetTime), "it is no OffsetTime")
    return struct.pack("<qh", *_check_moment(OffsetTime(*map(index, value))))


def _check_moment(moment: OffsetTime) -> OffsetTime:
    check(abs(moment.minutes) <= 840 and all(0 <= one <= _MAX_TICKS for one in (moment.ticks, moment.utc_ticks)), "a time is out of range")
    return moment


def _write_guid(value: uuid.UUID) -> bytes:
    return value.bytes_le


#: The values of a fixed size: the size, how to read one, and how to write one.
_FIXED: dict[str, tuple[int, Callable[[bytes], Any], Callable[[Any], bytes]]] = {
    **{code: _number("<" + format_) for code, format_ in zip("i1 i2 i4 i8 u1 u2 u4 u8 ts".split(), "bhiqBHIQq")},
    **{code: _float("<" + format_) for code, format_ in zip("f2 f4 f8".split(), "efd")},
    "i16": _large(True),
    "u16": _large(False),
    "dd": _bounded("<i", 3652058),  # days since the year 1
    "tt": _bounded("<q", 863_999_999_999),  # ticks of 100 ns since midnight
    "c2": (2, lambda data: chr(int.from_bytes(data, "little")), _write_char),
    "b": (1, _read_bool, _write_bool),
    "g": (16, lambda data: uuid.UUID(bytes_le=data), _write_guid),
    "d": (16, _read_decimal, _write_decimal),
    "t": (8, _read_time, _write_time),
    "to": (10, _read_moment, _write_moment),
}
