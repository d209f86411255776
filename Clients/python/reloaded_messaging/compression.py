"""Decompression of payloads by the system's liblz4 and libbrotlidec, as the C# library does for LZ4."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Callable


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


def _load(name: str) -> ctypes.CDLL:
    path = ctypes.util.find_library(name)
    if path is None:
        raise OSError(f"A payload is compressed, and this system has no lib{name}. Install it, or set your own function in DECOMPRESSORS.")
    return ctypes.CDLL(path)


#: Decompressors by the end of the compressor's name in the schema. Add your own.
DECOMPRESSORS: dict[str, Callable[[bytes, int], bytes]] = {"LZ4Compressor": decompress_lz4, "BrotliCompressor": decompress_brotli}
