"""The package: its files, its metadata, and the program of its README from a clean folder."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .hosts import PEER, ROOT, Host

CLIENT = ROOT / "Clients" / "python"


def builder() -> str | None:
    """Returns a Python that builds packages without a download."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import setuptools, wheel, pip"], capture_output=True).returncode == 0:
            return python
    return None


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        python = builder()
        if python is None:
            raise unittest.SkipTest("No Python has pip, setuptools and wheel. Install them with 'apt-get install python3-pip python3-setuptools python3-wheel'.")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.python, cls.folder, source = python, Path(folder.name), Path(folder.name, "source")
        shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
        arguments = ["--no-build-isolation", "--no-index", "--no-deps", "--disable-pip-version-check", "--root-user-action=ignore", "--target", str(cls.folder / "installed")]
        installed = subprocess.run([python, "-m", "pip", "install", *arguments, str(source)], capture_output=True, text=True)
        assert installed.returncode == 0, installed.stdout + installed.stderr

    def test_all_files_and_no_tests_are_installed(self) -> None:
        found = {path.relative_to(self.folder / "installed").as_posix() for path in (self.folder / "installed").rglob("*") if path.suffix not in (".pyc", "") or path.name == "LICENSE"}
        modules = {f"reloaded_messaging/{path.name}" for path in (CLIENT / "reloaded_messaging").iterdir() if path.is_file()}
        self.assertIn("reloaded_messaging/py.typed", modules)
        self.assertEqual(modules, {path for path in found if "dist-info" not in path})
        self.assertEqual(1, sum(path.endswith("/LICENSE") for path in found))

    def test_metadata_names_the_version_the_licence_and_the_repository(self) -> None:
        (file,) = (self.folder / "installed").glob("*.dist-info/METADATA")
        metadata = email.message_from_string(file.read_text(encoding="utf-8"))
        version = re.search(r"<Version[^>]*>(.*)</Version>", (ROOT / "Directory.Build.props").read_text(encoding="utf-8"))
        assert version
        self.assertEqual(version[1].replace("-alpha.", "a"), metadata["Version"])
        self.assertEqual(version[1], json.loads((ROOT / "Clients" / "javascript" / "package.json").read_text(encoding="utf-8"))["version"])
        self.assertIn("MIT License", metadata["License"])
        self.assertEqual({"Repository", "Changelog"}, {url.partition(",")[0] for url in metadata.get_all("Project-URL", [])})
        self.assertRegex(" ".join(metadata.get_all("Requires-Dist", [])), "^cryptography.* extra == ['\"]udp['\"]$")
        self.assertIn("# Reloaded.Messaging for Python", metadata.get_payload())

    def test_program_of_the_readme_runs_in_a_clean_folder(self) -> None:
        host = Host(PEER, "languages", "none", "0")
        self.addCleanup(host.stop)
        work = self.folder / "work"
        work.mkdir()
        program = (CLIENT / "README.md").read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]
        (work / "program.py").write_text(program.replace("7777", host.ready), encoding="utf-8")
        shutil.copy(PEER / "contracts.schema.json", work)
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "installed")}
        ended = subprocess.run([self.python, "program.py"], cwd=work, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(["0", "1", "2", "1001 No such file.", "6 2"], [line for line in ended.stdout.split("\n") if line not in ("hello", "")], ended.stderr)


if __name__ == "__main__":
    unittest.main()
