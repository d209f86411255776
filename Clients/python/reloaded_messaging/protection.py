"""Protection of a connection over UDP: the key exchange, and the keys of packets. Needs the package ``cryptography``."""

from __future__ import annotations

import hashlib
import hmac
import secrets
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
PROOF, POINT = 32, 32


@dataclass(frozen=True)
class Protection:
    """The protection that the server has: a secret of both sides, or exchanged keys and the token. ``key_bits`` is 128 or 256."""

    secret: bytes = field(default=b"", repr=False)
    key_bits: int = 256

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


class Keys(NamedTuple):
    """The keys of a connection: for packets that are sent, and for received ones."""

    sealer: Sealer
    opener: Opener


class Exchange:
    """The client's side of the key exchange for datagrams."""

    def __init__(self, protection: Protection, token: bytes) -> None:
        if not HAS_CIPHERS:
            raise ImportError("Protection needs the package cryptography. Install it with: pip install reloaded-messaging[udp]")
        if not protection.secret and len(token) < MIN_SECRET:
            raise ValueError(f"The token has {len(token)} bytes; protection with a token needs at least {MIN_SECRET}. Pass the token of the server to the client.")
        self._shared, self._bits = protection.secret or token, protection.key_bits
        self.private = None if protection.secret else ec.generate_private_key(ec.SECP256R1())
        mode = 4 | (protection.key_bits == 256) << 1 | (self.private is not None)
        self.offer = b"\0RP\1" + bytes([mode]) + secrets.token_bytes(32)
        if self.private:
            point = self.private.public_key().public_numbers()
            self.offer += point.x.to_bytes(POINT, "big") + point.y.to_bytes(POINT, "big")

    def finish(self, answer: bytes) -> Keys | None:
        """Returns the keys; ``None`` if the server does not know the secret."""
        if len(answer) != len(self.offer) + PROOF or answer[:5] != self.offer[:5]:
            return None
        secret = self._shared
        if self.private:
            x, y = (int.from_bytes(answer[at : at + POINT], "big") for at in (-PROOF - 2 * POINT, -PROOF - POINT))
            try:
                theirs = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
            except ValueError:
                return None  # the point is not on the curve
            secret = self.private.exchange(ec.ECDH(), theirs) + self._shared
        said = hashlib.sha256(self.offer + answer[:-PROOF]).digest()
        key = hmac.digest(said, secret, "sha256")
        if not hmac.compare_digest(hmac.digest(expand(key, b"server proof"), said, "sha256"), answer[-PROOF:]):
            return None
        to_server, to_client = (TrafficKey(expand(key, direction), self._bits) for direction in (b"client to server", b"server to client"))
        return Keys(Sealer(to_server), Opener(to_client))


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
