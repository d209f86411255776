/** Streams, back-pressure, compression and closing against a live C# host. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { Client, ConnectionError, Fault, PayloadError, Schema } from "../node.js";
import { PEER, ROOT, WAIT, signal, start, until } from "./support.js";

const SCHEMA = new Schema(JSON.parse(readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT), "utf8")));
let host;
before(async () => host = await start(PEER, "languages", "none", "0"));
after(() => host.stop());

/** Returns a client that is closed after the test. */
async function connect(context, configure = () => {}) {
    const client = new Client(`tcp://127.0.0.1:${host.ready}`, SCHEMA, { timeout: WAIT });
    context.after(() => client.close(0));
    configure(client);
    return client.connect();
}

async function collect(items) {
    const found = [];
    for await (const item of items)
        found.push(item.Number);
    return found;
}

const numbers = count => Array.from({ length: count }, (_, i) => i);

test("items of a stream arrive in order", async context => {
    const client = await connect(context);
    assert.deepEqual(await collect(client.stream("Count", { To: 20_000 })), numbers(20_000));
    assert.deepEqual(await collect(client.stream("Count", { To: 0 })), []);
    assert.equal(client.statistics.unansweredRequests, 0);
});

test("a fault of a stream follows the items before it", async context => {
    const [client, found] = [await connect(context), []];
    await assert.rejects(async () => {
        for await (const { Number: number } of client.stream("Count", { To: 1000, Fails: true }))
            found.push(number);
    }, error => error instanceof Fault && error.code === 1002);
    assert.deepEqual(found, numbers(1000));
});

test("streams that are left are closed on the server", async context => {
    const client = await connect(context);
    for (let i = 0; i < 100; i++) { // the server has at most 64 for a client
        for await (const { Number: number } of client.stream("Count", { To: 1_000_000 })) {
            assert.equal(number, 0);
            break;
        }
    }
    assert.equal(client.statistics.unansweredRequests, 0);
});

test("a slow loop slows down the server", async context => {
    const client = await connect(context);
    const items = client.stream("Count", { To: 2_000_000 });
    await items.next();
    const received = [];
    while (received.length < 5 || new Set(received.slice(-5)).size > 1) { // until the server waits
        await new Promise(resolve => setTimeout(resolve, 100));
        received.push(client.statistics.receivedBytes);
    }
    assert.ok(received.at(-1) < 6 * 64 * 1024, `${received.at(-1)} bytes`);
    await items.return();
});

test("an aborted stream ends its loop, and is closed on the server", async context => {
    const [client, abort] = [await connect(context), new AbortController()];
    await assert.rejects(async () => {
        for await (const { Number: number } of client.stream("Count", { To: 1_000_000 }, { signal: abort.signal })) {
            if (number === 100)
                abort.abort();
        }
    }, { name: "AbortError" });
    assert.equal(client.statistics.unansweredRequests, 0);
    await assert.rejects(client.stream("Count", { To: 1 }, { signal: AbortSignal.abort() }).next(), { name: "AbortError" });
});

test("a request for a stream is refused, and the stream is closed", async context => {
    const client = await connect(context);
    for (let i = 0; i < 65; i++)
        await assert.rejects(client.request("Count", { To: 10 }), error => error instanceof PayloadError && error.message.includes("is a stream"));
    await assert.rejects(client.stream("Sum", { Numbers: [] }).next(), /is no stream/);
});

test("the server reads a stream of the client", async context => {
    let closed = signal();
    const client = await connect(context, client => client.onStream("Count", "Counted", async function* ({ To: to }) {
        let i = 0;
        try {
            for (; i < to; i++)
                yield { Number: i, Text: "y".repeat(i % 300) };
        } finally {
            closed.set(i);
        }
    }));
    assert.equal((await client.request("CountBack", { To: 5000, Leaves: 0 })).Number, 12_497_500);
    assert.equal(await closed.promise, 5000);
    closed = signal();
    assert.equal((await client.request("CountBack", { To: 1_000_000, Leaves: 10 })).Number, 45);
    assert.ok(await closed.promise < 10_000);
});

test("a stream of the client that waits is aborted when the server leaves it", async context => {
    const aborted = signal();
    const client = await connect(context, client => client.onStream("Count", "Counted", async function* (_, { signal }) {
        yield { Number: 7, Text: "" };
        await new Promise(resolve => signal.addEventListener("abort", () => (aborted.set(), resolve())));
    }));
    assert.equal((await client.request("CountBack", { To: 2, Leaves: 1 })).Number, 7);
    await aborted.promise;
});

