/** Payloads of generated serializers, by the contracts of a schema: docs/specification/binary-format.md. */

import { check, fromUtf8, readUvarint, toUtf8, writeUvarint } from "./wire.js";
import { FIXED, isComparable, keyOf } from "./values.js";

const MAX_DEPTH = 64;

export class Reader {
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
        for (let last = -1; this.position < this.end;) {
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

const tagOf = value => Object.prototype.toString.call(value);

/** Whether a value has fields by name. A Map, a date or a promise would be sent as a message of defaults. A tag of the object itself is skipped. */
const isRecord = value => Object(value) === value && tagOf(Object.hasOwn(value, Symbol.toStringTag) ? Object.create(Object.getPrototypeOf(value)) : value) === "[object Object]";

/** A value in the text of an error. */
function textOf(value) {
    const text = Object(value) === value ? tagOf(value) : String(value);
    const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    return typeof value === "string" ? `the text '${short}'` : short;
}

export class Writer {
    #out = new Uint8Array(256);
    #length = 0;

    constructor(schema) {
        this.schema = schema;
    }

    bytes() {
        return this.#out.slice(0, this.#length);
    }

    message(contract, value, depth, where = contract.name, isCase = false) {
        check(isRecord(value), `${where} is ${textOf(value)}, and must be an object.`);
        check(depth <= MAX_DEPTH, `More than ${MAX_DEPTH} messages are inside each other.`);
        if (contract.kind === "union") {
            const name = value.$type;
            const ends = contract.fields.filter(field => field.name.endsWith(typeof name === "string" ? `.${name}` : " "));
            const found = contract.fields.find(field => field.name === name) ?? (ends[1] ? null : ends[0]);
            check(found, `${where} has ${ends[0] ? "several types" : "no type"} ${textOf(name)}. Set the key '$type'.`);
            this.put(writeUvarint(found.number));
            return this.message(this.schema.find(found.type.message), value, depth, where, true);
        }
        const unknown = Object.keys(value).filter(key => !(isCase && key === "$type") && !contract.fields.some(field => field.name === key));
        check(unknown.length === 0, `${contract.name} has no field ${unknown.join(", ")}${where === contract.name ? "" : ` (${where})`}.`);
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
        check(value !== undefined, `${where} is undefined.`);
        if (value === null) {
            check(type.isNullable || type.kind === "?", `${where} is null, and must not be.`);
            this.put([0]);
        } else if (type.kind === "?") {
            this.put([1]);
            this.value(type.parts[0], value, where, depth);
        } else if (fixed) {
            const start = this.reserve(fixed.size);
            check(fixed.write(new DataView(this.#out.buffer), start, value) !== false, `${where} is ${textOf(value)}, which is out of range or of another type.`);
        } else if (type.kind === "m") {
            this.nested(() => this.message(this.schema.find(type.message), value, depth + 1, where));
        } else if (type.kind === "s") {
            const bytes = toUtf8(value, `${where} is ${textOf(value)}, which`);
            this.put(writeUvarint(bytes.length + 1));
            this.put(bytes);
        } else {
            const isStruct = Array.isArray(value) || ArrayBuffer.isView(value); // a Set or a Map has no fields in an order
            check(typeof value === "object" && typeof value[Symbol.iterator] === "function" && (type.kind !== "(" || isStruct), `${where} is ${textOf(value)}, and must be ${type.kind === "{" ? "a Map" : "an array"}.`);
            const items = [...value];
            check(type.kind !== "{" || items.every(item => Array.isArray(item) && item.length === 2), `${where} must be a Map, or pairs of a key and a value.`);
            check(type.kind !== "(" || items.length === type.parts.length, `${where} has ${items.length} fields instead of ${type.parts.length}.`);
            if (type.kind !== "(")
                this.put(writeUvarint(items.length + 1));
            const keys = new Set();
            items.forEach((item, i) => {
                if (type.kind === "{") {
                    const start = this.#length;
                    this.value(type.parts[0], item[0], where, depth);
                    keys.add(isComparable(type.parts[0]) ? keyOf(type.parts[0], new Reader(this.schema, this.#out.subarray(start, this.#length)).value(type.parts[0])) : i); // as the receiver reads it
                    this.value(type.parts[1], item[1], where, depth);
                } else
                    this.value(type.parts[type.kind === "(" ? i : 0], item, where, depth);
            });
            check(type.kind !== "{" || keys.size === items.length, `${where} has a key twice.`);
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
