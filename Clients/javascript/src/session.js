/** One connection to a server, from the handshake to its end: dispatches messages to handlers, and answers requests. */

import { RemoteContracts, checkSize } from "./contracts.js";
import { ConnectionError, Fault } from "./errors.js";
import { REASONS, importToken, isProof, layoutsOf, makeProof, readContracts, readHello, writeContracts, writeHello } from "./handshake.js";
import { clean } from "./layouts.js";
import { BLOCK, CANCEL, FILE_FOUND, GOODBYE, HELLO, Kind, MAX_MESSAGE_SIZE, PING, PONG, STREAM, WireError, check, concat, readHeader, readUvarint, writeFault, writeUvarint } from "./wire.js";

const KEEP_ALIVE = 15_000; // ms without a byte after which a connection is lost
const PING_INTERVAL = 2_000;
const MAX_RUNNING = 1000; // handlers; while they run, the client does not read
const MAX_UNREADABLE = 16; // messages; a further one ends the connection

/** Whether a message is a reply with the number of a stream. */
const isOpening = ({ kind, type }) => kind === Kind.REPLY && (type === STREAM || type === FILE_FOUND);

/** A message that is being handled. */
class Call {
    items; // those that arrive with the request, if the handler reads them
    report; // sends a report of the progress, if the handler has reports
    opened; // the stream or file that the reply opens

    #abort = null;
    #reason = null;

    constructor(correlation) {
        this.correlation = correlation;
    }

    /** The signal that is aborted when the server cancels the request, or when the connection ends. */
    get signal() {
        this.#abort ??= new AbortController();
        if (this.#reason)
            this.#abort.abort(this.#reason);
        return this.#abort.signal;
    }

    get isCanceled() {
        return this.#reason !== null;
    }

    cancel(text) {
        this.#reason ??= new DOMException(text, "AbortError");
        this.#abort?.abort(this.#reason);
    }
}

/**
 * A connection after its handshake.
 *
 * A handler has a `name`, `read(payload, size)`, and `call(value, call, session)`. The handler of a contract has a `contract`, in place of the size. A handler of requests has `write(result)`, which returns
 * the type, the payload and its size after decompression of the reply. A handler whose `write` returns null replies itself. `isInternal` marks the parts of streams and files, which continue while the client drains. `load`, if there is one, resolves when the handler can be called. `announced` has the contracts for the hello.
 */
export class Session {
    isDraining = false;
    largest = MAX_MESSAGE_SIZE;
    running = new Map(); // calls, with a promise of their end
    outgoings = new Map(); // streams and files that the server reads, by number
    lastOutgoing = 0;
    opened = 0; // streams, files, items and reports that the server has opened, as `enter` counts them
    reports = new Map(); // that the server has opened, by the correlation ids of their requests
    items = new Map(); // those that are sent with requests, by the correlation ids of the requests

    #payloads;
    #statistics;
    #answering = new Map(); // calls, by the correlation ids of their requests
    #unreadable = 0;
    #ping = null;
    #timer = null;
    #ticked = 0;

