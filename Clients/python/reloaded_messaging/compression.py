"""Decompression of payloads by the system's liblz4 and libbrotlidec, as the C# library does for LZ4."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Callable


def decompress_lz4(block: bytes, size: int) -> bytes:
    """Decompresses an LZ4 block of exactly ``size`` bytes. Raises :class:`ValueError`, or :class:`OSError` without liblz4."""
    out = ctypes.create_string_buffer(size + 1)
    if not block or _load("lz4").LZ4_decompress_safe(block, out, len(block), size) != size:
        raise ValueError("The payload is not an LZ4 block of the declared size.")
    return out.raw[:size]


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
