/** What this side produces for the server in blocks: the items of a stream, or the bytes of a file. The server requests the blocks. The client loads this file with the first stream or file. */

import { Fault } from "./errors.js";
import { Waiters } from "./waits.js";
import { concat, writeHeader, writeUvarint } from "./wire.js";

const MAX_STREAMS = 64;
const BLOCK_SIZE = 64 * 1024; // of items; a larger item is sent alone
const OVERHEAD = 32; // bytes of a block that are not its contents

/** Something that is produced. Requests for blocks are answered in their order. A subclass has `take(size)`, which resolves with the next block, and with null at the end. */
export class Outgoing {
    isClosed = false;
    ended; // a promise

    #order = Promise.resolve();
    #resolve;

    constructor() {
        this.ended = new Promise(resolve => this.#resolve = resolve);
    }

    /** Returns the payload of the reply to a request for a block. A size of 0 or less closes the stream. */
    pull(size) {
        if (size <= 0)
            this.close();
        const block = this.#order.then(() => this.isClosed ? null : this.take(size)).catch(error => {
            this.close();
            throw error;
        });
        this.#order = block.catch(() => {}); // the answer to this request reports it
        return block.then(bytes => {
            if (!bytes?.length)
                this.close();
            return bytes?.length ? concat([0], bytes) : [1];
        });
    }

    close() {
        this.isClosed = true;
        this.#resolve();
    }
}

/** The items of a handler. One block is prepared in advance, so a slow consumer stops the handler. */
class OutgoingItems extends Outgoing {
    #frames = [];
    #size = 0;
    #hasEnded = false;
    #error = null;
    #waiting = new Waiters(); // for an item, for a request, or for the end
    #call;

    constructor(items, frame, largest, call) {
        super();
        this.#call = call;
        this.#produce(items, frame, largest);
    }

    async take() {
        while (this.#size === 0 && !this.#hasEnded)
            await this.#waiting.wait();
        if (this.#size === 0 && this.#error)
            throw this.#error;
        const block = concat(...this.#frames.splice(0));
        this.#size = 0;
        this.#waiting.wake();
        return block;
    }

    close() {
        super.close();
        this.#call.cancel("The server closed the stream.");
        this.#waiting.wake();
    }

    async #produce(items, frame, largest) {
        const limit = Math.min(BLOCK_SIZE, largest);
        try {
            for await (const item of items) {
                const bytes = frame(item);
                if (bytes.length > largest)
                    throw new Fault(4, `An item has ${bytes.length} bytes; the server accepts at most ${largest}.`);
                while (this.#size > 0 && this.#size + bytes.length > limit && !this.isClosed)
                    await this.#waiting.wait();
                if (this.isClosed)
                    break; // the loop closes the generator
                this.#frames.push(bytes);
                this.#size += bytes.length;
                this.#waiting.wake();
            }
        } catch (error) {
            this.#error = error ?? new Error("The stream failed.");
        }
        this.#hasEnded = true;
        this.#waiting.wake();
    }
}

/** Adds something that is produced, and returns its number. */
export function addOutgoing(session, one) {
    const number = ++session.lastOutgoing;
    session.outgoings.set(number, one);
    one.ended.then(() => session.outgoings.delete(number));
    return number;
}

/** Throws a Fault if the server reads as many streams and files as it may. */
export function checkStreams(session) {
    if (session.outgoings.size >= MAX_STREAMS)
        throw new Fault(6, `There are ${MAX_STREAMS} open streams and file transfers.`);
}

/** Returns what is produced under a number; undefined if it has ended. */
export function findOutgoing(session, number) {
    if (number < 1 || number > session.lastOutgoing)
        throw new Fault(3, `There is no stream with the number ${number}.`);
    return session.outgoings.get(number);
}

/** Opens a stream of the items of a handler. Returns its number. */
export function openStream(session, payloads, item, handle, value) {
    const frame = one => {
        const [payload, size] = payloads.write(item, one);
        const header = writeHeader({ type: item.id, size });
        return concat(writeUvarint(header.length + payload.length), header, payload);
    };
    session.contracts.check(item);
    checkStreams(session);
    const call = session.createCall(); // the stream outlives the call that opens it
    return addOutgoing(session, new OutgoingItems(handle(value, call), frame, session.largest - OVERHEAD, call));
}

/** Answers a request for a block. */
export function answerPull([payload, size], session) {
    if (payload.length !== 8 || size !== null)
        throw new Fault(3, "A request for a block is invalid.");
    const view = new DataView(payload.buffer, payload.byteOffset);
    const outgoing = findOutgoing(session, view.getUint32(0, true));
    return outgoing ? outgoing.pull(Math.min(view.getInt32(4, true), session.largest - OVERHEAD)) : [1];
}
