"""Every file of docs/vectors against the client."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import unittest

from reloaded_messaging import PayloadError, Schema, WireError
from reloaded_messaging import handshake, wire
from reloaded_messaging.compression import decompress_brotli, decompress_lz4
from reloaded_messaging.layouts import Comparison, Layouts
from reloaded_messaging.protection import SymmetricState, expand
from reloaded_messaging.wire import Header, Kind, read_header, read_uvarint, take_frame, write_header, write_uvarint

from .support import EXTENT, SCHEMA, cases, compare


class WireVectors(unittest.TestCase):
    def test_uvarints(self) -> None:
        for case in cases("uvarints"):
            with self.subTest(case["name"]):
                data = bytes.fromhex(case["bytes"])
                try:
                    status, (value, end) = "Ok", read_uvarint(data)
                    self.assertEqual((case["value"], len(data)), (value, end))
                    self.assertEqual(data, write_uvarint(value))
                except WireError as error:
                    status = error.status
                self.assertEqual(case["status"], status)

    def test_headers(self) -> None:
        for case in cases("headers"):
            with self.subTest(case["name"]):
                data = bytes.fromhex(case["bytes"])
                try:
                    status, (header, position) = "Ok", read_header(data)
                    self.assertEqual(Header(case["type"], Kind(case["kind"]), case["correlation"], case["size"]), header)
                    self.assertEqual(bytes.fromhex(case["payload"]), data[position:])
                    self.assertEqual(data[:position], write_header(header))
                except WireError as error:
                    status = error.status
                self.assertEqual(case["status"], status)

    def test_frames_and_batches(self) -> None:
        for case in [*cases("frames"), *cases("batches")]:
            with self.subTest(case["name"]):
                stream, messages, status = bytearray.fromhex(case["stream"]), [], "Ok"
                only_first = "message" in case
                try:
                    while (message := take_frame(stream, case["limit"])) is not None:
                        messages.append(message.hex().upper())
                        if only_first:
                            break
                    else:
                        status = "Incomplete"
                except WireError as error:
                    status = error.status
                expected = [case["message"]] if case.get("message") is not None else case.get("messages", [])
                self.assertEqual((expected, case["status"], case["rest"]), (messages, status, stream.hex().upper()))

    def test_compressed_payloads(self) -> None:
        for case in cases("compression"):
            with self.subTest(case["name"]):
                status, payload = _receive(bytes.fromhex(case["bytes"]), case["compressor"])
                self.assertEqual((case["status"], case["payload"]), (status, None if payload is None else payload.hex().upper()))


def _receive(message: bytes, compressor: str) -> tuple[str, bytes | None]:
    try:
        header, position = read_header(message)
    except WireError:
        return "Malformed", None
    if header.kind > Kind.REQUEST:
        return "NotForHandlers", None
    if header.type != 3:
        return "NoHandler", None
    if header.size is None:
        return "Handled", message[position:]
    if compressor == "none":
        return "Malformed", None
    if header.size > 1 << 20:
        return "TooLarge", None
    try:
        return "Handled", {"lz4": decompress_lz4, "brotli": decompress_brotli}[compressor](message[position:], header.size)
    except ValueError:
        return "CorruptPayload", None


class PayloadVectors(unittest.TestCase):
    def test_payloads(self) -> None:
        for case in cases("payloads"):
            with self.subTest(case["name"]):
                contract, data = SCHEMA.find(case["message"]), bytes.fromhex(case["bytes"])
                if case["status"] != "Ok":
                    self.assertRaises(PayloadError, SCHEMA.decode, contract.id, data)
                    continue
                value = SCHEMA.decode(contract.id, data)
                compare(self, contract, case["value"], value)
                if case["canonical"]:
                    self.assertEqual(data, SCHEMA.encode(contract.id, value))

    def test_ids(self) -> None:
        for case in cases("ids"):
            self.assertEqual(case["id"], 2097152 + _fnv(2166136261, case["name"]) % 266338304)

    def test_shapes_follow_from_the_schema(self) -> None:
        for contract in SCHEMA.contracts.values():
            running = 2166136261
            for field, code in zip(contract.fields, _codes(contract.id)):
                if contract.kind == "message":
                    running = _fnv(_fnv(running, field.name), code)
                else:
                    running = _fnv(_fnv(2166136261, "union" if contract.kind == "union" else "numbered"), code)
                number = field.number + 1 if contract.kind == "union" else field.number
                self.assertEqual(number << 32 | running, field.shape, f"{contract.name}.{field.name}")

    def test_mutated_messages_get_the_verdicts_of_the_library(self) -> None:
        from .mutations import Mutations

        mutations = Mutations()
        for index, case in enumerate(itertools.islice(cases("mutations"), 100 if EXTENT >= 2 else 20)):  # each is a block of 1,000 messages
            verdicts = bytes(mutations.judge(mutations.next(1000 * index + i)) for i in range(1000))
            self.assertEqual(case["counts"], [verdicts.count(verdict) for verdict in range(5)], case["name"])
            self.assertEqual(case["sha256"], hashlib.sha256(verdicts).hexdigest().upper(), case["name"])


def _codes(contract_id: int) -> list[str]:
    import json

    from .support import FOLDER

    document = json.loads((FOLDER / "contracts.schema.json").read_text(encoding="utf-8"))
    return next([field["code"] for field in one["fields"]] for one in document["contracts"] if one["id"] == contract_id)


def _fnv(value: int, text: str) -> int:
    for byte in text.encode("utf-8") + b"\0":
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


class HandshakeVectors(unittest.TestCase):
    def test_hellos(self) -> None:
        for case in cases("hellos"):
            with self.subTest(case["name"]):
                try:
                    hello = handshake.read_hello(bytes.fromhex(case["bytes"]))
                except WireError:
                    self.assertEqual("Unreadable", case["status"])
                    continue
                if hello is None:
                    self.assertEqual("OtherVersion", case["status"])
                    continue
                self.assertEqual("Ok", case["status"])
                self.assertEqual((case["hasToken"], case["maxMessageSize"], case["nonce"]), (hello.has_token, hello.max_message_size, hello.nonce.hex().upper()))
                told = None if hello.contracts is None else [(t.id, t.type, t.encoding, t.version, [f"{e:016X}" for e in t.shape]) for t in hello.contracts]
                expected = None if case["contractsLater"] else [(t["id"], t["type"], t["encoding"], t["version"], t["shape"]) for t in case["contracts"]]
                self.assertEqual(expected, told)
                layouts = {t.layouts.text for t in hello.contracts or () if t.layouts}
                self.assertEqual({case["layouts"]} if "layouts" in case else set(), layouts)

    def test_encodings(self) -> None:
        for case in cases("encodings"):
            with self.subTest(case["name"]):
                found = handshake.compare_encodings(case["ours"], case["theirs"])
                self.assertEqual((case["here"], case["there"]), found or (None, None))

    def test_layouts(self) -> None:
        for case in cases("layouts"):
            with self.subTest(case["name"]):
                for ours, theirs, here, there in (("ours", "theirs", "here", "there"), ("theirs", "ours", "there", "here")):
                    difference = Comparison(Layouts(case[ours]), Layouts(case[theirs])).find(0, 0)
                    found = (difference.here, difference.there) if difference else (None, None)
                    self.assertEqual((case[here], case[there]), found)
                    if ours == "ours":
                        self.assertEqual(case["path"], difference and difference.path)

    def test_sessions(self) -> None:
        """The contracts of the server in a session are those of a schema with the same messages, byte by byte."""
        fields = {"Ping": ("Number", "i4"), "Pong": ("Number", "i4"), "Note": ("Text", "s")}
        for case in cases("sessions"):
            steps = [(step, bytes.fromhex(step["bytes"])) for step in case["steps"] if step["from"] == "server"]
            messages = [(step["what"], take_frame(bytearray(data), 1 << 20, 1 << 20) or b"") for step, data in steps]
            payloads = {what: message[read_header(message)[1] :] for what, message in messages}
            hello = handshake.read_hello(payloads["hello"])
            assert hello is not None
            told = handshake.read_contracts(payloads["contracts"]) if hello.contracts is None else hello.contracts
            contracts = [
                {
                    "id": one.id, "name": one.type, "kind": "message", "struct": True, "version": 1, "serializer": "binary", "compressor": None,
                    "layout": f"o;{' '.join(fields[one.type.rpartition('.')[2]])}",
                    "fields": [{"number": 1, "name": "Value", "type": "i4", "shape": f"{one.shape[0]:X}"}],
                }
                for one in told
            ]  # fmt: skip
            schema = Schema({"contracts": contracts})
            own, nonce = list(schema.contracts.values()), bytes.fromhex(case["serverNonce"])
            layouts = handshake.layouts_of(schema, own)
            self.assertEqual([1, 2, 3], [one.id for one in told], case["name"])
            self.assertEqual(payloads["hello"], handshake.write_hello(nonce, hello.has_token, own, layouts=layouts), case["name"])
            if hello.has_token:
                self.assertEqual(payloads["contracts"], handshake.write_contracts(own, layouts), case["name"])

    def test_answers(self) -> None:
        """Every answer of a host is read: the reasons of its goodbyes, the codes of its faults, and the blocks of its streams."""
        goodbyes, faults, blocks = {}, {}, {}
        for case in cases("answers"):
            for step in case["steps"]:
                frame = bytearray.fromhex(step["bytes"])
                if step["from"] == "client":
                    continue
                message = take_frame(frame, 1 << 20, 1 << 18)
                assert message is not None and not frame, case["name"]
                header, start = read_header(message)
                payload = message[start:]
                if header.kind == Kind.CONTROL and header.type == 3:
                    goodbyes[case["name"]] = payload[0]
                    self.assertTrue(case["closes"], case["name"])
                elif header.kind == Kind.FAULT:
                    faults[case["name"]] = wire.read_fault(payload)[0]
                elif header.type == 0xFFFF0022:
                    blocks.setdefault(case["name"], []).append(payload.hex())
        self.assertEqual({5, 4, 6, 7, 9, 10}, set(goodbyes.values()))
        self.assertEqual((5, 6, 9), tuple(goodbyes[name] for name in ("a hello of another version", "a token that the host does not have", "a frame of 1048577 bytes")))
        self.assertEqual({1, 2, 3, 5, 1001}, set(faults.values()))
        self.assertEqual(["00050200000000", "01", "01"], blocks["a stream of one item"])
        self.assertEqual(["00010203", "01"], blocks["a file"])

    def test_proofs(self) -> None:
        for case in cases("proofs"):
            made = handshake.make_proof(*(bytes.fromhex(case["token"]), case["role"] == "server", bytes.fromhex(case["ownNonce"]), bytes.fromhex(case["otherNonce"])))
            self.assertEqual(case["proof"], made.hex().upper(), case["name"])

    def test_control_messages(self) -> None:
        for case in cases("control"):
            message = write_header(Header(case["opcode"], Kind.CONTROL)) + bytes.fromhex(case["payload"])
            self.assertEqual(case["bytes"], message.hex().upper(), case["name"])

    def test_faults(self) -> None:
        for case in cases("faults"):
            with self.subTest(case["name"]):
                try:
                    fault = wire.read_fault(bytes.fromhex(case["bytes"]))
                    self.assertEqual(("Ok", case["code"], case["text"]), (case["status"], *fault))
                except ValueError:
                    self.assertEqual("Unreadable", case["status"])


class ProtectionVectors(unittest.TestCase):
    """The parts of the key exchange and of records that the standard library can compute: it has no AES-GCM and no P-256."""

    def test_exchanges(self) -> None:
        for case in cases("exchanges"):
            with self.subTest(case["name"]):
                offer, answer, shared, carrier = (bytes.fromhex(case[part]) for part in ("offer", "answer", "shared", "carrier"))
                server, start = bytes.fromhex(case["serverKey"] or ""), b"\0RP\1" + bytes([case["mode"]])
                self.assertEqual((start, start), (offer[:5], answer[:5]))
                extracted = hmac.digest(b"Reloaded.Messaging", shared, "sha256")
                mac_key = expand(extracted, b"mac" + server)
                self.assertEqual(case["macKey"], mac_key.hex().upper())
                self.assertEqual(offer[-16:], hmac.digest(mac_key, carrier + offer[:-16], "sha256")[:16])
                if case["mode"] & 0x10:
                    continue
                state = SymmetricState(b"Reloaded_psk0_AESGCM_SHA256".ljust(32, b"\0"))
                state.mix_hash(start)
                state.mix_key_and_hash(expand(extracted, b"psk"))
                for message in (offer[:-16], answer):
                    state.mix_public_key(message[5:-16])
                    state.mix_hash(message[-16:])
                self.assertEqual([case["toServer"], case["toClient"]], [secret.hex().upper() for secret in state.derive(b"", 2)])

    def test_records(self) -> None:
        for case in cases("records"):
            packet, record = bytes.fromhex(case["packet"]), bytes.fromhex(case["record"])
            self.assertEqual((1 + len(packet)).to_bytes(2, "little") + bytes([case["epoch"] & 0xFF]) + packet, record, case["name"])
            self.assertEqual(len(case["plain"]) // 2 + 16, len(packet), case["name"])

    def test_datagrams(self) -> None:
        kinds = {"hello": 1, "cookie": 2, "connect": 3, "accept": 4, "refuse": 5, "plain": 6, "sealed": 7}
        for case in cases("datagrams"):
            data, parts = bytes.fromhex(case["bytes"]), [bytes.fromhex(v) for k, v in case["fields"].items() if k != "plain"]
            kind = kinds[case["name"].split()[0].strip(":,")]
            self.assertEqual(kind, data[0], case["name"])
            start = b"\1RMU\1" if kind == 1 else bytes([kind])
            self.assertEqual((start + b"".join(parts)).ljust(64 if kind == 1 else 0, b"\0"), data, case["name"])


if __name__ == "__main__":
    unittest.main()