test("a stream of the client that fails is a fault", async context => {
    const failed = signal();
    const client = await connect(context, client => {
        client.failed = failed.set;
        client.onStream("Count", "Counted", async function* () {
            yield { Number: 1, Text: "" };
            throw new Error("inside");
        });
    });
    await assert.rejects(client.request("CountBack", { To: 1, Leaves: 0 }), Fault);
    assert.equal((await failed.promise).message, "inside");
});

test("payloads are compressed in both directions", async context => {
    const client = await connect(context);
    assert.deepEqual(await client.request("Lines", { Text: Array(20_000).fill("again and again") }), { Characters: 300_000 });
    assert.ok(client.statistics.sentBytes < 10_000);
    assert.deepEqual(await client.request("Repeat", { Text: "again and again", Count: 1000 }), { Text: Array(1000).fill("again and again") });
    assert.ok(client.statistics.receivedBytes < 10_000);
    delete client.compressors.brotli;
    assert.deepEqual(await client.request("Lines", { Text: Array(1000).fill("again and again") }), { Characters: 15_000 });
    assert.ok(client.statistics.sentBytes > 15_000);
});

test("items that are decompressed in the background arrive in order", async context => {
    const client = await connect(context, client => client.decompressors.brotli = bytes => promisify(brotliDecompress)(bytes));
    assert.deepEqual(await collect(client.stream("Count", { To: 3000 })), numbers(3000));
});

test("requests at the same time wait for each other, and get their own replies", async context => {
    const client = await connect(context);
    const totals = await Promise.all(numbers(2000).map(i => client.request("Sum", { Numbers: [i, 1] })));
    assert.deepEqual(totals.map(total => total.Value), numbers(2000).map(i => BigInt(i + 1)));
    const { sentRequests, unansweredRequests, connections } = client.statistics;
    assert.deepEqual([sentRequests, unansweredRequests, connections], [2000, 0, 1]);
});

test("a handler that is registered while the client is connected is announced", async context => {
    const [client, got] = [await connect(context), signal()];
    client.on("Shout", ({ Text: text }) => got.set(text));
    await client.send("Shout", { Text: "late" });
    assert.equal(await got.promise, "late");
});

test("a handler sees that the server cancels its request", async context => {
    const [canceled, abort] = [signal(), new AbortController()];
    const client = await connect(context, client => client.onRequest("Question", "Answer", (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => {
        canceled.set();
        reject(signal.reason);
    }))));
    const asking = client.request("AskBack", { Number: 1 }, { signal: abort.signal });
    await until(() => client.statistics.runningHandlers === 1);
    abort.abort(); // the server cancels its request to this side
    await assert.rejects(asking, { name: "AbortError" });
    await canceled.promise;
    assert.equal((await client.request("Sum", { Numbers: [3] })).Value, 3n);
});

test("a fault of the server is not passed on by a handler", async context => {
    const client = await connect(context, client => {
        client.failed = () => {};
        client.onRequest("Question", "Answer", () => client.request("Fail", { Code: 1234, Text: "secret" }));
    });
    await assert.rejects(client.request("AskBack", { Number: 1 }), error => error.code === 1 && !error.text.includes("secret"));
    assert.equal(client.statistics.failedHandlers, 1);
});

test("close waits for what runs", async context => {
    const [goesOn, hasEnded] = [signal(), signal()];
    const client = await connect(context, client => client.onRequest("Question", "Answer", async () => {
        await goesOn.promise;
        hasEnded.set(true);
        return { Number: 5, ProcessId: 0 };
    }));
    const asking = client.request("AskBack", { Number: 1 });
    await until(() => client.statistics.runningHandlers === 1);
    const closing = client.close(WAIT);
    await assert.rejects(client.send("Shout", { Text: "late" }), ConnectionError);
    goesOn.set();
    assert.equal((await asking).Number, 5);
    await closing;
    assert.equal(await hasEnded.promise, true);
});

test("await using closes the client", { skip: !Symbol.asyncDispose && "this version of Node has no Symbol.asyncDispose" }, async context => {
    const client = await connect(context);
    await client[Symbol.asyncDispose]();
    assert.equal(client.isConnected, false);
});

test("the round trip is measured", async context => {
    const client = await connect(context);
    await until(() => client.statistics.roundTrip !== null);
    assert.ok(client.statistics.roundTrip > 0);
});
