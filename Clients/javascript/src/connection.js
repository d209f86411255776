/** A connection as a sequence of messages: frames over a link, with back-pressure in both directions. */

import { ConnectionError } from "./errors.js";
import { REASONS } from "./handshake.js";
import { Waiters } from "./waits.js";
import { CONTROL_LIMIT, GOODBYE, Kind, MAX_HEADER, MAX_MESSAGE_SIZE, concat, cutUtf8, putHeader, putUvarint, readFrame } from "./wire.js";

export const MAX_PENDING = 4 << 20; // bytes that wait to be sent, before senders wait
const MAX_UNREAD = 16 << 20; // bytes that wait for handlers, where a link cannot stop reading
const MAX_UNREAD_HANDSHAKE = 2 * CONTROL_LIMIT;
const MAX_TEXT = 1024; // bytes of the text in a goodbye
const LINGER = 500; // ms in which a server closes after a goodbye

/**
 * Sends and receives whole messages. In the handshake, messages are read by `next`; later, each one is passed to a function.
 * Messages that are sent within one step of the event loop are written together.
 */
export class Connection {
    lastReceived = Date.now();
    receivedBytes = 0;
    sentBytes = 0;
    isHeld = false; // whether messages wait for their handlers, and nothing is read
    ended = null; // the reason and the text of the end
    lost; // a promise of `ended`

    #resolveLost;
    #link = null;
    #receiver = null;
    #isReading = false;
    #isEnding = false; // nothing is sent and received any more
    #goodbye = null; // the reason and the text of this side's goodbye
    #waiting = new Waiters(); // for bytes, for room, or for the end
    #unread = new Uint8Array();
    #start = 0;
    #stop = 0;
    #unsent = new Uint8Array(1024);
    #unsentSize = 0;
    #head = new Uint8Array(MAX_HEADER);
    #closed; // a promise of the end of the link
    #resolveClosed;

