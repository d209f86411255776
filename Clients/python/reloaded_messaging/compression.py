"""Decompression of payloads: LZ4 blocks here, Brotli by the system's libbrotlidec."""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools
from typing import Callable


def decompress_lz4(block: bytes, size: int) -> bytes:
    """Decompresses an LZ4 block of exactly ``size`` bytes. Raises :class:`ValueError`."""
    out, source = bytearray(), iter(block)

    def length(start: int) -> int:
        while start >= 15 and (more := next(source)) == 255:
            start += 255
        return start + more if start >= 15 else start

    try:
        while True:
            token = next(source)
            literals = length(token >> 4)
            taken = bytes(itertools.islice(source, literals))
            out += taken
            if len(taken) < literals or len(out) > size:
                raise ValueError("The literals are too long.")
            if (low := next(source, None)) is None:
                break
            offset, count = low | next(source) << 8, length(token & 15) + 4
            if not 0 < offset <= len(out) or len(out) + count > size - 5:
                raise ValueError("A match is out of range, or the last five bytes are not literals.")
            for _ in range(count):
                out.append(out[-offset])
    except StopIteration:
        raise ValueError("The block ends too early.") from None
    if len(out) != size:
        raise ValueError(f"The block has {len(out)} bytes, and {size} were declared.")
    return bytes(out)


def decompress_brotli(stream: bytes, size: int) -> bytes:
    """Decompresses a Brotli stream of exactly ``size`` bytes by the system's libbrotlidec. Raises :class:`ValueError`, or :class:`OSError` without that library."""
    name = ctypes.util.find_library("brotlidec")
    if name is None:
        raise OSError("A payload is compressed with Brotli, and this system has no libbrotlidec. Install libbrotli, or set DECOMPRESSORS['BrotliCompressor'].")
    library = ctypes.CDLL(name)
    library.BrotliDecoderCreateInstance.restype = ctypes.c_void_p
    decoder = ctypes.c_void_p(library.BrotliDecoderCreateInstance(None, None, None))
    out = ctypes.create_string_buffer(size + 1)
    left, room = ctypes.c_size_t(len(stream)), ctypes.c_size_t(size)
    source, target = ctypes.c_char_p(stream), ctypes.c_void_p(ctypes.addressof(out))
    result = library.BrotliDecoderDecompressStream(decoder, ctypes.byref(left), ctypes.byref(source), ctypes.byref(room), ctypes.byref(target), None)
    library.BrotliDecoderDestroyInstance(decoder)
    if result != 1 or left.value or room.value:
        raise ValueError("The payload is not a Brotli stream of the declared size.")
    return out.raw[:size]


#: Decompressors by the end of the compressor's name in the schema. Add your own.
DECOMPRESSORS: dict[str, Callable[[bytes, int], bytes]] = {
    "LZ4Compressor": decompress_lz4,
    "BrotliCompressor": decompress_brotli,
}
