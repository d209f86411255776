/** Connections that are lost, with live C# hosts. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Client, ConnectionError, Schema } from "../node.js";
import { PEER, ROOT, WAIT, pattern, signal, start, until } from "./support.js";

const SCHEMA = new Schema(JSON.parse(readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT), "utf8")));
const TOKEN = Uint8Array.from({ length: 32 }, (_, i) => i);

/** Starts a host that ends with the test. */
async function serve(context, port = "0", token = "none") {
    const host = await start(PEER, "languages", token, port);
    context.after(() => host.kill());
    return host;
}

function make(context, port, options) {
    const client = new Client(`tcp://127.0.0.1:${port}`, SCHEMA, { reconnect: true, timeout: WAIT, ...options });
    client.failed = () => {}; // attempts before the server is there
    context.after(() => client.close(0));
    return client;
}

test("a client comes back to a server that was killed", async context => {
    const token = Buffer.from(TOKEN).toString("hex");
    const host = await serve(context, "0", token);
    const client = make(context, host.ready, { token: TOKEN });
    let [ended, connected] = [signal(), signal()];
    client.disconnected = reason => ended.set(reason);
    await client.connect();
    client.connected = () => connected.set();
    const waiting = assert.rejects(client.request("Wait"), { reason: "ConnectionLost" });
    await host.kill();
    assert.equal(await ended.promise, "ConnectionLost");
    await waiting;
    ended = signal();
    const again = await serve(context, host.ready, token);
    await connected.promise;
    await client.waitConnected();
    assert.equal((await client.request("Sum", { Numbers: [1, 2] })).Value, 3n);
    assert.equal(client.statistics.connections, 2);
    await again.stop();
    assert.equal(await ended.promise, "Requested");
});

test("an attempt to connect is written in one line, and another error with its stack", async context => {
    const written = context.mock.method(console, "error", () => {});
    const client = new Client("tcp://127.0.0.1:9", SCHEMA, { reconnect: true }); // no server listens there
    const connecting = client.connect();
    await until(() => written.mock.callCount() > 0);
    await client.close(0);
    await assert.rejects(connecting, { reason: "Requested" });
    assert.match(written.mock.calls[0].arguments[0].stack, /^ConnectionError: .*127\.0\.0\.1:9[^\n]*$/);
    client.failed(new ConnectionError("Requested", "x")); // as of a handler
    assert.match(written.mock.calls.at(-1).arguments[0].stack, /\n +at /);
});

test("requests are sent again in their order", async context => {
    const [asked, ended] = [[], signal()];
    let goesOn;
    const waits = new Promise(resolve => goesOn = resolve);
    const first = await serve(context);
    const client = make(context, first.ready, { resend: true });
    client.onRequest("Question", "Answer", async ({ Number: number }) => {
        asked.push(number);
        await waits;
        return { Number: number, ProcessId: 0 };
    });
    client.disconnected = ended.set;
    await client.connect();
    const waiting = client.request("AskBack", { Number: 1 });
    await until(() => asked.length === 1);
    await first.kill();
    await ended.promise;
    goesOn();
    asked.length = 0;
    const later = [2, 3].map(number => client.request("AskBack", { Number: number }));
    await serve(context, first.ready);
    assert.deepEqual((await Promise.all([waiting, ...later])).map(one => one.Number), [1, 2, 3]);
    assert.deepEqual(asked, [1, 2, 3]);
    assert.deepEqual([client.statistics.connections, client.statistics.resentRequests], [2, 1]);
});

test("the first connection waits for the server", async context => {
    const host = await serve(context);
    await host.kill();
    const [client, failed] = [make(context, host.ready), signal()];
    client.failed = failed.set;
    const connecting = client.connect();
    assert.equal((await failed.promise).name, "ConnectionError");
    await serve(context, host.ready);
    await connecting;
    assert.ok(client.isConnected);
});

test("an aborted attempt to connect ends", async context => {
    const host = await serve(context);
    await host.kill();
    const [client, abort] = [make(context, host.ready), new AbortController()];
    client.failed = () => abort.abort();
    await assert.rejects(client.connect({ signal: abort.signal }), { name: "AbortError" });
});

test("a permanent refusal ends the first connection", async context => {
    const host = await serve(context, "0", Buffer.from(TOKEN).toString("hex"));
    await assert.rejects(make(context, host.ready).connect(), { reason: "WrongToken" });
});

test("a transfer continues over the next connection", async context => {
    const first = await serve(context);
    const client = make(context, first.ready);
    await client.connect();
    let killed = null;
    const progress = ({ transferred }) => {
        if (transferred > 2_000_000)
            killed ??= first.kill();
    };
    const sending = client.sendFile(new Blob([pattern(10_000_000)]), "large", { progress });
    await until(() => killed !== null);
    await killed;
    await serve(context, first.ready);
    assert.equal((await sending).transferred, 10_000_000);
    assert.equal(client.statistics.connections, 2);
});

test("close ends an attempt to connect", async context => {
    const host = await serve(context);
    await host.kill();
    const [client, failed] = [make(context, host.ready), signal()];
    client.failed = failed.set;
    const connecting = assert.rejects(client.connect(), { reason: "Requested" });
    await failed.promise;
    await client.close();
    await connecting;
});