    constructor() {
        this.lost = new Promise(resolve => this.#resolveLost = resolve);
        this.#closed = new Promise(resolve => this.#resolveClosed = resolve);
    }

    /** Waits until a link is open. Rejects with a ConnectionError. */
    async open(link) {
        this.#link = link;
        await Promise.race([link.opened, this.lost]);
        if (this.ended) {
            link.abort(); // it ended before it had a link
            throw new ConnectionError(this.ended.reason, this.ended.text);
        }
        return link;
    }

    // The link calls these methods.

    receive(bytes) {
        this.lastReceived = Date.now();
        this.receivedBytes += bytes.length;
        if (this.#isEnding || this.ended)
            return;
        this.#add(bytes);
        this.resume();
        if (this.#stop - this.#start > MAX_UNREAD)
            this.disconnect("TooManyBytes", `More than ${MAX_UNREAD} bytes waited for the handlers.`);
    }

    /** Bytes were sent, so that senders need not wait any more. */
    makeRoom() {
        this.#waiting.wake();
        if (this.isHeld)
            this.resume();
    }

    closed(reason = "ConnectionLost", text = "") {
        this.#resolveClosed();
        this.#isEnding = true;
        this.#lose(reason, text);
    }

    /** Ends the connection without a goodbye. The first reason counts. */
    lose(reason = "ConnectionLost", text = "") {
        this.#isEnding = true;
        this.#lose(reason, text);
        this.#link?.abort();
    }

    // The client calls these methods.

    /** Whether senders have to wait. */
    get isFull() {
        return this.ended === null && this.pendingBytes >= MAX_PENDING;
    }

    get pendingBytes() {
        return this.#unsentSize + (this.#link?.pendingBytes ?? 0);
    }

    /** Queues a message. Messages for a connection that has ended are dropped. */
    send(header, payload = []) {
        if (this.ended === null && !this.#isEnding)
            this.#append(header, payload);
    }

    /** Waits while many bytes wait to be sent. */
    async waitForRoom() {
        while (this.isFull)
            await this.#waiting.wait();
    }

    /** The next message of the handshake. Rejects with a WireError, or with a ConnectionError at the end. */
    async next() {
        while (true) {
            const frame = readFrame(this.#unread.subarray(0, this.#stop), this.#start, MAX_MESSAGE_SIZE, CONTROL_LIMIT);
            if (frame) {
                this.#start = frame[1];
                return frame[0];
            }
            if (this.ended)
                throw new ConnectionError(this.ended.reason, this.ended.text);
            this.#hold(false);
            await this.#waiting.wait();
        }
    }

    /**
     * Passes all further messages to a function. If it returns false, the message is passed again after `resume`, and nothing is read meanwhile.
     * If it returns a promise, the next message is passed after it.
     */
    start(receiver) {
        this.#receiver = receiver;
        this.resume();
    }

    /** Reads on, after the function that receives had no room. */
    resume() {
        if (this.#receiver === null) {
            this.#hold(this.#stop - this.#start > MAX_UNREAD_HANDSHAKE);
            this.#waiting.wake();
        } else if (!this.#isReading && this.ended === null) {
            try {
                this.#read();
            } catch (error) {
                this.disconnect(error.status === "TooLarge" ? "FrameTooLarge" : "Malformed", error.message);
            }
        }
    }

    /** Ends the connection with a goodbye, without a wait. `there` is the text for the server, if it differs. */
    disconnect(reason, text, there = text) {
        this.#lose(reason, text);
        this.end(reason, there);
    }

    /** Sends the queued messages and a goodbye, and waits for a moment until the server closes. */
    async end(reason, text = "") {
        if (this.#isEnding || this.#link === null)
            return;
        this.#append({ type: GOODBYE, kind: Kind.CONTROL }, concat([REASONS.indexOf(reason)], cutUtf8(text, MAX_TEXT)));
        this.#flush();
        this.#isEnding = true;
        this.#goodbye = { reason, text };
        this.#hold(false);
        this.#link.end();
        let timer;
        await Promise.race([this.#closed, new Promise(resolve => timer = setTimeout(resolve, LINGER))]);
        clearTimeout(timer);
        this.lose(reason, text);
    }

    #append(header, payload) {
        const head = putHeader(this.#head, 0, header);
        const size = head + payload.length;
        const most = this.#unsentSize + 5 + size;
        if (most > this.#unsent.length) {
            const larger = new Uint8Array(2 * most);
            larger.set(this.#unsent.subarray(0, this.#unsentSize));
            this.#unsent = larger;
        }
        if (this.#unsentSize === 0)
            queueMicrotask(() => this.#flush());
        const position = putUvarint(this.#unsent, this.#unsentSize, size);
        for (let i = 0; i < head; i++)
            this.#unsent[position + i] = this.#head[i];
        this.#unsent.set(payload, position + head);
        this.#unsentSize = position + size;
    }

    #flush() {
        if (this.#unsentSize > 0 && !this.#isEnding) {
            const bytes = this.#unsent.subarray(0, this.#unsentSize);
            [this.#unsent, this.#unsentSize] = [new Uint8Array(1024), 0]; // the link keeps the bytes until they are sent
            this.sentBytes += bytes.length;
            this.#link.send(bytes);
            if (!this.#waiting.areNone && !this.isFull)
                this.makeRoom(); // the bytes of this step alone made senders wait
        }
    }

    /** Adds received bytes. A buffer without room is replaced by one of twice the size, so that each byte is copied a few times at most. Bytes that messages refer to are never overwritten. */
    #add(bytes) {
        const rest = this.#stop - this.#start;
        if (rest === 0) {
            [this.#unread, this.#start, this.#stop] = [bytes, 0, bytes.length];
            return;
        }
        if (this.#stop + bytes.length > this.#unread.length) {
            const larger = new Uint8Array(2 * (rest + bytes.length));
            larger.set(this.#unread.subarray(this.#start, this.#stop));
            [this.#unread, this.#start, this.#stop] = [larger, 0, rest];
        }
        this.#unread.set(bytes, this.#stop);
        this.#stop += bytes.length;
    }

    #read() {
        let taken = true;
        this.#isReading = true;
        try {
            const unread = this.#unread.subarray(0, this.#stop);
            while (this.ended === null && taken === true) {
                const frame = readFrame(unread, this.#start, MAX_MESSAGE_SIZE, CONTROL_LIMIT);
                if (frame === null)
                    break;
                taken = this.#receiver(frame[0]);
                if (taken !== false)
                    this.#start = frame[1];
            }
        } finally {
            this.#isReading = false;
        }
        if (taken instanceof Promise) {
            this.#isReading = true;
            taken.finally(() => {
                this.#isReading = false;
                this.resume();
            });
        }
        this.#hold(taken !== true);
    }

    #hold(isHeld) {
        if (isHeld !== this.isHeld) {
            this.isHeld = isHeld;
            this.lastReceived = Date.now();
            this.#link?.hold(isHeld);
        }
    }

    #lose(reason, text) {
        if (this.ended === null) {
            this.ended = this.#goodbye ?? { reason, text };
            this.#resolveLost(this.ended);
        }
        this.#waiting.wake();
    }
}
