import { check } from "./wire.js";

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
