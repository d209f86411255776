/** Uvarints, headers and frames, as docs/specification/wire-format.md specifies them. */

export const MAX_SIZE = 2 ** 31 - 1;
export const MAX_MESSAGE_SIZE = 1 << 20;
export const MAX_HEADER = 17;
export const CONTROL_LIMIT = 256 * 1024;

/** The types of control messages. */
export const [HELLO, PING, PONG, GOODBYE, CANCEL] = [0, 1, 2, 3, 4];

/** The types of the library's own requests and replies. */
export const [STREAM, BLOCK, BLOCK_REPLY, FILE_OFFER, FILE_RECEIVED, FILE_WANTED, FILE_FOUND, FILE_START, FILE_STARTED, ITEM_BLOCK, REPORT] = Array.from({ length: 11 }, (_, i) => 0xFFFF0020 + i);
export const ACKNOWLEDGEMENT = 0xFFFF0040; // the reply to a request without a reply

/** The kinds of a message. */
export const Kind = Object.freeze({ EVENT: 0, REQUEST: 1, REPLY: 2, FAULT: 3, CONTROL: 4 });

/** Bytes that break a rule of the format. `status` is the name of the verdict, or a sentence. */
export class WireError extends Error {
    constructor(status) {
        super(status.includes(" ") ? status : `The bytes are not valid: ${status}.`);
        this.name = "WireError";
        this.status = status;
    }
}

/** Throws a WireError if a condition does not hold. */
export function check(isValid, status) {
    if (!isValid)
        throw new WireError(status);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes text as strict UTF-8. */
export function toUtf8(text, where = "A text") {
    check(typeof text === "string" && !/\p{Surrogate}/u.test(text), `${where} is not a string, or contains half of a surrogate pair.`);
    return encoder.encode(text);
}

/** Decodes strict UTF-8. */
export function fromUtf8(bytes) {
    try {
        return decoder.decode(bytes);
    } catch {
        throw new WireError("The bytes are not UTF-8.");
    }
}

/** Joins byte arrays. */
export function concat(...parts) {
    const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let position = 0;
    for (const part of parts) {
        out.set(part, position);
        position += part.length;
    }
    return out;
}

/** The bytes of a hexadecimal text. Throws a WireError for other text. */
export function fromHex(text) {
    check(/^([0-9a-f]{2})*$/i.test(text), "The text is not hexadecimal.");
    return Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
}

/** Writes a number of at most 32 bits into an array. Returns the position after it. */
export function putUvarint(out, position, value) {
    for (; value >= 0x80; value = Math.floor(value / 128))
        out[position++] = value % 128 | 0x80;
    out[position++] = value;
    return position;
}

/** Writes a number of at most 32 bits. */
export function writeUvarint(value) {
    check(Number.isInteger(value) && value >= 0 && value < 2 ** 32, `${value} is not a number of 32 bits without a sign.`);
    const out = new Uint8Array(5);
    return out.subarray(0, putUvarint(out, 0, value));
}

/** Returns the number at a position, and the position after it. */
export function readUvarint(bytes, position = 0, end = bytes.length) {
    if (position < end && bytes[position] < 0x80)
        return [bytes[position], position + 1];
    let value = 0;
    for (let count = 0; count < 5; count++) {
        check(position < end, "Truncated");
        const byte = bytes[position++];
        value += (byte & 0x7F) * 2 ** (7 * count);
        check(count < 4 || byte <= 0x0F, "BadVarint");
        if (byte < 0x80) {
            check(byte > 0 || count === 0, "BadVarint");
            break;
        }
    }
    return [value, position];
}

const isCorrelated = kind => kind === Kind.REQUEST || kind === Kind.REPLY || kind === Kind.FAULT;

/** Writes a header in its one encoding into an array. `size` is the payload's size after decompression, or null for a plain payload. Returns the position after it. */
export function putHeader(out, position, { type, kind = Kind.EVENT, correlation = 0, size = null }) {
    const compressed = size === null ? 0 : 0x80;
    if (kind === Kind.EVENT && type < 127) {
        out[position++] = compressed | type;
        for (let shift = 0; size !== null && shift < 32; shift += 8)
            out[position++] = size >> shift;
        return position;
    }
    out[position++] = compressed | 0x7F;
    out[position++] = kind;
    position = putUvarint(out, position, type);
    if (isCorrelated(kind))
        position = putUvarint(out, position, correlation);
    return size === null ? position : putUvarint(out, position, size);
}

/** Writes a header in its one encoding. */
export function writeHeader(header) {
    const out = new Uint8Array(MAX_HEADER);
    return out.subarray(0, putHeader(out, 0, header));
}

/** Returns a message's header, and the position of its payload. */
export function readHeader(message) {
    check(message.length > 0, "Empty");
    const isCompressed = message[0] >= 0x80;
    let [type, kind, correlation, size, position] = [message[0] & 0x7F, Kind.EVENT, 0, null, 1];
    if (type < 127) {
        if (isCompressed) {
            check(message.length >= 5, "Truncated");
            size = (message[1] | message[2] << 8 | message[3] << 16 | message[4] << 24) >>> 0;
            position = 5;
        }
    } else {
        check(message.length >= 2, "Truncated");
        check((message[1] & 0xF8) === 0, "ReservedBits");
        check(message[1] <= Kind.CONTROL, "ReservedKind");
        kind = message[1];
        [type, position] = readUvarint(message, 2);
        check(kind !== Kind.EVENT || type >= 127, "NotShortest");
        if (isCorrelated(kind))
            [correlation, position] = readUvarint(message, position);
        if (isCompressed)
            [size, position] = readUvarint(message, position);
    }
    check(size === null || size <= MAX_SIZE, "SizeOutOfRange");
    return [{ type, kind, correlation, size }, position];
}

/**
 * Returns the first frame's message and the position after it, or null if the frame is not complete. A control message may have `controlLimit`
 * bytes where `limit` is lower. Throws a WireError: Malformed or TooLarge.
 */
export function readFrame(stream, position, limit, controlLimit = 0) {
    let length, start;
    try {
        [length, start] = readUvarint(stream, position);
    } catch (error) {
        check(error.status === "Truncated", "Malformed");
        return null;
    }
    check(length > 0, "Malformed");
    const isControl = (start >= stream.length || stream[start] === 0x7F) && (start + 1 >= stream.length || stream[start + 1] === Kind.CONTROL);
    check(length <= (isControl ? Math.max(limit, controlLimit) : limit), "TooLarge");
    return stream.length < start + length ? null : [stream.subarray(start, start + length), start + length];
}

/** Writes a fault: its code, and at most 1,000 bytes of its text. Half of a surrogate pair becomes U+FFFD. */
export function writeFault(code, text) {
    return concat(writeUvarint(code), cutUtf8(text, 1000));
}

/** Encodes a text as UTF-8, up to a number of bytes. Half of a surrogate pair is replaced. */
export function cutUtf8(text, size) {
    const bytes = encoder.encode(text);
    let end = Math.min(bytes.length, size);
    while (end < bytes.length && (bytes[end] & 0xC0) === 0x80)
        end--; // within a character
    return bytes.subarray(0, end);
}

/** Returns a fault's code and text. */
export function readFault(payload) {
    const [code, position] = readUvarint(payload);
    check(code <= MAX_SIZE, "Unreadable");
    return { code, text: fromUtf8(payload.subarray(position)) };
}
