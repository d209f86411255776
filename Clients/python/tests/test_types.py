"""Types that ``docs/vectors`` has no cases for, since they exist on .NET 8 and later only: against docs/specification/binary-format.md."""

from __future__ import annotations

import datetime as dt
import tempfile
import unittest
import uuid
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from types import MappingProxyType
from typing import Any

from reloaded_messaging.binary import OffsetTime, PayloadError, Schema, Time
from reloaded_messaging.compression import decompress


def schema_of(type_: str) -> Schema:
    field = {"number": 1, "name": "Value", "type": type_, "shape": "0"}
    contract = {"id": 1, "name": "One", "kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": [field]}
    return Schema({"contracts": [contract]})


@dataclass(frozen=True)
class Integer:
    """An integer without the methods of int."""

    value: int

    def __index__(self) -> int:
        return self.value


@dataclass(frozen=True)
class Floating:
    """A float without the methods of float."""

    value: float

    def __float__(self) -> float:
        return self.value

    def __eq__(self, other: object) -> bool:
        return self.value == other


class Wide(Floating):
    """A float with more digits than Python has."""

    def __eq__(self, other: object) -> bool:
        return False


@dataclass(frozen=True)
class Truth:
    """A bool that is no integer."""

    value: int

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        return self.value == other

    def __hash__(self) -> int:
        return self.value


class ComplexOf(complex):
    """A complex number that converts itself to its real part."""

    def __float__(self) -> float:
        return self.real


class ArrayOf(list[Any]):
    """An array that converts itself to a scalar if it has one item."""

    def __index__(self) -> int:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __float__(self) -> float:
        return float(self[0])

    def __eq__(self, other: object) -> bool:
        return bool(self[0] == other)


class Encoder:
    """An object with the method of a text."""

    def encode(self, _: str) -> bytes:
        return b"x"


Real.register(Floating)


class Compressors(unittest.TestCase):
    def test_compressor_is_known_by_the_name_of_its_format(self) -> None:
        for compressor, name, expected in (("Game.One", "lz4", "lz4"), ("Game.One", None, "Game.One"), (None, None, None)):
            contract = {"id": 1, "name": "One", "kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": compressor, "compressorName": name, "fields": []}
            self.assertEqual(expected, Schema({"contracts": [contract]}).find("One").compressor)
        self.assertEqual(b"\xaa\xbb", decompress("lz4", b"\x20\xaa\xbb", 2))
        self.assertRaises(ValueError, decompress, "Game.LZ4Compressor", b"\x20\xaa\xbb", 2)


