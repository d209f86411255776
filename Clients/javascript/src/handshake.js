/** The first messages of a connection: hellos, token proofs and contracts. */

import { ENTRY, areSame, clean, writeLayouts } from "./layouts.js";
import { MAX_MESSAGE_SIZE, check, concat, fromHex, fromUtf8, readUvarint, toUtf8, writeUvarint } from "./wire.js";

const MAGIC = toUtf8("RLM3");
const LATER = fromHex("02FFFFFFFF0F01010000000001");
const MAX_LAYOUTS = 224 * 1024; // of a list of contracts with its layouts, in bytes
const startsWith = (bytes, start) => start.every((byte, i) => bytes[i] === byte);

/** The disconnect reasons, by number. */
export const REASONS = Object.freeze((
    "Requested Goodbye ConnectionLost HandshakeTimeout NotAPeer WrongVersion WrongToken WrongContract TooManyPeers FrameTooLarge Malformed RepliesUnread " +
    "TooManyRunningHandlers NotResponding TlsFailed WrongProtection Tampered NotAuthenticated Kicked Idle TooManyMessages TooManyBytes LockedOut " +
    "TooManyUnauthenticated TooManyUnauthenticatedFromAddress TooManyPeersFromAddress NotReading WrongOrigin Banned").split(" "));

/** Writes the payload of a first hello. With a token, the contracts follow the proof. */
export function writeHello(nonce, hasToken, contracts = [], maxMessageSize = MAX_MESSAGE_SIZE, layouts = "") {
    return concat(MAGIC, [1, hasToken ? 1 : 0], writeUvarint(maxMessageSize), nonce, hasToken ? LATER : writeContracts(contracts, layouts));
}

/** Reads a first hello; null for another version of the protocol. The contracts are null if they follow the proof. */
export function readHello(payload) {
    check(payload.length > 4 && startsWith(payload, MAGIC), "Unreadable");
    if (payload[4] !== 1)
        return null;
    check(payload.length > 5 && payload[5] <= 1, "Unreadable");
    const [size, position] = readUvarint(payload, 6);
    const nonce = payload.slice(position, position + 16);
    const rest = payload.subarray(position + 16);
    check(size >= 128 && nonce.length === 16, "Unreadable");
    const isLater = rest.length === LATER.length && startsWith(rest, LATER);
    return { hasToken: payload[5] === 1, maxMessageSize: Math.min(size, 2 ** 31 - 1), nonce, contracts: isLater ? null : readContracts(rest) };
}

/** Writes a list of contracts of the schema. An entry with layouts, as `layoutsOf` returns them, follows the contracts unless the layouts are empty. */
export function writeContracts(contracts, layouts = "") {
    const string = text => {
        const bytes = toUtf8(text);
        return concat(writeUvarint(bytes.length + 1), bytes);
    };
    const numbers = (type, values) => new Uint8Array(type.from(values).buffer); // little-endian, like every machine that runs browsers
    const entries = [...contracts, ...layouts === "" ? [] : [{ id: ENTRY, name: layouts, serializer: "layouts", compressor: null, version: 1, fields: [] }]];
    return concat(writeUvarint(entries.length + 1), ...entries.flatMap(one => [
        writeUvarint(one.id), string(one.name), string(encodingOf(one)), numbers(Int32Array, [one.version]),
        writeUvarint(one.fields.length + 1), numbers(BigUint64Array, one.fields.map(field => field.shape)),
    ]));
}

/** Returns the layouts for a list of contracts, as far as they fit into it. */
export function layoutsOf(schema, contracts) {
    return writeLayouts(schema, contracts, MAX_LAYOUTS - writeContracts(contracts).length);
}

/** Reads a list of contracts that the other side announces: a map by id. `line` is the number of the line of a contract in `layouts`, the text of all lines, which is null if the list has no layouts. */
export function readContracts(payload) {
    let position = 0;
    const told = new Map();
    const take = size => {
        check(size <= payload.length - position, "Unreadable");
        position += size;
        return payload.slice(position - size, position);
    };
    const uvarint = () => {
        let value;
        [value, position] = readUvarint(payload, position);
        return value;
    };
    const count = () => {
        const value = uvarint();
        check(value > 0 && value <= payload.length - position + 1, "Unreadable");
        return value - 1;
    };

    const total = count();
    for (let i = 0; i < total; i++) {
        const [id, name, encoding] = [uvarint(), fromUtf8(take(count())), fromUtf8(take(count()))];
        const version = new DataView(take(4).buffer).getInt32(0, true);
        told.set(id, { id, name, encoding, version, shape: Array.from({ length: count() }, () => new DataView(take(8).buffer).getBigUint64(0, true)), layouts: null, line: i });
    }
    check(position === payload.length && told.size === total && total <= 4096, "Unreadable");
    const last = [...told.values()].at(-1);
    if (last?.id === ENTRY) {
        told.delete(ENTRY);
        told.forEach(one => one.layouts = last.name); // the text is in place of the name of a type
    }
    return told;
}

