"""Compression of payloads by liblz4, libbrotlidec and libbrotlienc of the system."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import Callable

THRESHOLD = 256  # bytes; a shorter payload is sent plain


def decompress_lz4(block: bytes, size: int) -> bytes:
    """Decompresses an LZ4 block of exactly ``size`` bytes. Raises :class:`ValueError`, or :class:`OSError` without liblz4."""
    out = ctypes.create_string_buffer(size + 1)
    if not block or _has_zero_offset(block) or _load("lz4").LZ4_decompress_safe(block, out, len(block), size) != size:
        raise ValueError("The payload is not an LZ4 block of the declared size.")
    return out.raw[:size]


def _has_zero_offset(block: bytes) -> bool:
    """Whether a match of the block has the offset 0, which liblz4 accepts. Raises :class:`ValueError` if the block ends too early."""
    at = 0

    def length(first: int) -> int:
        nonlocal at
        total, more = first, first == 15
        while more:
            at += 1
            total, more = total + block[at - 1], block[at - 1] == 255
        return total

    try:
        while True:
            token, at = block[at], at + 1
            literals = length(token >> 4)
            at += literals
            if at >= len(block):
                return False
            if not block[at] | block[at + 1]:
                return True
            at += 2
            length(token & 15)
    except IndexError:
        raise ValueError("The payload is not a whole LZ4 block.") from None


def decompress_brotli(stream: bytes, size: int) -> bytes:
    """Decompresses a Brotli stream of exactly ``size`` bytes. Raises :class:`ValueError`, or :class:`OSError` without libbrotlidec."""
    library, out = _load("brotlidec"), ctypes.create_string_buffer(size + 1)
    library.BrotliDecoderCreateInstance.restype = ctypes.c_void_p
    decoder = ctypes.c_void_p(library.BrotliDecoderCreateInstance(None, None, None))
    left, room, source, target = ctypes.c_size_t(len(stream)), ctypes.c_size_t(size), ctypes.c_char_p(stream), ctypes.c_void_p(ctypes.addressof(out))
    result = library.BrotliDecoderDecompressStream(decoder, *map(ctypes.byref, (left, source, room, target)), None)
    library.BrotliDecoderDestroyInstance(decoder)
    if result != 1 or left.value or room.value:
        raise ValueError("The payload is not a Brotli stream of the declared size.")
    return out.raw[:size]


def compress_lz4(payload: bytes) -> bytes:
    """Compresses a payload to an LZ4 block. Raises :class:`OSError` without liblz4."""
    library = _load("lz4")
    out = ctypes.create_string_buffer(library.LZ4_compressBound(len(payload)))
    return out.raw[: library.LZ4_compress_default(payload, out, len(payload), len(out))]


def compress_brotli(payload: bytes) -> bytes:
    """Compresses a payload to a Brotli stream. Returns the payload itself if the stream is not shorter. Raises :class:`OSError` without libbrotlienc."""
    size, out = ctypes.c_size_t(len(payload)), ctypes.create_string_buffer(len(payload))
    quality, window, mode = 1, 18, 0
    done = _load("brotlienc").BrotliEncoderCompress(quality, window, mode, ctypes.c_size_t(len(payload)), payload, ctypes.byref(size), out)
    return out.raw[: size.value] if done else payload


@cache
def _load(name: str) -> ctypes.CDLL:
    path = ctypes.util.find_library(name)
    if path is None:
        raise OSError(f"This system has no lib{name}. Install it, or set your own function in COMPRESSORS or DECOMPRESSORS.")
    return ctypes.CDLL(path)


#: Decompressors by the name of the format; by the full name of the compressor's class if the schema does not know the format. Add your own.
DECOMPRESSORS: dict[str, Callable[[bytes, int], bytes]] = {"lz4": decompress_lz4, "brotli": decompress_brotli}

#: Compressors by the same names. Add your own.
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {"lz4": compress_lz4, "brotli": compress_brotli}


def compress(compressor: str, payload: bytes) -> bytes | None:
    """Compresses a payload by the compressor of a contract. Returns ``None`` if the payload is to be sent plain: it is short, it does not shrink, or this system has no such compressor."""
    function = COMPRESSORS.get(compressor)
    if function is None or len(payload) < THRESHOLD:
        return None
    try:
        compressed = function(payload)
    except OSError:
        return None  # without the library, payloads are sent plain, which every receiver accepts
    return compressed if len(compressed) < len(payload) else None


def decompress(compressor: str, payload: bytes, size: int) -> bytes:
    """Decompresses a payload by the compressor of a contract. Raises :class:`ValueError`, or :class:`OSError` without the library."""
    function = DECOMPRESSORS.get(compressor)
    if function is None:
        raise ValueError(f"The payload is compressed by {compressor or 'no compressor'}, which this client does not know.")
    return function(payload, size)
