/** Compression of payloads: LZ4 in this file, and Brotli where the platform has it. */

import { check, concat } from "./wire.js";

/** A payload of fewer bytes is sent plain. */
export const THRESHOLD = 256;

/** Whether the platform has a stream that decompresses Brotli. */
export function hasBrotli() {
    try {
        return Boolean(new DecompressionStream("brotli"));
    } catch {
        return false; // the platform does not know this format, or has no such streams
    }
}

/** Decompresses a Brotli stream of exactly `size` bytes in the background. Rejects for other bytes. */
export async function decompressBrotli(bytes, size) {
    const parts = [];
    let left = size;
    for (const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("brotli")).getReader(); ;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        left -= value.length;
        parts.push(value);
        if (left < 0) {
            await reader.cancel();
            break;
        }
    }
    check(left === 0, "The payload is not a Brotli stream of the declared size.");
    return concat(...parts);
}

/** Decompresses an LZ4 block of exactly `size` bytes. Throws a WireError for other bytes. */
export function decompressLz4(block, size) {
    const out = new Uint8Array(size);
    let [from, to] = [0, 0];
    const corrupt = "The payload is not an LZ4 block of the declared size.";
    const length = nibble => {
        for (let byte = 255; nibble >= 15 && byte === 255; nibble += byte) {
            check(from < block.length, corrupt);
            byte = block[from++];
        }
        return nibble;
    };

    while (true) {
        check(from < block.length, corrupt);
        const token = block[from++];
        const literals = length(token >> 4);
        check(literals <= block.length - from && literals <= size - to, corrupt);
        out.set(block.subarray(from, from + literals), to);
        from += literals;
        to += literals;
        if (from === block.length)
            break;
        check(to <= size - 12, corrupt); // a block ends with five literals, and its last match begins twelve bytes before the end
        const offset = block[from] | block[from + 1] << 8;
        from += 2;
        const end = to + length(token & 15) + 4;
        check(offset > 0 && offset <= to && end <= size - 5, corrupt);
        for (; to < end; to++)
            out[to] = out[to - offset];
    }
    check(to === size, corrupt);
    return out;
}
