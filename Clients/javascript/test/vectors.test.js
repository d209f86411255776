/** Every file of docs/vectors against the client. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { Client, PayloadError, Schema, fromDate, fromHex, toDate } from "../node.js";
import { decompressLz4 } from "../src/compression.js";
import { compareEncodings, importToken, isProof, layoutsOf, makeProof, readContracts, readHello, writeContracts, writeHello } from "../src/handshake.js";
import { Comparison, Layouts } from "../src/comparison.js";
import { Kind, WireError, readFault, readFrame, readHeader, readUvarint, writeHeader, writeUvarint } from "../src/wire.js";
import { Mutations } from "./mutations.js";
import { EXTENT, SCHEMA, asVector, cases, document, toHex } from "./support.js";

/** The status of a WireError, or "Ok". */
function statusOf(run) {
    try {
        run();
        return "Ok";
    } catch (error) {
        if (!(error instanceof WireError))
            throw error;
        return error.status;
    }
}

test("uvarints", () => {
    for (const one of cases("uvarints")) {
        const bytes = fromHex(one.bytes);
        assert.equal(statusOf(() => {
            assert.deepEqual(readUvarint(bytes), [one.value, bytes.length], one.name);
            assert.deepEqual(writeUvarint(one.value), bytes, one.name);
        }), one.status, one.name);
    }
});

test("headers", () => {
    for (const one of cases("headers")) {
        const bytes = fromHex(one.bytes);
        assert.equal(statusOf(() => {
            const [header, position] = readHeader(bytes);
            const { type, kind, correlation, size } = one;
            assert.deepEqual(header, { type, kind, correlation, size }, one.name);
            assert.equal(toHex(bytes.subarray(position)), one.payload, one.name);
            assert.deepEqual(writeHeader(header), bytes.slice(0, position), one.name);
        }), one.status, one.name);
    }
});

test("frames and batches", () => {
    for (const one of [...cases("frames"), ...cases("batches")]) {
        const [stream, messages] = [fromHex(one.stream), []];
        let [position, status] = [0, "Ok"];
        try {
            while (status === "Ok") {
                const frame = readFrame(stream, position, one.limit);
                if (frame === null)
                    status = "Incomplete";
                else {
                    messages.push(toHex(frame[0]));
                    position = frame[1];
                    if ("message" in one)
                        break;
                }
            }
        } catch (error) {
            status = error.status;
        }
        const expected = one.messages ?? (one.message === null ? [] : [one.message]);
        assert.deepEqual({ messages, status, rest: toHex(stream.subarray(position)) }, { messages: expected, status: one.status, rest: one.rest }, one.name);
    }
});

test("compressed payloads", () => {
    const brotli = (bytes, size) => {
        const { buffer, engine } = brotliDecompressSync(bytes, { info: true, maxOutputLength: size + 1 });
        if (buffer.length !== size || engine.bytesWritten !== bytes.length)
            throw new WireError("The payload is not a Brotli stream of the declared size.");
        return buffer;
    };
    const receive = (message, compressor) => {
        if (statusOf(() => readHeader(message)) !== "Ok")
            return ["Malformed", null];
        const [header, position] = readHeader(message);
        const payload = message.subarray(position);
        if (header.kind > Kind.REQUEST)
            return ["NotForHandlers", null];
        if (header.type !== 3)
            return ["NoHandler", null];
        if (header.size === null)
            return ["Handled", toHex(payload)];
        if (compressor === "none")
            return ["Malformed", null];
        if (header.size > 1 << 20)
            return ["TooLarge", null];
        try {
            return ["Handled", toHex({ lz4: decompressLz4, brotli }[compressor](payload, header.size))];
        } catch (error) {
            assert.ok(error instanceof WireError || /brotli|decompress|BrotliDecoder|zlib|ERR_|unexpected end/i.test(`${error.code} ${error.message}`), String(error));
            return ["CorruptPayload", null];
        }
    };
    for (const one of cases("compression"))
        assert.deepEqual(receive(fromHex(one.bytes), one.compressor), [one.status, one.payload], one.name);
});

