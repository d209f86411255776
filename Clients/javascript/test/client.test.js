/** The client against a server that a test plays, frame by frame. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Fault, Schema, fromHex } from "../node.js";
import { SCHEMA, cases, framesOf } from "./support.js";

const HELLO = cases("sessions")[0].steps.find(step => step.from === "server").bytes;
const LAST_HELLO = "037F0400";

/** A schema like that of the session in docs/vectors: a request 1 with the reply 2, and an event 3. */
const MESSAGES = new Schema({
    contracts: [["Ping", 1, "i4", "Number", true], ["Pong", 2, "i4", "Number", true], ["Note", 3, "s", "Text", false]].map(([name, id, type, field, struct]) => ({
        id, name: `T.${name}`, kind: "message", struct, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: field, type, code: type, shape: "0" }],
    })),
});

/** Connects a client to a server that accepts it. Returns the client, what it sends, and a function that sends to it. */
async function connect(context, configure = () => {}, schema = MESSAGES) {
    const sent = [];
    let socket;
    class ScriptedWebSocket {
        readyState = 0;

        constructor() {
            socket = this;
            setImmediate(() => {
                this.readyState = 1;
                this.onopen();
                this.onmessage({ data: fromHex(HELLO + LAST_HELLO).buffer });
            });
        }

        send(bytes) {
            sent.push(...framesOf(bytes)); // several messages are sent at once
        }

        close() {
            this.readyState = 3;
            this.onclose();
        }
    }
    const client = new Client("ws://script/", schema, { WebSocket: ScriptedWebSocket });
    context.after(() => client.close());
    configure(client);
    await client.connect();
    sent.length = 0;
    const settle = () => new Promise(resolve => setImmediate(resolve));
    return {
        client, sent, settle, socket,
        close: () => socket.close(),
        async receive(...chunks) {
            for (const chunk of chunks)
                socket.onmessage({ data: typeof chunk === "string" ? fromHex(chunk).buffer : chunk.text ?? chunk.buffer });
            await settle();
        },
    };
}

test("a ping is answered with its payload", async context => {
    const { sent, receive } = await connect(context);
    await receive("0B7F04010102030405060708");
    assert.deepEqual(sent, ["0B7F04020102030405060708"]);
});

test("a frame may arrive in parts, and several at once", async context => {
    const texts = [];
    const { receive } = await connect(context, client => client.on("Note", ({ Text }) => texts.push(Text)));
    await receive("04", "03", "0368", "69", "0403036161" + "0403036262" + "04");
    await receive("03036363");
    assert.deepEqual(texts, ["hi", "aa", "bb", "cc"]);
});

test("a request that times out is canceled, and its late reply is ignored", async context => {
    const { client, sent, receive } = await connect(context);
    await assert.rejects(client.request("Ping", { Number: 42 }, { timeout: 1 }), { name: "TimeoutError" });
    assert.deepEqual(sent, ["087F0101012A000000", "047F040401"]);
    await receive("087F0202012A000000");
    const next = client.request("Ping", { Number: 42 });
    await receive("087F0202022A000000");
    assert.deepEqual(await next, { Number: 42 });
});

test("a request is not sent or handled as an event", async context => {
    const { sent, client } = await connect(context, () => {}, new Schema({
        contracts: ["request", "stream", "event"].map((role, index) => ({ id: index + 1, name: `T.${role}`, kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, role, fields: [] })),
    }));
    for (const name of ["request", "stream"]) {
        await assert.rejects(client.send(name), { name: "PayloadError", message: `T.${name} is a request, and not an event. Use request or stream to send it, and onRequest or onStream to answer it.` });
        assert.throws(() => client.on(name, () => {}), { name: "PayloadError", message: /is a request/ });
    }
    assert.deepEqual(sent, []);
    client.on("event", () => {});
    await client.send("event");
    assert.equal(sent.at(-1), "0103");
});

