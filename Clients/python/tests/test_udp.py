"""UDP: its format, and the client against a live C# host, also over a path that loses, repeats and reorders datagrams."""

from __future__ import annotations

import asyncio
import base64
import io
import random
import tempfile
import unittest
from typing import Any, AsyncIterator, cast
from unittest import mock

from reloaded_messaging import Endpoint, Fault, HandshakeError, Host, Protection, Schema, connect, parse, udp
from reloaded_messaging import protection
from reloaded_messaging.datagrams import (
    ACKNOWLEDGEMENT, BLOCKS, CHALLENGE, CLOSE, DATA, FIRST_ROOMS, FRAMES, RESPONSE, ROOM, Acknowledgement, IncomingChannel, OutgoingChannel, Ranges, Received, read_acknowledgement, read_parts, write_part,
)  # fmt: skip
from reloaded_messaging.recovery import Recovery, Sent
from reloaded_messaging.udp import UdpTransport, _shake_hands
from reloaded_messaging.wire import WireError

from .hosts import PEER, Host as Process
from .support import cases

SCHEMA = Schema.load(PEER / "contracts.schema.json")
TOKEN = bytes(range(32))
WAIT = 30.0
NEEDS_CIPHERS = unittest.skipUnless(protection.HAS_CIPHERS, "The package cryptography is not installed. Install it with 'pip install cryptography' or 'apt-get install python3-cryptography'.")


class Path(asyncio.DatagramProtocol):
    """A path between clients and a server. Of the datagrams in each direction, some are lost, some arrive twice, and some arrive late. Some forged ones arrive too."""

    def __init__(self, port: int, loss: float, forges: bool) -> None:
        self._port, self._loss, self._forges, self._random = port, loss, forges, random.Random(7)
        self._servers: dict[Any, asyncio.DatagramTransport] = {}
        self.lost = 0

    @classmethod
    async def open(cls, port: int, loss: float, forges: bool) -> tuple[Path, int]:
        loop = asyncio.get_running_loop()
        transport, path = await loop.create_datagram_endpoint(lambda: cls(port, loss, forges), local_addr=("127.0.0.1", 0))
        return path, transport.get_extra_info("sockname")[1]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)  # it is none before Python 3.12

    def datagram_received(self, data: bytes, address: Any) -> None:
        asyncio.ensure_future(self._to_server(data, address))

    async def _to_server(self, data: bytes, address: Any) -> None:
        if address not in self._servers:
            path = self

            class Back(asyncio.DatagramProtocol):
                def datagram_received(self, data: bytes, _: Any) -> None:
                    path._pass(path._transport, data, address)

            self._servers[address], _ = await asyncio.get_running_loop().create_datagram_endpoint(Back, remote_addr=("127.0.0.1", self._port))
        self._pass(self._servers[address], data)

    def _pass(self, transport: asyncio.DatagramTransport, data: bytes, address: Any = None) -> None:
        drawn = self._random.random()
        if drawn < self._loss:
            self.lost += 1
            return
        if self._forges and drawn > 0.9:
            transport.sendto(data[:-1] + bytes([data[-1] ^ 1]), address)
        for _ in range(2 if drawn > 0.95 else 1):
            asyncio.get_running_loop().call_later(0.003 if drawn > 0.8 else 0, transport.sendto, data, address)

    def close(self) -> None:
        for transport in (self._transport, *self._servers.values()):
            transport.close()