test("a compressor is known by the name of its format", () => {
    for (const [compressor, compressorName, expected] of [["Game.One", "lz4", "lz4"], ["Game.One", null, "Game.One"], ["Game.One", undefined, "Game.One"], [null, undefined, null]]) {
        const schema = new Schema({ contracts: [{ id: 1, name: "One", kind: "message", struct: false, version: 1, serializer: "binary", compressor, compressorName, fields: [] }] });
        assert.equal(schema.find("One").compressor, expected);
    }
    assert.deepEqual(Object.keys(new Client("tcp://127.0.0.1:1", { schema: SCHEMA }).decompressors).sort(), ["brotli", "lz4"]);
});

test("LZ4 blocks end with literals", () => {
    const [block, text] = [fromHex("1F61010001" + "506262626262"), "a".repeat(21) + "bbbbb"];
    assert.equal(Buffer.from(decompressLz4(block, 26)).toString(), text);
    for (const [bytes, size] of [["1F61010001", 21], ["1F6101000100", 21], ["1F610100014062626262", 25], ["80" + "61".repeat(8) + "0100506262626262", 17], ["1F61000001506262626262", 26], ["1F61020001506262626262", 26], ["", 0], ["10", 1], ["F0", 15], ["106104010050626262626262", 13], ["80" + "61".repeat(8) + "01003062626200000000", 15]])
        assert.throws(() => decompressLz4(fromHex(bytes), size), WireError, bytes);
});

test("payloads", () => {
    for (const one of cases("payloads")) {
        const [contract, bytes] = [SCHEMA.find(one.message), fromHex(one.bytes)];
        if (one.status !== "Ok") {
            assert.throws(() => SCHEMA.decode(contract.id, bytes), PayloadError, one.name);
            continue;
        }
        const value = SCHEMA.decode(contract.id, bytes);
        assert.deepEqual(asVector(contract, value), one.value, one.name);
        if (one.canonical)
            assert.equal(toHex(SCHEMA.encode(contract.id, value)), one.bytes, one.name);
    }
});

const fnv = (value, text) => [...Buffer.from(text), 0].reduce((hash, byte) => Math.imul(hash ^ byte, 16777619) >>> 0, value);

test("derived ids", () => {
    for (const one of cases("ids"))
        assert.equal(2097152 + fnv(2166136261, one.name) % 266338304, one.id, one.name);
});

test("shapes follow from the schema", () => {
    for (const told of document("contracts.schema").contracts) {
        const contract = SCHEMA.find(told.id);
        let running = 2166136261;
        contract.fields.forEach((field, i) => {
            const { code } = told.fields[i];
            running = contract.kind === "message" ? fnv(fnv(running, field.name), code) : fnv(fnv(2166136261, contract.kind === "union" ? "union" : "numbered"), code);
            const number = BigInt(contract.kind === "union" ? field.number + 1 : field.number);
            assert.equal(number << 32n | BigInt(running), field.shape, `${contract.name}.${field.name}`);
        });
    }
});

test("mutated messages get the verdicts of the library", () => { // 20,000, or 100,000 before a release
    const mutations = new Mutations();
    cases("mutations").slice(0, EXTENT >= 2 ? 100 : 20).forEach((one, block) => {
        const verdicts = Uint8Array.from({ length: 1000 }, (_, i) => mutations.judge(mutations.next(1000 * block + i)));
        assert.deepEqual([0, 1, 2, 3, 4].map(verdict => verdicts.filter(other => other === verdict).length), one.counts, one.name);
        assert.equal(createHash("sha256").update(verdicts).digest("hex").toUpperCase(), one.sha256, one.name);
    });
});