test("a request whose reply has another contract is not sent", async context => {
    const contracts = [...MESSAGES.contracts.values()].map(one => ({
        ...one, struct: one.isStruct, version: one.name === "T.Pong" ? 2 : 1, reply: one.name === "T.Ping" ? 2 : undefined, fields: one.fields.map(field => ({ ...field, type: field.type.kind, shape: "0" })),
    }));
    const { client, sent } = await connect(context, () => {}, new Schema({ contracts }));
    await assert.rejects(client.request("Ping", { Number: 1 }), { name: "ContractMismatch", message: /T\.Pong .* the version is 2 here and 1 there/ });
    assert.deepEqual(sent, []);
});

test("requests fail when the connection ends", async context => {
    const { client, close } = await connect(context);
    const waiting = client.request("Ping", { Number: 42 });
    close();
    await assert.rejects(waiting, { name: "ConnectionError", reason: "ConnectionLost" });
});

test("a request without a handler gets fault 2, and one that cannot be read gets fault 3", async context => {
    const failures = [];
    const { sent, receive } = await connect(context, client => {
        client.failed = error => failures.push(error.name);
        client.onRequest("Ping", "Pong", ping => ping);
    });
    await receive("067F0103050100", "057F01010500", "087F0101062A000000");
    assert.deepEqual(sent.map(bytes => bytes.slice(2, 12)), ["7F03030502", "7F03010503", "7F0202062A"]);
    assert.deepEqual(failures, ["PayloadError"]);
});

test("a reply that is a stream is named, and the stream is closed", async context => {
    const { client, sent, receive } = await connect(context);
    const asked = assert.rejects(client.request("Ping", { Number: 1 }), { name: "PayloadError", message: /T\.Ping is a stream/ });
    await receive("0C7F02A080FCFF0F0107000000"); // a reply of the type FFFF0020 to request 1, with the number of the stream
    await asked;
    assert.equal(sent[1], "107F01A180FCFF0F010700000000000000"); // a request of the type FFFF0021 for a block of 0 bytes
});

test("a canceled request gets fault 5", async context => {
    let finish;
    const { sent, receive, settle } = await connect(context, client => client.onRequest("Ping", "Pong", () => new Promise(resolve => finish = resolve)));
    await receive("087F0101072A000000", "047F040407");
    finish({ Number: 1 });
    await settle();
    assert.deepEqual(sent.map(bytes => bytes.slice(2, 12)), ["7F03010705"]);
});

test("unknown messages are ignored, and a malformed one is reported", async context => {
    const [failures, texts] = [[], []];
    const { client, sent, receive } = await connect(context, client => {
        client.failed = error => failures.push(error.status);
        client.on("Note", ({ Text }) => texts.push(Text));
    });
    await receive("047F046301", "0163", "057F0202632A", "027F08", "0403036869");
    assert.deepEqual([sent, failures, texts, client.isConnected], [[], ["ReservedBits"], ["hi"], true]);
});

for (const [what, chunks, reason, text] of [
    ["a goodbye", ["067F0403126869"], "Kicked", "hi"],
    ["a goodbye with an unknown reason", ["047F0403FE"], "Goodbye", ""],
    ["a frame of no bytes", ["00"], "Malformed", "The bytes are not valid: Malformed."],
    ["a frame that is too large", ["81804003"], "FrameTooLarge", "The bytes are not valid: TooLarge."],
    ["a text message", [{ text: "text" }], "Malformed", "The server sent a text message."],
]) {
    test(`${what} ends the connection`, async context => {
        const ended = [];
        const { client, receive } = await connect(context, client => client.disconnected = (...given) => ended.push(given));
        await receive(...chunks);
        assert.deepEqual([ended, client.isConnected], [[[reason, text]], false]);
    });
}

