/** A client: events, requests and replies in both directions, streams and files. */

import { checkSize, findEvent } from "./contracts.js";
import { ConnectionError, PayloadError } from "./errors.js";
import { Keeper } from "./keeper.js";
import { IncomingStream, numberOf, readItems, remoteFault } from "./streams.js";
import { abortable } from "./waits.js";
import { ACKNOWLEDGEMENT, BLOCK, BLOCK_REPLY, FILE_OFFER, FILE_START, FILE_WANTED, ITEM_BLOCK, Kind, REPORT, STREAM } from "./wire.js";

// Loaded at their first use.
const files = () => import("./files.js");
const outgoing = () => import("./outgoing.js");
const reports = () => import("./reports.js");

/** A handler of requests of the library. Its `call` gets the payload and its size after decompression, and resolves with the reply: the type, the payload, and its size. */
const internal = (name, call, isInternal = false) => ({ name, announced: [], isInternal, read: (payload, size) => [payload, size], call, write: reply => reply });

/** A connection to a server. Handlers begin in the order in which messages arrive. */
export class Client extends Keeper {
    constructor(endpoint, schema, options) {
        super(endpoint, schema, options);
        this._handlers.set(BLOCK, internal("a block of a stream", async (pull, _, session) => [BLOCK_REPLY, await (await outgoing()).answerPull(pull, session), null], true));
        this._handlers.set(ITEM_BLOCK, internal("a block of the items of a request", async (pull, _, session) => [BLOCK_REPLY, await (await outgoing()).answerItemPull(pull, session), null], true));
        let loaded;
        const answerReportPull = internal("a report of the progress of a request", (pull, call, session) => (loaded.answerReportPull(pull, session, call), null), true);
        this._handlers.set(REPORT, { ...answerReportPull, load: async () => loaded = await reports() }); // the requests that follow wait for it
        this._handlers.set(FILE_START, internal("the start of a transfer", async (start, _, session) => (await files()).answerStart(start, session), true));
    }

    /** Functions that compress, by the name of the format: `bytes => bytes`. */
    get compressors() {
        return this._payloads.compressors;
    }

    /** Functions that decompress, by the name of the format: `(bytes, size) => bytes`, or a promise. */
    get decompressors() {
        return this._payloads.decompressors;
    }

    /** The counters up to now. */
    get statistics() {
        const connection = this._session?.connection;
        return {
            ...this._statistics,
            sentBytes: this._statistics.sentBytes + (connection?.sentBytes ?? 0), receivedBytes: this._statistics.receivedBytes + (connection?.receivedBytes ?? 0),
            unansweredRequests: this._requests.count, runningHandlers: this._session?.running.size ?? 0, pendingBytes: connection?.pendingBytes ?? 0,
        };
    }

    /** Handles an event. */
    on(event, handler) {
        this.#register(findEvent(this.schema, event).id, [], value => handler(value));
    }

    /** Answers a request with the value that the handler returns. With `null` in place of a reply, the request is acknowledged when the handler has completed. `items` is the contract of the items that arrive with the request, and `progress` that of the reports of its progress. */
    onRequest(request, reply, handler, { items = null, progress = null } = {}) {
        const [answer, received, report] = [reply, items, progress].map(name => name === null ? null : this.schema.find(name));
        const write = value => answer ? [answer.id, ...this._payloads.write(answer, value)] : [ACKNOWLEDGEMENT, [], null];
        const answerRequest = (value, call, session) => {
            const opened = report && session.reports.get(call.correlation);
            call.report = report && (progress => opened?.send(this._payloads, report, progress));
            return received ? outgoing().then(({ callWithItems }) => callWithItems(session, this._payloads, received, handler, value, call)) : handler(value, call);
        };
        this.#register(request, [answer, received, report].filter(Boolean), answerRequest, write);
    }

    /** Answers a request with a stream: the handler returns the items, for example as an async generator. `items` is the contract of the items that arrive with the request. */
    onStream(request, item, handler, { items = null } = {}) {
        const [sent, received] = [item, items].map(name => name === null ? null : this.schema.find(name));
        const open = async (value, call, session) => (await outgoing()).openStream(session, this._payloads, sent, received, handler, value, call);
        this.#register(request, [sent, received].filter(Boolean), open, number => [STREAM, new Uint8Array(Uint32Array.of(number).buffer), null]);
    }

    /** Handles files that the server sends: the handler awaits `offer.receive` or `offer.save`, or throws a Fault. */
    onFile(handler) {
        this.#add(FILE_OFFER, internal("a file", async (offer, call, session) => (await files()).answerOffer(offer, call, session, handler)));
    }

