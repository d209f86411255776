"""Protection of a connection over UDP: the key exchange, and the keys of packets. Needs the package ``cryptography``."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    HAS_CIPHERS = True
except ImportError:
    HAS_CIPHERS = False

MIN_SECRET = 16
PACKETS_PER_KEY = 1 << 22
WINDOW = 1024  # numbers of datagrams, in which a datagram may be late
KEY, POINT, TAG = 32, 32, 16


@dataclass(frozen=True)
class Protection:
    """The protection that the server has: a secret of both sides, or exchanged keys and the token, with or without the key of the server. ``key_bits`` is 128 or 256."""

    secret: bytes = field(default=b"", repr=False)
    key_bits: int = 256
    server: bytes = b""

    @staticmethod
    def with_secret(secret: bytes, key_bits: int = 256) -> Protection:
        """Derives the keys from a secret of at least 16 random bytes. A program that learns the secret later can decrypt recorded packets."""
        if len(secret) < MIN_SECRET:
            raise ValueError(f"The secret has {len(secret)} bytes; protection needs at least {MIN_SECRET}. Use random bytes.")
        return Protection(secret, key_bits)

    @staticmethod
    def with_token(key_bits: int = 256) -> Protection:
        """Exchanges new keys for each connection, which the token of the client authenticates."""
        return Protection(b"", key_bits)

    @staticmethod
    def with_server_key(server_key: str, key_bits: int = 256) -> Protection:
        """Exchanges keys as ``with_token`` does, with the server that has the private key. ``server_key`` is the line that ``reloaded-messaging key FILE`` prints."""
        server = base64.b64decode(server_key, validate=True)
        if len(server) != 2 * POINT:
            raise ValueError(f"The server key has {len(server)} bytes; a public key on P-256 has {2 * POINT}. Use the line that 'reloaded-messaging key FILE' prints.")
        if HAS_CIPHERS:
            point_of(server)
        return Protection(b"", key_bits, server)


class Keys(NamedTuple):
    """The keys of a connection: for packets that are sent, and for received ones."""

    sealer: Sealer
    opener: Opener


class Exchange:
    """The client's side of the key exchange for datagrams: a pattern of Noise."""

    def __init__(self, protection: Protection, token: bytes) -> None:
        if not HAS_CIPHERS:
            raise ImportError("Protection needs the package cryptography. Install it with: pip install reloaded-messaging[udp]")
        if not protection.secret and len(token) < MIN_SECRET:
            raise ValueError(f"The token has {len(token)} bytes; protection with a token needs at least {MIN_SECRET}. Pass the token of the server to the client.")
        self._bits, self._server = protection.key_bits, protection.server
        pattern, name = (0x08, "Reloaded_psk0_AESGCM_SHA256") if protection.secret else (0x18, "Noise_NKpsk0_P256_AESGCM_SHA256") if self._server else (0x10, "Noise_NNpsk0_P256_AESGCM_SHA256")
        self._start = b"\0RP\1" + bytes([pattern | (protection.key_bits == 256) << 1 | 4])
        extracted = hmac.digest(b"Reloaded.Messaging", protection.secret or token, "sha256")
        self._mac_key = expand(extracted, b"mac" + self._server)
        self._begun = SymmetricState(name.encode().ljust(32, b"\0"))
        self._begun.mix_hash(self._start)
        if self._server:
            self._begun.mix_hash(self._server)
        self._begun.mix_key_and_hash(expand(extracted, b"psk"))
        self.size = len(self._start) + (KEY if protection.secret else 2 * POINT) + TAG
        self.begin(secrets.token_bytes(KEY) if protection.secret else ec.generate_private_key(ec.SECP256R1()))

    def begin(self, own: bytes | ec.EllipticCurvePrivateKey) -> None:
        """Makes the first message, with random bytes or a key pair."""
        self._own, self._state = own, self._begun.copy()
        if isinstance(own, bytes):
            public = own
        else:
            point = own.public_key().public_numbers()
            public = point.x.to_bytes(POINT, "big") + point.y.to_bytes(POINT, "big")
        self._state.mix_public_key(public)
        if self._server:
            self._agree(self._server, self._state)
        self._message = self._start + public + self._state.seal()

    def offer(self, carrier: bytes) -> bytes:
        """Returns the first message, whose MAC covers the bytes that carry it."""
        return self._message + hmac.digest(self._mac_key, carrier + self._message, "sha256")[:TAG]

    def finish(self, answer: bytes) -> Keys | None:
        """Returns the keys; ``None`` if the server has not the token, or not its private key."""
        if len(answer) != self.size or not answer.startswith(self._start):
            return None
        state, theirs = self._state.copy(), answer[len(self._start) : -TAG]
        state.mix_public_key(theirs)
        try:
            self._agree(theirs, state)
        except ValueError:
            return None  # the point is not on the curve
        if not hmac.compare_digest(state.seal(), answer[-TAG:]):
            return None
        to_server, to_client = (TrafficKey(secret, self._bits) for secret in state.derive(b"", 2))
        return Keys(Sealer(to_server), Opener(to_client))

    def _agree(self, theirs: bytes, state: SymmetricState) -> None:
        if not isinstance(self._own, bytes):
            state.mix_key(self._own.exchange(ec.ECDH(), point_of(theirs)))


