/** The unanswered requests of a client. They outlive a connection if they are sent again. */

import { checkSize } from "./contracts.js";
import { Waiters } from "./waits.js";
import { Kind } from "./wire.js";

// A host disconnects a peer whose 1,024 requests it handles. The blocks of 64 streams, and of the items of 64 requests of the host, are requests too, four for each.
const MAX_UNANSWERED = 1024 - 2 * 4 * 64;
const STOPPING = 7; // the code of a fault: the server is stopping, and has not called its handler

/** The unanswered requests in their order. */
export class Requests {
    #statistics;
    #pending = new Map();
    #number = 0;
    #slots = new Waiters();

    constructor(statistics) {
        this.#statistics = statistics;
    }

    get count() {
        return this.#pending.size;
    }

    /** Whether a request has no reply yet. */
    has(number) {
        return this.#pending.get(number)?.isDone === false;
    }

    get isFull() {
        return this.#pending.size >= MAX_UNANSWERED;
    }

    /** The replies that are awaited. */
    get replies() {
        return [...this.#pending.values()].map(one => one.reply);
    }

    /** Waits until few requests are unanswered. */
    async waitForSlot() {
        while (this.isFull)
            await this.#slots.wait();
    }

    /** Adds a request. `contracts` are those of the request and of its reply, as far as they are known; none for a part of a stream or a file. `opens` is the type of a reply that opens what the caller reads. */
    add(type, payload, { size = null, contracts = [], isResent = false, opens = 0 } = {}) {
        const number = this.#number = (this.#number + 1) >>> 0;
        const pending = { header: { type, kind: Kind.REQUEST, correlation: number, size }, payload, contracts, isResent, opens, wasSent: false, isDone: false };
        pending.reply = new Promise((resolve, reject) => {
            pending.resolve = reply => (pending.isDone = true, resolve(reply));
            pending.reject = error => (pending.isDone = true, reject(error));
        });
        pending.reply.catch(() => {}); // a caller that has left does not wait for it
        this.#pending.set(number, pending);
        return pending;
    }

    /** Sends a request for the first time or again. Its contracts were compared. */
    send(pending, session) {
        if (pending.wasSent)
            this.#statistics.resentRequests++;
        pending.wasSent = true;
        if (pending.contracts.length > 0)
            this.#statistics.sentRequests++;
        session.connection.send(pending.header, pending.payload);
    }

    /** Removes a request that has ended. */
    remove(pending) {
        this.#pending.delete(pending.header.correlation);
        if (!this.isFull)
            this.#slots.wake();
    }

    /** Ends a request by its reply, and returns it. Replies to unknown requests are dropped. A request that is sent again stays if the server is stopping. */
    answer(header, payload) {
        const pending = this.#pending.get(header.correlation);
        if (!pending || pending.isDone || pending.isResent && header.kind === Kind.FAULT && payload[0] === STOPPING)
            return null;
        pending.resolve([header, payload]);
        return pending;
    }

    /** Ends the requests of a connection that was lost. */
    fail(error, all = false) {
        for (const pending of this.#pending.values()) {
            if (all || !pending.isResent)
                pending.reject(error);
        }
    }

    /** Sends all waiting requests over a new connection, in their order, also those that are added meanwhile. */
    async resend(session) {
        for (const pending of this.#pending.values()) { // grows meanwhile
            await session.connection.waitForRoom();
            if (pending.isDone)
                continue;
            try {
                pending.contracts.forEach(one => session.contracts.check(one));
                if (pending.contracts.length > 0)
                    checkSize(pending.contracts[0].name, pending.payload, session.largest);
            } catch (error) {
                pending.reject(error);
                continue;
            }
            this.send(pending, session);
        }
    }
}
