"""A client for programs that use Reloaded.Messaging. Standard library only."""

from .binary import Contract, OffsetTime, PayloadError, Schema, Time
from .client import Client, ContractMismatch, Fault, HandshakeError
from .endpoints import Endpoint, find_servers, of_process, tcp, unix
from .wire import Header, Kind, WireError

__all__ = [
    "Client", "Contract", "ContractMismatch", "Endpoint", "Fault", "HandshakeError", "Header", "Kind", "OffsetTime",
    "PayloadError", "Schema", "Time", "WireError", "find_servers", "of_process", "tcp", "unix",
]  # fmt: skip
