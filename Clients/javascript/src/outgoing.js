/** What this side produces for the server in blocks: the items of a stream or of a request, or the bytes of a file. The server requests the blocks. The client loads this file with the first of them. */

import { Fault } from "./errors.js";
import { IncomingStream, readItems } from "./streams.js";
import { Waiters, abortable } from "./waits.js";
import { ITEM_BLOCK, concat, writeHeader, writeUvarint } from "./wire.js";

const MAX_STREAMS = 64;
const BLOCK_SIZE = 64 * 1024; // of items; a larger item is sent alone
export const OVERHEAD = 32; // bytes of a block that are not its contents
const CANCELED = 5; // the code of a fault

/** Something that is produced. Requests for blocks are answered in their order. A subclass has `take(size)`, which resolves with the next block, and with null at the end. */
export class Outgoing {
    isClosed = false;
    isAborted = false; // by the end of the request whose items these are: the server gets a fault in place of the end
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
            if (bytes?.length)
                return concat([0], bytes);
            this.close();
            if (this.isAborted)
                throw new Fault(CANCELED, "The requester no longer waits for the reply.");
            return [1];
        });
    }

    close() {
        this.isClosed = true;
        this.#resolve();
    }
}

/** The items of a handler, or of a request. Their source begins with the first request for a block. One block is prepared in advance, so a slow consumer stops the source. */
class OutgoingItems extends Outgoing {
    #open;
    #frame;
    #largest;
    #call;
    #correlation = -1; // of the request that sends the items
    #hasStarted = false;
    #source = null;
    #frames = [];
    #size = 0;
    #hasEnded = false;
    #error = null;
    #waiting = new Waiters(); // for an item, for a request, or for the end

