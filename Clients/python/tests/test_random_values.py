"""Random values of random types, against a naive model of what each type can hold."""

from __future__ import annotations

import bisect
import ctypes
import random
import unittest
import uuid
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from reloaded_messaging.binary import OffsetTime, PayloadError, Schema, Time, Type, _parse, _TOKEN

from .support import EXTENT
from .test_types import schema_of

BITS = {"i1": 8, "i2": 16, "i4": 32, "i8": 64, "i16": 128, "ts": 64, "u1": 8, "u2": 16, "u4": 32, "u8": 64, "u16": 128}
SCALARS = [*BITS, "f2", "f4", "f8", "d", "b", "s", "s?", "c2", "g", "t", "to", "dd", "tt"]
TICKS = 3155378975999999999
HALVES = sorted({fraction * 2.0 ** (max(exponent, 1) - 25) + (0 if exponent == 0 else 2.0 ** (exponent - 15)) for exponent in range(31) for fraction in range(1024)})  # all that are not negative
NUMBERS: list[Any] = [
    *(sign * 2**bits + more for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64, 96, 127, 128, 1024) for sign in (-1, 1) for more in (-1, 0, 1)), True, False, 3652058, 3652059, 863_999_999_999, 864_000_000_000, 2049, 2051, TICKS, TICKS + 1,
    0.0, -0.0, 0.5, -1.5, 0.1, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 65504.0, 65519.99, 65520.0, 3.4028235e38, 3.4028236e38, 1e300, 5e-324, float("nan"), float("inf"), float("-inf"),
    *map(Decimal, ("0", "-0", "1.50", "-1E-28", "1E-29", "79228162514264337593543950335", "79228162514264337593543950336", "7E28", "8E28", "0E40", "1E5000", "NaN", "sNaN", "-Infinity")), Fraction(1, 3), Fraction(5, 1), 1j,
]  # fmt: skip
OTHERS: list[Any] = ["", "a", "\ud800", "\uffff", "\U0001f600", "ab\udc00", "1", "nan", b"", b"a", bytearray(2), uuid.UUID(int=5), range(2), object, set(), {1}, frozenset("a"), {}, [], (), None]
TIMES: list[Any] = [kind(ticks, more) for kind in (Time, OffsetTime) for ticks in (-1, 0, 600_000_000, TICKS, TICKS + 1, True, 5.0) for more in (-841, -840, -1, 0, 1, 2, 3, 840, 841, None)]


class Refused(Exception):
    pass


def need(is_valid: bool) -> None:
    if not is_valid:
        raise Refused


def model(type_: Type, value: Any) -> Any:
    """The value that a receiver reads. Raises :class:`Refused` for a value that a type cannot hold."""
    kind = type_.kind
    if value is None:
        need(type_.nullable or kind == "?")
        return None
    if kind == "?":
        return model(type_.parts[0], value)
    if kind in BITS or kind in ("dd", "tt"):
        need(isinstance(value, int))
        least, most = {"dd": (0, 3652058), "tt": (0, 863_999_999_999)}.get(kind) or ((0, 2 ** BITS[kind] - 1) if kind[0] == "u" else (-(2 ** (BITS[kind] - 1)), 2 ** (BITS[kind] - 1) - 1))
        need(least <= value <= most)
        return int(value)
    if kind in ("f2", "f4", "f8"):
        need(isinstance(value, (int, float, Decimal, Fraction)) and not (isinstance(value, Decimal) and value.is_snan()) and not (isinstance(value, int) and abs(value) >= 2**1024 - 2**970))
        number = float(value)
        rounded = number if kind == "f8" else ctypes.c_float(number).value if kind == "f4" else round_half(number)
        need(abs(rounded) != float("inf") or not isinstance(value, (int, Fraction)) and abs(value) == float("inf"))
        return rounded
    if kind == "d":
        need(isinstance(value, (int, float, Decimal, Fraction)) or value == "1")
        need(not isinstance(value, Fraction) or Fraction(float(value)) == value)
        decimal = Decimal(float(value) if isinstance(value, Fraction) else value)
        need(decimal.is_finite())
        sign, digits, exponent = decimal.as_tuple()
        number = int("".join(map(str, digits)))
        need(int(exponent) >= -28 and (number == 0 or number * 10 ** max(int(exponent), 0) < 2**96))
        return Decimal((sign, digits, exponent)) if int(exponent) <= 0 else Decimal(number * 10 ** int(exponent) * (-1) ** sign)
    if kind == "b":
        need(isinstance(value, (int, float, Decimal, Fraction, complex)) and not (isinstance(value, Decimal) and value.is_snan()) and value in (0, 1))
        return bool(value)
    if kind == "s" or kind == "c2":
        need(isinstance(value, str) and (len(value) == 1 and value <= "\uffff" if kind == "c2" else not any("\ud800" <= one <= "\udfff" for one in value)))
        return value
    if kind == "g":
        need(isinstance(value, uuid.UUID))
        return value
    if kind in ("t", "to"):
        need(isinstance(value, Time if kind == "t" else OffsetTime) and all(isinstance(part, int) for part in value) and 0 <= value[0] <= TICKS)
        need(value[1] in (0, 1, 2) if kind == "t" else abs(value[1]) <= 840 and 0 <= value[0] - value[1] * 600_000_000 <= TICKS)
        return type(value)(*map(int, value))
    need(isinstance(value, (Mapping, list, tuple, bytes, bytearray, range)) or kind != "(" and isinstance(value, (set, frozenset)))
    if kind == "(":
        need(not isinstance(value, Mapping) and len(value) == len(type_.parts))
        return tuple(map(model, type_.parts, value))
    items = list(value.items() if isinstance(value, Mapping) else value)
    if kind == "[":
        read = [model(type_.parts[0], item) for item in items]
        return bytes(read) if type_.parts[0].kind == "u1" else read
    need(all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in items))
    pairs = [(model(type_.parts[0], key), model(type_.parts[1], one)) for key, one in items]
    keys = {"nan" if key != key else key for key, _ in pairs}
    need(len(keys) == len(pairs))
    return dict(pairs)