    /** Handles requests for files: the handler returns the file with this name. The name comes from the server; do not use it as a path. */
    onFileRequest(handler) {
        this.#add(FILE_WANTED, internal("a request for a file", async (wanted, call, session) => (await files()).answerWanted(wanted, call, session, handler)));
    }

    /** Sends an event. Waits while many bytes wait to be sent. Rejects with a ConnectionError, a ContractMismatch or a PayloadError. */
    async send(event, value, { signal = null } = {}) {
        const [contract, session] = [findEvent(this.schema, event), this.#getSession()];
        session.contracts.check(contract);
        const [payload, size] = this._payloads.write(contract, value);
        checkSize(contract.name, payload, session.largest);
        signal?.throwIfAborted();
        if (session.connection.isFull)
            await abortable(session.connection.waitForRoom(), signal);
        if (session.connection.ended)
            throw new ConnectionError(session.connection.ended.reason, session.connection.ended.text);
        session.connection.send({ type: contract.id, size }, payload);
        this._statistics.sentEvents++;
    }

    /** Sends a request, and resolves with the reply, which is empty for a request without a reply. Rejects with a Fault, a ConnectionError, or a DOMException named TimeoutError. */
    async request(request, value, { items = null, progress = null, timeout = items || progress ? Infinity : this._options.timeout, signal = null } = {}) {
        const contract = this.schema.find(request);
        const open = progress && (await reports()).openReports;
        const sent = items && await this.#createItems(contract, items);
        let header, reply;
        try {
            [header, reply] = await this.#ask(contract, value, timeout, signal, !sent && !open && this._options.resend, sent, 0, open && ((session, pending) => open(session, this._payloads, pending, progress)));
        } finally {
            this.#end(sent, true);
        }
        if (header.type === ACKNOWLEDGEMENT)
            return {};
        if (header.type === STREAM)
            throw new PayloadError(`The reply to ${contract.name} is a stream. Use stream. The stream was closed.`);
        const answer = this.schema.find(header.type);
        this._session?.contracts.check(answer);
        const plain = this._payloads.expand(answer, reply, header.size);
        return this.schema.decode(answer.id, plain instanceof Promise ? await plain : plain);
    }

    /** Sends a request whose reply is a stream, and returns the items in their order. Leaving the loop closes the stream. */
    async *stream(request, value, { items = null, timeout = this._options.timeout, signal = null } = {}) {
        const [contract, session] = [this.schema.find(request), this.#getSession()];
        const sent = items && await this.#createItems(contract, items);
        let hasEnded = true;
        try {
            const [header, reply] = await this.#ask(contract, value, timeout, signal, false, sent, STREAM);
            if (header.type !== STREAM || reply.length !== 4)
                throw new PayloadError(`The reply to ${contract.name} is no stream. Use request.`);
            for await (const item of readItems(session, this._payloads, new IncomingStream(session, numberOf(reply)), this.schema.contracts.get(contract.reply), signal)) {
                hasEnded = false; // if the loop is left here
                yield item;
                hasEnded = true;
            }
        } finally {
            this.#end(sent, hasEnded);
        }
    }

    /** Sends a file, and waits until the server has saved it. With `reconnect`, the transfer continues after each new connection. */
    async sendFile(source, name, options = {}) {
        const { sendFile } = await files();
        return this.#transfer(options.signal, await sendFile(source, name, options));
    }

    /** Requests a file of the server, and resolves with its bytes as a Blob. */
    async receiveFile(name, options = {}) {
        const { receiveFile } = await files();
        return this.#transfer(options.signal, receiveFile(name, options, this._options.timeout));
    }

    /** Requests a file of the server, and saves it at a path. */
    async saveFile(name, path, options = {}) {
        const { saveFile } = await files();
        return this.#transfer(options.signal, saveFile(name, path, options, this._options.timeout));
    }

    /** Ends the connection with a goodbye. Before, waits up to `drain` milliseconds for what runs: requests, handlers, and streams and files that the server reads. */
    async close(drain = 5000) {
        const session = this._session;
        this._isClosed = true;
        if (session) {
            session.isDraining = true;
            if (drain > 0) {
                let timer;
                await Promise.race([this.#drain(session), new Promise(resolve => timer = setTimeout(resolve, drain))]);
                clearTimeout(timer);
            }
            await session.connection.end("Requested");
        }
        this._stop();
    }

    async #createItems(contract, items) {
        const { createItems } = await outgoing();
        return createItems(this.#getSession(), this._payloads, contract, items);
    }

    /** Ends the items of a call, if there are any. Throws the error of their source, unless the caller has left. */
    #end(sent, isAwaited) {
        const error = sent?.abort();
        if (error && isAwaited)
            throw error;
        if (error)
            this._fail(error);
    }

    async #drain(session) {
        await Promise.allSettled([...session.running.values(), ...[...session.outgoings.values()].map(one => one.ended), ...this._requests.replies]);
        await session.connection.waitForRoom();
    }

    #getSession() {
        if (this._session === null || this._isClosed)
            throw new ConnectionError("ConnectionLost", "There is no connection.");
        return this._session;
    }

    #register(name, others, call, write = undefined) {
        const contract = this.schema.find(name);
        this.#add(contract.id, { name: contract.name, contract, announced: [...new Set([contract, ...others])], read: payload => this.schema.decode(contract.id, payload), call, write });
    }

