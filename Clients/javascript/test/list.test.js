/** The list of live tests that every client passes, and the hostile servers that it describes. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { Client } from "../node.js";
import { SCHEMA } from "./servers.js";
import { ROOT, WAIT, signal } from "./support.js";

const LIST = JSON.parse(readFileSync(new URL("Clients/live-tests.json", ROOT), "utf8"));
const FOLDER = new URL("./", import.meta.url);

/** Starts a server that sends bytes, and then sends no more. Returns a client of it. */
async function make(context, hex) {
    const server = createServer(socket => {
        socket.on("error", () => {}); // the client may reset the connection
        socket.end(Buffer.from(hex, "hex"));
        socket.resume();
    });
    await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
    const client = new Client(`tcp://127.0.0.1:${server.address().port}`, SCHEMA, { timeout: WAIT });
    client.failed = () => {}; // messages that cannot be read
    context.after(async () => {
        await client.close(0);
        server.close();
    });
    return client;
}

test("listed tests exist, except those of missing features", () => {
    const sources = readdirSync(FOLDER).filter(name => name.endsWith(".test.js")).map(name => readFileSync(new URL(name, FOLDER), "utf8"));
    const found = new Set(sources.flatMap(source => [...source.matchAll(/^ *test\("([^"]+)"/gm)].map(([, name]) => name)));
    for (const { feature, tests, without = {} } of LIST.features) {
        for (const name of tests)
            assert.equal(found.has(name), !("javascript" in without), `${feature}: ${name}`);
    }
});

test("hostile bytes of a server have their effect", async context => {
    for (const { name, bytes, reason, text } of LIST.hostile) {
        const [client, ended] = [await make(context, LIST.hellos + bytes), signal()];
        client.disconnected = (...end) => ended.set(end);
        await client.connect();
        const end = await ended.promise;
        assert.deepEqual(end, [reason, text ?? end[1]], name);
    }
});

test("handshakes of a hostile server are refused", async context => {
    for (const { name, bytes, reason } of LIST.handshakes)
        await assert.rejects((await make(context, bytes)).connect(), { reason }, name);
});