let comparing = null; // the module that compares layouts

/** Loads what compares layouts, if a contract of the other side has another layout than that of the schema. Returns null if nothing has to be loaded. */
export function prepareComparison(schema, told) {
    const layouts = new Set([...told.values()].map(one => one.layouts));
    if (comparing !== null || [...layouts].every(text => text === null || areSame(schema, text)))
        return null;
    return import("./comparison.js").then(module => void (comparing = module));
}

/**
 * Returns the first difference between contracts of this side and those that the other side announced: `path`, and the sentences `here` and `there`, for this side and for the other side.
 * Null if each side can read the other. `prepareComparison` was called before.
 */
export function findMismatch(schema, contracts, told) {
    const own = contracts.filter(one => told.has(one.id));
    const lines = comparing && new comparing.Layouts(writeLayouts(schema, own));
    const comparisons = new Map(); // one for all contracts of a list, so that each message inside is compared once
    for (const [line, ours] of own.entries()) {
        const theirs = told.get(ours.id);
        if (comparing && theirs.layouts !== null && !comparisons.has(theirs.layouts))
            comparisons.set(theirs.layouts, new comparing.Comparison(lines, new comparing.Layouts(theirs.layouts)));
        const difference = compare(ours, theirs, comparisons.get(theirs.layouts), line);
        if (difference) {
            const describe = (one, other, text) => `The contracts of message type ${ours.id} (${one} on this side, ${other} on the remote side) differ: ${text}.`;
            const theirName = clean(theirs.name);
            return { path: difference.path, here: describe(ours.name, theirName, difference.here), there: describe(theirName, ours.name, difference.there) };
        }
    }
    return null;
}

/** The name of the serializer. For a contract with a compressor, a plus sign and the name of the compressor's format follow; or that of its class, if the schema does not know the format. */
function encodingOf({ serializer, compressor }) {
    return compressor === null ? serializer : `${serializer}+${compressor}`;
}

/** Compares two encodings. Returns the difference, as this side and as the other side sees it; null if each side can read the other. A name of a compressor with a dot is that of a class. */
export function compareEncodings(ours, theirs) {
    const [[ourSerializer, ourFormat], [theirSerializer, theirFormat]] = [ours, theirs].map(encoding => {
        const at = encoding.lastIndexOf("+");
        return at < 0 ? [encoding, "none"] : [encoding.slice(0, at), encoding.slice(at + 1)];
    });
    if (ourSerializer !== theirSerializer)
        return sentences("serializer", ourSerializer, theirSerializer);
    if (ourFormat === theirFormat || ourFormat !== "none" && theirFormat !== "none" && (ourFormat + theirFormat).includes("."))
        return null;
    return sentences("compressor", ourFormat, theirFormat, "; both sides need the same format");
}

function sentences(what, ours, theirs, advice = "") {
    const other = clean(theirs);
    return { here: `the ${what} is ${ours} here and ${other} there${advice}`, there: `the ${what} is ${other} here and ${ours} there${advice}` };
}

function compare(ours, theirs, comparison, line) {
    const difference = compareEncodings(encodingOf(ours), theirs.encoding)
        ?? (ours.version === theirs.version ? null : sentences("version", ours.version, `${theirs.version}`))
        ?? comparison?.find(line, theirs.line);
    if (difference)
        return { path: null, ...difference };
    const shape = new Map(theirs.shape.map(entry => [entry >> 32n, entry]));
    const field = ours.fields.find(one => (shape.get(one.shape >> 32n) ?? one.shape) !== one.shape);
    const text = `the first difference is the field ${field?.name}`;
    return field ? { path: field.name, here: text, there: text } : null;
}

const proofText = (isServer, ownNonce, otherNonce) => concat([isServer ? 0x53 : 0x43], ownNonce, otherNonce);

/** Imports a token for proofs. Browsers have WebCrypto on pages of HTTPS and of this machine only. */
export function importToken(token) {
    if (!globalThis.crypto?.subtle)
        throw new Error("This page has no WebCrypto, which proofs of a token need. Open it over HTTPS, or from localhost.");
    return crypto.subtle.importKey("raw", token, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

/** What a side sends to prove that it knows the token. */
export async function makeProof(key, isServer, ownNonce, otherNonce) {
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, proofText(isServer, ownNonce, otherNonce)));
}

/** Whether the other side has proved that it knows the token. */
export function isProof(key, proof, isServer, ownNonce, otherNonce) {
    return crypto.subtle.verify("HMAC", key, proof, proofText(isServer, ownNonce, otherNonce));
}