test("hellos", () => {
    for (const one of cases("hellos")) {
        const bytes = fromHex(one.bytes);
        let [status, hello] = ["Unreadable", null];
        try {
            hello = readHello(bytes);
            status = hello === null ? "OtherVersion" : "Ok";
        } catch (error) {
            assert.ok(error instanceof WireError, String(error));
        }
        assert.equal(status, one.status, one.name);
        if (status !== "Ok")
            continue;
        const contracts = hello.contracts && [...hello.contracts.values()].map(told => ({ ...told, shape: told.shape.map(entry => entry.toString(16).toUpperCase().padStart(16, "0")) }));
        assert.deepEqual({ hasToken: hello.hasToken, maxMessageSize: hello.maxMessageSize, nonce: toHex(hello.nonce) }, { hasToken: one.hasToken, maxMessageSize: one.maxMessageSize, nonce: one.nonce }, one.name);
        assert.equal(contracts === null, one.contractsLater, one.name);
        assert.deepEqual(contracts?.map(({ layouts, line, ...told }) => Object.values(told)), one.contracts?.map(told => ["id", "type", "encoding", "version", "shape"].map(key => told[key])), one.name);
        const layouts = contracts?.[0]?.layouts ?? undefined;
        assert.equal(layouts, one.layouts, one.name);
        const own = [...hello.contracts?.values() ?? []].map(told => ({ ...told, serializer: told.encoding, compressor: null, fields: told.shape.map(shape => ({ shape })) }));
        if (one.maxMessageSize < 2 ** 31 - 1 && one.contractsLater === one.hasToken) // other hellos are read only
            assert.equal(toHex(writeHello(hello.nonce, hello.hasToken, own, hello.maxMessageSize, layouts)), one.bytes, one.name);
    }
});

test("encodings", () => {
    for (const one of cases("encodings")) {
        const difference = compareEncodings(one.ours, one.theirs);
        assert.deepEqual([difference?.here ?? null, difference?.there ?? null], [one.here, one.there], one.name);
    }
});

test("layouts", () => {
    for (const one of cases("layouts")) {
        const [ours, theirs] = [one.ours, one.theirs].map(text => new Layouts(text));
        const difference = new Comparison(ours, theirs).find(0, 0);
        assert.deepEqual([difference?.path ?? null, difference?.here ?? null, difference?.there ?? null], [one.path, one.here, one.there], one.name);
        const reverse = new Comparison(theirs, ours).find(0, 0);
        assert.deepEqual([reverse?.here ?? null, reverse?.there ?? null], [one.there, one.here], one.name);
    }
});

test("sessions: the server's contracts follow from a schema with its messages, byte by byte", () => {
    const fields = { Ping: "Number i4", Pong: "Number i4", Note: "Text s" };
    for (const one of cases("sessions")) {
        const payloads = Object.fromEntries(one.steps.filter(step => step.from === "server").map(({ what, bytes }) => {
            const [message] = readFrame(fromHex(bytes), 0, 1 << 20);
            return [what, message.subarray(readHeader(message)[1])];
        }));
        const hello = readHello(payloads.hello);
        const told = [...(hello.contracts ?? readContracts(payloads.contracts)).values()];
        const schema = new Schema({
            contracts: told.map(({ id, name, shape }) => ({
                id, name, kind: "message", struct: true, version: 1, serializer: "binary", compressor: null, layout: `o;${fields[name.split(".").at(-1)]}`,
                fields: [{ number: 1, name: "Value", type: "i4", code: "i4", shape: shape[0].toString(16) }],
            })),
        });
        const own = [...schema.contracts.values()];
        const layouts = layoutsOf(schema, own);
        assert.deepEqual(own.map(({ id }) => id), [1, 2, 3], one.name);
        assert.equal(toHex(writeHello(fromHex(one.serverNonce), hello.hasToken, own, 1 << 20, layouts)), toHex(payloads.hello), one.name);
        if (hello.hasToken)
            assert.equal(toHex(writeContracts(own, layouts)), toHex(payloads.contracts), one.name);
    }
});

