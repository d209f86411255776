/** A client: events, requests and replies in both directions, faults, and reconnecting. */

import { PayloadError } from "./binary.js";
import { decompressLz4 } from "./compression.js";
import { REASONS, findMismatch, importToken, isProof, layoutsOf, makeProof, readContracts, readHello, writeContracts, writeHello } from "./handshake.js";
import { clean } from "./layouts.js";
import { CONTROL_LIMIT, Kind, MAX_MESSAGE_SIZE, MAX_SIZE, WireError, concat, cutUtf8, readFault, readFrame, readHeader, readUvarint, writeFault, writeHeader, writeUvarint } from "./wire.js";

const [HELLO, PING, PONG, GOODBYE, CANCEL] = [0, 1, 2, 3, 4];
const ACKNOWLEDGEMENT = 0xFFFF0040; // the reply to a request without a reply
const [STREAM, BLOCK] = [0xFFFF0020, 0xFFFF0021]; // a reply that is a stream, and the request for a block of it
const KEEP_ALIVE = 15_000;
const MAX_CONTRACTS = 4096; // contracts that a server may announce
const MAX_ANNOUNCED = 512 * 1024; // characters of the names, layouts and shapes that a server may announce
const MAX_TEXT = 1024; // bytes of the text in a goodbye

/** A refused request. A handler throws one to refuse: codes from 1000 up are the program's. */
export class Fault extends Error {
    name = "Fault";

    constructor(code, text) {
        if (!Number.isInteger(code) || code < 0 || code > MAX_SIZE)
            throw new RangeError(`The code of a fault is ${code}; it must be an integer from 0 to ${MAX_SIZE}.`);
        super(`Fault ${code}: ${text}`);
        this.code = code;
        this.text = text;
    }
}

/** A connection that ended or was refused. `reason` is a name of the table of disconnect reasons. */
export class ConnectionError extends Error {
    name = "ConnectionError";

    constructor(reason, text = "") {
        super(`The connection ended: ${reason}. ${text}`.trimEnd());
        this.reason = reason;
        this.text = text;
    }
}

/** The two sides know a type of message by different contracts. `path` is the path of the field that differs, or null if the serializers or the versions differ. */
export class ContractMismatch extends Error {
    name = "ContractMismatch";

    constructor(text, path = null) {
        super(text);
        this.path = path;
    }
}

/** One WebSocket: the frames that arrived, and the end. */
class Connection {
    #socket;
    #timer;
    #buffer = new Uint8Array();
    #start = 0;
    #stop = 0;
    #wake = () => {};
    #end = null;

