/** An exported schema, which describes the messages: docs/specification/schema.md. */

import { PayloadError } from "./errors.js";
import { Reader, Writer } from "./payloads.js";
import { FIXED, TICKS_PER_MINUTE } from "./values.js";
import { WireError, check } from "./wire.js";

const FORMAT = 2; // of the schemas that this client reads
const EPOCH_TICKS = 621355968000000000n; // of 1970-01-01
const TOKEN = /[iu]16|[iufc]\d|t[sot]|dd|m\d+|[gbdts?()[\]{}:]/g;

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
            this.contracts.set(one.id, { ...one, isStruct: one.struct, compressor: one.compressor && (one.compressorName ?? one.compressor), layout: one.layout ?? null, reply: one.reply ?? one.item ?? null, fields });
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
        if (found.length === 0)
            throw new PayloadError(`The schema has no contract '${name}'. It has ${[...this.contracts.values()].map(one => one.name).join(", ") || "none"}.`);
        if (found.length > 1)
            throw new PayloadError(`The schema has ${found.length} contracts named '${name}': ${found.map(one => one.name).join(", ")}. Write more of the name.`);
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
