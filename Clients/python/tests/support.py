"""The files of docs/vectors, and the values in them."""

from __future__ import annotations

import json
import os
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any, Iterator

from reloaded_messaging import OffsetTime, Schema, Time

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "vectors"
SCHEMA = Schema.load(FOLDER / "contracts.schema.json")
EXTENT = int(os.environ.get("RELOADED_MESSAGING_EXTENT", "0"))  # of long tests: 1 in .ci/run, and 2 or more before a release


def cases(name: str) -> Iterator[dict[str, Any]]:
    """The cases of a file. Values that are bytes stay hexadecimal."""
    found = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    assert found, name
    return iter(found)


def as_json(value: Any) -> Any:
    """A decoded value in the form that docs/vectors/README.md describes."""
    if isinstance(value, Time):
        return {"ticks": str(value.ticks), "kind": value.kind}
    if isinstance(value, OffsetTime):
        return {"ticks": str(value.ticks), "minutes": value.minutes}
    if isinstance(value, (uuid.UUID, Decimal)):
        return str(value)
    if isinstance(value, (bytes, tuple, list)):
        return [as_json(one) for one in value]
    return value


def compare(test: Any, contract: Any, expected: Any, value: Any) -> None:
    """Compares a decoded message with a vector's value. The schema says which numbers are strings there, and which objects are dictionaries."""
    if contract.kind == "union":
        case = next(f for f in contract.fields if f.name == expected["$type"])
        test.assertEqual(value["$type"], expected["$type"])
        contract = SCHEMA.find(case.type.message)
    test.assertEqual([f.name for f in contract.fields], [k for k in expected if k != "$type"])
    for field in contract.fields:
        _compare(test, field.type, expected[field.name], value[field.name])


def _compare(test: Any, type_: Any, expected: Any, value: Any) -> None:
    if expected is None or value is None:
        test.assertEqual((expected, value), (None, None))
    elif type_.kind == "?":
        _compare(test, type_.parts[0], expected, value)
    elif type_.kind == "m":
        compare(test, SCHEMA.find(type_.message), expected, value)
    elif type_.kind == "[":
        test.assertEqual(len(expected), len(value))
        for one, other in zip(expected, value):
            _compare(test, type_.parts[0], one, other)
    elif type_.kind == "{":
        test.assertEqual([key for key, _ in expected], [as_json(key) for key in value])
        for (_, one), other in zip(expected, value.values()):
            _compare(test, type_.parts[1], one, other)
    elif type_.kind in ("i8", "u8", "ts"):
        test.assertEqual(expected, str(value))
    else:
        test.assertEqual(expected, ord(value) if type_.kind == "c2" else as_json(value))