    constructor(connection, payloads, handlers, requests, statistics, report) {
        [this.connection, this.handlers, this.requests] = [connection, handlers, requests];
        [this.#payloads, this.#statistics, this.report] = [payloads, statistics, report];
        this.contracts = new RemoteContracts(payloads.schema);
    }

    /** Rejects with a ConnectionError if a side refuses the other. */
    async shakeHands(token) {
        try {
            await this.#exchangeHellos(token, crypto.getRandomValues(new Uint8Array(16)));
        } catch (error) {
            throw error instanceof WireError ? new ConnectionError("NotAPeer", `The server's part of the handshake cannot be read. ${error.message}`) : error;
        }
    }

    /** Begins to receive. */
    start() {
        this.connection.lost.then(() => this.#end());
        this.#ticked = Date.now();
        this.#timer = setInterval(() => this.#tick(), PING_INTERVAL);
        this.connection.start(message => this.#receive(message));
    }

    /** Announces contracts after the handshake. */
    announce(contracts) {
        const layouts = this.contracts.hasLayouts ? layoutsOf(this.#payloads.schema, contracts) : "";
        this.#control(HELLO, writeContracts(contracts, layouts));
    }

    /** Tells the server that the reply to a request is no longer awaited. */
    cancel(correlation) {
        this.#control(CANCEL, writeUvarint(correlation));
    }

    /** Closes a stream or file that a reply opens, because no call reads it. Nothing waits for the reply to the close. */
    closeUnread(header, payload) {
        if (isOpening(header) && payload.length >= 4)
            this.connection.send({ type: BLOCK, kind: Kind.REQUEST, correlation: header.correlation }, concat(payload.subarray(0, 4), new Uint8Array(4)));
    }

    /** Ends the reports of a request that is about to be answered. */
    endReports(correlation) {
        const reports = this.reports.get(correlation);
        if (this.reports.delete(correlation)) {
            reports.end();
            this.opened--;
        }
    }

    /** A call that is not counted as a running handler. */
    createCall(correlation) {
        return new Call(correlation);
    }

    #control(type, payload) {
        this.connection.send({ type, kind: Kind.CONTROL }, payload);
    }

    /** The contracts that this side handles, and those of its replies. */
    #ownContracts() {
        return [...new Set([...this.handlers.values()].flatMap(one => one.announced))];
    }

    async #exchangeHellos(token, nonce) {
        const own = this.#ownContracts();
        const layouts = layoutsOf(this.#payloads.schema, own);
        const hasToken = token.length > 0;
        this.#control(HELLO, writeHello(nonce, hasToken, own, MAX_MESSAGE_SIZE, layouts));
        const hello = readHello(await this.#nextHello());
        if (hello === null || hello.hasToken !== hasToken)
            throw new ConnectionError(hello === null ? "WrongVersion" : "WrongToken");
        if (hasToken) {
            const key = await importToken(token);
            this.#control(HELLO, await makeProof(key, false, nonce, hello.nonce));
            if (!await isProof(key, await this.#nextHello(), true, hello.nonce, nonce))
                throw new ConnectionError("WrongToken", "The server does not know the token.");
            this.#control(HELLO, writeContracts(own, layouts));
        }
        await this.#accept(hello.contracts ?? new Map());
        this.#control(HELLO, []);
        for (let payload; (payload = await this.#nextHello()).length > 0;)
            await this.#accept(readContracts(payload));
        this.largest = hello.maxMessageSize;
    }

    async #nextHello() {
        const message = await this.connection.next();
        const [header, position] = readHeader(message);
        if (header.kind === Kind.CONTROL && header.type === GOODBYE)
            throw new ConnectionError(...readGoodbye(message.subarray(position)));
        if (header.kind !== Kind.CONTROL || header.type !== HELLO || header.size !== null)
            throw new ConnectionError("NotAPeer");
        return message.subarray(position);
    }

    async #accept(contracts) {
        await this.contracts.learn(contracts);
        const mismatch = this.contracts.findMismatch(this.#ownContracts(), contracts);
        if (mismatch) {
            await this.connection.end("WrongContract", mismatch.there);
            throw new ConnectionError("WrongContract", mismatch.here);
        }
    }

    /** Handles a message. Returns false if there is no room for it now, and a promise if the next message has to wait. */
    #receive(message) {
        let header, payload, position;
        try {
            [header, position] = readHeader(message);
            payload = message.subarray(position);
            if (this.connection.isFull && (header.kind === Kind.REQUEST || header.kind === Kind.CONTROL && header.type === PING || isOpening(header)))
                return false; // the answer waits, so that a server that does not read does not fill the memory
            if (header.kind === Kind.CONTROL)
                return this.#handleControl(header, payload);
        } catch (error) {
            if (!(error instanceof WireError))
                throw error;
            return this.#dropUnreadable(error);
        }
        if (header.kind !== Kind.EVENT && header.kind !== Kind.REQUEST) {
            if (this.requests.answer(header, payload)?.opens !== header.type)
                this.closeUnread(header, payload);
            return true;
        }
        const [handler, isRequest] = [this.handlers.get(header.type), header.kind === Kind.REQUEST];
        if (!handler || isRequest !== Boolean(handler.write)) {
            if (isRequest)
                this.#refuse(header, 2, "No handler answers requests of this type.");
            else
                this.#statistics.unhandledMessages++;
            return true;
        }
        if (this.running.size >= MAX_RUNNING)
            return false;
        this.#statistics[isRequest ? "receivedRequests" : "receivedEvents"]++;
        if (this.isDraining && isRequest && !handler.isInternal)
            this.#refuse(header, 7, "The client is stopping.");
        else if (handler.load)
            return handler.load().then(() => {
                handler.load = null;
                this.#decode(handler, header, payload);
            });
        else
            return this.#decode(handler, header, payload);
        return true;
    }

    #decode(handler, header, payload) {
        const refuse = error => {
            if (header.kind === Kind.REQUEST) {
                this.report(error);
                this.#refuse(header, 3, `The request ${handler.name} (type ${header.type}) cannot be read: a value in it is invalid for the contract of the receiver.`);
            } else
                this.#dropUnreadable(error);
        };
        const call = (plain, size) => {
            let value;
            try {
                if (handler.contract)
                    this.contracts.check(handler.contract);
                value = handler.read(plain, size);
            } catch (error) {
                return refuse(error);
            }
            this.#call(handler, header, value);
        };
        try {
            const plain = handler.contract ? this.#payloads.expand(handler.contract, payload, header.size) : payload;
            if (plain instanceof Promise)
                return plain.then(call, refuse);
            call(plain, header.size);
        } catch (error) {
            refuse(error);
        }
        return true;
    }

    #dropUnreadable(error) {
        this.report(error);
        this.#statistics.unreadableMessages++;
        if (++this.#unreadable > MAX_UNREADABLE)
            this.connection.disconnect("Malformed", `More than ${MAX_UNREADABLE} messages could not be read.`);
        return true;
    }

    #handleControl({ type, size }, payload) {
        check(size === null, "A control message is compressed.");
        if (type === PING) {
            check(payload.length <= 64, "A ping has more than 64 bytes.");
            this.#control(PONG, payload);
        } else if (type === PONG) {
            if (this.#ping && payload.length === 8 && payload.every((byte, i) => byte === this.#ping.payload[i]))
                this.#statistics.roundTrip = performance.now() - this.#ping.sent;
        } else if (type === GOODBYE)
            this.connection.lose(...readGoodbye(payload));
        else if (type === CANCEL)
            this.#answering.get(readUvarint(payload)[0])?.cancel("The server canceled the request.");
        else if (type === HELLO)
            return this.#learn(payload);
        return true;
    }

    #learn(payload) {
        const fail = error => this.connection.disconnect("Malformed", error.message);
        try {
            const contracts = readContracts(payload);
            const compare = () => {
                const mismatch = this.contracts.findMismatch(this.#ownContracts(), contracts);
                if (mismatch)
                    this.connection.disconnect("WrongContract", mismatch.here, mismatch.there);
            };
            const loading = this.contracts.learn(contracts);
            if (loading)
                return loading.then(compare).catch(fail);
            compare();
        } catch (error) {
            fail(error);
        }
        return true;
    }

    #call(handler, header, value) {
        const [isRequest, call] = [header.kind === Kind.REQUEST, new Call(header.correlation)];
        const finish = (result, error) => {
            const isSent = !call.isCanceled && error === undefined && handler.write && this.#reply(handler, header, result);
            if (call.isCanceled)
                this.#refuse(header, 5, "The request was canceled.");
            else if (error !== undefined)
                this.#fail(header, error);
            if (!isSent)
                call.opened?.close(); // the server does not know its number
        };
        let result;
        try {
            result = handler.call(value, call, this);
        } catch (error) {
            return finish(null, error ?? new Error("The handler threw nothing."));
        }
        if (typeof result?.then !== "function")
            return finish(result);
        if (isRequest)
            this.#answering.set(header.correlation, call);
        this.running.set(call, Promise.resolve(result).then(finish, error => finish(null, error ?? new Error("The handler rejected with nothing."))).finally(() => {
            this.running.delete(call);
            if (this.#answering.get(header.correlation) === call)
                this.#answering.delete(header.correlation);
            if (this.connection.isHeld)
                this.connection.resume();
        }));
    }

    /** Returns whether the reply is sent. */
    #reply(handler, { type, kind, correlation }, result) {
        let reply, payload, size;
        try {
            const written = handler.write(result);
            if (written === null)
                return true;
            [reply, payload, size] = written;
            checkSize(handler.name, payload, this.largest);
        } catch (error) {
            this.report(error);
            this.#refuse({ type, kind, correlation }, 4, `The reply to ${handler.name} cannot be sent.`);
            return false;
        }
        this.endReports(correlation);
        this.connection.send({ type: reply, kind: Kind.REPLY, correlation, size }, payload);
        return true;
    }

    #fail(header, error) {
        if (error instanceof Fault && !error.isRemote && header.kind === Kind.REQUEST)
            return this.#refuse(header, error.code, error.text);
        this.#statistics.failedHandlers++;
        this.report(error);
        this.#refuse(header, 1, "The handler failed.");
    }

    #refuse({ type, kind, correlation }, code, text) {
        if (kind !== Kind.REQUEST)
            return;
        this.endReports(correlation);
        this.connection.send({ type, kind: Kind.FAULT, correlation, size: null }, writeFault(code, text));
    }

    /** Sends a ping, and ends a connection that is silent. A tick that is late says nothing about the server: the program has blocked this thread. */
    #tick() {
        const [now, connection] = [Date.now(), this.connection];
        if (connection.isHeld || now > this.#ticked + 2 * PING_INTERVAL)
            connection.lastReceived = now;
        this.#ticked = now;
        if (now - connection.lastReceived > KEEP_ALIVE)
            return connection.lose("NotResponding", `Nothing arrived for ${KEEP_ALIVE} ms.`);
        this.#ping = { payload: crypto.getRandomValues(new Uint8Array(8)), sent: performance.now() };
        this.#control(PING, this.#ping.payload);
    }

    #end() {
        clearInterval(this.#timer);
        for (const one of this.outgoings.values())
            one.close();
        for (const one of this.items.values())
            one.abort();
        for (const call of this.running.keys())
            call.cancel("The connection ended.");
    }
}

function readGoodbye(payload) {
    return [REASONS[payload[0]] ?? "Goodbye", clean(new TextDecoder().decode(payload.subarray(1)))];
}