    constructor(socket, keepAlive) {
        this.#socket = socket;
        let heard = Date.now();
        let ticked = heard;
        this.#timer = setInterval(() => {
            const now = Date.now();
            if (now - ticked > keepAlive * 2 / 3)
                heard = now; // the program blocked this thread, so that no message could be received
            ticked = now;
            if (now - heard > keepAlive)
                this.end("NotResponding");
        }, keepAlive / 3);
        socket.onmessage = ({ data }) => {
            heard = Date.now();
            if (typeof data === "string")
                return this.end("Malformed", "The server sent a text message.");
            this.#add(new Uint8Array(data));
            this.#wake();
        };
        socket.onopen = () => this.#wake();
        socket.onerror = () => this.end("ConnectionLost"); // no close follows in Node 20 and 22
        socket.onclose = () => this.end("ConnectionLost");
    }

    get isOpen() {
        return this.#end === null && this.#socket.readyState === 1;
    }

    /** Ends the connection. The first reason counts. Messages that arrived before are still received, unless this side ends the connection. */
    end(reason, text = "") {
        if (this.#end === null) {
            this.#end = { reason, text };
            clearInterval(this.#timer);
            this.#socket.close();
        }
        this.#wake();
    }

    send(header, payload) {
        const message = concat(writeHeader(header), payload);
        this.#socket.send(concat(writeUvarint(message.length), message));
    }

    control(opcode, payload) {
        if (this.isOpen)
            this.send({ type: opcode, kind: Kind.CONTROL }, payload);
    }

    /** Waits until the connection is open. Throws a ConnectionError. */
    async opened() {
        while (this.#socket.readyState === 0 && this.#end === null)
            await new Promise(resolve => this.#wake = resolve);
        if (this.#end)
            throw new ConnectionError(this.#end.reason, this.#end.text);
    }

    /** Adds received bytes. A buffer without room is replaced by one of twice the size, so that each byte is copied a few times at most. Bytes that messages refer to are never overwritten. */
    #add(bytes) {
        const rest = this.#stop - this.#start;
        if (rest === 0) {
            [this.#buffer, this.#start, this.#stop] = [bytes, 0, bytes.length];
            return;
        }
        if (this.#stop + bytes.length > this.#buffer.length) {
            const larger = new Uint8Array(2 * (rest + bytes.length));
            larger.set(this.#buffer.subarray(this.#start, this.#stop));
            [this.#buffer, this.#start, this.#stop] = [larger, 0, rest];
        }
        this.#buffer.set(bytes, this.#stop);
        this.#stop += bytes.length;
    }

    /** The next message. Throws a ConnectionError after the last one. */
    async receive() {
        while (true) {
            const frame = this.#end && this.#end.reason !== "ConnectionLost" ? null : readFrame(this.#buffer.subarray(0, this.#stop), this.#start, MAX_MESSAGE_SIZE, CONTROL_LIMIT);
            if (frame) {
                this.#start = frame[1];
                return frame[0];
            }
            if (this.#end)
                throw new ConnectionError(this.#end.reason, this.#end.text);
            await new Promise(resolve => this.#wake = resolve);
        }
    }
}

/** A connection to a server. Handlers run in the order in which messages arrive. */
export class Client {
    /** Called with the reason and a text when the connection has ended. */
    disconnected = (reason, text) => {};
    /** Called with an error of a handler, or of a message that can't be read. */
    failed = error => console.error(error);
    /** Called after each connection, also after a reconnect. */
    connected = () => {};
    /** Functions that decompress, by the end of the compressor's name: `(bytes, size) => bytes`. */
    decompressors = { LZ4Compressor: decompressLz4 };

    #options;
    #connection = null;
    #isClosed = false;
    #handlers = new Map();
    #pending = new Map();
    #requests = new Map(); // of the server, which are not answered yet; true once it has canceled one
    #told = new Map();
    #mismatches = new Map(); // of the contracts that were compared
    #largest = 0;
    #number = 0;

    /** `url` is the server's URL, or a function that returns it for each attempt. */
    constructor(url, schema, { token = new Uint8Array(), reconnect = false, timeout = 5000, WebSocket = globalThis.WebSocket } = {}) {
        if (typeof WebSocket !== "function")
            throw new TypeError("This platform has no WebSocket. Pass the option WebSocket, for example the class of the package ws.");
        this.schema = schema;
        this.#options = { find: typeof url === "function" ? url : () => url, token, reconnect, timeout, WebSocket };
    }

    get isConnected() {
        return this.#connection?.isOpen ?? false;
    }

    /** Handles an event. Call it before connect. */
    on(event, handler) {
        this.#handlers.set(this.schema.find(event).id, { reply: null, handler });
    }

    /** Answers a request. Call it before connect. */
    onRequest(request, reply, handler) {
        this.#handlers.set(this.schema.find(request).id, { reply: this.schema.find(reply), handler });
    }

    /** Connects. Rejects with a ConnectionError. */
    async connect() {
        this.#run(await this.#open());
        return this;
    }

    /** Sends an event. Throws a ConnectionError, a ContractMismatch or a PayloadError. */
    send(event, value) {
        const contract = this.#use(event);
        this.#send({ type: contract.id }, this.schema.encode(contract.id, value));
    }

    /** Sends a request, and resolves with the reply, which is empty for a request without a reply. Rejects with a Fault, a ConnectionError, or a DOMException named TimeoutError. */
    async request(request, value, { timeout = this.#options.timeout, signal = null } = {}) {
        const contract = this.#use(request);
        if (this.schema.contracts.has(contract.reply))
            this.#check(this.schema.contracts.get(contract.reply)); // a reply that cannot be read is no reason to run the handler
        const number = this.#next();
        const payload = this.schema.encode(contract.id, value);
        let timer, abort;
        try {
            const [header, reply] = await new Promise((resolve, reject) => {
                const cancel = reason => {
                    this.#connection?.control(CANCEL, writeUvarint(number));
                    reject(reason);
                };
                signal?.throwIfAborted();
                signal?.addEventListener("abort", abort = () => cancel(signal.reason));
                timer = setTimeout(() => cancel(new DOMException(`${contract.name} was not answered within ${timeout} ms.`, "TimeoutError")), timeout);
                this.#pending.set(number, { resolve, reject });
                this.#send({ type: contract.id, kind: Kind.REQUEST, correlation: number }, payload);
            });
            if (header.kind === Kind.FAULT) {
                const { code, text } = readFault(reply);
                throw new Fault(code, text);
            }
            if (header.type === STREAM) {
                this.#send({ type: BLOCK, kind: Kind.REQUEST, correlation: this.#next() }, concat(reply.subarray(0, 4), new Uint8Array(4))); // a block of 0 bytes closes the stream
                throw new PayloadError(`The reply to ${contract.name} is a stream, which this client cannot read. The stream was closed.`);
            }
            return header.type === ACKNOWLEDGEMENT ? {} : this.#decode(header, reply);
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", abort);
            this.#pending.delete(number);
        }
    }

    /** Says goodbye, closes the connection, and does not reconnect. */
    close() {
        this.#isClosed = true;
        this.#connection?.control(GOODBYE, [0]);
        this.#connection?.end("Requested");
    }

    #next() {
        return this.#number = (this.#number + 1) >>> 0;
    }

    #use(name) {
        const contract = this.schema.find(name);
        this.#check(contract);
        return contract;
    }

    /** Throws a ContractMismatch if the server announced another contract. Each contract is compared once. */
    #check(contract) {
        if (!this.#mismatches.has(contract.id))
            this.#mismatches.set(contract.id, findMismatch(this.schema, [contract], this.#told));
        const mismatch = this.#mismatches.get(contract.id);
        if (mismatch)
            throw new ContractMismatch(mismatch.here, mismatch.path);
    }

    /** The contracts that this client handles, and those of its replies. */
    #ownContracts() {
        return [...new Set([...this.#handlers].flatMap(([id, { reply }]) => reply ? [this.schema.find(id), reply] : [this.schema.find(id)]))];
    }

    /** Keeps contracts that the server announced, and compares those of this client with them. Throws a ConnectionError for a difference, of which the server is told. */
    #learn(connection, contracts) {
        const told = new Map([...this.#told, ...contracts]);
        const layouts = new Set([...told.values()].map(one => one.layouts));
        let size = 0;
        for (const one of layouts)
            size += one?.text.length ?? 0;
        for (const one of told.values())
            size += one.name.length + 8 * one.shape.length;
        if (told.size > MAX_CONTRACTS)
            throw new ConnectionError("Malformed", `The server announced more than ${MAX_CONTRACTS} contracts.`);
        if (size > MAX_ANNOUNCED)
            throw new ConnectionError("Malformed", `The contracts that the server announced have more than ${MAX_ANNOUNCED} characters.`);
        this.#told = told;
        this.#mismatches.clear();
        const mismatch = findMismatch(this.schema, this.#ownContracts(), contracts);
        if (mismatch) {
            connection.control(GOODBYE, concat([REASONS.indexOf("WrongContract")], cutUtf8(mismatch.there, MAX_TEXT)));
            throw new ConnectionError("WrongContract", mismatch.here);
        }
    }

    #send(header, payload) {
        if (!this.isConnected)
            throw new ConnectionError("ConnectionLost", "There is no connection.");
        this.#checkSize(header, payload);
        this.#connection.send(header, payload);
    }

    #checkSize(header, payload) {
        if (payload.length + 17 > this.#largest && writeHeader(header).length + payload.length > this.#largest)
            throw new PayloadError(`The message has ${writeHeader(header).length + payload.length} bytes; the server accepts at most ${this.#largest}.`);
    }

    /** Calls a function of the program. Its error does not end the client. */
    #tell(call) {
        try {
            call();
        } catch (error) {
            this.#fail(error);
        }
    }

    #fail(error) {
        try {
            this.failed(error);
        } catch (second) {
            console.error(second);
        }
    }

    async #open() {
        const { find, token, timeout, WebSocket } = this.#options;
        const socket = new WebSocket(await find());
        socket.binaryType = "arraybuffer";
        const connection = new Connection(socket, KEEP_ALIVE);
        const timer = setTimeout(() => connection.end("HandshakeTimeout"), timeout);
        try {
            await connection.opened();
            await this.#shakeHands(connection, token, crypto.getRandomValues(new Uint8Array(16)));
        } catch (error) {
            connection.end("ConnectionLost");
            throw error instanceof WireError ? new ConnectionError("NotAPeer", `The server's part of the handshake cannot be read. ${error.message}`) : error;
        } finally {
            clearTimeout(timer);
        }
        this.#connection = connection;
        return connection;
    }

    async #shakeHands(connection, token, nonce) {
        const own = this.#ownContracts();
        const layouts = layoutsOf(this.schema, own);
        const hasToken = token.length > 0;
        this.#told = new Map();
        connection.control(HELLO, writeHello(nonce, hasToken, own, MAX_MESSAGE_SIZE, layouts));
        const hello = readHello(await receiveHello(connection));
        if (hello === null || hello.hasToken !== hasToken)
            throw new ConnectionError(hello === null ? "WrongVersion" : "WrongToken");
        if (hasToken) {
            const key = await importToken(token);
            connection.control(HELLO, await makeProof(key, false, nonce, hello.nonce));
            if (!await isProof(key, await receiveHello(connection), true, hello.nonce, nonce))
                throw new ConnectionError("WrongToken", "The server does not know the token.");
            connection.control(HELLO, writeContracts(own, layouts));
        }
        this.#learn(connection, hello.contracts ?? new Map());
        connection.control(HELLO, []);
        for (let payload; (payload = await receiveHello(connection)).length > 0;)
            this.#learn(connection, readContracts(payload));
        this.#largest = hello.maxMessageSize;
    }

    /** Receives until the end, and then reconnects. */
    async #run(connection) {
        while (true) {
            this.#tell(() => this.connected());
            let ended = { reason: "Malformed", text: "" };
            try {
                while (true)
                    this.#handle(connection, await connection.receive());
            } catch (error) {
                ended = error instanceof ConnectionError ? error : new ConnectionError("Malformed", error.message);
            }
            connection.end(ended.reason);
            this.#connection = null;
            for (const { reject } of this.#pending.values())
                reject(ended);
            this.#requests.clear();
            this.#tell(() => this.disconnected(ended.reason, ended.text));
            connection = this.#options.reconnect ? await this.#reopen() : null;
            if (connection === null)
                return;
        }
    }

    async #reopen() {
        for (let delay = 100; !this.#isClosed; delay = Math.min(2 * delay, 2000)) {
            await new Promise(resolve => setTimeout(resolve, delay * (0.75 + Math.random() / 2))); // so that many clients do not return at once
            try {
                if (!this.#isClosed)
                    return await this.#open();
            } catch (error) {
                this.#fail(error);
            }
        }
        return null;
    }

    #handle(connection, message) {
        let header, position;
        try {
            [header, position] = readHeader(message);
        } catch (error) {
            return this.#fail(error); // this message is dropped alone
        }
        const payload = message.subarray(position);
        if (header.kind === Kind.CONTROL)
            this.#handleControl(connection, header, payload);
        else if (header.kind === Kind.REPLY || header.kind === Kind.FAULT)
            this.#pending.get(header.correlation)?.resolve([header, payload]);
        else
            this.#call(connection, header, payload);
    }

    #handleControl(connection, { type }, payload) {
        if (type === PING)
            connection.control(PONG, payload);
        else if (type === GOODBYE)
            throw goodbye(payload);
        else if (type === CANCEL && this.#requests.has(readUvarint(payload)[0]))
            this.#requests.set(readUvarint(payload)[0], true);
        else if (type === HELLO)
            this.#learn(connection, readContracts(payload));
    }

    /** Calls a handler, and answers a request. */
    async #call(connection, header, payload) {
        const isRequest = header.kind === Kind.REQUEST;
        const { reply = null, handler = null } = this.#handlers.get(header.type) ?? {};
        const answer = (kind, type, bytes) => isRequest && connection.isOpen && connection.send({ type, kind, correlation: header.correlation }, bytes);
        if (isRequest)
            this.#requests.set(header.correlation, false);
        try {
            if (handler === null || isRequest !== (reply !== null)) {
                if (isRequest)
                    throw new Fault(2, "No handler answers requests of this type.");
                return; // an event that this client does not handle
            }
            let value;
            try {
                value = this.#decode(header, payload);
            } catch (error) {
                this.#fail(error);
                throw new Fault(3, `The request ${this.schema.contracts.get(header.type)?.name} (type ${header.type}) cannot be read: a value in it is invalid for the contract of the receiver.`);
            }
            const result = await handler(value);
            if (isRequest && this.#requests.get(header.correlation))
                throw new Fault(5, "The request was canceled.");
            if (isRequest)
                answer(Kind.REPLY, reply.id, this.#encodeReply(reply, header, result));
        } catch (error) {
            const isFault = error instanceof Fault;
            if (!isFault)
                this.#fail(error);
            answer(Kind.FAULT, header.type, isFault ? writeFault(error.code, error.text) : writeFault(1, "The handler failed."));
        } finally {
            this.#requests.delete(header.correlation);
        }
    }

    #encodeReply(reply, { correlation }, value) {
        try {
            const payload = this.schema.encode(reply.id, value);
            this.#checkSize({ type: reply.id, kind: Kind.REPLY, correlation }, payload);
            return payload;
        } catch (error) {
            this.#fail(error);
            throw new Fault(4, `The reply ${reply.name} cannot be sent.`);
        }
    }

    #decode(header, payload) {
        const contract = this.schema.find(header.type);
        this.#check(contract);
        if (header.size !== null) {
            const [, decompress] = Object.entries(this.decompressors).find(([name]) => contract.compressor?.endsWith(name)) ?? [];
            if (!decompress || header.size > MAX_MESSAGE_SIZE)
                throw new PayloadError(`${contract.name} is compressed by ${contract.compressor}, for which this client has no function in decompressors, or is too large.`);
            payload = decompress(payload, header.size);
        }
        return this.schema.decode(contract.id, payload);
    }
}

async function receiveHello(connection) {
    const message = await connection.receive();
    const [header, position] = readHeader(message);
    if (header.kind === Kind.CONTROL && header.type === GOODBYE)
        throw goodbye(message.subarray(position));
    if (header.kind !== Kind.CONTROL || header.type !== HELLO || header.size !== null)
        throw new ConnectionError("NotAPeer");
    return message.subarray(position);
}

function goodbye(payload) {
    return new ConnectionError(REASONS[payload[0]] ?? "Goodbye", clean(new TextDecoder().decode(payload.subarray(1))));
}
