"""Layouts: all that the bytes of a contract and of the messages inside depend on, as text, and how the layouts of two sides differ.

docs/specification/binary-format.md specifies the lines, and docs/specification/wire-format.md how a hello carries them.
"""

from __future__ import annotations

import re
from typing import Iterable, NamedTuple

from .binary import Contract, Schema

ENTRY = 0xFFFF0060  # the id of the entry with the layouts in a list of contracts
_MAX_NESTING, _MAX_TEXT = 16, 200  # of a described type; _MAX_TEXT also of a name of the other side
_LINE = re.compile(r"0*([0-9]{1,10}) ([-+]?)0*([0-9]{1,10}) ([^ ]*) ([onu])((?:;.*)?)", re.DOTALL)
_SIMPLE = re.compile(r"[A-Za-z0-9]*")
_NAME = re.compile(r"([^ ,:()\[\]{}?@<>]*) ")
_MEMBERS = re.compile(r"<([^>]*)>")
_WRITTEN_OUT = re.compile(r"<([^=>][^>]*)>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_KINDS = {"o": "not version-tolerant", "n": "version-tolerant", "u": "a union"}
_USE_ANOTHER_NUMBER = "; for a renamed field, set FormerName of its [MessageField], and give another field an unused number"
_KEEP_FORMER_NAME = "; for a renamed member, keep the former name as a second member with the same number"
_TYPES = {
    "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "i16": "int128", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "u16": "uint128",
    "f2": "float16", "f4": "float32", "f8": "float64", "b": "bool", "c2": "char", "d": "decimal", "dd": "DateOnly", "g": "Guid", "s": "string", "t": "DateTime",
    "to": "DateTimeOffset", "ts": "TimeSpan", "tt": "TimeOnly",
}  # fmt: skip


class Line(NamedTuple):
    """The layout of one message."""

    id: int
    version: int
    name: str
    kind: str
    fields: list[str]


class Layouts:
    """The lines of contracts and of all messages inside them. Lines of the other side are untrusted: each is read when it is compared."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")[:-1]
        self._lists: list[str] | None = None

    def __len__(self) -> int:
        return len(self._lines)

    def members(self, text: str) -> str:
        """Returns the members of an enum, from the text in its brackets: the members, or the sign = and the number of a list of members that is written out."""
        if not text.startswith("="):
            return text
        if self._lists is None:
            self._lists = _WRITTEN_OUT.findall(self.text)
        number = _number(text[1:])
        return self._lists[number] if 0 <= number < len(self._lists) else ""

    def line(self, number: int) -> Line | None:
        """Returns a line, or ``None`` if it is missing, empty or invalid."""
        found = _LINE.fullmatch(self._lines[number]) if 0 <= number < len(self._lines) else None
        if found is None or (id_ := int(found[1])) >= 2**32 or not -(2**31) <= (version := int(found[2] + found[3])) < 2**31:
            return None
        return Line(id_, version, found[4], found[5], found[6][1:].split(";") if found[6] else [])


def write_layouts(schema: Schema, contracts: Iterable[Contract], max_size: int | None = None) -> str:
    """Writes the layouts of contracts and of the messages inside them.

    :param max_size: the maximum number of bytes. Lines that do not fit are left out, and such messages are not compared.
    :return: the lines; empty if the schema has no layout of these contracts.
    """
    waiting: list[Contract | None] = list(contracts)
    numbers = {contract.id: number for number, contract in enumerate(waiting) if contract}
    lists: dict[str, int] = {}  # of members of enums; each is written out once
    lines, size = [], 0

    def shorten(inside: re.Match[str]) -> str:
        if members := inside[2]:
            if members in lists:
                return f"<={lists[members]}>"
            lists[members] = len(lists)
            return inside[0]
        id_ = int(inside[1])
        if id_ not in numbers:
            numbers[id_] = len(waiting)
            waiting.append(schema.contracts.get(id_))
        return f"@{numbers[id_]}"

    for contract in waiting:  # grows meanwhile
        line = ""
        if contract and contract.layout is not None:
            name = re.sub(r"[ \n;]", "_", contract.name.rpartition(".")[2])
            line = f"{contract.id} {contract.version} {name} {re.sub('@([0-9]+)|<([^>]+)>', shorten, contract.layout)}"
        size += len(line.encode("utf-8")) + 1
        if max_size is not None and size > max_size:
            break
        lines.append(line)
    return "".join(f"{line}\n" for line in lines) if any(lines) else ""


class Difference(NamedTuple):
    """The first difference between the layouts of a contract on the two sides."""

    path: str
    subject: str
    ours: str
    theirs: str
    advice: str = ""

    @property
    def here(self) -> str:
        """The difference as this side sees it."""
        return f"{self.subject} is {self.ours} here and {self.theirs} there{self.advice}"

    @property
    def there(self) -> str:
        """The difference as the other side sees it."""
        return f"{self.subject} is {self.theirs} here and {self.ours} there{self.advice}"


class _Step(NamedTuple):
    """A pair of lines to compare. ``parent`` is the index of the step that contains this message; -1 for the contract itself."""

    ours: int
    theirs: int
    parent: int
    via: str


class Comparison:
    """Compares layouts of two sides. The number of lines limits the work, whatever the other side sends."""

    def __init__(self, ours: Layouts, theirs: Layouts) -> None:
        self._ours, self._theirs = ours, theirs
        self._equal: set[tuple[int, int]] = set()  # pairs of lines that are equal with all lines that they reach
        self._seen: set[tuple[int, int]] = set()
        self._steps: list[_Step] = []
        self._current = 0

    def find(self, our_line: int, their_line: int) -> Difference | None:
        """Returns the first difference between two lines and the messages inside them; ``None`` if each side can read the other, or if a line is not known."""
        self._steps, self._seen, self._current = [], set(), 0
        self._push(our_line, their_line, -1, "")
        while self._current < len(self._steps):
            # Honest sides have one pair for each line of this side, or a few more where two messages share an id.
            if self._current > len(self._ours) + len(self._theirs):
                return Difference(self._path(), f"the layout of {self._path()}", "finite", "without an end")
            if difference := self._compare_lines(self._steps[self._current]):
                return difference
            self._current += 1
        self._equal |= self._seen
        return None

    def _push(self, our_line: int, their_line: int, parent: int, via: str) -> None:
        pair = our_line, their_line
        if pair not in self._equal and pair not in self._seen:
            self._seen.add(pair)
            self._steps.append(_Step(our_line, their_line, parent, via))

    def _compare_lines(self, step: _Step) -> Difference | None:
        here, there = self._ours.line(step.ours), self._theirs.line(step.theirs)
        if here is None or there is None:
            return None
        if here.version != there.version and step.parent >= 0:  # the versions of the contract itself were compared before
            return self._differ("", f"the version of {here.name} in {self._path()}", str(here.version), str(there.version))
        if here.kind != there.kind:
            return self._differ("", self._path(), _KINDS[here.kind], _KINDS[there.kind])
        return self._compare_by_place(here, there) if here.kind == "o" else self._compare_by_number(here, there)

    def _compare_by_place(self, here: Line, there: Line) -> Difference | None:
        for place, (our_field, their_field) in enumerate(zip(here.fields, there.fields), 1):
            (our_name, _, our_code), (their_name, _, their_code) = our_field.partition(" "), their_field.partition(" ")
            if our_name != their_name:
                return self._differ_in_name(f"field {place}", our_name, our_code, their_name, their_code)
            if difference := self._compare_field(f".{our_name}", our_code, their_code):
                return difference
        return None

    def _compare_by_number(self, here: Line, there: Line) -> Difference | None:
        theirs = {number: rest for number, _, rest in (field.partition(" ") for field in there.fields)}
        for number, _, our_code in (field.partition(" ") for field in here.fields):
            if (their_code := theirs.get(number)) is None:
                continue
            path = f"<{number}>"
            if here.kind == "n":
                our_names, _, our_code = our_code.partition(" ")
                their_names, _, their_code = their_code.partition(" ")
                (our_name, _, our_former), (their_name, _, their_former) = our_names.partition("="), their_names.partition("=")
                path = f".{our_name}"
                if not (our_name in (their_name, their_former) or our_former == their_name or our_former and our_former == their_former):
                    return self._differ_in_name(f"field {number}", our_name, our_code, their_name, their_code, _USE_ANOTHER_NUMBER)
            if difference := self._compare_field(path, our_code, their_code):
                return difference
        return None

    def _compare_field(self, path: str, our_code: str, their_code: str) -> Difference | None:
        if our_code == their_code and not re.search("[@=]", our_code):
            return None
        codes = _Codes(our_code, their_code)
        if difference := self._compare(codes, path):
            return difference
        return None if codes.are_empty else self._differ_in_type(path, our_code, their_code)

    def _compare(self, codes: _Codes, path: str) -> Difference | None:
        """Compares two types, and takes them from the codes."""
        before, sign = codes.position, codes.next
        if sign == "(":
            return self._compare_items(codes, path)
        if sign == "?":
            codes.skip(sign)
            return self._compare(codes, path)
        if sign in ("[", "{"):
            codes.skip(sign)
            for inside, end in ((path + "[]", "]"),) if sign == "[" else ((path + "[key]", ":"), (path + "[]", "}")):
                if difference := self._compare(codes, inside):
                    return difference
                if not codes.skip(end):
                    return self._differ_in_type(path, *codes.since(before))
            return None
        if sign == "@":
            codes.skip(sign)
            our_line, their_line = map(_number, codes.take(_SIMPLE))
            here, there = self._ours.line(our_line), self._theirs.line(their_line)
            if here and there and here.id != there.id:
                return self._differ_in_type(path, *codes.since(before))
            if here and there:
                self._push(our_line, their_line, self._current, path)
            return None
        our_type, their_type = codes.take(_SIMPLE)
        if our_type != their_type or not our_type:
            return self._differ_in_type(path, *codes.since(before))
        our_members, their_members = codes.take(_MEMBERS, 1)
        return self._compare_members(self._ours.members(our_members), self._theirs.members(their_members), path)

    def _compare_items(self, codes: _Codes, path: str) -> Difference | None:
        """Compares the fields of a struct or the items of a tuple. A field may be ``_x`` in one program and a property ``X`` in the other one. Items of tuples can have no name."""
        before, place = codes.position, 0
        codes.skip("(")
        while True:
            place += 1
            our_name, their_name = codes.take(_NAME, 1)
            if our_name and their_name and _fold(our_name) != _fold(their_name):
                return self._differ(path, f"item {place} of {self._path()}{path}", our_name, _clean_name(their_name))
            if difference := self._compare(codes, f"{path}.{our_name}" if our_name else path):
                return difference
            if codes.skip(")"):
                return None
            if not codes.skip(",") and not codes.skip(":"):
                return self._differ_in_type(path, *codes.since(before))

    def _compare_members(self, here: str, there: str, path: str) -> Difference | None:
        """Compares the members of an enum. Members may be added. A number and an enum are the same bytes."""
        if not here or not there or here == there:
            return None
        our_members, their_members = _members(here), _members(there)
        numbers, names = dict(their_members), {number: name for name, number in reversed(their_members)}
        for name, number in our_members:
            if numbers.get(name, number) != number:
                return self._differ(path, f"the member {name} of {self._path()}{path}", number, _clean_name(numbers[name]))
        common = {number for name, number in our_members if name in numbers}
        for name, number in our_members:
            if number in names and number not in common:
                return self._differ(path, f"the number {number} of {self._path()}{path}", name, _clean_name(names[number]), _KEEP_FORMER_NAME)
        return None

    def _differ_in_name(self, field: str, our_name: str, our_code: str, their_name: str, their_code: str, advice: str = "") -> Difference:
        ours, theirs = f"{_clean_name(our_name)} ({_describe(our_code, self._ours)})", f"{_clean_name(their_name)} ({_describe(their_code, self._theirs)})"
        return self._differ(f".{our_name}", f"{field} of {self._path()}", ours, theirs, advice)

    def _differ_in_type(self, path: str, our_code: str, their_code: str) -> Difference:
        return self._differ(path, self._path() + path, _describe(our_code, self._ours), _describe(their_code, self._theirs))

    def _differ(self, path: str, subject: str, ours: str, theirs: str, advice: str = "") -> Difference:
        return Difference(self._path() + path, subject, ours, theirs, advice)

    def _path(self) -> str:
        """The path of the line that is compared, from the name of the contract."""
        parts, step = [], self._steps[self._current]
        while step.parent >= 0:
            parts.append(step.via)
            step = self._steps[step.parent]
        root = self._ours.line(step.ours)
        return (root.name if root else "") + "".join(reversed(parts))


class _Codes:
    """The types of a field on both sides, as far as they were not yet compared."""

    def __init__(self, ours: str, theirs: str) -> None:
        self._ours, self._theirs, self._at_ours, self._at_theirs = ours, theirs, 0, 0

    @property
    def position(self) -> tuple[int, int]:
        return self._at_ours, self._at_theirs

    def since(self, position: tuple[int, int]) -> tuple[str, str]:
        return self._ours[position[0] :], self._theirs[position[1] :]

    @property
    def are_empty(self) -> bool:
        return self._at_ours == len(self._ours) and self._at_theirs == len(self._theirs)

    @property
    def next(self) -> str:
        """The sign with which both types begin; empty for different signs and for a letter or a digit."""
        ours, theirs = self._ours[self._at_ours : self._at_ours + 1], self._theirs[self._at_theirs : self._at_theirs + 1]
        return ours if ours == theirs and not _SIMPLE.fullmatch(ours) else ""

    def skip(self, sign: str) -> bool:
        if self.next != sign:
            return False
        self._at_ours += 1
        self._at_theirs += 1
        return True

    def take(self, pattern: re.Pattern[str], group: int = 0) -> tuple[str, str]:
        """Takes what matches a pattern, on each side; empty where nothing does."""
        ours, theirs = pattern.match(self._ours, self._at_ours), pattern.match(self._theirs, self._at_theirs)
        self._at_ours = ours.end() if ours else self._at_ours
        self._at_theirs = theirs.end() if theirs else self._at_theirs
        return ours[group] if ours else "", theirs[group] if theirs else ""


def clean(text: str) -> str:
    """Returns a text of the other side without control characters except tabs and ends of lines."""
    return _CONTROL.sub("\ufffd", text)


def _clean_name(name: str) -> str:
    """Returns a name of the other side as text of limited length."""
    return clean(name[:_MAX_TEXT])


def _number(digits: str) -> int:
    """The number of a line; -1 for a text that is none."""
    found = re.fullmatch("0*([0-9]{1,9})", digits)
    return int(found[1]) if found else -1


def _fold(name: str) -> str:
    """A name without its case, character by character, and without the signs _ at its start."""
    return "".join(upper if len(upper := one.upper()) == 1 else one for one in name.lstrip("_"))


def _members(text: str) -> list[tuple[str, str]]:
    """The members of an enum in the order of their names, so that both sides name the same member first."""
    members = [(name, number) for name, sign, number in (one.partition("=") for one in text.split(",")) if name and sign]
    return sorted(members, key=lambda member: member[0].encode("utf-16-be"))


def _describe(code: str, layouts: Layouts) -> str:
    """Describes a type, such as "list of int32". Untrusted codes are cleaned and cut."""
    text = _Description(code, layouts)
    text.append(0)
    return clean("".join(text.parts)[:_MAX_TEXT]) or "nothing"


class _Description:
    def __init__(self, code: str, layouts: Layouts) -> None:
        self.parts: list[str] = []
        self._code, self._at, self._layouts, self._length = code, 0, layouts, 0

    def append(self, nesting: int) -> None:
        """Describes the type at the current position, and moves past it."""
        if self._at >= len(self._code) or nesting > _MAX_NESTING or self._length > _MAX_TEXT:
            return
        if simple := self._take(_SIMPLE):
            self._add(_TYPES.get(simple, simple))
            if self._layouts.members(self._take(_MEMBERS, 1)):
                self._add(" (enum)")
            return
        sign = self._code[self._at]
        self._at += 1
        if sign == "?":
            self._add("nullable ")
            self.append(nesting + 1)
        elif sign in "[{":
            self._add("list of " if sign == "[" else "dictionary of ")
            self.append(nesting + 1)
            self._at += 1
            if sign == "{":
                self._add(" to ")
                self.append(nesting + 1)
                self._at += 1
        elif sign == "@":
            message = self._layouts.line(_number(self._take(_SIMPLE)))
            self._add(f"{message.name} (message {message.id})" if message else "another message")
        elif sign == "(":
            self._append_items(nesting)
        else:
            self._add("unknown")

    def _append_items(self, nesting: int) -> None:
        self._add("(")
        while self._at < len(self._code) and self._length <= _MAX_TEXT:
            start = self._at
            if name := self._take(_NAME, 1):
                self._add(f"{name} ")
            self.append(nesting + 1)
            is_last = self._code[self._at : self._at + 1] in (")", "")
            self._at = min(self._at + 1, len(self._code))
            if is_last or self._at == start:
                break
            self._add(", ")
        self._add(")")

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)

    def _take(self, pattern: re.Pattern[str], group: int = 0) -> str:
        found = pattern.match(self._code, self._at)
        self._at = found.end() if found else self._at
        return found[group] if found else ""
