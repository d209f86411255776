"""The exceptions of the client. A value or a payload that does not fit its contract is a PayloadError of the module binary."""

from __future__ import annotations

from typing import NamedTuple


class Fault(Exception):
    """A request was refused. A handler raises one to refuse: codes from 1000 up are the program's. A fault that the handler got from the server is sent as fault 1."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"Fault {code}: {text}")
        self.code, self.text = code, text
        self.is_remote = False  # a fault of the server is not passed on by a handler


class HandshakeError(ConnectionError):
    """The server was reached, and one of the two sides refused the other. ``reason`` is a name of the table of disconnect reasons; ``text`` says more, for example which contract differs."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(f"The handshake failed: {reason}. {text}".rstrip())
        self.reason, self.text = reason, text


class ContractMismatch(ValueError):
    """The two sides know a type of message by different contracts.

    ``path`` is the path of the field that differs, such as ``ModList.Mods[].Version``, or ``None`` if the serializers, the compressors or the versions differ.
    """

    def __init__(self, text: str, path: str | None = None) -> None:
        super().__init__(text)
        self.path = path


class Progress(NamedTuple):
    """The state of a transfer. ``resumed`` is the number of bytes that were not sent again."""

    transferred: int
    length: int
    resumed: int = 0


class TransferError(Exception):
    """A transfer of a file failed after it had begun. The cause is the ``__cause__``."""

    def __init__(self, name: str, progress: Progress, cause: BaseException) -> None:
        super().__init__(f"The transfer of {name!r} failed after {progress.transferred:,} of {progress.length:,} bytes: {cause}")
        self.progress = progress