    /** `open` returns the source, an iterable. `call` is canceled when the items are closed. */
    constructor(session, open, frame, call) {
        super();
        [this.session, this.#open, this.#frame, this.#call] = [session, open, frame, call];
        this.#largest = session.largest - OVERHEAD;
    }

    /** Lets the handler of a request read the items, until they are aborted. */
    offer(correlation) {
        this.#correlation = correlation;
        this.session.items.set(correlation, this);
    }

    async take() {
        if (!this.#hasStarted)
            this.#produce();
        while (this.#size === 0 && !this.#hasEnded && !this.isClosed)
            await this.#waiting.wait();
        if (this.isClosed)
            return null;
        if (this.#size === 0 && this.#error)
            throw this.#error;
        const block = concat(...this.#frames.splice(0));
        this.#size = 0;
        this.#waiting.wake();
        return block;
    }

    close() {
        if (this.isClosed)
            return;
        super.close();
        this.#call.cancel("The server reads no more items.");
        this.#waiting.wake();
        this.#leave();
    }

    /** Closes the items of a request that has ended. Returns the error of their source, or null. */
    abort() {
        this.session.items.delete(this.#correlation);
        this.isAborted = true;
        this.close();
        return this.#error;
    }

    async #produce() {
        const limit = Math.min(BLOCK_SIZE, this.#largest);
        this.#hasStarted = true;
        try {
            const items = this.#open();
            const source = this.#source = items[Symbol.asyncIterator]?.() ?? items[Symbol.iterator]();
            for (let item; !this.isClosed && !(item = await source.next()).done && !this.isClosed;) {
                const bytes = this.#frame(await item.value);
                if (bytes.length > this.#largest)
                    throw new Fault(4, `An item has ${bytes.length} bytes; the server accepts at most ${this.#largest}.`);
                while (this.#size > 0 && this.#size + bytes.length > limit && !this.isClosed)
                    await this.#waiting.wait();
                this.#frames.push(bytes);
                this.#size += bytes.length;
                this.#waiting.wake();
            }
        } catch (error) {
            this.#fail(error ?? new Error("The source of the items failed."));
        }
        this.#hasEnded = true;
        this.#waiting.wake();
    }

    /** Ends the source, once. A generator ends when it yields; a source that waits for longer has the signal of its call. */
    async #leave() {
        try {
            const source = this.#source;
            this.#source = null;
            await source?.return?.();
        } catch (error) {
            this.#fail(error);
        }
    }

    #fail(error) {
        if (!this.isClosed) {
            this.#error = error;
            this.#leave();
        } else if (error !== this.#call.signal.reason)
            this.session.report(error); // no caller waits for it
    }
}

/** Adds something that is produced, and returns its number. `isOpened` says that the server has opened it, after `enter`. */
export function addOutgoing(session, one, isOpened = false) {
    const number = ++session.lastOutgoing;
    session.outgoings.set(number, one);
    one.ended.then(() => {
        session.outgoings.delete(number);
        session.opened -= isOpened;
    });
    return number;
}

/** Counts what the server has opened, until it ends. Throws a Fault if the server has opened as much as it may. */
export function enter(session) {
    if (session.opened >= MAX_STREAMS)
        throw new Fault(6, `The server has ${MAX_STREAMS} open streams and file transfers.`);
    session.opened++;
}

/** Returns what is produced under a number; undefined if it has ended. */
export function findOutgoing(session, number) {
    if (number < 1 || number > session.lastOutgoing)
        throw new Fault(3, `There is no stream with the number ${number}.`);
    return session.outgoings.get(number);
}

/** Returns a function that writes an item as a frame. */
export const framer = (payloads, item) => value => {
    const [payload, size] = payloads.write(item, value);
    const header = writeHeader({ type: item.id, size });
    return concat(writeUvarint(header.length + payload.length), header, payload);
};

/** The items that arrive with a request, for its handler. They can be enumerated once, until the handler has completed. */
class ReceivedItems {
    #session;
    #payloads;
    #stream;
    #item;
    #call;
    #isRead = false;
    #hasEnded = false;

    /** `call` is that of the handler. It is canceled when the server no longer waits for the reply. */
    constructor(session, payloads, correlation, item, call) {
        [this.#session, this.#payloads, this.#item, this.#call] = [session, payloads, item, call];
        this.#stream = new IncomingStream(session, correlation, undefined, ITEM_BLOCK);
    }

    [Symbol.asyncIterator]() {
        if (this.#isRead || this.#hasEnded)
            throw new Error(`The items ${this.#item.name} of a request ${this.#isRead ? "are already enumerated" : "have ended with its handler"}. They arrive once. Enumerate them once, before the handler completes.`);
        this.#isRead = true;
        return this.#read();
    }

    /** Ends the items for a handler that has completed. */
    close() {
        this.#hasEnded = true;
        if (this.#isRead)
            this.#stream.close();
    }

    async *#read() {
        try {
            yield* readItems(this.#session, this.#payloads, this.#stream, this.#item, this.#call.signal);
        } catch (error) {
            if (!(error instanceof Fault && error.code === CANCELED))
                throw error; // at the end of the connection, the reason of the signal
            this.#call.cancel("The server no longer waits for the reply.");
            throw this.#call.signal.reason;
        }
    }
}

/** Opens a stream of the items of a handler. `received` is the contract of the items that arrive with the request, or null. Returns the number of the stream. */
export function openStream(session, payloads, item, received, handle, value, opening) {
    const { correlation } = opening;
    session.contracts.check(item);
    enter(session);
    try {
        const call = session.createCall(correlation); // the stream outlives the call that opens it
        if (received)
            call.items = new ReceivedItems(session, payloads, correlation, received, call);
        const items = handle(value, call);
        const outgoing = new OutgoingItems(session, () => items, framer(payloads, item), call);
        call.signal.addEventListener("abort", () => {
            outgoing.isAborted ||= !outgoing.isClosed; // the server may read the stream although it has sent no items
            outgoing.close();
        });
        outgoing.ended.then(() => call.items?.close());
        opening.opened = outgoing;
        return addOutgoing(session, outgoing, true);
    } catch (error) {
        session.opened--;
        throw error;
    }
}

/** Calls a handler with the items of its request. */
export async function callWithItems(session, payloads, item, handle, value, call) {
    enter(session);
    call.items = new ReceivedItems(session, payloads, call.correlation, item, call);
    try {
        return await handle(value, call);
    } finally {
        call.items.close();
        session.opened--;
    }
}

/** Returns the items that a program sends with a request, as its name of their contract and their source. */
export function createItems(session, payloads, request, [name, source]) {
    const item = payloads.schema.find(name);
    session.contracts.checkItems(request, item);
    const call = session.createCall(0);
    return new OutgoingItems(session, () => typeof source === "function" ? source(call.signal) : source, framer(payloads, item), call);
}

/** Answers a request for a block of the items of a request. */
export function answerItemPull(pull, session) {
    const [correlation, size] = readPull(pull, session);
    const items = session.items.get(correlation);
    if (items)
        return items.pull(size).catch(error => {
            throw error instanceof Fault && !error.isRemote ? error : new Fault(1, "The source of the items failed."); // the sender gets the error itself
        });
    if (size > 0)
        throw session.requests.has(correlation) ? new Fault(3, "The request was sent without items.") : new Fault(CANCELED, "The request has ended.");
    return [1];
}

/** Answers a request for a block. */
export function answerPull(pull, session) {
    const [number, size] = readPull(pull, session);
    return findOutgoing(session, number)?.pull(size) ?? [1];
}

/** Reads a request for a block: its number, and the size of the block. */
export function readPull([payload, size], session) {
    if (payload.length !== 8 || size !== null)
        throw new Fault(3, "A request for a block is invalid.");
    const view = new DataView(payload.buffer, payload.byteOffset);
    return [view.getUint32(0, true), Math.min(view.getInt32(4, true), session.largest - OVERHEAD)];
}
