/** The errors of the client. Bytes that break a rule of the wire format are a WireError of wire.js. */

import { MAX_SIZE } from "./wire.js";

/** A payload that is malformed, or a value that a contract can't hold. */
export class PayloadError extends Error {
    name = "PayloadError";
}

/** A refused request. A handler throws one to refuse: codes from 1000 up are the program's. A fault that the handler got from the server is sent as fault 1. */
export class Fault extends Error {
    name = "Fault";

    constructor(code, text, isRemote = false) {
        if (!Number.isInteger(code) || code < 0 || code > MAX_SIZE)
            throw new RangeError(`The code of a fault is ${code}; it must be an integer from 0 to ${MAX_SIZE}.`);
        super(`Fault ${code}: ${text}`);
        this.code = code;
        this.text = text;
        this.isRemote = isRemote;
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

/** The two sides know a type of message by different contracts. `path` is the path of the field that differs, or null if the serializers, the compressors or the versions differ. */
export class ContractMismatch extends Error {
    name = "ContractMismatch";

    constructor(text, path = null) {
        super(text);
        this.path = path;
    }
}

/** A transfer of a file that failed after it had begun. `progress` has the offset; `cause` is the error. */
export class TransferError extends Error {
    name = "TransferError";

    constructor(name, progress, cause) {
        super(`The transfer of '${name}' failed after ${progress.transferred} of ${progress.length} bytes: ${cause.message}`, { cause });
        this.progress = progress;
    }
}
