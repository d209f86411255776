"""The contracts of both sides of a connection, and the payloads by them."""

from __future__ import annotations

from typing import Any, Iterable

from . import handshake
from .binary import Contract, PayloadError, Schema
from .compression import compress, decompress
from .errors import ContractMismatch
from .wire import MAX_HEADER, MAX_MESSAGE_SIZE, check

MAX_CONTRACTS = 4096  # contracts that a server may announce
MAX_ANNOUNCED = 512 * 1024  # characters of the names, layouts and shapes that a server may announce


class RemoteContracts:
    """The contracts that a server has announced over one connection."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._told: dict[int, handshake.Told] = {}
        self._mismatches: dict[int, handshake.Mismatch | None] = {}  # of the contracts that were compared

    @property
    def has_layouts(self) -> bool:
        return any(one.layouts is not None for one in self._told.values())

    def check_items(self, request: Contract, item: Contract) -> None:
        """Raises :class:`ContractMismatch` if the server announced another contract of the items of a request, or handles the request without these items."""
        self.check(item)
        if request.id in self._told and item.id not in self._told:
            raise ContractMismatch(f"The server handles {request.name}, but reads no items {item.name} (id {item.id}) with it.")

    def check(self, contract: Contract) -> None:
        """Raises :class:`ContractMismatch` if the server announced another contract. Each contract is compared once."""
        if contract.id not in self._mismatches:
            self._mismatches[contract.id] = handshake.find_mismatch(self._schema, [contract], self._told)
        if mismatch := self._mismatches[contract.id]:
            raise ContractMismatch(str(mismatch), mismatch.path)

    def learn(self, contracts: Iterable[handshake.Told], own: Iterable[Contract]) -> handshake.Mismatch | None:
        """Keeps contracts that the server announced. Returns the first one that differs from a contract of this side. Raises :class:`WireError` if there are too many."""
        new = {told.id: told for told in contracts}
        told = {**self._told, **new}
        layouts = {id(one.layouts): len(one.layouts.text) for one in told.values() if one.layouts is not None}
        check(len(told) <= MAX_CONTRACTS, f"The server announced more than {MAX_CONTRACTS} contracts.")
        size = sum(layouts.values()) + sum(len(one.type) + 8 * len(one.shape) for one in told.values())
        check(size <= MAX_ANNOUNCED, f"The contracts that the server announced have more than {MAX_ANNOUNCED} characters.")
        self._told, self._mismatches = told, {}
        return handshake.find_mismatch(self._schema, own, new)


def find_event(schema: Schema, name: str | int) -> Contract:
    """Finds a contract that is sent or handled as an event. Raises :class:`PayloadError`, also if it is that of a request."""
    contract = schema.find(name)
    if contract.is_request:
        raise PayloadError(f"{contract.name} is a request, and not an event. Use request or stream to send it, and on_request or on_stream to answer it.")
    return contract


def write_payload(schema: Schema, contract: Contract, value: Any) -> tuple[bytes, int | None]:
    """Returns a payload, and its size after decompression if it is compressed. Raises :class:`PayloadError`."""
    payload = schema.write(contract, value)
    if contract.compressor is None or (compressed := compress(contract.compressor, payload)) is None:
        return payload, None
    return compressed, len(payload)


def read_payload(schema: Schema, contract: Contract, payload: bytes, size: int | None) -> dict[str, Any]:
    """Reads a payload. ``size`` is its size after decompression, or ``None`` for a plain payload. Raises :class:`PayloadError`."""
    if size is not None:
        if size > MAX_MESSAGE_SIZE:
            raise PayloadError(f"A payload of {contract.name} has {size} bytes after decompression; this client accepts at most {MAX_MESSAGE_SIZE}.")
        try:
            payload = decompress(contract.compressor or "", payload, size)
        except (ValueError, OSError) as error:
            raise PayloadError(f"A payload of {contract.name} cannot be decompressed: {error}") from None
    return schema.read(contract, payload)


def check_size(contract: Contract, payload: bytes, largest: int) -> None:
    """Raises :class:`PayloadError` if a message may exceed the limit of the server."""
    if len(payload) + MAX_HEADER > largest:
        raise PayloadError(f"The message {contract.name} has {len(payload)} bytes; the server accepts at most {largest}, with the header.")
