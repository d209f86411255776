"""C# processes to connect to. They are built by the solution's build, and end when their input does."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PEER = ROOT / "Reloaded.Messaging.Tests" / "Reloaded.Messaging.Tests.PeerProcess"
GAME = ROOT / "Examples" / "ModLoader"


class Host:
    """A running process whose first line is ``ready`` and a word."""

    def __init__(self, project: Path, *args: str) -> None:
        program = project / "bin" / "Release" / "net10.0" / f"{project.name}.dll"
        if not program.exists():
            raise FileNotFoundError(f"{program} is missing. Build it first: dotnet build -c Release {project}")
        self.process = subprocess.Popen(["dotnet", str(program), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("ready"):
                self.words = line.split()
                self.ready = self.words[-1]
                return
        raise RuntimeError(f"{program} ended with {self.process.wait()} before it was ready.")

    def kill(self) -> None:
        self.process.kill()
        self._free()

    def stop(self) -> None:
        """Ends the input; the server says goodbye."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self._free()

    def _free(self) -> None:
        self.process.wait(30)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
