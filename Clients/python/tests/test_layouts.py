"""The comparison of contracts with servers that have other contracts, and with servers that send anything."""

from __future__ import annotations

import contextlib
import queue
import random
import socket
import time
import unittest
from typing import Any, Callable

from reloaded_messaging import Client, ContractMismatch, HandshakeError, Header, Kind, Schema, handshake
from reloaded_messaging import wire as module
from reloaded_messaging.layouts import Comparison, Layouts
from reloaded_messaging.wire import CONTROL_LIMIT, read_header, take_frame, write_uvarint

from .support import cases
from .servers import WAIT, Server, frame


def contract(id_: int, name: str, layout: str | None, *fields: tuple[str, str]) -> dict[str, Any]:
    described = [{"number": i, "name": field, "type": type_, "shape": f"{i:X}00000000"} for i, (field, type_) in enumerate(fields, 1)]
    one = {"id": id_, "name": f"Samples.{name}", "kind": "message", "struct": False, "version": 1, "serializer": "binary", "compressor": None, "fields": described}
    return one if layout is None else {**one, "layout": layout}


def schema(version: str = "s") -> Schema:
    """A list of items, whose field ``Version`` has a type; and the request for the list."""
    return Schema(
        {
            "contracts": [
                contract(1, "Ask", "o"),
                contract(2, "ModList", "o;Mods [@3]", ("Mods", "[m3]")),
                contract(3, "Mod", f"o;Name s;Version {version}", ("Name", "s"), ("Version", version)),
            ]
        }
    )


def announcement(of: Schema, *names: str) -> bytes:
    own = [of.find(name) for name in names]
    return handshake.write_contracts(own, handshake.layouts_of(of, own))


OURS = "The contracts of message type 2 (Samples.ModList on this side, Samples.ModList on the remote side) differ: ModList.Mods[].Version is string here and int32 there."
THEIRS = OURS.replace("string here and int32 there", "int32 here and string there")


