/** The first messages of a connection: hellos, token proofs and contracts. */

import { MAX_MESSAGE_SIZE, check, concat, fromHex, fromUtf8, readUvarint, toUtf8, writeUvarint } from "./wire.js";

const MAGIC = toUtf8("RLM3");
const LATER = fromHex("02FFFFFFFF0F01010000000001");
const startsWith = (bytes, start) => start.every((byte, i) => bytes[i] === byte);

/** The disconnect reasons, by number. */
export const REASONS = Object.freeze((
    "Requested Goodbye ConnectionLost HandshakeTimeout NotAPeer WrongVersion WrongToken WrongContract TooManyPeers FrameTooLarge Malformed RepliesUnread " +
    "TooManyRunningHandlers NotResponding TlsFailed WrongProtection Tampered NotAuthenticated Kicked Idle TooManyMessages TooManyBytes LockedOut " +
    "TooManyUnauthenticated TooManyUnauthenticatedFromAddress TooManyPeersFromAddress NotReading WrongOrigin").split(" "));

/** Writes the payload of a first hello. */
export function writeHello(nonce, hasToken, contracts = [], maxMessageSize = MAX_MESSAGE_SIZE) {
    return concat(MAGIC, [1, hasToken ? 1 : 0], writeUvarint(maxMessageSize), nonce, hasToken ? LATER : writeContracts(contracts));
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

/** Writes a list of contracts of the schema. */
export function writeContracts(contracts) {
    const string = text => {
        const bytes = toUtf8(text);
        return concat(writeUvarint(bytes.length + 1), bytes);
    };
    const numbers = (type, values) => new Uint8Array(type.from(values).buffer); // little-endian, like every machine that runs browsers
    return concat(writeUvarint(contracts.length + 1), ...contracts.flatMap(one => [
        writeUvarint(one.id), string(one.name), string(one.serializer), numbers(Int32Array, [one.version]),
        writeUvarint(one.fields.length + 1), numbers(BigUint64Array, one.fields.map(field => field.shape)),
    ]));
}

/** Reads a list of contracts that the other side announces: a map by id. */
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
        const [id, name, serializer] = [uvarint(), fromUtf8(take(count())), fromUtf8(take(count()))];
        const version = new DataView(take(4).buffer).getInt32(0, true);
        told.set(id, { id, name, serializer, version, shape: Array.from({ length: count() }, () => new DataView(take(8).buffer).getBigUint64(0, true)) });
    }
    check(position === payload.length && told.size === total && total <= 4096, "Unreadable");
    return told;
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
