/** Files in both directions. A transfer that was interrupted continues where it ended. The client loads this file with the first file. */

import { ConnectionError, Fault, PayloadError, TransferError } from "./errors.js";
import { Outgoing, addOutgoing, enter, findOutgoing } from "./outgoing.js";
import { platform } from "./platform.js";
import { IncomingStream, remoteFault, start } from "./streams.js";
import { abortable } from "./waits.js";
import { FILE_FOUND, FILE_OFFER, FILE_RECEIVED, FILE_START, FILE_STARTED, FILE_WANTED, Kind, concat, fromUtf8, toUtf8 } from "./wire.js";

const BLOCK = 128 * 1024;
const HEAD = 12; // bytes of an offer before the name
const HASH = 32; // bytes of a hash

/** A file that this side sends. */
class OutgoingFile extends Outgoing {
    error = null; // of the source or of the progress, if a call of this side waits for it
    #blob;
    #report;
    #isAwaited;
    #hasBegun = false;

    constructor(blob, isAwaited, report = () => {}) {
        super();
        [this.#blob, this.#isAwaited, this.#report] = [blob, isAwaited, report];
        this.progress = { transferred: 0, length: blob.size, resumed: 0 };
    }

    /** Continues after the part that the receiver has, if the file begins with it. Resolves with the offset. */
    async start(offset, expected) {
        if (this.#hasBegun)
            throw new Fault(3, "The file has begun. Report the part of a file once, before the first request for a block.");
        this.#hasBegun = true;
        const found = offset > 0 && offset <= this.#blob.size ? await platform.hash(this.#blob.slice(0, offset)) : null;
        const resumed = found?.every((byte, i) => byte === expected[i]) ? offset : 0;
        this.progress = { ...this.progress, transferred: resumed, resumed };
        return resumed;
    }

    async take(size) {
        this.#hasBegun = true;
        try {
            return await this.#read(size);
        } catch (error) {
            if (!this.#isAwaited)
                throw error; // it is reported as that of a handler
            this.error = error;
            throw new Fault(1, `The source of the file failed at byte ${this.progress.transferred}.`);
        }
    }

    close() {
        super.close();
        void this.#blob.close?.(); // a file of Node
    }

    async #read(size) {
        const { transferred, length } = this.progress;
        const block = new Uint8Array(await this.#blob.slice(transferred, transferred + Math.min(size, BLOCK)).arrayBuffer());
        if (block.length === 0 && transferred < length)
            throw new Error("The file became shorter.");
        if (block.length > 0) {
            this.progress = { ...this.progress, transferred: transferred + block.length };
            this.#report(this.progress);
        }
        return block;
    }
}

/** A file that is received into the memory. It outlives a connection, so a transfer continues. */
class BlobTarget {
    #blob = new Blob();

    get size() {
        return this.#blob.size;
    }

    hash() {
        return platform.hash(this.#blob);
    }

    truncate() {
        this.#blob = new Blob();
    }

    write(block) {
        this.#blob = new Blob([this.#blob, block]);
    }

    finish() {
        return this.#blob;
    }

    close() {}
}

/** A file that the server wants to send. */
class FileOffer {
    isReceived = false;
    #session;
    #number;
    #signal;

    constructor(session, { number, length, name }, signal) {
        [this.#session, this.#number, this.#signal] = [session, number, signal];
        this.length = length;
        this.name = name;
    }

    /** Receives the file as a Blob. */
    receive(options) {
        return this.#take(new BlobTarget(), options);
    }

    /** Receives the file to a path. */
    async save(path, options) {
        return this.#take(await platform.openTarget(path), options);
    }

    async #take(target, options) {
        const result = await receive(this.#session, { number: this.#number, length: this.length, name: this.name }, target, { signal: this.#signal, ...options });
        this.isReceived = true;
        return result;
    }
}

/** Returns a function that sends a file over a session. */
export async function sendFile(source, name, { progress, signal = null }) {
    const [blob, ownName = ""] = await platform.openSource(source);
    return async session => {
        const file = new OutgoingFile(blob, true, progress);
        const number = addOutgoing(session, file);
        try {
            await ask(session, FILE_OFFER, writeOffer(number, blob.size, name ?? ownName), FILE_RECEIVED, signal);
            return file.progress;
        } catch (error) {
            const cause = file.error ?? (file.progress.transferred > 0 && (error instanceof Fault || error instanceof ConnectionError) ? error : null); // the server does not know why this side failed
            throw cause ? new TransferError(name ?? ownName, file.progress, cause) : error;
        } finally {
            file.close();
        }
    };
}

/** Returns a function that receives a file as a Blob over a session. */
export function receiveFile(name, options, timeout) {
    const target = new BlobTarget();
    return session => request(session, name, async () => target, options, timeout);
}

/** Returns a function that saves a file at a path over a session. */
export function saveFile(name, path, options, timeout) {
    return session => request(session, name, () => platform.openTarget(path), options, timeout);
}

async function request(session, name, openTarget, options, timeout) {
    const found = await ask(session, FILE_WANTED, toUtf8(name), FILE_FOUND, AbortSignal.any([AbortSignal.timeout(timeout), ...options.signal ? [options.signal] : []]));
    const offer = { ...readOffer(found, null), name };
    let target;
    try {
        target = await openTarget();
    } catch (error) {
        new IncomingStream(session, offer.number).close();
        throw error;
    }
    return receive(session, offer, target, options);
}

/** Answers an offer of the server. */
export async function answerOffer([payload, size], call, session, handle) {
    const offer = new FileOffer(session, read(() => readOffer(payload, size)), call.signal);
    await handle(offer);
    if (!offer.isReceived)
        throw new Error("The handler of files returned without the file. Await offer.receive or offer.save, or throw a Fault to refuse the file.");
    return [FILE_RECEIVED, int64(offer.length), null];
}

/** Answers a request of the server for a file. */
export async function answerWanted([payload, size], call, session, handle) {
    const name = read(() => size === null ? fromUtf8(payload) : invalid());
    enter(session);
    try {
        const [blob] = await platform.openSource(await handle(name));
        call.opened = new OutgoingFile(blob);
        return [FILE_FOUND, writeOffer(addOutgoing(session, call.opened, true), blob.size, name), null];
    } catch (error) {
        session.opened--;
        throw error;
    }
}

/** Answers the report of the part that the server has. */
export async function answerStart([payload, size], session) {
    const { number, length: offset } = read(() => readOffer(payload.subarray(0, HEAD), size));
    const part = payload.subarray(HEAD);
    if (part.length !== (offset > 0 ? HASH : 0))
        throw new Fault(3, "The part of a file is invalid.");
    const file = findOutgoing(session, number);
    if (!(file instanceof OutgoingFile))
        throw new Fault(3, `No file with the number ${number} is being sent.`);
    return [FILE_STARTED, int64(await file.start(offset, part)), null];
}

async function receive(session, { number, length, name }, target, { progress: report = () => {}, signal = null } = {}) {
    const stream = new IncomingStream(session, number, BLOCK);
    let progress = { transferred: 0, length, resumed: 0 };
    try {
        const offset = await begin(session, number, target, signal);
        progress = { transferred: offset, length, resumed: offset };
        for (let block; (block = await stream.read(signal)) !== null;) {
            if (block.length > length - progress.transferred)
                throw new PayloadError("The server sent more bytes than the length of the file.");
            await target.write(block);
            progress = { ...progress, transferred: progress.transferred + block.length };
            report(progress);
        }
        if (progress.transferred !== length)
            throw new PayloadError("The server ended the transfer, or the file became shorter.");
        return await target.finish(progress);
    } catch (error) {
        throw signal?.aborted ? error : new TransferError(name, progress, error);
    } finally {
        stream.close();
        await target.close();
    }
}

/** Reports the part that is there. Resolves with the offset at which the file continues. */
async function begin(session, number, target, signal) {
    const hash = target.size > 0 ? await target.hash() : null;
    const size = hash ? target.size : 0;
    const reply = await ask(session, FILE_START, concat(uint32(number), int64(size), hash ?? []), FILE_STARTED, signal);
    const offset = reply.length === 8 ? Number(view(reply).getBigInt64(0, true)) : -1;
    if (offset !== 0 && offset !== size)
        throw new PayloadError("The reply to the start of a transfer is invalid.");
    if (offset !== target.size)
        await target.truncate(); // another file had been there
    return offset;
}

/** Sends a request of the library, which has no timeout, and resolves with the payload of its reply. */
async function ask(session, type, payload, replyType, signal) {
    await abortable(session.connection.waitForRoom(), signal);
    const pending = start(session, type, payload, replyType);
    try {
        const [header, reply] = await abortable(pending.reply, signal);
        if (header.kind === Kind.FAULT)
            throw remoteFault(reply);
        if (header.type !== replyType || header.size !== null)
            throw new PayloadError(`The reply has the type ${header.type} in place of ${replyType}.`);
        return reply;
    } catch (error) {
        if (signal?.aborted) {
            session.cancel(pending.header.correlation);
            pending.reply.then(reply => session.closeUnread(...reply), () => {}); // it arrived at the same time
        }
        throw error;
    } finally {
        session.requests.remove(pending);
    }
}

const view = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const uint32 = value => new Uint8Array(Uint32Array.of(value).buffer);
const int64 = value => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
const writeOffer = (number, length, name) => concat(uint32(number), int64(length), toUtf8(name));

function readOffer(payload, size) {
    const length = payload.length < HEAD || size !== null ? -1 : Number(view(payload).getBigInt64(4, true));
    return length < 0 || !Number.isSafeInteger(length) ? invalid() : { number: view(payload).getUint32(0, true), length, name: fromUtf8(payload.subarray(HEAD)) };
}

function invalid() {
    throw new PayloadError("The offer of a file, or the request for one, is invalid.");
}

/** Reads a request of the server, which is refused if it is invalid. */
function read(run) {
    try {
        return run();
    } catch (error) {
        throw new Fault(3, error.message);
    }
}
