/** Streams that this side reads in blocks, and their items. */

import { ConnectionError, Fault, PayloadError } from "./errors.js";
import { abortable } from "./waits.js";
import { BLOCK, BLOCK_REPLY, Kind, MAX_SIZE, STREAM, WireError, check, readFault, readFrame, readHeader } from "./wire.js";

const ITEMS_BLOCK = 64 * 1024;
const WINDOW = 4; // blocks that are requested in advance
const OVER_RATE = 12; // the code of a fault

/** Reads a fault of the server. Throws a PayloadError if it cannot be read. */
export function remoteFault(payload) {
    try {
        const { code, text } = readFault(payload);
        return new Fault(code, text, true);
    } catch (error) {
        throw new PayloadError(`A fault of the server cannot be read. ${error.message}`, { cause: error });
    }
}

/** The number of a stream, from the payload of a reply. */
export const numberOf = payload => new DataView(payload.buffer, payload.byteOffset).getUint32(0, true);

/** Sends a request of the library over one connection. `opens` is that of `Requests.add`. */
export function start(session, type, payload, opens = 0) {
    const [pending, { ended }] = [session.requests.add(type, payload, { opens }), session.connection];
    if (ended)
        pending.reject(new ConnectionError(ended.reason, ended.text));
    else
        session.requests.send(pending, session);
    return pending;
}

/** Requests a block or a report: a number, and a size or an action. */
export function startPull(session, type, number, value) {
    const payload = new DataView(new ArrayBuffer(8));
    payload.setUint32(0, number, true);
    payload.setInt32(4, value, true);
    return start(session, type, new Uint8Array(payload.buffer));
}

/** A stream of the server. The number is that of the stream or, for the items of a request, the correlation id of the request. */
export class IncomingStream {
    #session;
    #number;
    #size;
    #type;
    #pulls = [];
    #hasEnded = false;

    constructor(session, number, size = ITEMS_BLOCK, type = BLOCK) {
        [this.#session, this.#number, this.#size, this.#type] = [session, number, size, type];
    }

    /** The next block; null at the end. Rejects with a Fault, a PayloadError or a ConnectionError. */
    async read(signal) {
        if (this.#hasEnded)
            throw new Error("The stream has ended, or was closed. Read the items of a request before its handler completes.");
        while (this.#pulls.length < WINDOW) {
            await abortable(this.#session.connection.waitForRoom(), signal);
            this.#pulls.push(this.#request(this.#size));
        }
        const [header, payload] = await abortable(this.#pulls[0].reply, signal);
        this.#session.requests.remove(this.#pulls.shift());
        const isEnd = payload.length === 1 && payload[0] === 1;
        const fault = header.kind === Kind.FAULT ? remoteFault(payload) : null;
        this.#hasEnded = isEnd || fault !== null && fault.code !== OVER_RATE; // a server that drops a request keeps the stream until it is closed
        if (fault)
            throw fault;
        if (header.type !== BLOCK_REPLY || header.size !== null || !isEnd && (payload[0] !== 0 || payload.length < 2))
            throw new PayloadError("A block of a stream is invalid.");
        return isEnd ? null : payload.subarray(1);
    }

    /** Closes the stream on both sides. Blocks that are under way are dropped. */
    close() {
        if (!this.#hasEnded && !this.#session.connection.ended)
            this.#pulls.push(this.#request(0));
        this.#hasEnded = true;
        for (const pull of this.#pulls.splice(0)) {
            pull.reject(new Error("The stream was closed."));
            this.#session.requests.remove(pull);
        }
    }

    #request(size) {
        return startPull(this.#session, this.#type, this.#number, size);
    }
}

/** Reads the items of a stream, and closes it. `item` is their contract, as far as the schema names it. */
export async function* readItems(session, payloads, stream, item, signal) {
    try {
        for (let block; (block = await stream.read(signal)) !== null;) {
            for (let position = 0; position < block.length;) {
                const frame = readFrame(block, position, MAX_SIZE);
                check(frame, "An item of a stream is not complete.");
                position = frame[1];
                const [header, start] = readHeader(frame[0]);
                if (header.kind !== Kind.EVENT || item && header.type !== item.id)
                    throw new PayloadError(`An item of a stream has the type ${header.type}, and not that of ${item?.name ?? "an item"}.`);
                const contract = payloads.schema.find(header.type);
                session.contracts.check(contract);
                const plain = payloads.expand(contract, frame[0].subarray(start), header.size);
                yield payloads.schema.decode(contract.id, plain instanceof Promise ? await plain : plain);
            }
        }
    } catch (error) {
        throw error instanceof WireError ? new PayloadError(`A stream cannot be read. ${error.message}`, { cause: error }) : error;
    } finally {
        stream.close();
    }
}
