/** Keeps a client connected: the first connection, its end, and the attempts after it. */

import { Connection } from "./connection.js";
import { Payloads } from "./contracts.js";
import { ConnectionError } from "./errors.js";
import { platform } from "./platform.js";
import { Requests } from "./requests.js";
import { Session } from "./session.js";
import { Waiters, abortable } from "./waits.js";

const [FIRST_DELAY, MAX_DELAY] = [100, 5000]; // of attempts to connect, in ms
const JITTER = 0.2; // a fraction of each delay, so that many clients do not return at once
const PERMANENT = ["WrongToken", "WrongContract", "WrongVersion", "WrongProtection", "TlsFailed", "NotAPeer", "Banned", "NoEndpoint"];

/** The connections of a client, one after the other. */
export class Keeper {
    /** Called with the reason and a text when the connection has ended. */
    disconnected = (reason, text) => {};
    /** Called with an error of a handler, of a message that can't be read, or of an attempt to connect. */
    failed = error => console.error(error);
    /** Called after each connection, also after a reconnect. */
    connected = () => {};

    _options;
    _payloads;
    _session = null;
    _handlers = new Map();
    _isClosed = false;
    _statistics = {
        connections: 0, sentBytes: 0, receivedBytes: 0, sentEvents: 0, receivedEvents: 0, sentRequests: 0, receivedRequests: 0, resentRequests: 0, faults: 0, timeouts: 0,
        failedHandlers: 0, unhandledMessages: 0, unreadableMessages: 0, roundTrip: null,
    };
    _requests = new Requests(this._statistics);

    #cancel = () => {}; // ends an attempt to connect, or the wait before the next one
    #made = new Waiters(); // for the next connection

    constructor(endpoint, schema, { token = new Uint8Array(), reconnect = false, resend = false, timeout = 5000, ...platformOptions } = {}) {
        this.schema = schema;
        this._options = { find: typeof endpoint === "function" ? endpoint : () => endpoint, token, reconnect, resend: resend && reconnect, timeout, platform: platformOptions };
        this._payloads = new Payloads(schema, { ...platform.compressors }, { ...platform.decompressors });
    }

    get isConnected() {
        return this._session !== null;
    }

    /** Connects. With `reconnect`, repeats the attempt until the server is there. Rejects with a ConnectionError. */
    async connect({ signal = null } = {}) {
        const session = await abortable(this.#retry(error => this._options.reconnect && error instanceof ConnectionError && !PERMANENT.includes(error.reason), signal, false), signal);
        this.#keep(session);
        return this;
    }

    /** Waits until there is a connection. Rejects with a ConnectionError if the client does not reconnect. */
    async waitConnected({ signal = null } = {}) {
        while (this._session === null) {
            if (this._isClosed || !this._options.reconnect)
                throw new ConnectionError("ConnectionLost", "There is no connection, and the client does not reconnect.");
            await abortable(this.#made.wait(), signal);
        }
    }

    /** Ends the attempts to connect, and fails what waits. */
    _stop() {
        this._isClosed = true;
        this.#cancel();
        this._requests.fail(new ConnectionError("Requested", "The client was closed."), true);
        this.#made.wake();
    }

    /** Calls a function of the program. Its error does not end the client. */
    _tell(call) {
        try {
            call();
        } catch (error) {
            this._fail(error);
        }
    }

    _fail(error) {
        try {
            this.failed(error);
        } catch (second) {
            console.error(second);
        }
    }

    async #retry(goesOn, signal, waitsFirst) {
        for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, MAX_DELAY)) {
            if (waitsFirst)
                await this.#sleep(delay * (1 + JITTER * (2 * Math.random() - 1)));
            waitsFirst = true;
            if (this._isClosed || signal?.aborted)
                throw new ConnectionError("Requested", "The client was closed.");
            try {
                return await this.#open(signal);
            } catch (error) {
                if (!goesOn(error) || this._isClosed)
                    throw error;
                if (error instanceof ConnectionError)
                    error.stack = `${error.name}: ${error.message}`; // the stack of each attempt is the same
                this._fail(error);
            }
        }
    }

    /** Makes a connection, over which the waiting requests are sent again. */
    async #open(signal) {
        const { find, token, timeout } = this._options;
        const connection = new Connection();
        const timer = setTimeout(() => connection.lose("HandshakeTimeout", `The server did not complete the handshake within ${timeout} ms.`), timeout);
        const abort = () => connection.lose("Requested", "The attempt was aborted.");
        const session = new Session(connection, this._payloads, this._handlers, this._requests, this._statistics, error => this._fail(error));
        signal?.addEventListener("abort", abort);
        this.#cancel = abort;
        try {
            const endpoint = await find();
            const open = platform.links[endpoint.slice(0, endpoint.indexOf(":"))];
            if (!open)
                throw new ConnectionError("NoEndpoint", `'${endpoint}' is no endpoint of this platform. It has: ${Object.keys(platform.links).join(", ")}.`);
            const link = await connection.open(await open(endpoint, connection, this._options.platform));
            await session.shakeHands(token.length > 0 ? token : link.token ?? token);
            session.start();
            await this._requests.resend(session);
            if (this._isClosed || signal?.aborted)
                throw new ConnectionError("Requested", "The client was closed, or the attempt was aborted.");
        } catch (error) {
            connection.lose();
            throw error;
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", abort);
            this.#cancel = () => {};
        }
        this._session = session;
        this._statistics.connections++;
        this.#made.wake();
        this._tell(() => this.connected());
        return session;
    }

    /** Waits for the end of each connection, and makes the next one. */
    async #keep(session) {
        while (session !== null) {
            const { reason, text } = await session.connection.lost;
            this._statistics.sentBytes += session.connection.sentBytes;
            this._statistics.receivedBytes += session.connection.receivedBytes;
            this._session = null;
            const goesOn = this._options.reconnect && !this._isClosed;
            this._requests.fail(new ConnectionError(reason, text), !goesOn);
            this._tell(() => this.disconnected(reason, text));
            session = goesOn ? await this.#retry(() => true, null, true).catch(() => null) : null; // null: the client was closed
        }
        this.#made.wake();
    }

    /** Waits, until the client is closed at the latest. */
    #sleep(delay) {
        return new Promise(resolve => {
            const timer = setTimeout(resolve, delay);
            this.#cancel = () => {
                clearTimeout(timer);
                resolve();
            };
        });
    }
}
