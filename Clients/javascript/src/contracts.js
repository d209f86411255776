/** The contracts of both sides of a connection, and the payloads by them. */

import { THRESHOLD } from "./compression.js";
import { ContractMismatch, PayloadError } from "./errors.js";
import { findMismatch, prepareComparison } from "./handshake.js";
import { MAX_HEADER, MAX_MESSAGE_SIZE, check } from "./wire.js";

const MAX_CONTRACTS = 4096; // contracts that a server may announce
const MAX_ANNOUNCED = 512 * 1024; // characters of the names, layouts and shapes that a server may announce

/** The contracts that a server has announced over one connection. */
export class RemoteContracts {
    #schema;
    #told = new Map();
    #mismatches = new Map(); // of the contracts that were compared

    constructor(schema) {
        this.#schema = schema;
    }

    /** Whether the server reads layouts. */
    get hasLayouts() {
        return [...this.#told.values()].some(one => one.layouts !== null);
    }

    /** Throws a ContractMismatch if the server announced another contract. Each contract is compared once. */
    check(contract) {
        if (!this.#mismatches.has(contract.id))
            this.#mismatches.set(contract.id, findMismatch(this.#schema, [contract], this.#told));
        const mismatch = this.#mismatches.get(contract.id);
        if (mismatch)
            throw new ContractMismatch(mismatch.here, mismatch.path);
    }

    /** Throws a ContractMismatch if the server announced another contract of the items of a request, or handles the request without these items. */
    checkItems(request, item) {
        this.check(item);
        if (this.#told.has(request.id) && !this.#told.has(item.id))
            throw new ContractMismatch(`The server handles ${request.name}, but reads no items ${item.name} (id ${item.id}) with it.`);
    }

    /** Keeps contracts that the server announced. Returns what has to be loaded before they can be compared: a promise, or null. Throws a WireError if there are too many. */
    learn(contracts) {
        const told = new Map([...this.#told, ...contracts]);
        const layouts = new Set([...told.values()].map(one => one.layouts));
        let size = 0;
        for (const text of layouts)
            size += text?.length ?? 0;
        for (const one of told.values())
            size += one.name.length + 8 * one.shape.length;
        check(told.size <= MAX_CONTRACTS, `The server announced more than ${MAX_CONTRACTS} contracts.`);
        check(size <= MAX_ANNOUNCED, `The contracts that the server announced have more than ${MAX_ANNOUNCED} characters.`);
        this.#told = told;
        this.#mismatches.clear();
        return prepareComparison(this.#schema, contracts);
    }

    /** Returns the first difference between contracts of this side and those that were learned; null if there is none. */
    findMismatch(own, contracts) {
        return findMismatch(this.#schema, own, contracts);
    }
}

/** Finds a contract that is sent or handled as an event. Throws a PayloadError, also if it is that of a request. */
export function findEvent(schema, name) {
    const contract = schema.find(name);
    if (contract.role === "request" || contract.role === "stream")
        throw new PayloadError(`${contract.name} is a request, and not an event. Use request or stream to send it, and onRequest or onStream to answer it.`);
    return contract;
}

/** The payloads of a client: encoding with compression, and decoding. */
export class Payloads {
    constructor(schema, compressors, decompressors) {
        this.schema = schema;
        this.compressors = compressors;
        this.decompressors = decompressors;
    }

    /** Returns a payload, and its size after decompression; null for a plain payload. Throws a PayloadError. */
    write(contract, value) {
        const payload = this.schema.encode(contract.id, value);
        const compress = payload.length < THRESHOLD ? null : this.compressors[contract.compressor];
        const compressed = compress?.(payload);
        return compressed?.length < payload.length ? [compressed, payload.length] : [payload, null];
    }

    /** Returns a plain payload, or a promise of it where the platform decompresses in the background. Throws a PayloadError. */
    expand(contract, payload, size) {
        if (size === null)
            return payload;
        const decompress = this.decompressors[contract.compressor];
        if (!decompress || size > MAX_MESSAGE_SIZE)
            throw new PayloadError(`${contract.name} is compressed by ${contract.compressor}, for which this client has no function in decompressors, or is too large.`);
        const fail = error => {
            throw new PayloadError(`A payload of ${contract.name} cannot be decompressed: ${error.message}`, { cause: error });
        };
        try {
            const plain = decompress(payload, size);
            return plain instanceof Promise ? plain.catch(fail) : plain;
        } catch (error) {
            return fail(error);
        }
    }
}

/** Throws a PayloadError if a message may exceed the limit of the server. */
export function checkSize(name, payload, largest) {
    if (payload.length + MAX_HEADER > largest)
        throw new PayloadError(`The message ${name} has ${payload.length} bytes; the server accepts at most ${largest}, with the header.`);
}
