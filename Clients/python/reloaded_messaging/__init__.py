"""A client for programs that use Reloaded.Messaging. Standard library only, except protection, which needs the package ``cryptography``."""

from .binary import Contract, OffsetTime, PayloadError, Schema, Time
from .client import Client
from .endpoints import Endpoint, find_servers, of_process, parse, tcp, udp, unix, websocket
from .errors import ContractMismatch, Fault, HandshakeError, Progress, TransferError
from .files import FileOffer
from .host import Host, connect
from .protection import Protection
from .statistics import Statistics
from .wire import Header, Kind, WireError

__all__ = [
    "Client", "Contract", "ContractMismatch", "Endpoint", "Fault", "FileOffer", "HandshakeError", "Header", "Host", "Kind", "OffsetTime", "PayloadError", "Progress",
    "Protection", "Schema", "Statistics", "Time", "TransferError", "WireError", "connect", "find_servers", "of_process", "parse", "tcp", "udp", "unix", "websocket",
]  # fmt: skip