test("sessions: the client sends the handshake byte by byte", async context => {
    for (const one of cases("sessions")) {
        const end = one.steps.findLastIndex(step => step.what === "last hello") + 1;
        const steps = one.steps.slice(0, end);
        const expected = steps.filter(step => step.from === "client").map(step => step.bytes).join("");
        const sent = [];
        let next = 0;
        class ScriptedWebSocket {
            readyState = 1;

            constructor() {
                setImmediate(() => this.onopen());
            }

            send(bytes) {
                sent.push(toHex(bytes));
                setImmediate(() => this.#play());
            }

            close() {
                this.onclose();
            }

            /** Sends what the server sends after the client's steps so far. */
            #play() {
                let left = sent.join("").length;
                for (const step of steps.slice(0, next))
                    left -= step.from === "client" ? step.bytes.length : 0;
                for (; next < steps.length && (steps[next].from === "server" || left >= steps[next].bytes.length); next++) {
                    if (steps[next].from === "client")
                        left -= steps[next].bytes.length;
                    else
                        this.onmessage({ data: fromHex(steps[next].bytes).buffer });
                }
            }
        }
        context.mock.method(crypto, "getRandomValues", bytes => (bytes.set(fromHex(one.clientNonce)), bytes));
        const client = await new Client("ws://script/", SCHEMA, { token: fromHex(one.token), WebSocket: ScriptedWebSocket }).connect();
        context.mock.restoreAll();
        assert.equal(sent.join(""), expected, one.name);
        await client.close();
        assert.equal(sent.at(-1), "047F040300", one.name);
    }
});

test("sessions: each frame is read, and written again", () => {
    for (const { name, bytes, what } of cases("sessions").flatMap(one => one.steps.map(step => ({ name: one.name, ...step })))) {
        const frame = fromHex(bytes);
        const [message, after] = readFrame(frame, 0, 1 << 20);
        const [header, position] = readHeader(message);
        assert.equal(after, frame.length, `${name}: ${what}`);
        assert.equal(toHex([...writeUvarint(message.length), ...writeHeader(header), ...message.subarray(position)]), bytes, `${name}: ${what}`);
    }
});

test("token proofs", async () => {
    for (const one of cases("proofs")) {
        const [key, isServer, own, other] = [await importToken(fromHex(one.token)), one.role === "server", fromHex(one.ownNonce), fromHex(one.otherNonce)];
        assert.equal(toHex(await makeProof(key, isServer, own, other)), one.proof, one.name);
        assert.ok(await isProof(key, fromHex(one.proof), isServer, own, other), one.name);
        assert.ok(!await isProof(key, fromHex(one.proof), !isServer, own, other), one.name);
    }
});

test("control messages", () => {
    for (const one of cases("control")) {
        const [header, position] = readHeader(fromHex(one.bytes));
        assert.deepEqual(header, { type: one.opcode, kind: Kind.CONTROL, correlation: 0, size: null }, one.name);
        assert.equal(toHex(fromHex(one.bytes).subarray(position)), one.payload, one.name);
    }
});

test("faults", () => {
    for (const one of cases("faults")) {
        if (one.status === "Ok")
            assert.deepEqual(readFault(fromHex(one.bytes)), { code: one.code, text: one.text }, one.name);
        else
            assert.throws(() => readFault(fromHex(one.bytes)), WireError, one.name);
    }
});

test("lists of contracts end with their last contract", () => {
    assert.equal(readContracts(fromHex("01")).size, 0);
    assert.throws(() => readContracts(fromHex("0100")), WireError);
});

/** A schema with one message, Form, whose only field has a type. */
const formOf = (type, extra = {}) => new Schema({
    contracts: [{ id: 1, name: "T.Form", kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: "Value", type, code: type, shape: "0", ...extra }] }],
});

