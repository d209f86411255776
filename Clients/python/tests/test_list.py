"""The list of live tests that every client passes, the table of features that follows from it, and the hostile servers that it describes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import unittest
from pathlib import Path
from typing import Any, Iterator

from reloaded_messaging import HandshakeError, connect, tcp

from .hosts import ROOT
from .servers import SCHEMA, WAIT

LIST: dict[str, Any] = json.loads((ROOT / "Clients" / "live-tests.json").read_text(encoding="utf-8"))
PAGE = ROOT / "Clients" / "docs" / "write-a-client.md"
HEADING = "## What the clients have\n"


def names_of(suite: unittest.TestSuite) -> Iterator[str]:
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from names_of(one)
        else:
            yield one.id().rpartition(".")[2]


def table() -> str:
    """The table of features as the page has it."""
    clients = LIST["clients"]
    rows = [["feature", *clients.values()], ["---"] * (1 + len(clients))]
    for one in LIST["features"]:
        without = one.get("without", {})
        rows.append([one["feature"], *(f"no: {without[client]}" if client in without else "yes" for client in clients)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("| --- ", "|---").replace("--- |", "---|")


class LiveTests(unittest.TestCase):
    def test_listed_tests_exist_except_those_of_missing_features(self) -> None:
        found = set(names_of(unittest.defaultTestLoader.discover(str(Path(__file__).parent), top_level_dir=str(Path(__file__).parents[1]))))
        for one in LIST["features"]:
            self.assertTrue(one["tests"] or set(one["without"]) == set(LIST["clients"]), f"{one['feature']}: a client has this feature, and no test is listed.")
            for name in one["tests"]:
                exists = "test_" + re.sub(r"\W+", "_", name) in found
                self.assertEqual("python" not in one.get("without", {}), exists, f"{one['feature']}: {name}")

    def test_table_of_the_page_follows_from_the_list(self) -> None:
        before, heading, section = PAGE.read_text(encoding="utf-8").partition(HEADING)
        found = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
        assert heading and found
        if os.environ.get("RELOADED_MESSAGING_APPROVE") == "1":
            PAGE.write_text(before + heading + section[: found.start()] + table() + section[found.end() :], encoding="utf-8")
        else:
            self.assertEqual(table(), found[0])


class HostileServers(unittest.IsolatedAsyncioTestCase):
    """Servers that send bytes of the list, and then send no more."""

    async def serve(self, data: bytes) -> int:
        async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ConnectionError):  # the client may reset the connection
                writer.write(data)
                writer.write_eof()
                while await reader.read(65536):
                    pass
            writer.close()

        server = await asyncio.start_server(send, "127.0.0.1", 0)
        self.addCleanup(server.close)
        return int(server.sockets[0].getsockname()[1])

    async def test_hostile_bytes_of_a_server_have_their_effect(self) -> None:
        for case in LIST["hostile"]:
            with self.subTest(case["name"]):
                host, ended = connect(tcp(await self.serve(bytes.fromhex(LIST["hellos"] + case["bytes"]))), SCHEMA, timeout=WAIT), asyncio.Queue[tuple[str, str]]()
                host.disconnected = lambda *end: ended.put_nowait(end)
                async with host:
                    reason, text = await asyncio.wait_for(ended.get(), WAIT)
                self.assertEqual((case["reason"], case.get("text", text)), (reason, text))

    async def test_handshakes_of_a_hostile_server_are_refused(self) -> None:
        for case in LIST["handshakes"]:
            with self.subTest(case["name"]), self.assertRaises(HandshakeError) as raised:
                await connect(tcp(await self.serve(bytes.fromhex(case["bytes"]))), SCHEMA, timeout=WAIT)
            self.assertEqual(case["reason"], raised.exception.reason, case["name"])


if __name__ == "__main__":
    unittest.main()
