"""The bytes of Clients/docs/write-a-client.md."""

from __future__ import annotations

import re
import unittest

from reloaded_messaging import Kind
from reloaded_messaging.compression import decompress_lz4
from reloaded_messaging.handshake import read_hello
from reloaded_messaging.wire import BLOCK_REPLY, CORRELATED, HELLO, read_fault, read_frame, read_header, write_header

from .hosts import ROOT
from .support import FOLDER

PAGE = (ROOT / "Clients" / "docs" / "write-a-client.md").read_text(encoding="utf-8")
ROWS = [(bytes.fromhex(data), message) for data, message in re.findall(r"^\| `([0-9A-F ]+)` \| (.+) \|$", PAGE, re.MULTILINE)]


class Chapter(unittest.TestCase):
    def test_frames_are_the_messages_of_the_page(self) -> None:
        self.assertEqual(19, len(ROWS))
        for data, expected in ROWS:
            with self.subTest(data=data.hex(" ")):
                message, end = read_frame(data, 0, 1 << 20)
                assert message is not None
                self.assertEqual(len(data), end)
                header, position = read_header(message)
                said = f"{header.kind.name.lower()} {header.type}" + (f", id {header.correlation}" if header.kind in CORRELATED else "")
                self.assertEqual((expected, message), (said, write_header(header) + message[position:]))
                if header.kind == Kind.FAULT:
                    self.assertEqual((2, "No handler."), read_fault(message[position:]))
                elif header.kind == Kind.CONTROL and header.type == HELLO and message[position:]:
                    hello = read_hello(message[position:])
                    assert hello is not None
                    self.assertEqual((False, 1 << 20, ()), (hello.has_token, hello.max_message_size, hello.contracts))
                elif header.size is not None:
                    self.assertEqual(b"\xaa" * 25, decompress_lz4(message[position:], header.size))
                elif header.type == BLOCK_REPLY and message[position] == 0:
                    first, next_ = read_frame(message, position + 1, 1 << 20)
                    self.assertEqual((b"\x06h", (b"\x06i", len(message))), (first, read_frame(message, next_, 1 << 20)))

    def test_files_of_vectors_are_there(self) -> None:
        files = re.findall(r"`(\w[\w.]*\.json)`", PAGE)
        self.assertGreater(len(files), 10)
        for file in files:
            self.assertTrue((FOLDER / file).exists(), file)

    def test_frames_of_sessions_are_those_of_the_vectors(self) -> None:
        sessions = (FOLDER / "sessions.json").read_text(encoding="utf-8")
        found = [data for data, _ in ROWS if f'"{data.hex().upper()}"' in sessions]
        self.assertEqual(7, len(found))  # the handshake, the ping and its pong, the goodbye, the request and its reply


if __name__ == "__main__":
    unittest.main()