test("a silent server is left after 15 s", async context => {
    context.mock.timers.enable({ apis: ["setInterval", "Date"] });
    const ended = [];
    const { receive, settle } = await connect(context, client => client.disconnected = reason => ended.push(reason));
    const pass = seconds => {
        for (; seconds > 0; seconds--)
            context.mock.timers.tick(1_000);
    };
    pass(10);
    await receive("0403036869");
    pass(15);
    await settle();
    assert.deepEqual(ended, []);
    pass(5);
    await settle();
    assert.deepEqual(ended, ["NotResponding"]);
});

test("a program that blocks for longer than 15 s keeps its connection", async context => {
    context.mock.timers.enable({ apis: ["setInterval", "Date"] });
    const { client } = await connect(context);
    context.mock.timers.setTime(Date.now() + 60_000); // the clock alone, as while a thread is blocked
    context.mock.timers.tick(2_000);
    assert.ok(client.isConnected);
});

test("a missing value that only the program knows is refused", () => {
    const field = { number: 1, name: "Value", type: "i4", shape: "0", computed: true };
    const schema = new Schema({ contracts: [{ id: 1, name: "One", kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, fields: [field] }] });
    assert.deepEqual(schema.decode("One", schema.encode("One", { Value: 5 })), { Value: 5 });
    for (const missing of [() => schema.decode("One", new Uint8Array()), () => schema.encode("One", {})])
        assert.throws(missing, { name: "PayloadError", message: /Value is missing, and code of \.NET computes its default/ });
});

test("a schema of a later format is refused", () => {
    new Schema({ format: 2, assembly: "Game", contracts: [] });
    assert.throws(() => new Schema({ format: 3, assembly: "Game", contracts: [] }), /The schema of 'Game' has format 3; this client reads formats up to 2/);
});

test("a schema names its contracts by their end, if only one has it", () => {
    assert.equal(SCHEMA.find("Square").name, "Reloaded.Messaging.Tests.Generated.Square");
    assert.throws(() => SCHEMA.find("Nothing"), /The schema has no contract 'Nothing'. It has .*Square/s);
});

test("a value of another type is refused by its field", () => {
    const encode = (type, value) => new Schema({ contracts: [{ id: 1, name: "One", kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: "Value", type, shape: "0" }] }] }).encode("One", { Value: value });
    assert.throws(() => encode("s", 5), /One\.Value is 5, which is not a string, /);
    assert.throws(() => encode("[s]", "abc"), /One\.Value is the text 'abc', and must be an array\./);
    assert.throws(() => encode("{ss}", "abc"), /One\.Value is the text 'abc', and must be a Map\./);
});

