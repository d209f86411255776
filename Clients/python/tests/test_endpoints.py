"""Entries of published servers, in folders that a test prepares."""

from __future__ import annotations

import base64
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from reloaded_messaging import Endpoint, find_servers, of_process
from reloaded_messaging.endpoints import _started

NAME = "game"
TOKEN = bytes(range(32))


class PublishedServers(unittest.TestCase):
    def setUp(self) -> None:
        runtime = tempfile.TemporaryDirectory()
        self.addCleanup(runtime.cleanup)
        environment = mock.patch.dict(os.environ, XDG_RUNTIME_DIR=runtime.name)
        environment.start()
        self.addCleanup(environment.stop)
        self.folder = Path(runtime.name, "reloaded-messaging")
        self.servers = self.folder / "servers"
        self.folder.mkdir(0o700)
        self.servers.mkdir(0o700)
        self.entry = self.servers / f"{NAME}.{os.getpid()}"
        lines = ["reloaded-messaging server 1", f"process {os.getpid()} {_started(os.getpid())}", "Tcp 7777 - 127.0.0.1", f"token {base64.b64encode(TOKEN).decode()}"]
        self.entry.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.entry.chmod(0o600)

    def assert_refused(self, text: str, *, finds_none: bool = False) -> None:
        with self.assertRaisesRegex(PermissionError, text):
            of_process(os.getpid(), NAME)
        if finds_none:
            self.assertEqual([], find_servers(NAME))
        else:
            self.assertRaisesRegex(PermissionError, text, find_servers, NAME)

    def test_private_entry_is_found(self) -> None:
        self.assertEqual([os.getpid()], find_servers(NAME))
        self.assertEqual(Endpoint("127.0.0.1", 7777, TOKEN), of_process(os.getpid(), NAME))

    def test_missing_folder_has_no_servers(self) -> None:
        self.entry.unlink()
        self.servers.rmdir()
        self.assertEqual([], find_servers(NAME))
        self.assertRaises(ConnectionError, of_process, os.getpid(), NAME)

    def test_folder_that_others_can_enter_is_refused(self) -> None:
        for folder in (self.folder, self.servers):
            with self.subTest(folder=folder.name):
                folder.chmod(0o755)
                self.assert_refused(f"{folder.name} .* mode 0755")
                folder.chmod(0o700)

    def test_folder_of_another_user_is_refused(self) -> None:
        with mock.patch("os.geteuid", return_value=os.geteuid() + 1):
            self.assert_refused("belongs to user")

    def test_link_is_refused(self) -> None:
        for folder in (self.servers, self.folder):
            with self.subTest(folder=folder.name):
                target = folder.rename(folder.with_name("target"))
                folder.symlink_to(target)
                self.assert_refused(f"{folder.name} is a link")
                folder.unlink()
                target.rename(folder)

    def test_entry_that_others_can_access_is_refused(self) -> None:
        self.entry.chmod(0o644)
        self.assert_refused("mode 0644", finds_none=True)
        self.entry.unlink()
        self.entry.symlink_to("/dev/null")
        self.assert_refused("is a link", finds_none=True)
        self.entry.unlink()
        os.mkfifo(self.entry, 0o600)
        self.assert_refused("must be a file", finds_none=True)
