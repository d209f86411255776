"""The client against live C# hosts."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import tempfile
import threading
import unittest
from decimal import Decimal
from pathlib import Path

from reloaded_messaging import Client, ContractMismatch, Fault, HandshakeError, OffsetTime, PayloadError, Schema, find_servers, of_process, tcp

from .hosts import GAME, PEER, Host

SCHEMA = Schema.load(PEER / "contracts.schema.json")
TOKEN = bytes(range(32))
WAIT = 30.0


class LanguageHost(unittest.TestCase):
    token = b""

    @classmethod
    def setUpClass(cls) -> None:
        cls.host = Host(PEER, "languages", cls.token.hex() or "none", "0")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.host.stop()

    def client(self, schema: Schema = SCHEMA, token: bytes | None = None) -> Client:
        client = Client(tcp(int(self.host.ready)), schema, token=self.token if token is None else token, timeout=WAIT)
        self.addCleanup(client.close)
        return client

    def test_a_request_gets_its_reply(self) -> None:
        reply = self.client().connect().request("Sum", {"Numbers": [1, 2, -(2**62)]})
        self.assertEqual({"Value": 3 - 2**62, "Mean": Decimal("-1537228672809129300.3333333333"), "At": OffsetTime(621355968000000000)}, reply)

    def test_events_come_back_in_order(self) -> None:
        client, got = self.client(), queue.Queue[str]()
        client.on("Shout", lambda shout: got.put(shout["Text"]))
        client.connect()
        for i in range(100):
            client.send("Shout", {"Text": f"{i} ß€😀", "Times": 2})
        self.assertEqual([f"{i // 2} ß€😀" for i in range(200)], [got.get(timeout=WAIT) for _ in range(200)])

    def test_the_server_asks_back_while_it_is_asked(self) -> None:
        client = self.client()
        client.on_request("Question", "Answer", lambda question: {"Number": 2 * question["Number"], "ProcessId": -1})
        self.assertEqual({"Number": 42, "ProcessId": -1}, client.connect().request("AskBack", {"Number": 21}))

    def test_requests_of_many_threads_get_their_own_replies(self) -> None:
        client, wrong = self.client().connect(), []

        def ask(number: int) -> None:
            for i in range(50):
                if client.request("Sum", {"Numbers": [number, i]})["Value"] != number + i:
                    wrong.append((number, i))

        threads = [threading.Thread(target=ask, args=(1000 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)

    def test_a_request_without_a_reply_is_acknowledged(self) -> None:
        client = self.client().connect()
        self.assertEqual({}, client.request("Answer", {"Number": 1, "ProcessId": 2}))
        self.assertEqual(3, client.request("Sum", {"Numbers": [3]})["Value"])

    def test_faults_have_their_code_and_text(self) -> None:
        client = self.client().connect()
        for value, code, text in [({"Code": 1234, "Text": "No: ß"}, 1234, "No: ß"), ({"Code": 0, "Text": "inside"}, 1, None)]:
            with self.assertRaises(Fault) as raised:
                client.request("Fail", value)
            self.assertEqual(code, raised.exception.code)
            self.assertTrue(raised.exception.text == text if text else "inside" not in raised.exception.text)
        with self.assertRaises(Fault) as raised:
            client.request("Question", {"Number": 1})
        self.assertEqual(2, raised.exception.code)

    def test_a_failing_handler_of_the_client_is_a_fault_for_the_server(self) -> None:
        client = self.client()

        def refuse(question: dict[str, int]) -> dict[str, object]:
            raise Fault(1000, "Not now.") if question["Number"] == 1 else RuntimeError("inside")

        client.on_request("Question", "Answer", refuse)
        client.connect()
        for number in (1, 2):
            with self.assertRaises(Fault) as raised, self.assertLogs("reloaded_messaging") if number == 2 else contextlib.nullcontext():
                client.request("AskBack", {"Number": number})
            self.assertEqual(1, raised.exception.code)  # the server's handler failed: it does not pass the fault on

    def test_a_compressed_reply_is_read(self) -> None:
        lines = self.client().connect().request("Repeat", {"Text": "again and again", "Count": 1000})
        self.assertEqual({"Text": ["again and again"] * 1000}, lines)

    def test_a_late_request_is_canceled(self) -> None:
        client = self.client().connect()
        with self.assertRaises(TimeoutError):
            client.request("Wait", timeout=0.05)
        self.assertEqual(3, client.request("Sum", {"Numbers": [3]})["Value"])

    def test_a_kick_has_its_reason(self) -> None:
        client, ended = self.client(), queue.Queue[tuple[str, str]]()
        client.disconnected = lambda reason, text: ended.put((reason, text))
        client.connect().send("Leave", {"Reason": "Out: ß"})
        self.assertEqual(("Kicked", "Out: ß"), ended.get(timeout=WAIT))
        self.assertRaises(ConnectionError, client.send, "Shout", {"Text": "too late"})

    def test_close_ends_the_thread_that_receives(self) -> None:
        before = set(threading.enumerate())
        client = self.client().connect()
        receiving = [one for one in threading.enumerate() if one not in before and one.name == "reloaded-messaging receive"]
        client.close()
        for thread in receiving:
            thread.join(WAIT / 3)  # less than the socket's own timeout
        self.assertEqual([False], [one.is_alive() for one in receiving])
        self.assertRaises(ConnectionError, client.request, "Sum", {"Numbers": []})

    def test_another_token_is_refused(self) -> None:
        for token in [b"", b"x" * 32]:
            if token != self.token:
                with self.assertRaises(HandshakeError) as raised:
                    self.client(token=token).connect()
                self.assertEqual("WrongToken", raised.exception.reason)

    def changed(self, format_: int = 2, **changes: tuple[str, str] | int) -> Schema:
        """The schema with other layouts, as pairs of a text and its replacement, or other versions of some contracts."""
        document = json.loads((PEER / "contracts.schema.json").read_text(encoding="utf-8"))
        for one in document["contracts"]:
            change = changes.get(one["name"].rpartition(".")[2])
            if isinstance(change, tuple):
                self.assertIn(change[0], one["layout"])
                one["layout"] = one["layout"].replace(*change)
            elif change is not None:
                one["version"] = change
            if format_ == 1:
                del one["layout"]
        return Schema(document)

    def test_another_contract_is_refused_when_it_is_sent(self) -> None:
        for schema, difference, path in (
            (self.changed(Sum=2), "the version is 2 here and 1 there", None),
            (self.changed(format_=1, Sum=2), "the version is 2 here and 1 there", None),
            (self.changed(Sum=("[i8]", "[u8]")), "Sum.Numbers[] is uint64 here and int64 there", "Sum.Numbers[]"),
        ):
            with self.assertRaises(ContractMismatch) as raised:
                self.client(schema).connect().request("Sum", {"Numbers": []})
            self.assertRegex(str(raised.exception), r"message type \d+ \(\S+\.Sum on this side, \S+\.Sum on the remote side\) differ: " + re.escape(f"{difference}."))
            self.assertEqual(path, raised.exception.path)

    def test_another_contract_of_a_reply_is_refused(self) -> None:
        for schema, difference in (
            (self.changed(Total=2), "the version is 2 here and 1 there"),
            (self.changed(Total=("Mean ?d", "Median ?d")), "field 2 of Total is Median (nullable decimal) here and Mean (nullable decimal) there"),
        ):
            client = self.client(schema).connect()
            with self.assertRaisesRegex(ContractMismatch, re.escape(difference)):
                client.request("Sum", {"Numbers": []})
            self.assertEqual(0, client.statistics.sent_requests)

    def test_another_contract_of_a_handler_is_refused_at_connect(self) -> None:
        for schema, difference in (
            (self.changed(Sum=2), "the version is 2 here and 1 there"),
            (self.changed(format_=1, Sum=2), "the version is 2 here and 1 there"),
            (self.changed(Total=("Mean ?d", "Mean d")), "Total.Mean is decimal here and nullable decimal there"),
        ):
            client = self.client(schema)
            client.on_request("Sum", "Total", lambda value: value)
            with self.assertRaises(HandshakeError) as raised:
                client.connect()
            self.assertEqual("WrongContract", raised.exception.reason)
            self.assertIn(f"differ: {difference}.", str(raised.exception))

    def test_a_message_above_the_limit_is_refused_here(self) -> None:
        client = self.client().connect()
        with self.assertRaisesRegex(ValueError, "accepts at most 1048576"):
            client.send("Shout", {"Text": "x" * (1 << 20)})
        self.assertEqual(3, client.request("Sum", {"Numbers": [3]})["Value"])

    def test_a_request_is_not_sent_as_an_event(self) -> None:
        client = self.client().connect()
        for name in ("Sum", "Count"):
            with self.assertRaisesRegex(PayloadError, "is a request, and not an event"):
                client.send(name)

    def test_value_that_the_contract_lacks_is_refused_here(self) -> None:
        client = self.client().connect()
        for value in [{"Text": None}, {"Text": "a", "Volume": 3}]:
            with self.assertRaises(PayloadError):
                client.send("Shout", value)


class LanguageHostWithToken(LanguageHost):
    token = TOKEN


def run_readme(block: int, *replacements: str) -> list[str]:
    """Runs a program of the README, with each text replaced by the next one. Returns the lines that it prints."""
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1 + block].split("```")[0]
    for old, new in zip(replacements[::2], replacements[1::2]):
        code = code.replace(old, new)
    printed: list[str] = []
    exec(code, {"print": lambda *words: printed.append(" ".join(map(str, words)))})
    return printed


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.host = Host(PEER, "languages", "none", "0")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.host.stop()

    def test_program_for_asyncio_runs(self) -> None:
        printed = run_readme(1, "7777", self.host.ready, "contracts.schema.json", str(PEER / "contracts.schema.json"))
        self.assertEqual(["0", "1", "2", "1001 No such file.", "6 2"], [line for line in printed if line != "hello"])

    def test_program_without_asyncio_runs(self) -> None:
        printed = run_readme(2, "7777", self.host.ready, "contracts.schema.json", str(PEER / "contracts.schema.json"))
        self.assertEqual(["6", "0", "1", "2"], [line for line in printed if line != "hello"])


class Reconnecting(unittest.TestCase):
    def test_a_client_comes_back_to_a_server_that_was_killed(self) -> None:
        host = Host(PEER, "languages", TOKEN.hex(), "0")
        ended: queue.Queue[str] = queue.Queue()
        with Client(tcp(int(host.ready)), SCHEMA, token=TOKEN, reconnect=True, timeout=WAIT) as client:
            client.disconnected = lambda reason, text: ended.put(reason)
            client.connect()
            host.kill()
            self.assertEqual("ConnectionLost", ended.get(timeout=WAIT))
            again = Host(PEER, "languages", TOKEN.hex(), host.ready)
            self.assertTrue(client.wait_connected(WAIT))
            self.assertEqual(3, client.request("Sum", {"Numbers": [1, 2]})["Value"])
            again.stop()
            self.assertEqual("Requested", ended.get(timeout=WAIT))


class ModLoaderGame(unittest.TestCase):
    """The README's example: the game is found by its process, over a Unix socket, with the token that its entry has."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()  # for the published server: other games of this user stay out of the way
        os.environ["XDG_RUNTIME_DIR"] = cls.folder.name
        cls.game = Host(GAME, "game")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.game.stop()
        cls.folder.cleanup()

    def test_readme_lists_the_mods(self) -> None:
        self.assertIn("example.small 0", run_readme(0, "Examples/ModLoader", str(GAME)))

    def test_a_published_game_is_found_over_its_Unix_socket(self) -> None:
        pid = int(self.game.ready)
        self.assertIn(pid, find_servers("mod-loader"))
        with Client(of_process(pid, "mod-loader"), Schema.load(GAME / "contracts.schema.json"), timeout=WAIT).connect() as game:
            self.assertEqual({"Result": 0}, game.request("IModLoader.SetAsync", {"mod": "example.sharedlib.hooks", "state": 1}))
            self.assertEqual(1, next(mod["State"] for mod in game.request("IModLoader.ListAsync")["Mods"] if mod["Config"]["ModId"] == "example.sharedlib.hooks"))
            game.request("IModLoader.SetAsync", {"mod": "example.sharedlib.hooks", "state": 0})
            with self.assertRaises(Fault) as raised:
                game.request("IModLoader.SetAsync", {"mod": "no.such.mod", "state": 1})
            self.assertEqual(1000, raised.exception.code)

    def test_process_without_a_server_is_refused(self) -> None:
        self.assertRaises(ConnectionError, of_process, 1, "mod-loader")


if __name__ == "__main__":
    unittest.main()