test("a value of each kind that does not fit a type is refused by its field, and is never sent as another value", () => {
    const two = { id: 2, name: "Two", kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: "A", type: "i4", shape: "0" }] };
    const schemaOf = type => new Schema({ contracts: [{ ...two, id: 1, name: "One", fields: [{ number: 1, name: "Value", type, shape: "0" }] }, two] });
    const [integers, longs, floats] = [["i1", "i2", "i4", "u1", "u2", "u4", "dd"], ["i8", "u8", "i16", "u16", "ts", "tt"], ["f4", "f8", "f2"]];
    const collections = ["[s]", "[i4]", "[u1]", "{si4}", "{i8s}", "[(i4s)]", "[m2]", "[i4]?"];
    const scalars = [...integers, ...longs, ...floats, "d", "b", "s", "s?", "c2"];
    const fits = { // the types that take a value
        five: [...integers, ...longs, ...floats, "d", "?i4"], big: [...longs, "d"], half: [...floats, "d"], text: ["s", "s?"], letter: ["s", "s?", "c2"], empty: ["s", "s?"], bool: ["b"],
        array: ["(i4s)", "?(i4s)"], emptyArray: collections, object: ["m2"], ofClass: ["m2"], bare: ["m2"], tagged: ["m2"], taggedOfClass: ["m2"], taggedMap: [], bytes: ["[i4]", "[i4]?", "[u1]"],
        set: ["[i4]", "[i4]?", "[u1]"], setOfFields: [], mapOfFields: [], items: ["[i4]", "[i4]?", "[u1]"], nan: floats, date: [], promise: [], f: [], symbol: [], map: [], pairs: [], nulls: [],
    };
    const values = {
        five: 5, big: 5n, half: 0.5, text: "abc", letter: "a", empty: "", bool: true, array: [1, "x"], emptyArray: [], object: { A: 1 }, ofClass: new class { A = 1; }(), bare: Object.create(null),
        tagged: { A: 1, [Symbol.toStringTag]: "Map" }, taggedOfClass: new class { A = 1; [Symbol.toStringTag] = "Map"; }(), taggedMap: Object.defineProperty(new Map([[{}, 1]]), Symbol.toStringTag, { value: "Object" }),
        bytes: new Uint8Array(3), set: new Set([1]), setOfFields: new Set([1, "x"]), mapOfFields: new Map([[1, 2], [3, "x"]]), items: new Set([1, 2]), nan: NaN, date: new Date(0), promise: Promise.resolve({ A: 1 }), f: () => 1, symbol: Symbol("x"), map: new Map([[{}, 1]]), pairs: [[1]], nulls: [null],
    };
    for (const type of [...integers, ...longs, ...floats, ...collections, "c2", "b", "g", "d", "t", "to", "s", "s?", "(i4s)", "(i4i4)", "((i4i4)(i4s))", "m2", "?i4", "?(i4s)"]) {
        for (const [name, value] of Object.entries(values)) {
            const encode = () => schemaOf(type).encode("One", { Value: value });
            if (fits[name].includes(type)) {
                const decoded = schemaOf(type).decode("One", encode()).Value;
                if (scalars.includes(type))
                    assert.ok(Object.is(decoded, longs.includes(type) ? BigInt(value) : type === "d" ? String(value) : value), `${name} as ${type}: ${decoded}`);
                else if (collections.includes(type))
                    assert.equal(decoded.length ?? decoded.size, [...value].length, `${name} as ${type}`);
            } else
                assert.throws(encode, error => error.name === "PayloadError" && error.message.includes("One.Value"), `${name} as ${type}`);
        }
    }
    assert.throws(() => schemaOf("s").encode("One", { Value: 10n ** 5000n }), error => error.message.includes("One.Value") && error.message.length < 300);
    assert.throws(() => schemaOf("[t]").encode("One", { Value: [undefined] }), /One\.Value is undefined/);
    const equal = [["{i8s}", [[5, "a"], [5n, "b"]]], ["{f4s}", [[0.1, "a"], [0.10000000149, "b"]]], ["{ds}", [["1", "a"], ["01", "b"]]], ["{ds}", [[1, "a"], [1n, "b"]]], ["{?ds}", [["1.0", "a"], ["1", "b"]]],
        ["{gs}", [["0000000a-0000-0000-0000-000000000000", "a"], ["0000000A-0000-0000-0000-000000000000", "b"]]], ["{tos}", [[{ ticks: 5, minutes: 0 }, "a"], [{ ticks: 5n, minutes: 0 }, "b"]]], ["{t:s}", [[{ ticks: 5n, kind: 0 }, "a"], [{ ticks: 5n, kind: 1 }, "b"]]],
        ["{t:s}", [[{ ticks: 0, kind: 2 }, "a"], [{ ticks: 0n, kind: 1 }, "b"]]], ["{t:s}", [[{ ticks: 3155378975999999999n, kind: 0 }, "a"], [{ ticks: 3155378975999999999n, kind: 2 }, "b"]]]];
    for (const [type, pairs] of equal) {
        assert.throws(() => schemaOf(type).encode("One", { Value: pairs }), /One\.Value has a key twice/, type);
        assert.equal(schemaOf(type).decode("One", schemaOf(type).encode("One", { Value: pairs.slice(1) })).Value.size, 1);
    }
    const times = [[{ ticks: 5n, kind: 2 }, "a"], [{ ticks: 5n, kind: 1 }, "b"]]; // which differ, unless the receiver has the time of UTC
    assert.equal(schemaOf("{t:s}").decode("One", schemaOf("{t:s}").encode("One", { Value: times })).Value.size, 2);
    for (const value of [5, "abc", [], new Map(), Promise.resolve({})])
        assert.throws(() => schemaOf("i4").encode("One", value), { name: "PayloadError", message: /One is .*, and must be an object\./ });
});