def round_half(value: float) -> float:
    """The nearest number of HALVES, and the even one of two. Its index is even if its last bit is."""
    size = abs(value)
    if value != value or size >= 65520:
        return value if value != value else float("inf") * (1 if value > 0 else -1)
    at = bisect.bisect_right(HALVES, size) - 1
    if at + 1 < len(HALVES):
        down, up = Fraction(size) - Fraction(HALVES[at]), Fraction(HALVES[at + 1]) - Fraction(size)
        at += up < down or up == down and at % 2 == 1
    return -HALVES[at] if str(value)[0] == "-" else HALVES[at]


class RandomValues(unittest.TestCase):
    def test_value_is_sent_as_itself_or_refused(self) -> None:
        source, counts = random.Random(8), {True: 0, False: 0}
        for _ in range(200_000 if EXTENT >= 2 else 10_000):
            text = self.type_of(source, 2)
            type_ = _parse(_TOKEN.findall(text))
            value = self.value_of(source, type_, 2)
            with self.subTest(type_=text, value=value):
                try:
                    expected, fits = model(type_, value), True
                except Refused:
                    expected, fits = None, False
                counts[fits] += 1
                schema: Schema = schema_of(text)
                if fits:
                    self.assertEqual(repr(expected), repr(schema.decode("One", schema.encode("One", {"Value": value}))["Value"]))
                else:
                    self.assertRaisesRegex(PayloadError, r"One\.Value", schema.encode, "One", {"Value": value})
        self.assertGreater(min(counts.values()), sum(counts.values()) // 10)

    def type_of(self, source: random.Random, depth: int) -> str:
        if depth == 0 or source.random() < 0.6:
            return source.choice(SCALARS)
        inside = self.type_of(source, depth - 1)
        if inside[0] != "?" and inside[-1] != "?" and source.random() < 0.3:
            return "?" + inside if inside[0] not in "s[{" else inside + "?"
        return source.choice((f"[{inside}]", f"({inside}i4)", f"{{{source.choice(('i4', 's', 'f8'))}:{inside}}}"))

    def value_of(self, source: random.Random, type_: Type, depth: int) -> Any:
        """A value that may fit the type, and sometimes one of any kind."""
        if source.random() < 0.15 or depth < 0:
            return source.choice(source.choice((NUMBERS, OTHERS, TIMES)))
        parts = [self.value_of(source, part, depth - 1) for part in type_.parts for _ in range(source.choice((1, 1, 2)) if type_.kind == "[" else 1)]
        if type_.kind == "?":
            return parts[0]
        if type_.kind in ("(", "["):
            return source.choice((list, tuple))(parts)
        if type_.kind == "{":
            return {parts[0]: parts[1]} if isinstance(parts[0], (int, str)) else [tuple(parts)]
        return source.choice(TIMES if type_.kind in ("t", "to") else OTHERS if type_.kind in ("s", "c2", "g") else NUMBERS)