class SymmetricState:
    """The symmetric state of a handshake (The Noise Protocol Framework, revision 34, section 5.2), for messages without a payload."""

    def __init__(self, name: bytes) -> None:
        self._hash, self._chaining, self._key = name, name, b""

    def copy(self) -> SymmetricState:
        return copy(self)

    def mix_hash(self, data: bytes) -> None:
        self._hash = hashlib.sha256(self._hash + data).digest()

    def mix_key(self, data: bytes) -> None:
        self._chaining, self._key = self.derive(data, 2)

    def mix_public_key(self, public: bytes) -> None:
        self.mix_hash(public)
        self.mix_key(public)

    def mix_key_and_hash(self, key: bytes) -> None:
        self._chaining, mixed, self._key = self.derive(key, 3)
        self.mix_hash(mixed)

    def seal(self) -> bytes:
        """Returns the tag of an empty payload. Each message mixes a key before its tag, so the nonce is 0."""
        tag = AESGCM(self._key).encrypt(bytes(12), b"", self._hash)
        self.mix_hash(tag)
        return tag

    def derive(self, data: bytes, count: int) -> list[bytes]:
        """HKDF-Extract and HKDF-Expand with the chaining key."""
        extracted, outputs = hmac.digest(self._chaining, data, "sha256"), [b""]
        for number in range(1, count + 1):
            outputs.append(hmac.digest(extracted, outputs[-1] + bytes([number]), "sha256"))
        return outputs[1:]


def point_of(public: bytes) -> ec.EllipticCurvePublicKey:
    """Reads a public key. Raises :class:`ValueError` for a point that is not on the curve."""
    x, y = (int.from_bytes(public[at : at + POINT], "big") for at in (0, POINT))
    return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


class TrafficKey:
    """The key of one direction in one epoch."""

    def __init__(self, secret: bytes, bits: int, epoch: int = 0) -> None:
        self._secret, self._bits, self.epoch = secret, bits, epoch
        self._cipher, self._start = AESGCM(expand(secret, b"key", bits // 8)), expand(secret, b"nonce", 4)

    def next(self) -> TrafficKey:
        """The key of the next epoch."""
        return TrafficKey(expand(self._secret, b"next"), self._bits, self.epoch + 1)

    def seal(self, number: int, plain: bytes) -> bytes:
        return self._cipher.encrypt(self._start + number.to_bytes(8, "little"), plain, None)

    def open(self, number: int, packet: bytes) -> bytes | None:
        try:
            return self._cipher.decrypt(self._start + number.to_bytes(8, "little"), packet, None)
        except InvalidTag:
            return None


class Sealer:
    """Encrypts packets, and changes the key in time."""

    def __init__(self, key: TrafficKey, packets_per_key: int = PACKETS_PER_KEY) -> None:
        self._key, self._limit, self._sealed = key, packets_per_key, 0

    def seal(self, number: int, plain: bytes) -> bytes:
        """Returns the lowest byte of the epoch, the number, and the packet."""
        if self._sealed == self._limit:
            self._key, self._sealed = self._key.next(), 0
        self._sealed += 1
        return bytes([self._key.epoch & 0xFF]) + number.to_bytes(8, "little") + self._key.seal(number, plain)


class Opener:
    """Decrypts packets that arrive in any order, and follows the keys of the other side."""

    def __init__(self, key: TrafficKey) -> None:
        self._last: TrafficKey | None = None
        self._current, self._next = key, key.next()
        self._newest = self._start = 0

    def open(self, epoch: int, number: int, packet: bytes) -> bytes | None:
        """Returns the plain text; ``None`` for a packet that the other side did not send."""
        plain = None
        if epoch == self._current.epoch & 0xFF:
            plain = self._current.open(number, packet)
        elif self._last and epoch == self._last.epoch & 0xFF:
            plain = self._last.open(number, packet)
        elif epoch == self._next.epoch & 0xFF and (plain := self._next.open(number, packet)) is not None:
            self._last, self._current, self._next, self._start = self._current, self._next, self._next.next(), number
        if plain is not None:
            self._newest = max(self._newest, number)
            if self._newest - self._start >= WINDOW:
                self._last = None
        return plain


def expand(key: bytes, purpose: bytes, size: int = 32) -> bytes:
    """HKDF-Expand (RFC 5869) with SHA-256, for up to 32 bytes."""
    return hmac.digest(key, purpose + b"\1", "sha256")[:size]
