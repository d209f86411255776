/** The client against servers that send without end, and against servers that do not read. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { HELLO, Kind, PING, concat, writeUvarint } from "../src/wire.js";
import { control, frame, make, reply, text } from "./servers.js";
import { signal, until } from "./support.js";

const ask = (correlation, type = 2) => ({ type, kind: Kind.REQUEST, correlation });

test("a server that does not read makes senders wait", async context => {
    const goesOn = signal();
    const { client } = await make(context, async peer => {
        peer.socket.pause();
        await goesOn.promise;
        peer.socket.resume();
        await peer.drain();
    });
    await client.connect();
    const [abort, sent] = [new AbortController(), []];
    const flooding = (async () => {
        while (true)
            await client.send("Other", { Text: "x".repeat(90_000) }, { signal: abort.signal });
    })();
    while (sent.length < 5 || new Set(sent.slice(-5)).size > 1) { // until the sender waits
        await new Promise(resolve => setTimeout(resolve, 100));
        sent.push(client.statistics.sentEvents);
    }
    assert.ok(client.statistics.pendingBytes < 6 << 20);
    goesOn.set();
    await until(() => client.statistics.sentEvents > sent.at(-1));
    abort.abort();
    await assert.rejects(flooding, { name: "AbortError" });
});

/** Sends a frame without end, until the client reads no more. */
async function flood(peer, bytes, isFull) {
    const many = concat(...Array(1000).fill(bytes));
    while (!peer.socket.destroyed) {
        if (!peer.socket.write(many)) {
            const drained = new Promise(resolve => peer.socket.once("drain", () => resolve(true)));
            if (!await Promise.race([drained, new Promise(resolve => setTimeout(resolve, 1000))]))
                return isFull.set();
        }
    }
}

for (const [what, bytes] of [["pings", control(PING, new Uint8Array(64))], ["requests without a handler", frame(ask(1, 77))], ["requests", frame(ask(1), text("x".repeat(1000)))]]) {
    test(`answers to a server that does not read are bounded: ${what}`, async context => {
        const isFull = signal();
        const { client } = await make(context, async peer => {
            peer.socket.pause();
            await flood(peer, bytes, isFull);
        });
        client.onRequest("Ask", "Answer", one => one);
        await client.connect();
        await isFull.promise;
        assert.ok(client.statistics.pendingBytes < 6 << 20, String(client.statistics.pendingBytes));
    });
}

test("a server that sends without end has to wait for the handlers", async context => {
    const isFull = signal();
    let goOn;
    const goesOn = new Promise(resolve => goOn = resolve);
    const { client } = await make(context, peer => flood(peer, frame({ type: 1 }, text("x".repeat(1000))), isFull));
    client.on("Event", () => goesOn);
    await client.connect();
    await isFull.promise;
    await until(() => client.statistics.receivedEvents >= 1000); // on a busy machine, the network is full sooner
    const { runningHandlers, receivedEvents } = client.statistics;
    assert.deepEqual([runningHandlers, receivedEvents], [1000, 1000]);
    goOn();
    await until(() => client.statistics.receivedEvents > 3000);
});

test("an event without a handler does not wait for handlers", async context => {
    const { client } = await make(context, async peer => {
        peer.send(frame({ type: 1 }, text("")));
        const [header] = await peer.receive();
        peer.send(...Array(2000).fill(frame({ type: 4 }, text(""))), reply(header, 3, text("arrived")));
        await peer.drain();
    });
    client.on("Event", () => new Promise(() => {}));
    await client.connect();
    assert.deepEqual(await client.request("Ask", { Text: "" }), { Text: "arrived" });
    assert.equal(client.statistics.unhandledMessages, 2000);
});

test("a send that waits when the connection is lost rejects", async context => {
    const lost = signal();
    const { client } = await make(context, async peer => {
        peer.socket.pause();
        await lost.promise;
        peer.socket.destroy();
    });
    await client.connect();
    const [sending, ended] = [[], []];
    while (ended.length === sending.length) { // until the last one waits, after a turn of the event loop
        const one = client.send("Other", { Text: "x".repeat(90_000) });
        sending.push(one);
        one.then(() => ended.push("sent"), error => ended.push(`${error.reason}: ${error.message}`));
        await new Promise(resolve => setImmediate(resolve));
    }
    lost.set();
    await Promise.allSettled(sending);
    assert.match(ended.at(-1), /^ConnectionLost: /);
});

test("announced contracts are limited", async context => {
    const ended = signal();
    const { client } = await make(context, async peer => {
        for (let id = 10; id < 10 + 4097; id++)
            peer.send(control(HELLO, concat([2], writeUvarint(id), [2, 110, 2, 115, 0, 0, 0, 0, 1])));
        await peer.drain();
    });
    client.disconnected = (reason, text) => ended.set(`${reason}: ${text}`);
    await client.connect();
    assert.equal(await ended.promise, "Malformed: The server announced more than 4096 contracts.");
});
