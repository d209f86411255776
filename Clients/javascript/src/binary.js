/** Payloads of generated serializers, driven by an exported schema: docs/binary-format.md and docs/contracts.md. */

import { WireError, check, fromUtf8, readUvarint, toUtf8, writeUvarint } from "./wire.js";

const FORMAT = 2; // of the schemas that this client reads
const MAX_DEPTH = 64;
const MAX_TICKS = 3155378975999999999n;
const TICKS_PER_MINUTE = 600_000_000n;
const EPOCH_TICKS = 621355968000000000n; // of 1970-01-01
const TOKEN = /[iu]16|[iufc]\d|t[sot]|dd|m\d+|[gbdts?()[\]{}:]/g;

/** A payload that is malformed, or a value that a contract can't hold. */
export class PayloadError extends Error {
    name = "PayloadError";
}

/** The Date of a `DateTime`, `{ ticks, kind }`, or of a `DateTimeOffset`, `{ ticks, minutes }`. A Date has milliseconds; ticks have 100 ns. */
export function toDate({ ticks, minutes = 0 }) {
    return new Date(Number((ticks - BigInt(minutes) * TICKS_PER_MINUTE - EPOCH_TICKS) / 10_000n));
}

/** A `DateTime` in UTC from a Date. */
export function fromDate(date) {
    return { ticks: EPOCH_TICKS + BigInt(date.getTime()) * 10_000n, kind: 1 };
}

/** Takes a type of the schema, such as `{s:[?i4]}?`, from its tokens. A question mark is before a value and after a reference. */
function parse(tokens) {
    let kind = tokens.shift();
    const type = { kind, parts: [], message: 0, isNullable: false };
    if (kind === "?") {
        type.parts.push(parse(tokens));
        return type;
    }
    if ("([{".includes(kind)) {
        while (!")]}".includes(tokens[0])) {
            if (tokens[0] === ":")
                tokens.shift(); // it separates a nullable key or item from the question mark of the next
            type.parts.push(parse(tokens));
        }
        tokens.shift();
    } else if (kind[0] === "m") {
        type.message = Number(kind.slice(1));
        type.kind = kind = "m";
    }
    if ("s[{m".includes(kind) && tokens[0] === "?") {
        tokens.shift();
        type.isNullable = true;
    }
    return type;
}

/** The contracts of one or more schema documents. Encodes and decodes values: messages are objects. */
export class Schema {
    /** The contracts, by id. */
    contracts = new Map();

    constructor(...documents) {
        for (const { format = 1, assembly } of documents) {
            if (format > FORMAT)
                throw new Error(`The schema of '${assembly}' has format ${format}; this client reads formats up to ${FORMAT}. Update the client.`);
        }
        for (const one of documents.flatMap(document => document.contracts)) {
            const fields = one.fields.map(field => ({
                number: field.number, name: field.name, type: parse(field.type.match(TOKEN)), shape: BigInt(`0x${field.shape}`), default: field.default ?? null, isComputed: field.computed ?? false,
            }));
            this.contracts.set(one.id, { ...one, isStruct: one.struct, layout: one.layout ?? null, reply: one.reply ?? one.item ?? null, fields });
        }
    }

    /** Fetches schema documents. */
    static async load(...urls) {
        return new Schema(...await Promise.all(urls.map(async url => {
            const response = await fetch(url);
            if (!response.ok)
                throw new Error(`The schema ${url} was not loaded: ${response.status} ${response.statusText}.`);
            return response.json();
        })));
    }

    /** Finds a contract by its id, its full name, or the end of its name if only one contract has it. */
    find(name) {
        const found = this.contracts.has(name) ? [this.contracts.get(name)] : [...this.contracts.values()].filter(one => one.name === name || one.name.endsWith(`.${name}`));
        if (found.length !== 1)
            throw new PayloadError(`The schema has ${found.length} contracts named '${name}': ${found.map(one => one.name).join(", ") || "none"}.`);
        return found[0];
    }

    /** Writes a message's payload. Throws a PayloadError. */
    encode(name, value = {}) {
        const contract = this.find(name);
        return guard(() => {
            const writer = new Writer(this);
            writer.message(contract, value, 1);
            return writer.bytes();
        }, `A value of ${contract.name} does not fit its contract: `);
    }