class OtherContracts(unittest.TestCase):
    def client(self, contracts: bytes, script: Callable[[Server, socket.socket], None] | None = None) -> Client:
        self.controls: queue.Queue[tuple[int, bytes]] = queue.Queue()
        server = Server(script or self.listen, contracts=contracts)
        self.addCleanup(server.close)
        client = Client(server.endpoint, schema(), timeout=WAIT)
        self.addCleanup(client.close)
        return client

    def listen(self, _: Server, stream: socket.socket) -> None:
        """Keeps the control messages of the client until its goodbye."""
        buffer = bytearray()
        while data := stream.recv(65536):
            buffer += data
            while message := take_frame(buffer, 1 << 20, CONTROL_LIMIT):
                header, position = read_header(message)
                self.controls.put((header.type, message[position:]))
                if header.type == module.GOODBYE:
                    return

    def goodbye(self) -> bytes:
        while True:
            type_, payload = self.controls.get(timeout=WAIT)
            if type_ == module.GOODBYE:
                return payload

    def test_a_handled_contract_is_compared_with_all_messages_inside_at_connect(self) -> None:
        client = self.client(announcement(schema("i4"), "ModList"))
        client.on("ModList", lambda _: self.fail("An event was read."))
        with self.assertRaises(HandshakeError) as raised:
            client.connect()
        self.assertEqual(("WrongContract", OURS), (raised.exception.reason, raised.exception.text))
        self.assertIn(OURS, str(raised.exception))
        self.assertEqual(b"\x07" + THEIRS.encode(), self.goodbye())

    def test_handled_contract_is_compared_with_later_announcements(self) -> None:
        def announce(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(module.HELLO, Kind.CONTROL), announcement(schema("i4"), "ModList")))
            self.listen(server, stream)

        client, ended = self.client(b"\x01", announce), queue.Queue[tuple[str, str]]()
        client.on("ModList", lambda _: self.fail("An event was read."))
        client.disconnected = lambda reason, text: ended.put((reason, text))
        client.connect()
        self.assertEqual(("WrongContract", OURS), ended.get(timeout=WAIT))
        self.assertEqual(b"\x07" + THEIRS.encode(), self.goodbye())

    def test_sent_contract_is_compared_at_its_first_use(self) -> None:
        client = self.client(announcement(schema("i4"), "ModList")).connect()
        for _ in range(2):
            with self.assertRaises(ContractMismatch) as raised:
                client.send("ModList", {"Mods": []})
            self.assertEqual((OURS, "ModList.Mods[].Version"), (str(raised.exception), raised.exception.path))

    def test_reply_is_compared_before_it_is_read(self) -> None:
        def answer(server: Server, stream: socket.socket) -> None:
            header, _ = server.receive(stream)
            stream.sendall(frame(Header(2, Kind.REPLY, header.correlation), schema("i4").encode("ModList", {"Mods": [{"Name": "a", "Version": 5}]})))
            server.wait(stream)

        with self.assertRaises(ContractMismatch) as raised:
            self.client(announcement(schema("i4"), "Ask", "ModList"), answer).connect().request("Ask")
        self.assertEqual(OURS, str(raised.exception))

    def test_schema_of_format_1_is_compared_by_shapes(self) -> None:
        other = [contract(2, "ModList", None, ("Mods", "[m3]"))]
        other[0]["fields"][0]["shape"] = "100000007"
        for told, difference in ((Schema({"contracts": other}), "the first difference is the field Mods"), (schema("s"), None)):
            client = self.client(announcement(told, "ModList")).connect()
            if difference is None:
                client.send("ModList", {"Mods": []})
                continue
            with self.assertRaises(ContractMismatch) as raised:
                client.send("ModList", {"Mods": []})
            self.assertIn(difference, str(raised.exception))

    def test_text_of_a_goodbye_is_in_the_error(self) -> None:
        def refuse(server: Server, stream: socket.socket) -> None:
            stream.sendall(frame(Header(module.GOODBYE, Kind.CONTROL), b"\x07" + OURS.encode() + b"\x1b[2J"))
            server.wait(stream)

        server = Server(refuse, hello=b"")
        self.addCleanup(server.close)
        with self.assertRaises(HandshakeError) as raised:
            Client(server.endpoint, schema(), timeout=WAIT).connect()
        self.assertEqual(f"The handshake failed: WrongContract. {OURS}\ufffd[2J", str(raised.exception))

    def test_layouts_of_many_announcements_are_limited(self) -> None:
        def announce(server: Server, stream: socket.socket) -> None:
            with contextlib.suppress(OSError):  # the client closes
                for id_ in range(10, 20):
                    one = handshake.write_contracts([Schema({"contracts": [contract(id_, "Other", None)]}).find(id_)], f"{id_} 1 {'x' * 150_000} o\n")
                    stream.sendall(frame(Header(module.HELLO, Kind.CONTROL), one))
                self.listen(server, stream)

        client, ended = self.client(b"\x01", announce), queue.Queue[tuple[str, str]]()
        client.disconnected = lambda reason, text: ended.put((reason, text))
        client.connect()
        self.assertEqual(("Malformed", "The contracts that the server announced have more than 524288 characters."), ended.get(timeout=WAIT))

    def test_unreadable_handshake_is_a_handshake_error(self) -> None:
        for contracts in (b"\x02", b"\x02\x05\x02\xff\x01\x01\0\0\0\x01", b"\xff" * 5, b""):
            with self.subTest(contracts=contracts), self.assertRaises(HandshakeError) as raised:
                self.client(contracts).connect()
            self.assertEqual("NotAPeer", raised.exception.reason)


