/** The client against a server that a test plays, frame by frame. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Schema, fromHex } from "../index.js";
import { SCHEMA, cases, toHex } from "./support.js";

const HELLO = cases("sessions")[0].steps.find(step => step.from === "server").bytes;
const LAST_HELLO = "037F0400";

/** A schema like that of the session in docs/vectors: a request 1 with the reply 2, and an event 3. */
const MESSAGES = new Schema({
    contracts: [["Ping", 1, "i4", "Number", true], ["Pong", 2, "i4", "Number", true], ["Note", 3, "s", "Text", false]].map(([name, id, type, field, struct]) => ({
        id, name: `T.${name}`, kind: "message", struct, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: field, type, code: type, shape: "0" }],
    })),
});

/** Connects a client to a server that accepts it. Returns the client, what it sends, and a function that sends to it. */
async function connect(context, configure = () => {}) {
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
            sent.push(toHex(bytes));
        }

        close() {
            this.readyState = 3;
            this.onclose();
        }
    }
    const client = new Client("ws://script/", MESSAGES, { WebSocket: ScriptedWebSocket });
    context.after(() => client.close());
    configure(client);
    await client.connect();
    sent.length = 0;
    const settle = () => new Promise(resolve => setImmediate(resolve));
    return {
        client, sent, settle,
        close: () => socket.close(),
        async receive(...chunks) {
            for (const chunk of chunks)
                socket.onmessage({ data: typeof chunk === "string" ? fromHex(chunk).buffer : chunk.text });
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
    ["a frame that is too large", ["81804003"], "Malformed", "The bytes are not valid: TooLarge."],
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
    context.mock.timers.tick(10_000);
    await receive("0403036869");
    context.mock.timers.tick(15_000);
    await settle();
    assert.deepEqual(ended, []);
    context.mock.timers.tick(5_000);
    await settle();
    assert.deepEqual(ended, ["NotResponding"]);
});

test("a schema names its contracts by their end, if only one has it", () => {
    assert.equal(SCHEMA.find("Square").name, "Reloaded.Messaging.Tests.Generated.Square");
    assert.throws(() => SCHEMA.find("Nothing"), /0 contracts named 'Nothing'/);
});