    /** Reads a message's payload. Throws a PayloadError. */
    decode(name, payload) {
        const contract = this.find(name);
        return guard(() => new Reader(this, payload).message(contract), `A payload of ${contract.name} is invalid for its contract: `);
    }

    /** The value of a field that a payload lacks. */
    missing(field) {
        const type = field.type.kind === "?" ? field.type.parts[0] : field.type;
        check(!field.isComputed, `${field.name} is missing, and code of .NET computes its default.`);
        if (field.default === null)
            return this.#zero(field.type, field.name);
        if (type.kind === "c2")
            return String.fromCharCode(field.default);
        if (type.kind === "d")
            return String(field.default);
        return typeof FIXED[type.kind]?.zero === "bigint" ? BigInt(field.default) : type.kind[0] === "f" ? Number(field.default) : field.default;
    }

    #zero(type, name) {
        if (type.isNullable || type.kind === "?")
            return null;
        if (type.kind === "m") {
            const contract = this.find(type.message);
            check(contract.isStruct, `${name} is missing, and has no default.`);
            return Object.fromEntries(contract.fields.map(field => [field.name, this.#zero(field.type, field.name)]));
        }
        switch (type.kind) {
            case "(": return type.parts.map(part => this.#zero(part, name));
            case "s": return "";
            case "{": return new Map();
            case "[": return type.parts[0].kind === "u1" ? new Uint8Array() : [];
            default: return FIXED[type.kind].read(new DataView(new ArrayBuffer(16)), 0);
        }
    }
}

function guard(run, prefix) {
    try {
        return run();
    } catch (error) {
        if (error instanceof WireError || error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError)
            throw new PayloadError(prefix + error.message, { cause: error });
        throw error;
    }
}

class Reader {
    constructor(schema, bytes) {
        this.schema = schema;
        this.bytes = bytes;
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        this.position = 0;
        this.end = bytes.length;
        this.depth = 0;
    }

    message(contract) {
        if (contract.kind === "union") {
            const tag = this.uvarint();
            const found = contract.fields.find(field => field.number === tag);
            check(found, `${contract.name} has no tag ${tag}.`);
            return { $type: found.name, ...this.message(this.schema.find(found.type.message)) };
        }
        const values = new Map();
        if (contract.kind === "tolerant")
            this.numbered(contract, values);
        else {
            for (const field of contract.fields) {
                if (this.position === this.end)
                    break;
                values.set(field.name, this.value(field.type));
            }
        }
        return Object.fromEntries(contract.fields.map(field => [field.name, values.has(field.name) ? values.get(field.name) : this.schema.missing(field)]));
    }

    numbered(contract, values) {
        for (let last = 0; this.position < this.end;) {
            const number = this.uvarint();
            const outer = this.enter(false);
            check(number > last && this.position < this.end, "A field is out of order or empty.");
            last = number;
            const field = contract.fields.find(one => one.number === number);
            if (field) {
                values.set(field.name, this.value(field.type));
                check(this.position === this.end, `Bytes follow the value of ${field.name}.`);
            }
            this.leave(outer);
        }
    }

    value(type) {
        const fixed = FIXED[type.kind];
        if (fixed)
            return fixed.read(this.view, this.take(fixed.size));
        if (type.kind === "(")
            return type.parts.map(part => this.value(part));
        if (type.kind === "?")
            return FIXED.b.read(this.view, this.take(1)) ? this.value(type.parts[0]) : null;
        if (type.kind === "m") {
            const outer = this.enter(type.isNullable);
            if (outer === null)
                return null;
            const message = this.message(this.schema.find(type.message));
            this.leave(outer);
            return message;
        }
        const size = this.length(type.isNullable);
        return size === null ? null : this.collection(type, size);
    }

    collection(type, size) {
        const [item, value] = type.parts;
        if (type.kind === "s" || item.kind === "u1" && type.kind === "[") {
            const start = this.take(size);
            return type.kind === "s" ? fromUtf8(this.bytes.subarray(start, start + size)) : this.bytes.slice(start, start + size);
        }
        if (type.kind === "[") {
            const items = [];
            for (let i = 0; i < size; i++)
                items.push(this.value(item));
            return items;
        }
        const [map, keys] = [new Map(), new Set()];
        for (let i = 0; i < size; i++) {
            const key = this.value(item);
            keys.add(isComparable(item) ? keyOf(item, key) : i);
            map.set(key, this.value(value));
        }
        check(keys.size === size, "A dictionary has a key twice.");
        return map;
    }

    /** A length or a count: an item has at least one byte. */
    length(isNullable) {
        const size = this.uvarint() - 1;
        check(isNullable || size >= 0, "A value is null, and must not be.");
        check(size <= this.end - this.position, "A length exceeds the bytes left.");
        return size < 0 ? null : size;
    }

    enter(isNullable) {
        const size = this.length(isNullable);
        if (size === null)
            return null;
        check(++this.depth < MAX_DEPTH, "Messages are too deep.");
        const outer = this.end;
        this.end = this.position + size;
        return outer;
    }

    leave(outer) {
        this.depth--;
        this.position = this.end;
        this.end = outer;
    }

    uvarint() {
        let value;
        [value, this.position] = readUvarint(this.bytes, this.position, this.end);
        return value;
    }

    take(size) {
        check(size <= this.end - this.position, "The payload ends inside a value.");
        this.position += size;
        return this.position - size;
    }
}

class Writer {
    #out = new Uint8Array(256);
    #length = 0;

    constructor(schema) {
        this.schema = schema;
    }

    bytes() {
        return this.#out.slice(0, this.#length);
    }

    message(contract, value, depth) {
        check(depth <= MAX_DEPTH, `More than ${MAX_DEPTH} messages are inside each other.`);
        if (contract.kind === "union") {
            const { $type: name, ...rest } = value;
            const found = contract.fields.find(field => field.name === name || field.name.endsWith(`.${name}`));
            check(found, `${contract.name} has no type '${name}'. Set the key '$type'.`);
            this.put(writeUvarint(found.number));
            return this.message(this.schema.find(found.type.message), rest, depth);
        }
        const unknown = Object.keys(value).filter(key => !contract.fields.some(field => field.name === key));
        check(unknown.length === 0, `${contract.name} has no field ${unknown.join(", ")}.`);
        for (const field of contract.fields) {
            const one = value[field.name] === undefined ? this.schema.missing(field) : value[field.name];
            const write = inside => this.value(field.type, one, `${contract.name}.${field.name}`, inside);
            if (contract.kind === "tolerant") {
                this.put(writeUvarint(field.number));
                this.nested(() => write(depth + 1));
            } else
                write(depth);
        }
    }

    /** Writes a length before what a function writes. */
    nested(write) {
        const [out, length] = [this.#out, this.#length];
        [this.#out, this.#length] = [new Uint8Array(64), 0];
        write();
        const inside = this.bytes();
        [this.#out, this.#length] = [out, length];
        this.put(writeUvarint(inside.length + 1));
        this.put(inside);
    }

    value(type, value, where, depth) {
        const fixed = FIXED[type.kind];
        if (value === null) {
            check(type.isNullable || type.kind === "?", `${where} is null, and must not be.`);
            this.put([0]);
        } else if (type.kind === "?") {
            this.put([1]);
            this.value(type.parts[0], value, where, depth);
        } else if (fixed) {
            const start = this.reserve(fixed.size);
            check(fixed.write(new DataView(this.#out.buffer), start, value) !== false, `${where} is ${String(value)}, which is out of range or of another type.`);
        } else if (type.kind === "m") {
            this.nested(() => this.message(this.schema.find(type.message), value, depth + 1));
        } else if (type.kind === "s") {
            const bytes = toUtf8(value);
            this.put(writeUvarint(bytes.length + 1));
            this.put(bytes);
        } else {
            const items = [...value];
            check(type.kind !== "(" || items.length === type.parts.length, `${where} has ${items.length} fields instead of ${type.parts.length}.`);
            if (type.kind !== "(")
                this.put(writeUvarint(items.length + 1));
            items.forEach((item, i) => {
                if (type.kind === "{")
                    type.parts.forEach((part, n) => this.value(part, item[n], where, depth));
                else
                    this.value(type.parts[type.kind === "(" ? i : 0], item, where, depth);
            });
            if (type.kind === "{")
                check(new Set(items.map(([key], i) => isComparable(type.parts[0]) ? keyOf(type.parts[0], key) : i)).size === items.length, `${where} has a key twice.`);
        }
    }

    put(bytes) {
        const start = this.reserve(bytes.length); // first: it may replace the array
        this.#out.set(bytes, start);
    }

    reserve(size) {
        if (this.#length + size > this.#out.length) {
            const larger = new Uint8Array(Math.max(2 * this.#out.length, this.#length + size));
            larger.set(this.#out);
            this.#out = larger;
        }
        this.#length += size;
        return this.#length - size;
    }
}

/** Whether .NET compares values of a type by what they contain. It compares messages as objects. */
function isComparable(type) {
    return type.kind !== "m" && type.parts.every(isComparable);
}

/** What makes two keys equal in .NET: every NaN, decimals by value, times by their moment, structs by their fields. */
function keyOf(type, key) {
    switch (type.kind) {
        case "(": return JSON.stringify(type.parts.map((part, i) => [typeof key[i], String(keyOf(part, key[i]))]));
        case "t": return key.ticks;
        case "to": return key.ticks - BigInt(key.minutes) * TICKS_PER_MINUTE;
        case "d": return key.replace(/\.0*$|(\.\d*?)0+$/, "$1").replace(/^-0$/, "0");
        default: return key; // a Set treats 0 and -0 as equal, and all NaN
    }
}

function integer(size, signed) {
    const name = `${signed ? "Int" : "Uint"}${8 * size}`;
    const [least, most] = signed ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1];
    return {
        size, zero: 0,
        read: (view, at) => view[`get${name}`](at, true),
        write: (view, at, value) => Number.isInteger(value) && value >= least && value <= most && void view[`set${name}`](at, value, true),
    };
}

/** Integers of 64 and 128 bits. */
function large(size, signed, least = null, most = null) {
    const clip = signed ? BigInt.asIntN : BigInt.asUintN;
    const isValid = value => clip(8 * size, value) === value && (least === null || value >= least && value <= most);
    return {
        size, zero: 0n,
        read(view, at) {
            let value = 0n;
            for (let i = size - 8; i >= 0; i -= 8)
                value = value << 64n | view.getBigUint64(at + i, true);
            value = clip(8 * size, value);
            check(isValid(value), "A time is out of range.");
            return value;
        },
        write(view, at, given) {
            const value = BigInt(given);
            for (let i = 0; i < size; i += 8)
                view.setBigUint64(at + i, BigInt.asUintN(64, value >> BigInt(8 * i)), true);
            return isValid(value);
        },
    };
}

function float(size) {
    return { size, zero: 0, read: (view, at) => view[`getFloat${8 * size}`](at, true), write: (view, at, value) => typeof value === "number" && void view[`setFloat${8 * size}`](at, value, true) };
}

function readHalf(view, at) {
    const bits = view.getUint16(at, true);
    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, bits >> 10 & 31, bits & 1023];
    return sign * (exponent === 31 ? fraction ? NaN : Infinity : exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Rounds to the nearest half, and to the even one of two. */
function writeHalf(view, at, value) {
    const size = Math.abs(value);
    let exponent = -14;
    while (size >= 2 ** (exponent + 1) && exponent < 15)
        exponent++;
    const exact = size / 2 ** (exponent - 10);
    const floor = Math.floor(exact);
    const rounded = floor + (exact - floor > 0.5 || exact - floor === 0.5 && floor % 2 === 1 ? 1 : 0);
    const bits = Number.isNaN(value) ? 0x7E00 : size >= 65520 ? 0x7C00 : (exponent + 14 << 10) + rounded;
    view.setUint16(at, bits | (value < 0 || Object.is(value, -0) ? 0x8000 : 0), true);
    return typeof value === "number";
}

/** The values of a fixed size: the size, how to read one, and how to write one (false: out of range). */
const FIXED = {
    i1: integer(1, true), i2: integer(2, true), i4: integer(4, true), u1: integer(1, false), u2: integer(2, false), u4: integer(4, false),
    i8: large(8, true), u8: large(8, false), i16: large(16, true), u16: large(16, false), ts: large(8, true), tt: large(8, true, 0n, 863999999999n),
    f4: float(4), f8: float(8), f2: { size: 2, zero: 0, read: readHalf, write: writeHalf },
    c2: { size: 2, read: (view, at) => String.fromCharCode(view.getUint16(at, true)), write: (view, at, value) => value.length === 1 && void view.setUint16(at, value.charCodeAt(0), true) },
    b: {
        size: 1,
        read(view, at) {
            check(view.getUint8(at) <= 1, "A bool is not 0 or 1.");
            return view.getUint8(at) === 1;
        },
        write: (view, at, value) => typeof value === "boolean" && void view.setUint8(at, value ? 1 : 0),
    },
    dd: {
        size: 4,
        read(view, at) {
            const days = view.getInt32(at, true);
            check(days >= 0 && days <= 3652058, "A date is out of range.");
            return days;
        },
        write: (view, at, value) => Number.isInteger(value) && value >= 0 && value <= 3652058 && void view.setInt32(at, value, true),
    },
    g: {
        size: 16,
        read(view, at) {
            const hex = (value, digits) => value.toString(16).padStart(digits, "0");
            const last = hex(view.getBigUint64(at + 8, false), 16);
            return `${hex(view.getUint32(at, true), 8)}-${hex(view.getUint16(at + 4, true), 4)}-${hex(view.getUint16(at + 6, true), 4)}-${last.slice(0, 4)}-${last.slice(4)}`;
        },
        write(view, at, value) {
            const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i.exec(value);
            if (!parts)
                return false;
            view.setUint32(at, parseInt(parts[1], 16), true);
            view.setUint16(at + 4, parseInt(parts[2], 16), true);
            view.setUint16(at + 6, parseInt(parts[3], 16), true);
            view.setBigUint64(at + 8, BigInt(`0x${parts[4]}${parts[5]}`), false);
        },
    },
    d: {
        size: 16,
        read(view, at) {
            const number = view.getBigUint64(at, true) | BigInt(view.getUint32(at + 8, true)) << 64n;
            const flags = view.getUint32(at + 12, true);
            const scale = flags >> 16 & 0xFF;
            check(scale <= 28 && (flags & 0x7F00FFFF) === 0, "A decimal has an invalid scale.");
            const digits = number.toString().padStart(scale + 1, "0");
            return `${flags >>> 31 ? "-" : ""}${digits.slice(0, digits.length - scale)}${scale ? `.${digits.slice(-scale)}` : ""}`;
        },
        write(view, at, value) {
            const parts = /^(-?)(\d+)(?:\.(\d{1,28}))?$/.exec(String(value));
            const number = parts && BigInt(parts[2] + (parts[3] ?? ""));
            if (!parts || number >> 96n)
                return false;
            view.setBigUint64(at, BigInt.asUintN(64, number), true);
            view.setUint32(at + 8, Number(number >> 64n), true);
            view.setUint32(at + 12, (parts[3]?.length ?? 0) << 16 | (parts[1] ? 0x80000000 : 0), true);
        },
    },
    t: {
        size: 8,
        read(view, at) {
            const bits = view.getBigUint64(at, true);
            const [ticks, kind] = [BigInt.asUintN(62, bits), Number(bits >> 62n)];
            check(ticks <= MAX_TICKS && kind <= 2, "A time is out of range.");
            return { ticks, kind };
        },
        write(view, at, { ticks, kind }) {
            view.setBigUint64(at, BigInt.asUintN(64, BigInt(ticks) | BigInt(kind) << 62n), true);
            return ticks >= 0 && ticks <= MAX_TICKS && [0, 1, 2].includes(kind);
        },
    },
    to: {
        size: 10,
        read(view, at) {
            const [ticks, minutes] = [view.getBigInt64(at, true), view.getInt16(at + 8, true)];
            check(isMoment(ticks, minutes), "A time is out of range.");
            return { ticks, minutes };
        },
        write(view, at, { ticks, minutes }) {
            view.setBigInt64(at, BigInt(ticks), true);
            view.setInt16(at + 8, minutes, true);
            return isMoment(BigInt(ticks), minutes);
        },
    },
};

function isMoment(ticks, minutes) {
    const utc = ticks - BigInt(minutes) * TICKS_PER_MINUTE;
    return Math.abs(minutes) <= 840 && ticks >= 0n && ticks <= MAX_TICKS && utc >= 0n && utc <= MAX_TICKS;
}