class OverUdp(unittest.IsolatedAsyncioTestCase):
    token = b""

    @classmethod
    def setUpClass(cls) -> None:
        cls.process = Process(PEER, "languages-udp", cls.token.hex() or "none", "0")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.process.stop()

    def endpoint(self, port: int | None = None) -> Endpoint:
        return parse(f"udp://127.0.0.1:{port or self.process.ready}", protection=Protection.with_token() if self.token else None)

    def host(self, port: int | None = None, **options: Any) -> Host:
        return connect(self.endpoint(port), SCHEMA, **{"token": self.token, "timeout": WAIT, **options})

    async def test_requests_go_in_both_directions(self) -> None:
        async with self.host() as host:
            host.on_request("Question", "Answer", lambda question: {"Number": 2 * question["Number"], "ProcessId": -1})
            self.assertEqual({"Number": 42, "ProcessId": -1}, await host.request("AskBack", {"Number": 21}))
            with self.assertRaises(Fault) as raised:
                await host.request("Fail", {"Code": 1234, "Text": "No: ß"})
            self.assertEqual((1234, "No: ß"), (raised.exception.code, raised.exception.text))

    async def test_large_messages_fill_many_datagrams(self) -> None:
        async with self.host() as host:
            numbers = [i * 7919 % (1 << 40) for i in range(100_000)]
            self.assertEqual(sum(numbers), (await host.request("Sum", {"Numbers": numbers}))["Value"])
            self.assertEqual({"Text": ["0123456789" * 50] * 2000}, await host.request("Repeat", {"Text": "0123456789" * 50, "Count": 2000}))
            self.assertGreater(host.statistics.sent_bytes, 800_000)

    async def test_nothing_is_missing_after_losses(self) -> None:
        path, port = await Path.open(int(self.process.ready), 0.1, forges=bool(self.token))
        self.addCleanup(path.close)
        async with self.host(port) as host:
            numbers = list(range(3000))
            replies = await asyncio.gather(*(host.request("Sum", {"Numbers": [*numbers[:i], i]}) for i in range(100)))
            self.assertEqual([sum(range(i)) + i for i in range(100)], [reply["Value"] for reply in replies])
            self.assertEqual(sum(numbers), (await host.request("Sum", {"Numbers": numbers}))["Value"])
        self.assertGreater(path.lost, 5)

    async def test_streams_and_files_arrive_after_losses(self) -> None:
        async def count(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
            for i in range(request["To"]):
                yield {"Number": i, "Text": ""}

        path, port = await Path.open(int(self.process.ready), 0.05, forges=bool(self.token))
        self.addCleanup(path.close)
        async with self.host(port) as host:
            host.on_stream("Count", "Counted", count)
            self.assertEqual(list(range(10_000)), [item["Number"] async for item in host.stream("Count", {"To": 10_000})])
            self.assertEqual(sum(range(10_000)), (await host.request("CountBack", {"To": 10_000, "Leaves": 0}, timeout=WAIT))["Number"])
            sent = bytes(7 * i % 251 for i in range(300_000))
            await host.send_file(io.BytesIO(sent), "sent")
            with tempfile.TemporaryDirectory() as folder:
                await host.receive_file("sent", f"{folder}/received")
                with open(f"{folder}/received", "rb") as received:
                    self.assertEqual(sent, received.read())
        self.assertGreater(path.lost, 5)

    async def test_kick_and_close_end_the_connection(self) -> None:
        async with self.host() as host:
            ended = asyncio.Queue[tuple[str, str]]()
            host.disconnected = lambda *end: ended.put_nowait(end)
            await host.send("Leave", {"Reason": "Out: ß"})
            self.assertEqual(("Kicked", "Out: ß"), await asyncio.wait_for(ended.get(), WAIT))

    async def test_round_trip_is_measured(self) -> None:
        async with self.host() as host:
            while host.statistics.round_trip is None:
                await asyncio.sleep(0.001)
            self.assertGreater(host.statistics.round_trip, 0)

    async def test_port_without_a_server_is_refused(self) -> None:
        with self.assertRaises(OSError):
            await connect(udp(1), SCHEMA, timeout=WAIT)


class Handshake(unittest.IsolatedAsyncioTestCase):
    async def test_client_without_an_answer_asks_ten_times_in_the_first_second(self) -> None:
        waits: list[float] = []

        class Silent:
            async def next(self, wait: float) -> bytes | None:
                waits.append(wait)
                if len(waits) == 14:
                    raise ConnectionResetError
                return None

        socket = mock.Mock()
        with mock.patch.object(asyncio.get_running_loop(), "time", return_value=0.0), self.assertRaises(ConnectionResetError):
            await _shake_hands(socket, cast(Any, Silent()), None)

        self.assertEqual([0.1] * 10 + [0.5] * 4, waits)
        self.assertEqual(14, socket.sendto.call_count)


class Format(unittest.TestCase):
    def test_acknowledgements_name_the_received_numbers(self) -> None:
        received = Received()
        for number in (0, 3, 2, 7, 6, 5):
            self.assertTrue(received.is_new(number))
            received.add(number, 1.0)
        self.assertEqual([False, True, False, False, True], [received.is_new(number) for number in (0, 1, 2, 3, 4)])
        self.assertEqual(Acknowledgement(7, 0.5, [(5, 7), (2, 3), (0, 0)]), read_acknowledgement(received.write(1.5)))
        received.add(2000, 2.0)
        self.assertEqual([False, True], [received.is_new(number) for number in (7, 1999)])
        for body in (b"", bytes(12), bytes(13), bytes(12) + b"\2", bytes(12) + b"\1\1\1"):
            with self.assertRaises(WireError):
                read_acknowledgement(body)

    def test_parts_that_are_cut_short_or_unknown_are_refused(self) -> None:
        self.assertEqual([(0, b""), (5, b"ab")], read_parts(write_part(0) + write_part(5, b"ab")))
        for content in (b"", b"\0", write_part(5, b"ab")[:-1], write_part(11)):
            with self.assertRaises(WireError):
                read_parts(content)

    def test_datagrams_of_the_vectors_have_these_parts(self) -> None:
        found = {case["name"]: bytes.fromhex(case["bytes"])[17:] for case in cases("datagrams") if case["name"].startswith("plain:")}
        for name, content in found.items():
            self.assertEqual(content, b"".join(write_part(*part) for part in read_parts(content)), name)
        for name in ("plain: acknowledgement of number 0, and of numbers 2 and 0 without 1", "plain: acknowledgement of number 0, and of numbers 2 and 0 without 1 (2)"):
            ((kind, body),) = read_parts(found[name])
            ranges = [(2, 2), (0, 0)] if name.endswith("(2)") else [(0, 0)]
            self.assertEqual((ACKNOWLEDGEMENT, ranges), (kind, read_acknowledgement(body).ranges))

    def test_ranges_are_merged(self) -> None:
        random_, ranges, all_ = random.Random(1), Ranges(), set[int]()
        for _ in range(300):
            start = random_.randrange(400)
            end = start + random_.randrange(1, 9)
            ranges.add(start, end)
            all_ |= set(range(start, end))
            self.assertEqual(sorted(all_), [offset for first, last in ranges.items for offset in range(first, last)])
            self.assertTrue(all(one[1] < other[0] for one, other in zip(ranges.items, ranges.items[1:])))
            self.assertEqual(set(range(400)) - all_, {offset for first, last in ranges.without(0, 400) for offset in range(first, last)})

    def test_bytes_without_a_place_are_not_taken(self) -> None:
        channel = IncomingChannel(1)
        self.assertFalse(channel.take(FIRST_ROOMS[1] - 1, b"ab"))
        for i in range(256):
            self.assertTrue(channel.take(3 + 2 * i, b"x"))
        self.assertFalse(channel.take(1001, b"x"))  # the 257th gap
        self.assertTrue(channel.take(0, b"\2ab"))
        self.assertEqual([b"\2ab"], list(channel.cut()))
        self.assertTrue(channel.take(0, b"\2ab"))
        self.assertEqual([], list(channel.cut()))

    def test_channel_sends_lost_parts_again_and_no_byte_above_the_room(self) -> None:
        channel = OutgoingChannel()
        channel.append(bytes(range(100)))
        channel.limit = 80
        self.assertEqual([(0, bytes(range(50))), (50, bytes(range(50, 80))), None], [channel.take(50) for _ in range(3)])
        self.assertTrue(channel.waits_for_room)
        channel.acknowledge(10, 20)
        channel.acknowledge(50, 80)
        channel.lose(0, 50)
        self.assertEqual([(0, bytes(range(10))), (20, bytes(range(20, 45))), (45, bytes(range(45, 50))), None], [channel.take(25) for _ in range(4)])
        channel.acknowledge(0, 10)
        channel.acknowledge(20, 50)
        self.assertEqual((80, 20), (channel.start, len(channel)))

    def test_losses_are_found_by_later_numbers_by_time_and_by_probes(self) -> None:
        recovery = Recovery()
        for number in range(6):
            recovery.note(number, Sent(0.0, 1000, ((0, number, number + 1),)))
        acknowledged, lost = recovery.acknowledge(Acknowledgement(4, 0.0, [(4, 4)]), 0.1)
        self.assertEqual(([4], [0, 1]), ([one.data[0][1] for one in acknowledged], [one.data[0][1] for one in lost]))
        self.assertEqual(6000, recovery.window)
        self.assertAlmostEqual(0.1125, cast(float, recovery.deadline))
        self.assertEqual([2, 3], [one.data[0][1] for one in recovery.tick(0.1126) or []])
        first = cast(float, recovery.deadline)
        self.assertIsNone(recovery.tick(first))
        self.assertAlmostEqual(2 * first, cast(float, recovery.deadline))
        recovery.acknowledge(Acknowledgement(5, 0.0, [(5, 5)]), first)
        self.assertIsNone(recovery.deadline)


class Transport(unittest.IsolatedAsyncioTestCase):
    """A connection without a network."""

    async def asyncSetUp(self) -> None:
        self.protocol, self.socket = mock.Mock(spec=asyncio.Protocol), mock.Mock(spec=asyncio.DatagramTransport)
        self.transport = UdpTransport(self.protocol, self.socket, b"abcdefgh", None)
        self.addAsyncCleanup(asyncio.sleep, 0)
        self.addCleanup(self.transport.abort)
        self.number = 0

    async def receive(self, *parts: bytes, number: int | None = None) -> None:
        self.transport.receive(b"\6abcdefgh" + (self.number if number is None else number).to_bytes(8, "little") + b"".join(parts))
        self.number += 1
        await asyncio.sleep(0)

    def got(self) -> list[bytes]:
        return [call.args[0] for call in self.protocol.data_received.call_args_list]

    def sent(self) -> list[tuple[int, bytes]]:
        """The parts that were sent since the last call, except acknowledgements."""
        parts = [part for call in self.socket.sendto.call_args_list for part in read_parts(call.args[0][17:]) if part[0] != ACKNOWLEDGEMENT]
        self.socket.sendto.reset_mock()
        return parts

    async def test_repeated_and_malformed_datagrams_are_dropped(self) -> None:
        await self.receive(write_part(FRAMES, b"\1a"))
        await self.receive(write_part(FRAMES, b"\1a"), number=0)
        await self.receive(write_part(FRAMES, b"\2b"))
        await self.receive(write_part(FRAMES, b"\1c"), b"\5")
        await self.receive(write_part(DATA, b"\0" + bytes(8) + b"\2d"), write_part(FRAMES, b"\1e"))
        await self.receive(write_part(DATA, b"\0\2" + bytes(7) + b"f"))
        self.assertEqual([b"\1a", b"\1e", b"\2df"], self.got())

    async def test_challenge_is_answered(self) -> None:
        await self.receive(write_part(CHALLENGE, b"12345678"))
        self.assertEqual([(RESPONSE, b"12345678")], self.sent())

    async def test_next_probe_after_a_challenge_comes_soon(self) -> None:
        recovery = self.transport._recovery
        recovery.probes = 6
        await self.receive(write_part(CHALLENGE, b"12345678"))
        self.assertLess(recovery.deadline - asyncio.get_running_loop().time(), 1)

    async def test_connection_that_the_program_ends_while_it_reads_ends_once(self) -> None:
        self.protocol.data_received.side_effect = lambda _: self.transport.abort()
        await self.receive(write_part(FRAMES, b"\1a"), write_part(CLOSE))
        self.transport.abort()
        await asyncio.sleep(0)
        self.protocol.connection_lost.assert_called_once_with(None)

    async def test_pings_wait_until_the_hello_is_acknowledged(self) -> None:
        hello, ping = b"\4\x7f\4\0h", b"\4\x7f\4\1p"
        self.transport.write(hello + ping)
        await asyncio.sleep(0)
        self.assertEqual([(DATA, b"\0" + bytes(8) + hello)], self.sent())
        await self.receive(write_part(ACKNOWLEDGEMENT, bytes(12) + b"\1"))
        self.assertEqual([(FRAMES, ping)], self.sent())

    async def test_blocks_have_a_channel_that_other_messages_do_not_wait_for(self) -> None:
        block, request = b"\x81\x08" + bytes(1025), b"\4\x7f\1\3\1"
        self.transport.write_blocks(block * 20)  # more than the room of the channel
        await asyncio.sleep(0)
        self.transport.write(request)
        await asyncio.sleep(0)
        sent = self.sent()
        self.assertEqual({BLOCKS}, {body[0] for kind, body in sent})
        for number in range(3):
            await self.receive(write_part(ACKNOWLEDGEMENT, number.to_bytes(8, "little") + bytes(4) + b"\1"))
        self.assertIn((DATA, b"\0" + bytes(8) + request), self.sent())
        for number in range(3, 40):
            await self.receive(write_part(ACKNOWLEDGEMENT, number.to_bytes(8, "little") + bytes(4) + b"\1"))
            sent += self.sent()
        data = {offset: body[9:] for kind, body in sent if kind == DATA and body[0] == BLOCKS for offset in [int.from_bytes(body[1:9], "little")]}
        self.assertLessEqual(max(offset + len(part) for offset, part in data.items()), FIRST_ROOMS[1])
        await self.receive(write_part(ROOM, bytes([BLOCKS]) + (65536).to_bytes(8, "little")))
        self.assertEqual({BLOCKS}, {body[0] for kind, body in self.sent() if kind == DATA})

    async def test_goodbye_waits_for_blocks_and_later_hellos_hold_nothing(self) -> None:
        block, goodbye, first, last, later = b"\3\x7f\2b", b"\4\x7f\4\3\0", b"\4\x7f\4\0h", b"\3\x7f\4\0", b"\4\x7f\4\0c"
        self.transport.write(first + last)
        self.transport.write_blocks(block)
        await asyncio.sleep(0)
        self.assertEqual([(DATA, b"\0" + bytes(8) + first + last)], self.sent())
        await self.receive(write_part(ACKNOWLEDGEMENT, bytes(12) + b"\1"))
        self.assertEqual([(DATA, bytes([BLOCKS]) + bytes(8) + block)], self.sent())
        self.transport.write(later + goodbye)
        self.transport.write_blocks(block)
        await asyncio.sleep(0)
        self.assertEqual([(DATA, b"\0\x09" + bytes(7) + later), (DATA, bytes([BLOCKS, 4]) + bytes(7) + block)], self.sent())
        await self.receive(write_part(ACKNOWLEDGEMENT, b"\1" + bytes(11) + b"\2"))
        self.assertEqual([], self.sent())
        await self.receive(write_part(ACKNOWLEDGEMENT, b"\2" + bytes(11) + b"\3"))
        self.assertEqual([(DATA, b"\0\x0e" + bytes(7) + goodbye)], self.sent())

    async def test_room_is_raised_after_the_program_has_read(self) -> None:
        self.transport.pause_reading()
        frame = b"\x80\x08" + bytes(1024)
        for offset in range(0, 40 * len(frame), len(frame)):
            await self.receive(write_part(DATA, b"\1" + offset.to_bytes(8, "little") + frame))
        self.assertEqual([], self.got())
        first = [int.from_bytes(body[1:], "little") for kind, body in self.sent() if kind == ROOM]
        self.assertEqual([65536], first)  # at the first byte
        self.transport.resume_reading()
        for _ in range(3):
            await asyncio.sleep(0)
        self.assertEqual([frame] * 40, self.got())
        self.assertEqual([65536 + 40 * len(frame)], [int.from_bytes(body[1:], "little") for kind, body in self.sent() if kind == ROOM])


@NEEDS_CIPHERS
class ProtectionVectors(unittest.TestCase):
    def test_exchanges_give_the_keys(self) -> None:
        for case in cases("exchanges"):
            if not case["mode"] & 4:
                continue  # a stream
            with self.subTest(case["name"]):
                shared, bits = bytes.fromhex(case["shared"]), 256 if case["mode"] & 2 else 128
                exchange = protection.Exchange(self.make(case, shared, bits), shared)
                offer = bytes.fromhex(case["offer"])
                exchange.begin(protection.ec.derive_private_key(int(case["clientPrivate"], 16), protection.ec.SECP256R1()) if case["clientPrivate"] else offer[5:37])
                self.assertEqual(offer, exchange.offer(bytes.fromhex(case["carrier"])))
                answer = bytes.fromhex(case["answer"])
                keys = exchange.finish(answer)
                assert keys
                theirs = protection.Sealer(protection.TrafficKey(bytes.fromhex(case["toClient"]), bits)).seal(5, b"plain")
                self.assertEqual(b"plain", keys.opener.open(theirs[0], 5, theirs[9:]))
                self.assertEqual(protection.Sealer(protection.TrafficKey(bytes.fromhex(case["toServer"]), bits)).seal(1, b"x"), keys.sealer.seal(1, b"x"))
                for i in range(0, len(answer), 7):
                    self.assertIsNone(exchange.finish(answer[:i] + bytes([answer[i] ^ 1]) + answer[i + 1 :]))

    @staticmethod
    def make(case: dict[str, str], shared: bytes, bits: int) -> Protection:
        if case["serverKey"]:
            return Protection.with_server_key(base64.b64encode(bytes.fromhex(case["serverKey"])).decode(), bits)
        return Protection.with_token(bits) if case["clientPrivate"] else Protection.with_secret(shared, bits)

    def test_server_key_that_is_no_point_is_refused(self) -> None:
        for key in (bytes(64), bytes(63)):
            with self.assertRaises(ValueError):
                Protection.with_server_key(base64.b64encode(key).decode())

    def test_packets_are_those_of_the_vectors(self) -> None:
        for case in cases("records"):
            key = protection.TrafficKey(bytes.fromhex(case["secret"]), case["keyBits"])
            while key.epoch < case["epoch"]:
                key = key.next()
            plain, packet = bytes.fromhex(case["plain"]), bytes.fromhex(case["packet"])
            self.assertEqual(packet, key.seal(int(case["number"]), plain), case["name"])
            self.assertEqual(plain, key.open(int(case["number"]), packet), case["name"])

    def test_keys_change_and_late_packets_are_read(self) -> None:
        key = protection.TrafficKey(bytes(32), 256)
        sealer, opener = protection.Sealer(key, packets_per_key=2), protection.Opener(key)
        packets = [sealer.seal(number, b"x") for number in range(5)]
        self.assertEqual([0, 0, 1, 1, 2], [packet[0] for packet in packets])
        for number in (0, 2, 1, 4, 3):
            self.assertEqual(b"x", opener.open(packets[number][0], number, packets[number][9:]))
            self.assertIsNone(opener.open(packets[number][0], number, packets[number][9:-1] + b"?"))
        self.assertIsNone(opener.open(packets[0][0], 0, packets[0][9:]))  # two keys ago


@NEEDS_CIPHERS
class OverProtectedUdp(OverUdp):
    token = TOKEN

    async def test_messages_arrive_over_protected_UDP(self) -> None:
        async with self.host() as host:
            self.assertEqual(3, (await host.request("Sum", {"Numbers": [1, 2]}))["Value"])

    async def test_another_protection_is_refused(self) -> None:
        grace = mock.patch("reloaded_messaging.udp._REFUSAL_GRACE", 0.01)
        grace.start()
        self.addCleanup(grace.stop)
        for token, protection in ((b"x" * 32, Protection.with_token()), (TOKEN, Protection.with_secret(TOKEN)), (TOKEN, Protection.with_token(128)), (TOKEN, None)):
            with self.subTest(protection=protection), self.assertRaises(HandshakeError) as raised:
                await connect(udp(int(self.process.ready), protection=protection), SCHEMA, token=token, timeout=WAIT)
            self.assertEqual("WrongProtection", raised.exception.reason)
        with self.assertRaisesRegex(ValueError, "at least 16"):
            await connect(self.endpoint(), SCHEMA, token=b"short", timeout=WAIT)


if __name__ == "__main__":
    unittest.main()