class HostileLayouts(unittest.TestCase):
    def compare(self, ours: str, theirs: str) -> None:
        """A comparison returns, and the text of the other side in a difference is short."""
        if difference := Comparison(Layouts(ours), Layouts(theirs)).find(0, 0):
            self.assertLess(len(difference.theirs), 1000)
            self.assertNotRegex(difference.theirs, r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

    def test_mutated_layouts_are_compared_without_an_error(self) -> None:
        random_ = random.Random(36)
        alphabet = "[](){}<>?@:;,= \n\0onui48_Aé😀0123456789"
        for case in list(cases("layouts")) * 50:
            theirs = list(case["theirs"])
            for _ in range(1 + random_.randrange(4)):
                at = random_.randrange(len(theirs))
                theirs[at : at + random_.randrange(2)] = random_.choices(alphabet, k=random_.randrange(3))
                theirs = theirs or ["\n"]
            self.compare(case["ours"], "".join(theirs))

    def test_large_layouts_are_compared_in_limited_time(self) -> None:
        size = 190_000
        ours = "5 1 M o;A (X f4,Y i4<Red=0,Blue=1>);B {s:[@0]};C [[[i4]]]\n"
        started = time.monotonic()
        for theirs in (
            "5 1 M o;A " + "[" * size + "\n", "5 1 M o;A " + "(" * size + "\n", "5 1 M o;A (X f4," + "(" * size + "\n", "5 1 M o;A (X f4,Y i4<" + "Red=0," * (size // 6) + ">)\n",
            "5 1 M o" + ";A i4" * (size // 5) + "\n", "\n" * size, "0" * size + " 1 M o\n", "5 1 M o;A " + "@" * size + "\n", "5 1 M o;A (X f4,Y i4<Red=0>);B {s:[@" + "0" * size + "]}\n",
            "5 1 M o;A i4" + "\n5 1 M o;A i4" * (size // 14), "5 1 M o;" + "A" * size, "5 1 M o;A (" + "A" * size + " f4)\n",
        ):  # fmt: skip
            self.compare(ours, theirs)
        self.assertLess(time.monotonic() - started, WAIT)

    def test_messages_inside_without_an_end_are_a_difference(self) -> None:
        def cycle(length: int) -> str:
            return "".join(f"5 1 M o;A @{(i + 1) % length}\n" for i in range(length))

        difference = Comparison(Layouts(cycle(5)), Layouts(cycle(7))).find(0, 0)
        assert difference is not None
        self.assertRegex(difference.here, "^the layout of M.A(.A)+ is finite here and without an end there$")
        self.assertIsNone(Comparison(Layouts(cycle(3)), Layouts(cycle(3))).find(0, 0))


class Lines(unittest.TestCase):
    def test_list_of_contracts_keeps_its_limit(self) -> None:
        fields = [(f"Field{i:05}", "i4") for i in range(1000)]
        many = Schema({"contracts": [contract(i, f"Message{i:04}", "o" + "".join(f";{name} i4" for name, _ in fields)) for i in range(1, 100)]})
        own = list(many.contracts.values())
        written = handshake.write_contracts(own, handshake.layouts_of(many, own))
        self.assertLess(150 * 1024, len(written))
        self.assertLess(len(written), 224 * 1024 + 64)
        told = handshake.read_contracts(written)
        self.assertEqual(len(own), len(told))
        assert told[0].layouts is not None
        self.assertIsNotNone(told[0].layouts.line(0))
        self.assertIsNone(told[-1].layouts and told[-1].layouts.line(told[-1].line))

    def test_members_of_an_enum_are_written_out_once(self) -> None:
        enums = Schema({"contracts": [contract(1, "First", "o;A i4<X=0,Y=1>;B i4<>;C i4<Z=0>"), contract(2, "Second", "o;A [i4<Z=0>];B @1;C i2<X=0,Y=1>")]})
        text = handshake.layouts_of(enums, [enums.find(2), enums.find(1)])
        self.assertEqual("2 1 Second o;A [i4<Z=0>];B @1;C i2<X=0,Y=1>\n1 1 First o;A i4<=1>;B i4<>;C i4<=0>\n", text)
        full = "2 1 Second o;A [i4<Z=0>];B @1;C i2<X=0,Y=1>\n1 1 First o;A i4<X=0,Y=2>;B i4<>;C i4<Z=0>\n"
        difference = Comparison(Layouts(text), Layouts(full)).find(0, 0)
        self.assertEqual("the member Y of Second.B.A is 1 here and 2 there", difference and difference.here)
        self.assertIsNone(Comparison(Layouts(text), Layouts(full.replace("Y=2", "Y=1"))).find(0, 0))

    def test_contracts_without_layouts_have_no_entry(self) -> None:
        one = Schema({"contracts": [contract(1, "Ask", None)]})
        self.assertEqual("", handshake.layouts_of(one, [one.find(1)]))
        self.assertEqual("", handshake.layouts_of(schema(), []))
        self.assertEqual(write_uvarint(1), handshake.write_contracts([]))


if __name__ == "__main__":
    unittest.main()