test("values that docs/vectors has no cases of", () => {
    const max = 2n ** 127n - 1n;
    for (const [type, value, bytes] of [
        ["f2", 1.5, "003E"], ["f2", -0, "0080"], ["f2", 65504, "FF7B"], ["f2", Infinity, "007C"], ["f2", 2 ** -24, "0100"], ["f2", 1023 * 2 ** -24, "FF03"], ["f2", 2 ** -14, "0004"],
        ["dd", 0, "00000000"], ["dd", 3652058, "DAB93700"], ["tt", 863999999999n, "FFBF692AC9000000"],
        ["i16", -2n, "FE" + "FF".repeat(15)], ["i16", max, "FF".repeat(15) + "7F"], ["u16", 2n ** 64n, "00".repeat(8) + "01" + "00".repeat(7)], ["u16", 2n ** 128n - 1n, "FF".repeat(16)],
        ["?f2", null, "00"], ["[tt]", [1n], "020100000000000000"], ["{dd:b}", new Map([[1, true]]), "020100000001"],
    ]) {
        const schema = formOf(type);
        assert.equal(toHex(schema.encode(1, { Value: value })), bytes, type);
        assert.deepEqual(schema.decode(1, fromHex(bytes)), { Value: value }, type);
    }
    for (const [value, bytes] of [[65519.99, "FF7B"], [-Infinity, "00FC"], [1 + 2 ** -11, "003C"], [1 + 3 * 2 ** -11, "023C"], [2 ** -25, "0000"], [3 * 2 ** -26, "0100"], [NaN, "007E"]])
        assert.equal(toHex(formOf("f2").encode(1, { Value: value })), bytes, `a half of ${value}`);
});

test("values out of range are refused in both directions", () => {
    for (const [type, bytes] of [["dd", "DBB93700"], ["dd", "FFFFFFFF"], ["tt", "00C0692AC9000000"], ["tt", "FF".repeat(8)], ["i16", "FF".repeat(15)], ["f2", "00"]])
        assert.throws(() => formOf(type).decode(1, fromHex(bytes)), PayloadError, type);
    for (const [type, value] of [
        ["dd", -1], ["dd", 3652059], ["tt", -1n], ["tt", 864000000000n], ["i16", 2n ** 127n], ["u16", -1n], ["u16", 2n ** 128n], ["u1", 256], ["i4", 1.5], ["i8", "x"], ["i8", 1.5], ["f2", "1"], ["f2", 65520], ["f4", -(2 ** 128)],
        ["b", 1], ["c2", "ab"], ["g", "x"], ["d", "1e5"], ["d", `0.${"0".repeat(28)}1`], ["d", "79228162514264337593543950336"], ["t", { ticks: -1n, kind: 0 }], ["t", { ticks: 0n, kind: 3 }],
        ["to", { ticks: 0n, minutes: 1 }], ["s", 5], ["[b]", [true, 1]], ["{i4:b}", [[1, true], [1, true]]], ["{d:b}", [["1.0", true], ["1.00", true]]], ["{f8:b}", [[0, true], [-0, true]]], ["{f8:b}", [[NaN, true], [NaN, true]]],
        ["{t:b}", [[{ ticks: 5n, kind: 0 }, true], [{ ticks: 5n, kind: 1 }, true]]], ["{to:b}", [[{ ticks: 600000000n, minutes: 1 }, true], [{ ticks: 0n, minutes: 0 }, true]]], ["{(i4f4):b}", [[[1, NaN], true], [[1, NaN], true]]], ["(i4i4)", [1]],
    ])
        assert.throws(() => formOf(type).encode(1, { Value: value }), PayloadError, type);
});

test("missing fields have their defaults", () => {
    for (const [type, given, value] of [["i8", "5", 5n], ["f4", 1.5, 1.5], ["c2", 97, "a"], ["d", "1.50", "1.50"], ["s", "x", "x"], ["?i4", 7, 7], ["b", true, true]])
        assert.deepEqual(formOf(type, { default: given }).decode(1, new Uint8Array()), { Value: value }, type);
    for (const [type, value] of [["tt", 0n], ["f2", 0], ["(i4f4)", [0, 0]], ["[u1]", new Uint8Array()], ["[i4]", []], ["s", ""], ["s?", null], ["{s:b}", new Map()], ["d", "0"], ["g", "00000000-0000-0000-0000-000000000000"]])
        assert.deepEqual(formOf(type).decode(1, new Uint8Array()), { Value: value }, type);
});

test("dates", () => {
    const date = new Date("2000-01-01T12:00:00.123Z");
    assert.deepEqual(fromDate(date), { ticks: 630823248001230000n, kind: 1 });
    assert.deepEqual(toDate(fromDate(date)), date);
    assert.deepEqual(toDate({ ticks: 630823248001230000n, minutes: 60 }), new Date("2000-01-01T11:00:00.123Z"));
});
