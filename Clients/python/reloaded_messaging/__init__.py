"""A client for programs that use Reloaded.Messaging. Standard library only."""

from .binary import Contract, OffsetTime, PayloadError, Schema, Time
from .client import Client
from .endpoints import Endpoint, find_servers, of_process, parse, tcp, unix, websocket
from .errors import ContractMismatch, Fault, HandshakeError, Progress, TransferError
from .files import FileOffer
from .host import Host, connect
from .statistics import Statistics
from .wire import Header, Kind, WireError

__all__ = [
    "Client", "Contract", "ContractMismatch", "Endpoint", "Fault", "FileOffer", "HandshakeError", "Header", "Host", "Kind", "OffsetTime", "PayloadError", "Progress",
    "Schema", "Statistics", "Time", "TransferError", "WireError", "connect", "find_servers", "of_process", "parse", "tcp", "unix", "websocket",
]  # fmt: skip