    #add(id, handler) {
        this._handlers.set(id, handler);
        if (handler.announced.length > 0)
            this._session?.announce(handler.announced);
    }

    /** Sends a request with its items, if there are any, or keeps it for the next connection, and resolves with the reply. `opens` is that of `Requests.add`. */
    async #ask(contract, value, timeout, signal, isResent, sent, opens, openReports = null) {
        const [payload, size] = this._payloads.write(contract, value);
        const end = performance.now() + timeout;
        signal?.throwIfAborted();
        if (this._requests.isFull || this._session?.connection.isFull)
            await this.#waitForRoom(contract, timeout, signal);
        if (sent && sent.session !== this._session)
            throw new ConnectionError("ConnectionLost", "The connection ended before the request was sent.");
        const pending = this.#addRequest(contract, payload, size, isResent, opens);
        const reports = openReports?.(this._session, pending);
        if (this._session)
            this._requests.send(pending, this._session);
        sent?.offer(pending.header.correlation);
        const stop = reason => {
            this._session?.cancel(pending.header.correlation);
            pending.reject(reason);
            reports?.close(reason);
        };
        reports?.ended.catch(error => pending.isDone || stop(error));
        const abort = () => stop(signal.reason);
        const timer = timeout < Infinity && setTimeout(() => stop(this.#timeOut(contract, timeout)), end - performance.now());
        signal?.addEventListener("abort", abort);
        let reply;
        try {
            reply = await pending.reply;
            await reports?.ended;
        } finally {
            this._requests.remove(pending);
            reports?.close();
            clearTimeout(timer);
            signal?.removeEventListener("abort", abort);
        }
        if (reply[0].kind !== Kind.FAULT)
            return reply;
        this._statistics.faults++;
        throw remoteFault(reply[1]);
    }

    async #waitForRoom(contract, timeout, signal) {
        const timing = new AbortController();
        const timer = timeout < Infinity && setTimeout(() => timing.abort(this.#timeOut(contract, timeout)), timeout);
        const abort = () => timing.abort(signal.reason);
        signal?.addEventListener("abort", abort);
        try {
            while (this._requests.isFull || this._session?.connection.isFull)
                await abortable(this._requests.isFull ? this._requests.waitForSlot() : this._session.connection.waitForRoom(), timing.signal);
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", abort);
        }
    }

    #timeOut(contract, timeout) {
        this._statistics.timeouts++;
        return new DOMException(`${contract.name} was not answered within ${timeout} ms.`, "TimeoutError");
    }

    /** Adds a request that is about to be sent. Without a connection, it is sent over the next one. */
    #addRequest(contract, payload, size, isResent, opens) {
        const session = this._isClosed || !isResent ? this.#getSession() : this._session;
        const reply = this.schema.contracts.get(contract.reply);
        const contracts = reply ? [contract, reply] : [contract];
        if (session) {
            contracts.forEach(one => session.contracts.check(one)); // a reply that cannot be read is no reason to run the handler
            checkSize(contract.name, payload, session.largest);
        }
        return this._requests.add(contract.id, payload, { size, contracts, isResent, opens });
    }

    /** Repeats a transfer of a client that reconnects, until it ends for another reason than a lost connection. */
    async #transfer(signal, run) {
        while (true) {
            if (this._options.reconnect && !this._isClosed)
                await this.waitConnected({ signal });
            const session = this.#getSession();
            try {
                return await run(session);
            } catch (error) {
                if (!this._options.reconnect || !((error.cause ?? error) instanceof ConnectionError))
                    throw error;
            }
            await session.connection.lost;
            await null; // the client has noticed the end
        }
    }
}

if (Symbol.asyncDispose)
    Client.prototype[Symbol.asyncDispose] = Client.prototype.close;
