"""Decompression of payloads: LZ4 blocks here, Brotli by the system's libbrotlidec."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Callable


def decompress_lz4(block: bytes, size: int) -> bytes:
    """Decompresses an LZ4 block of exactly ``size`` bytes. Raises :class:`ValueError`."""
    out = bytearray()
    position = 0

    def take(count: int) -> bytes:
        nonlocal position
        if position + count > len(block):
            raise ValueError("The block ends too early.")
        position += count
        return block[position - count : position]

    def length(start: int) -> int:
        if start == 15:
            while (more := take(1)[0]) == 255:
                start += 255
            start += more
        return start

    while True:
        token = take(1)[0]
        out += take(length(token >> 4))
        if position == len(block):
            break
        offset = int.from_bytes(take(2), "little")
        count = length(token & 15) + 4
        if not 0 < offset <= len(out) or len(out) + count > size:
            raise ValueError("A match is out of range.")
        for _ in range(count):
            out.append(out[-offset])
        if size - len(out) < 5:
            raise ValueError("The last five bytes are not literals.")
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