test("a type of a union is the one of its name, and has the fields that a class inherits", () => {
    const message = { kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: "A", type: "i4", shape: "0" }] };
    const types = ["Game.Old.Move", "Old.Move", "Old.Jump"].map((name, i) => ({ ...message, id: i + 2, name }));
    const schema = new Schema({ contracts: [{ ...message, id: 1, name: "Any", kind: "union", fields: types.map(({ id, name }) => ({ number: id, name, type: `m${id}`, shape: "0" })) }, ...types] });
    for (const [name, found] of [["Old.Move", "Old.Move"], ["Game.Old.Move", "Game.Old.Move"], ["Jump", "Old.Jump"]])
        assert.deepEqual(schema.decode("Any", schema.encode("Any", { $type: name, A: 5 })), { $type: found, A: 5 });
    for (const [name, text] of [["Move", /Any has several types the text 'Move'/], ["ove", /Any has no type/], [undefined, /Any has no type/], [5, /Any has no type/]])
        assert.throws(() => schema.encode("Any", { $type: name, A: 5 }), { name: "PayloadError", message: text });
    const inherited = new class { get A() { return 5; } get $type() { return "Jump"; } }();
    assert.deepEqual(schema.decode("Any", schema.encode("Any", inherited)), { $type: "Old.Jump", A: 5 });
    assert.throws(() => schema.encode("Any", { $type: "Jump", B: 5 }), /Old\.Jump has no field B/);
});

test("a frame in small pieces is copied a few times at most", async context => {
    const texts = [];
    const { receive } = await connect(context, client => client.on("Note", ({ Text }) => texts.push(Text)));
    const text = "ab".repeat(100_000);
    const frame = Buffer.concat([Buffer.from([0xC4, 0x9A, 0x0C, 0x03, 0xC1, 0x9A, 0x0C]), Buffer.from(text)]);
    const pieces = Array.from({ length: Math.ceil(frame.length / 16) }, (_, i) => frame.subarray(16 * i, 16 * i + 16).toString("hex"));
    const set = Uint8Array.prototype.set;
    let copied = 0;
    Uint8Array.prototype.set = function (source, offset) {
        copied += source.length;
        return set.call(this, source, offset);
    };
    try {
        await receive(...pieces);
    } finally {
        Uint8Array.prototype.set = set;
    }
    assert.deepEqual(texts, [text]);
    assert.ok(copied < 8 * frame.length, `${copied} bytes were copied for ${frame.length}.`);
});

test("a fault with any text and code is answered, and ends nothing", async context => {
    const faults = [() => new Fault(1000, "\u{1F600}".repeat(400)), () => new Fault(1000, "half \uD83D"), () => new Fault(-1, "bad code")];
    const { client, sent, receive } = await connect(context, client => {
        client.failed = () => {};
        client.onRequest("Ping", "Pong", () => {
            throw faults.shift()();
        });
    });
    for (const number of ["01", "02", "03"])
        await receive(`087F0101${number}2A000000`);
    assert.equal(sent.length, 3);
    assert.equal(Buffer.from(sent[0], "hex").subarray(-1000).toString("utf8"), "\u{1F600}".repeat(250));
    assert.match(Buffer.from(sent[1], "hex").toString("utf8"), /half \uFFFD$/);
    assert.match(Buffer.from(sent[2], "hex").toString("latin1"), /\x01The handler failed\.$/);
    assert.ok(client.isConnected);
});