class LaterTypes(unittest.TestCase):
    CASES = [
        ("f2", 1.5, "003e"),
        ("f2", -2.0, "00c0"),
        ("i16", -2, "fe" + "ff" * 15),
        ("i16", 2**127 - 1, "ff" * 15 + "7f"),
        ("u16", 2**128 - 1, "ff" * 16),
        ("u16", 2**64, "00" * 8 + "01" + "00" * 7),
        ("dd", 0, "00000000"),
        ("dd", 3652058, "dab93700"),
        ("tt", 863_999_999_999, "ffbf692ac9000000"),
        ("[dd]", [1, 2], "03" + "01000000" + "02000000"),
        ("{d:dd}", {}, "01"),
        ("(i16u1)", (-1, 5), "ff" * 16 + "05"),
    ]

    def test_values_have_the_bytes_of_the_page(self) -> None:
        for type_, value, payload in self.CASES:
            with self.subTest(type_=type_, value=value):
                schema = schema_of(type_)
                self.assertEqual(payload, schema.encode("One", {"Value": value}).hex())
                self.assertEqual({"Value": value}, schema.decode("One", bytes.fromhex(payload)))

    def test_values_out_of_range_are_refused(self) -> None:
        for type_, value in (("dd", -1), ("dd", 3652059), ("tt", -1), ("tt", 864_000_000_000), ("i16", 2**127), ("u16", -1)):
            with self.subTest(type_=type_, value=value), self.assertRaises(PayloadError):
                schema_of(type_).encode("One", {"Value": value})
        for type_, payload in (("dd", "dbb93700"), ("dd", "ffffffff"), ("tt", "00c0692ac9000000"), ("tt", "ff" * 8), ("i16", "ff" * 15)):
            with self.subTest(type_=type_, payload=payload), self.assertRaises(PayloadError):
                schema_of(type_).decode("One", bytes.fromhex(payload))

    def test_value_of_another_type_is_refused_by_its_field(self) -> None:
        for type_, value, text in (
            ("s", 5, r"One\.Value is 5, which does not fit its type: "),
            ("i4", "x", r"One\.Value is 'x', which does not fit its type: "),
            ("[i4]", [1, 2**31], r"One\.Value is \[1, 2147483648\], which does not fit its type: "),
            ("b", 2, r"One\.Value is 2, which does not fit its type: it is no bool"),
            ("[s]", "abc", r"One\.Value is the text 'abc', and must be a list\."),
            ("{ss}", "abc", r"One\.Value is the text 'abc', and must be a dict\."),
            ("s", None, r"One\.Value is None, and must not be\."),
        ):
            with self.subTest(type_=type_, value=value), self.assertRaisesRegex(PayloadError, text):
                schema_of(type_).encode("One", {"Value": value})

    def test_value_of_each_kind_that_does_not_fit_a_type_is_refused_by_its_field_and_never_sent_as_another_value(self) -> None:
        """The law: what is encoded is decoded to an equal value, of a collection to as many items; everything else is a PayloadError that names the field."""
        integers, floats, lists = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "i16", "u16", "ts", "tt", "dd", "?i4"], ["f2", "f4", "f8"], ["[s]", "[i4]", "[u1]", "[(i4s)]", "[m2]", "[i4]?"]
        scalars = {*integers, *floats, "d", "s", "s?", "c2", "b", "g", "t", "to"}
        dicts, numbers = ["{si4}", "{i8s}", "{tos}", "{f8s}"], [*integers, *floats, "d"]
        cases: list[tuple[object, list[str]]] = [
            (5, numbers), (True, [*numbers, "b"]), (0.5, [*floats, "d"]), (5.0, [*floats, "d"]), (Decimal(5), [*floats, "d"]), (1j, []), (-1, ["i1", "i2", "i4", "i8", "i16", "ts", "?i4", *floats, "d"]), (2**128, ["f8"]),
            ("abc", ["s", "s?"]), ("a", ["s", "s?", "c2"]), ("", ["s", "s?"]), (b"abc", ["[u1]", "[i4]", "[i4]?"]), (bytearray(3), ["[u1]", "[i4]", "[i4]?"]), (range(2), ["[u1]", "[i4]", "[i4]?"]),
            ([1, "x"], ["(i4s)"]), ((1, "x"), ["(i4s)"]), ([], [*lists, *dicts]), ({}, [*dicts, "m2", *lists]), ({"A": 1}, ["{si4}", "m2"]), ({1: "x"}, ["{i8s}", "{f8s}", "[(i4s)]"]), ({(1,): 2}, []),
            ([[1]], []), ([None], []), ([[1, "x"]], ["[(i4s)]", "{i8s}", "{f8s}"]), (dt.datetime.now(), []), (object(), []), (len, []), (uuid.UUID(int=1), ["g"]), (float("nan"), floats),
            (Time(5), ["t", "[i4]", "[u1]", "[i4]?"]), (Time(-1), ["[i4]", "[i4]?"]), (Time(5, 3), ["[i4]", "[u1]", "[i4]?"]), (OffsetTime(5), ["to", "[i4]", "[u1]", "[i4]?"]), (OffsetTime(5, 1), ["[i4]", "[u1]", "[i4]?"]),
            ({float("nan"): "a", -float("nan"): "b"}, []), ({OffsetTime(6_000_000_000): "a", OffsetTime(6_600_000_000, 1): "b"}, []),
            (b"a", ["[u1]", "[i4]", "[i4]?"]), (10**5000, []),
        ]
        two = {"id": 2, "name": "Two", "kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": [{"number": 1, "name": "A", "type": "i4", "shape": "0"}]}
        for type_ in {*numbers, *lists, *dicts, "s", "s?", "c2", "b", "g", "t", "to", "(i4s)", "m2"}:
            schema = Schema({"contracts": [{**two, "id": 1, "name": "One", "fields": [{"number": 1, "name": "Value", "type": type_, "shape": "0"}]}, two]})
            for value, fitting in cases:
                with self.subTest(type_=type_, value=value):
                    if type_ in fitting:
                        decoded = schema.decode("One", schema.encode("One", {"Value": value}))["Value"]
                        if type_ in scalars:
                            self.assertTrue(decoded == value or (value != value and decoded != decoded))
                        else:
                            self.assertEqual(len(value) or type_ == "m2", len(decoded))
                    else:
                        self.assertRaisesRegex(PayloadError, r"One\.Value", schema.encode, "One", {"Value": value})

    def test_value_without_an_order_is_refused_as_a_struct_and_as_a_message(self) -> None:
        for value in ({1, 2}, frozenset((1, 2)), {1: 2, 3: 4}, {1: 2, 3: 4}.keys(), {1: 2, 3: 4}.values(), set(), {}):
            for type_ in ("(i4i4)", "((i4i4)(i4i4))", "?(i4i4)"):
                with self.subTest(type_=type_, value=value), self.assertRaisesRegex(PayloadError, r"One\.Value is .*, and must be a tuple\."):
                    schema_of(type_).encode("One", {"Value": value})
            if not isinstance(value, dict):
                with self.subTest(value=value), self.assertRaisesRegex(PayloadError, r"One\.Value is .*, and must be a dict with the fields of One\."):
                    schema_of("m1").encode("One", {"Value": value})

    def test_scalar_of_another_library_is_sent_as_its_value_and_an_array_of_one_is_no_scalar(self) -> None:
        """The classes convert themselves as those of NumPy do."""
        integers, floats = ["i1", "i4", "i8", "u1", "u8", "i16", "u16", "ts", "tt", "dd", "?i4"], ["f2", "f4", "f8"]
        cases: list[tuple[object, object, list[str]]] = [
            (Integer(5), 5, [*integers, *floats, "d"]), (Integer(200), 200, [*integers[1:], *floats, "d"]), (Floating(0.5), 0.5, [*floats, "d"]), (Floating(float("inf")), float("inf"), floats), (Truth(1), True, ["b"]),
            (Wide(1.0), 1.0, floats), (ComplexOf(1 + 2j), None, []), (ArrayOf([1.5]), [1.5], ["[f8]"]), (ArrayOf([1]), [1], ["[i4]", "[f8]", "[b]"]), (ArrayOf([Truth(1)]), [True], ["[b]"]), (ArrayOf([Integer(5), Integer(6)]), [5, 6], ["[i4]", "[f8]", "(i4i4)"]),
            (Time(Integer(5), Integer(2)), Time(5, 2), ["t"]), (OffsetTime(Integer(5), Integer(-1)), OffsetTime(5, -1), ["to"]), ([0, [1, 2], 0], None, []), (Encoder(), None, []), (Decimal("1E+999999999"), None, []), (Decimal("0E+100"), Decimal(0), ["d", "b"]),
        ]  # fmt: skip
        for type_ in [*integers, *floats, "d", "b", "s", "c2", "t", "to", "[i4]", "[f8]", "[b]", "(i4i4)"]:
            for value, expected, fitting in cases:
                with self.subTest(type_=type_, value=value):
                    if type_ in fitting:
                        decoded = schema_of(type_).decode("One", schema_of(type_).encode("One", {"Value": value}))["Value"]
                        self.assertEqual(expected, list(decoded) if isinstance(expected, list) else decoded)
                    elif not (isinstance(value, tuple) and type_ in ("[i4]", "[f8]", "(i4i4)") or isinstance(value, Decimal) and type_ in floats):
                        self.assertRaisesRegex(PayloadError, r"One\.Value", schema_of(type_).encode, "One", {"Value": value})

    def test_type_of_a_union_is_the_one_of_its_name(self) -> None:
        message = {"kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": [{"number": 1, "name": "A", "type": "i4", "shape": "0"}]}
        types = [{**message, "id": id_, "name": name} for id_, name in ((2, "Game.Old.Move"), (3, "Old.Move"), (4, "Old.Jump"))]
        fields = [{"number": one["id"], "name": one["name"], "type": f"m{one['id']}", "shape": "0"} for one in types]
        schema = Schema({"contracts": [{**message, "id": 1, "name": "Any", "kind": "union", "fields": fields}, *types]})
        for name, found in (("Old.Move", "Old.Move"), ("Game.Old.Move", "Game.Old.Move"), ("Jump", "Old.Jump")):
            self.assertEqual({"$type": found, "A": 5}, schema.decode("Any", schema.encode("Any", {"$type": name, "A": 5})))
        for name, text in (("Move", "Any has several types 'Move'"), ("ove", "Any has no type 'ove'"), ("", "Any has no type ''")):
            with self.assertRaisesRegex(PayloadError, text):
                schema.encode("Any", {"$type": name, "A": 5})

    def test_collection_whose_length_is_not_its_count_is_refused(self) -> None:
        class Frame(list[Any]):
            def __len__(self) -> int:
                return 3

        for items in ([], [1], [1, 2, 3, 4]):
            with self.assertRaisesRegex(PayloadError, rf"One\.Value has {len(items)} items, and its length is 3\."):
                schema_of("[i4]").encode("One", {"Value": Frame(items)})

    def test_keys_are_compared_as_their_receiver_reads_them(self) -> None:
        for type_, value in (
            ("{f4s}", {0.1: "a", 0.10000000149: "b"}),
            ("{ds}", [("1.0", "a"), ("1.00", "b")]),
            ("{t:s}", {Time(5, 0): "a", Time(5, 1): "b"}),
            ("{t:s}", {Time(0, 2): "a", Time(0, 0): "b"}),
            ("{t:s}", {Time(3155378975999999999, 1): "a", Time(3155378975999999999, 2): "b"}),
            ("{(i4s)i4}", [([1, "x"], 2), ((1, "x"), 3)]),
            ("{?f8s}", [(0.0, "a"), (-0.0, "b")]),
        ):
            with self.subTest(type_=type_), self.assertRaisesRegex(PayloadError, r"One\.Value has a key twice\."):
                schema_of(type_).encode("One", {"Value": value})
        for type_, value in (("{(i4s)i4}", [([1, "x"], 2), ([1, "y"], 3)]), ("{t:s}", {Time(5, 2): "a", Time(5, 1): "b"}), ("{ss}", MappingProxyType({"a": "b"}))):
            with self.subTest(type_=type_):
                self.assertEqual(len(value), len(schema_of(type_).decode("One", schema_of(type_).encode("One", {"Value": value}))["Value"]))

    def test_message_that_is_no_dict_is_refused(self) -> None:
        for value in (5, "", [], Time(1)):
            with self.assertRaisesRegex(PayloadError, r"One is .*, and must be a dict with the fields of One\."):
                schema_of("i4").encode("One", value)  # type: ignore[arg-type]

    def test_unknown_name_is_refused_with_the_known_names(self) -> None:
        with self.assertRaisesRegex(PayloadError, r"The schema has no contract 'Two'\. It has One\."):
            schema_of("i4").find("Two")

    def test_missing_value_is_zero(self) -> None:
        for type_, zero in (("f2", 0.0), ("i16", 0), ("u16", 0), ("dd", 0), ("tt", 0)):
            self.assertEqual({"Value": zero}, schema_of(type_).decode("One", b""))

    def test_missing_value_that_only_the_program_knows_is_refused(self) -> None:
        field = {"number": 1, "name": "Value", "type": "i4", "shape": "0", "computed": True}
        contract = {"id": 1, "name": "One", "kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": [field]}
        schema = Schema({"contracts": [contract]})
        self.assertEqual({"Value": 5}, schema.decode("One", schema.encode("One", {"Value": 5})))
        for missing in (lambda: schema.decode("One", b""), lambda: schema.encode("One")):
            with self.assertRaisesRegex(PayloadError, r"Value is missing, and code of \.NET computes its default"):
                missing()

    def test_schema_that_is_too_large_is_refused_with_its_size(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.truncate(3_000_000_000)  # without blocks on the disk
            self.assertRaisesRegex(ValueError, f"{file.name} has at least 3000000000 bytes; the limit is 67108864 bytes", Schema.load, file.name)

    def test_schema_of_a_later_format_is_refused(self) -> None:
        Schema({"format": 2, "assembly": "Game", "contracts": []})
        with self.assertRaisesRegex(ValueError, "The schema of 'Game' has format 3; this client reads formats up to 2"):
            Schema({"format": 3, "assembly": "Game", "contracts": []})

    def test_missing_number_is_that_of_a_payload(self) -> None:
        for type_, default, bits in (("f4", "0.1", "cdcccc3d"), ("f4", "-0", "00000080"), ("f8", "-0", "0000000000000080"), ("f2", "0.1", "662e"), ("i4", "-0", "00000000"), ("i4", "-5", "fbffffff")):
            with self.subTest(type_=type_, default=default), tempfile.NamedTemporaryFile(mode="w", suffix=".json") as file:
                field = f'{{"number": 1, "name": "Value", "type": "{type_}", "shape": "0", "default": {default}}}'
                file.write(f'{{"contracts": [{{"id": 1, "name": "One", "kind": "message", "struct": false, "version": 1, "serializer": "binary", "compressor": null, "fields": [{field}]}}]}}')
                file.flush()
                schema = Schema.load(file.name)
                missing = schema.decode("One", b"")
                self.assertEqual((bits, repr(schema.decode("One", bytes.fromhex(bits)))), (schema.encode("One", missing).hex(), repr(missing)))
                self.assertEqual(bits, schema.encode("One").hex())

    def test_missing_number_that_json_lacks_is_a_number(self) -> None:
        field = {"number": 1, "name": "Value", "type": "f4", "shape": "0", "default": "-Infinity"}
        contract = {"id": 1, "name": "One", "kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": [field]}
        self.assertEqual({"Value": float("-inf")}, Schema({"contracts": [contract]}).decode("One", b""))