test("a reply above the limit is fault 4, and the connection stays", async context => {
    const { client, sent, receive } = await connect(context, client => {
        client.failed = () => {};
        client.onRequest("Ping", "Note", () => ({ Text: "x".repeat(2 << 20) }));
    });
    await receive("087F0101012A000000");
    assert.equal(sent.length, 1);
    assert.match(Buffer.from(sent[0], "hex").toString("latin1"), /^.\x7F\x03\x01\x01\x04The reply to T\.Ping cannot be sent\.$/s);
    assert.ok(client.isConnected);
});

test("an exception of a callback does not stop the client", async context => {
    const failures = [];
    const { client, receive, close } = await connect(context, client => {
        client.failed = error => failures.push(error.message);
        client.connected = () => {
            throw new Error("connected");
        };
        client.disconnected = () => {
            throw new Error("disconnected");
        };
    });
    const asked = client.request("Ping", { Number: 42 });
    await receive("087F0202012A000000");
    assert.deepEqual(await asked, { Number: 42 });
    close();
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual(failures, ["connected", "disconnected"]);
});

test("an error of the socket without a close ends the attempt at once", async () => {
    class RefusedWebSocket {
        readyState = 0;

        constructor() {
            setImmediate(() => this.onerror());
        }

        close() {
        }
    }
    await assert.rejects(new Client("ws://script/", MESSAGES, { WebSocket: RefusedWebSocket, timeout: 600_000 }).connect(), { reason: "ConnectionLost" });
});

test("a platform without WebSocket is named", async () => {
    await assert.rejects(new Client("ws://script/", MESSAGES, { WebSocket: null, reconnect: true }).connect(), { name: "TypeError", message: /Pass the option WebSocket/ });
});

test("a WebSocket cannot stop reading, so its connection ends when 16 MiB wait for handlers", async context => {
    const ended = [];
    const { client, receive } = await connect(context, client => {
        client.on("Note", () => new Promise(() => {}));
        client.disconnected = reason => ended.push(reason);
    });
    const note = Uint8Array.from({ length: 1_000_000 }, () => 0x61);
    note.set(fromHex("BD843D03BA843D")); // a frame of 999,997 bytes, and a text of 999,993 bytes
    await receive(...Array(1000).fill("0403036869"), ...Array(16).fill(note));
    assert.deepEqual([client.statistics.runningHandlers, ended], [1000, []]);
    await receive(note);
    assert.deepEqual(ended, ["TooManyBytes"]);
});

test("send waits while a WebSocket has many bytes to send", async context => {
    const { client, sent, socket } = await connect(context);
    const abort = new AbortController();
    const first = client.send("Note", { Text: "hi" });
    socket.bufferedAmount = 5 << 20;
    await first;
    const sending = client.send("Note", { Text: "later" });
    const aborted = assert.rejects(client.send("Note", { Text: "never" }, { signal: abort.signal }), { name: "AbortError" });
    abort.abort();
    await aborted;
    assert.equal(sent.length, 1);
    socket.bufferedAmount = 0;
    await sending;
    await client.close();
    assert.deepEqual(sent.map(bytes => bytes.slice(2, 4)), ["03", "03", "7F"]); // two notes and the goodbye
});

test("events of one step that are more than may wait are all sent", async context => {
    const { client, sent } = await connect(context);
    await Promise.all(Array.from({ length: 10 }, () => client.send("Note", { Text: "x".repeat(900_000) })));
    await client.close();
    assert.equal(sent.length, 11);
});

test("the end of the connection aborts the handlers, whose errors are then no failures", async context => {
    const failures = [];
    let aborted = null;
    const { client, receive, close, settle } = await connect(context, client => {
        client.failed = error => failures.push(error);
        client.onRequest("Ping", "Pong", (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => {
            aborted = signal.reason.name;
            reject(signal.reason);
        })));
    });
    await receive("087F0101012A000000");
    assert.equal(client.statistics.runningHandlers, 1);
    close();
    await settle();
    assert.deepEqual([aborted, failures, client.statistics.failedHandlers], ["AbortError", [], 0]);
});
