/** The client against servers that break the rules, and against servers that stop. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { ConnectionError, Fault, PayloadError, TransferError } from "../node.js";
import { writeHello } from "../src/handshake.js";
import { BLOCK, BLOCK_REPLY, CANCEL, FILE_FOUND, FILE_STARTED, FILE_WANTED, GOODBYE, HELLO, Kind, PING, PONG, STREAM, concat, readFault, writeFault } from "../src/wire.js";
import { control, frame, make, reply, serve, text } from "./servers.js";
import { WAIT, signal } from "./support.js";

const STREAM_9 = [9, 0, 0, 0];
const ask = (correlation, type = 2) => ({ type, kind: Kind.REQUEST, correlation });

/** The goodbye of the client: its reason, and its text. */
async function goodbyeOf(peer) {
    for (let found; (found = await peer.receive(true)) !== null;) {
        if (found[0].type === GOODBYE)
            return [found[1][0], new TextDecoder().decode(found[1].subarray(1))];
    }
    return null;
}

test("the 17th unreadable message ends the connection", async context => {
    const [goodbye, answered, ended] = [signal(), signal(), signal()];
    const bad = [frame({ type: 1 }, [0xFF]), [2, 0x7F, 0x0D], control(PING, new Uint8Array(65))];
    const { client } = await make(context, async peer => {
        for (let i = 0; i < 16; i++)
            peer.send(bad[i % 3]);
        peer.send(frame(ask(5), text("")));
        answered.set(await peer.receive()); // the connection goes on after 16 of them
        peer.send(bad[0]);
        goodbye.set(await goodbyeOf(peer));
    });
    client.on("Event", () => assert.fail("An unreadable event was handled."));
    client.disconnected = ended.set;
    await client.connect();
    assert.equal((await answered.promise)[0].kind, Kind.FAULT);
    assert.equal(await ended.promise, "Malformed");
    assert.deepEqual(await goodbye.promise, [10, "More than 16 messages could not be read."]);
    assert.equal(client.statistics.unreadableMessages, 17);
});

for (const [what, bytes, reason] of [["too large", [0xFF, 0xFF, 0xFF, 0x7F], 9], ["empty", [0], 10]]) {
    test(`a frame that is ${what} ends the connection with a goodbye`, async context => {
        const goodbye = signal();
        const { client } = await make(context, async peer => {
            peer.send(bytes);
            goodbye.set(await goodbyeOf(peer));
        });
        await client.connect();
        assert.equal((await goodbye.promise)[0], reason);
    });
}

test("blocks that are invalid are payload errors, and the stream is closed", async context => {
    const item = frame({ type: 1 }, text("x"));
    for (const block of [[], [0], [2, 1], [1, 1], concat([0], item.subarray(0, -1)), concat([0], frame({ type: 99 }, text("x"))), concat([0], frame(ask(1, 1), text("x"))), [0, 0]]) {
        const closed = signal();
        const { client } = await make(context, async peer => {
            peer.send(reply((await peer.receive())[0], STREAM, STREAM_9));
            peer.send(reply((await peer.receive())[0], BLOCK_REPLY, block));
            for (let payload; (payload = (await peer.receive())[1]);) {
                if (payload.subarray(4).every(byte => byte === 0))
                    return closed.set([...payload]);
            }
        });
        await client.connect();
        await assert.rejects(client.stream("Ask", { Text: "" }).next(), PayloadError, String(block));
        assert.deepEqual(await closed.promise, [...STREAM_9, 0, 0, 0, 0]);
    }
});

test("a stream is closed if a request for a block is dropped", async context => {
    const closed = signal();
    const { client } = await make(context, async peer => {
        peer.send(reply((await peer.receive())[0], STREAM, STREAM_9));
        peer.send(frame({ ...(await peer.receive())[0], kind: Kind.FAULT }, writeFault(12, "Later.")));
        for (let payload; (payload = (await peer.receive())[1]);) {
            if (payload.subarray(4).every(byte => byte === 0))
                return closed.set([...payload]);
        }
    });
    await client.connect();
    await assert.rejects(client.stream("Ask", { Text: "" }).next(), error => error instanceof Fault && error.code === 12);
    assert.deepEqual(await closed.promise, [...STREAM_9, 0, 0, 0, 0]);
});

test("a fault whose text is not UTF-8 is a PayloadError", async context => {
    const { client } = await make(context, async peer => {
        for (let i = 0; i < 3; i++)
            peer.send(frame({ ...(await peer.receive())[0], kind: Kind.FAULT }, [1, 0xFF]));
        await peer.drain();
    });
    await client.connect();
    await assert.rejects(client.request("Ask", { Text: "" }), PayloadError);
    await assert.rejects(client.stream("Ask", { Text: "" }).next(), PayloadError);
    await assert.rejects(client.receiveFile("n"), PayloadError);
});

test("the error of a file that is sent is thrown by the call", async context => {
    const fault = signal();
    const { client } = await make(context, async peer => {
        const [offered, payload] = await peer.receive();
        peer.send(frame(ask(1, BLOCK), concat(payload.subarray(0, 4), [0, 0, 2, 0])));
        fault.set(readFault((await peer.receive())[1]));
        peer.send(frame({ ...offered, kind: Kind.FAULT }, writeFault(1, "The handler failed.")));
        await peer.drain();
    });
    await client.connect();
    const cause = new Error("mine");
    const sending = client.sendFile(new Blob(["12"]), "n", { progress: () => { throw cause; } });
    await assert.rejects(sending, error => error instanceof TransferError && error.cause === cause);
    assert.deepEqual(await fault.promise, { code: 1, text: "The source of the file failed at byte 2." });
});

test("the stream of a lost connection ends, also when the client is connected again", async context => {
    let connections = 0;
    const [again, late] = [signal(), signal()];
    const { client } = await make(context, async peer => {
        if (++connections > 1)
            return again.set();
        peer.send(reply((await peer.receive())[0], STREAM, STREAM_9));
        peer.send(reply((await peer.receive())[0], BLOCK_REPLY, concat([0], frame({ type: 1 }, text("1")))));
        await late.promise;
        peer.socket.destroy();
    }, { reconnect: true });
    await client.connect();
    const items = client.stream("Ask", { Text: "" });
    assert.deepEqual((await items.next()).value, { Text: "1" });
    late.set();
    await again.promise;
    await assert.rejects(items.next(), ConnectionError);
});

const found = concat(STREAM_9, new Uint8Array(8), [110]);
const calls = [
    ["a request", STREAM, STREAM_9, (client, options) => client.request("Ask", { Text: "" }, options)],
    ["a stream", STREAM, STREAM_9, (client, options) => client.stream("Ask", { Text: "" }, options).next()],
    ["a file", FILE_FOUND, found, (client, options) => client.receiveFile("n", options)],
];
for (const [what, type, opened, call] of calls) {
    for (const isAborted of what === "a file" ? [true] : [false, true]) {
        test(`what a late reply to ${what} opens is closed, ${isAborted ? "after an abort" : "after its time"}`, async context => {
            const [received, left, closed] = [signal(), signal(), signal()];
            const { client } = await make(context, async peer => {
                const [header] = await peer.receive();
                received.set();
                await left.promise;
                peer.send(reply(header, type, opened));
                closed.set(await peer.receive());
            });
            await client.connect();
            const abort = new AbortController();
            const ended = assert.rejects(call(client, isAborted ? { signal: abort.signal } : { timeout: 50 }), { name: isAborted ? "AbortError" : "TimeoutError" });
            await received.promise;
            if (isAborted)
                abort.abort();
            await ended;
            left.set();
            const [header, payload] = await closed.promise;
            assert.deepEqual([header.type, [...payload]], [BLOCK, [...STREAM_9, 0, 0, 0, 0]]);
        });
    }
}

test("a file whose target cannot be opened is closed at the server", async context => {
    const closed = signal();
    const { client } = await make(context, async peer => {
        peer.send(reply((await peer.receive())[0], FILE_FOUND, found));
        closed.set(await peer.receive());
    });
    await client.connect();
    await assert.rejects(client.saveFile("n", "/dev/null/below"));
    const [header, payload] = await closed.promise;
    assert.deepEqual([header.type, [...payload]], [BLOCK, [...STREAM_9, 0, 0, 0, 0]]);
});

const offer = length => concat([1, 0, 0, 0], [length, 0, 0, 0, 0, 0, 0, 0], [110]);

test("a file that is longer or shorter than its offer fails", async context => {
    for (const block of [[0, ...new Uint8Array(11)], [1]]) {
        const { client } = await make(context, async peer => {
            for (const [type, payload] of [[FILE_FOUND, offer(10)], [FILE_STARTED, new Uint8Array(8)], [BLOCK_REPLY, block]])
                peer.send(reply((await peer.receive())[0], type, payload));
            await peer.drain();
        });
        await client.connect();
        await assert.rejects(client.receiveFile("n"), error => error instanceof TransferError && error.progress.transferred === 0 && error.cause instanceof PayloadError);
    }
});

test("a Blob is received over two connections", async context => {
    const starts = [];
    const { client } = await make(context, async peer => {
        peer.send(reply((await peer.receive())[0], FILE_FOUND, offer(6)));
        const [header, start] = await peer.receive();
        starts.push(start);
        peer.send(reply(header, FILE_STARTED, start.subarray(4, 12)));
        peer.send(reply((await peer.receive())[0], BLOCK_REPLY, [0, ...starts.length === 1 ? [1, 2, 3, 4] : [5, 6]]));
        if (starts.length === 1)
            return peer.socket.end();
        peer.send(reply((await peer.receive())[0], BLOCK_REPLY, [1]));
        await peer.drain();
    }, { reconnect: true });
    await client.connect();
    assert.deepEqual([...new Uint8Array(await (await client.receiveFile("n")).arrayBuffer())], [1, 2, 3, 4, 5, 6]);
    const part = createHash("sha256").update(Uint8Array.of(1, 2, 3, 4)).digest();
    assert.deepEqual(starts.map(one => [...one]), [[1, 0, 0, 0, ...new Uint8Array(8)], [1, 0, 0, 0, 4, ...new Uint8Array(7), ...part]]);
});

/** Sends requests, each with a type, an id and a payload, to a client that answers "Ask" with a stream of one item. Returns its answers. */
async function answersTo(context, requests) {
    const answers = signal();
    const { client } = await make(context, async peer => {
        const found = [];
        for (const [type, correlation, payload] of requests) {
            peer.send(frame(ask(correlation, type), payload));
            found.push(await peer.receive());
        }
        answers.set(found);
    });
    client.onStream("Ask", "Event", async function* () {
        yield { Text: "1" };
    });
    await client.connect();
    return answers.promise;
}

test("requests for blocks of unknown and ended streams are answered", async context => {
    const found = await answersTo(context, [[BLOCK, 1, [5, 0, 0, 0, 1, 0, 0, 0]], [2, 1, text("")], [BLOCK, 1, [1, 0, 0, 0, 0, 0, 0, 0]], [BLOCK, 1, [1, 0, 0, 0, 1, 0, 0, 0]], [BLOCK, 1, [1]]]);
    assert.deepEqual(found.map(([header]) => header.kind), [Kind.FAULT, Kind.REPLY, Kind.REPLY, Kind.REPLY, Kind.FAULT]);
    assert.deepEqual([readFault(found[0][1]).code, [...found[1][1]], [...found[2][1]], [...found[3][1]], readFault(found[4][1]).code], [3, [1, 0, 0, 0], [1], [1], 3]);
});

test("the 65th stream is refused", async context => {
    const found = await answersTo(context, Array.from({ length: 65 }, (_, i) => [2, i, text("")]));
    assert.deepEqual(found.map(([header]) => header.kind), [...Array(64).fill(Kind.REPLY), Kind.FAULT]);
    assert.equal(readFault(found[64][1]).code, 6);
});

for (const [what, type, payload, canceled, code] of [
    ["a stream whose request was canceled", 2, text(""), [CANCEL, [1]], 5],
    ["a file whose request was canceled", FILE_WANTED, new TextEncoder().encode("name"), [CANCEL, [1]], 5],
    ["a file whose reply is too large", FILE_WANTED, new Uint8Array(99_980).fill(110), [PING, []], 4],
]) {
    test(`${what} is closed`, async context => {
        const answers = signal();
        const { client } = await make(context, async peer => {
            const found = [];
            for (let i = 0; i < 65; i++) {
                peer.send(frame(ask(1, type), payload), control(...canceled));
                found.push(await peer.receive());
            }
            peer.send(frame(ask(1, type), payload.subarray(0, 4)));
            found.push(await peer.receive());
            answers.set(found);
        });
        client.onStream("Ask", "Event", async function* () {
            yield { Text: "1" };
        });
        client.onFileRequest(() => new Blob(["bytes"]));
        await client.connect();
        const found = await answers.promise;
        assert.deepEqual(found.slice(0, 65).map(([{ kind }, bytes]) => [kind, readFault(bytes).code]), Array(65).fill([Kind.FAULT, code]));
        assert.equal(found[65][0].kind, Kind.REPLY);
    });
}

test("a handshake without end has a deadline", async context => {
    const { client } = await make(context, async peer => {
        const timer = setInterval(() => peer.send(control(HELLO, [1])), 10);
        await peer.drain();
        clearInterval(timer);
    }, { timeout: 200, hello: control(HELLO, writeHello(new Uint8Array(16), false)) });
    await assert.rejects(client.connect(), { name: "ConnectionError", reason: "HandshakeTimeout" });
});

test("a request that a stopping server refuses is sent again", async context => {
    let connections = 0;
    const { client } = await make(context, async peer => {
        const isFirst = ++connections === 1;
        const [header, payload] = await peer.receive();
        if (isFirst)
            peer.send(frame({ type: 2, kind: Kind.FAULT, correlation: header.correlation }, [7, 115]), control(GOODBYE, [0]));
        else
            peer.send(reply(header, 3, payload));
        await peer.drain();
    }, { reconnect: true, resend: true });
    await client.connect();
    assert.deepEqual(await client.request("Ask", { Text: "1" }), { Text: "1" });
    assert.equal(client.statistics.resentRequests, 1);
});

test("close ends a request that waits for a connection", async context => {
    const ended = signal();
    const { client, server } = await make(context, async peer => void peer.socket.end(), { reconnect: true, resend: true });
    client.disconnected = ended.set;
    await client.connect();
    server.close();
    await ended.promise;
    const waiting = assert.rejects(client.request("Ask", { Text: "" }), { reason: "Requested" });
    await client.close();
    await waiting;
});

test("a request that arrives while the client drains is refused", async context => {
    const [runs, drains, answers] = [signal(), signal(), signal()];
    let goOn;
    const goesOn = new Promise(resolve => goOn = resolve);
    const { client } = await make(context, async peer => {
        peer.send(frame(ask(1), text("")));
        await drains.promise;
        peer.send(frame(ask(2), text("")));
        const refused = await peer.receive();
        goOn();
        answers.set([refused, await peer.receive()]);
        await peer.drain();
    });
    client.onRequest("Ask", "Answer", async one => {
        runs.set();
        await goesOn;
        return one;
    });
    await client.connect();
    await runs.promise;
    const closing = client.close(WAIT);
    drains.set();
    const [[first, fault], [second]] = await answers.promise;
    await closing;
    assert.deepEqual([first.correlation, readFault(fault).code, second.correlation, second.kind], [2, 7, 1, Kind.REPLY]);
});

test("an event that is decompressed in the background does not change the order", async context => {
    const [texts, all] = [[], signal()];
    const compressed = { type: 5, size: 6 };
    const { client } = await make(context, async peer => {
        peer.send(frame(compressed, [1]), frame({ type: 1 }, text("second")), frame(compressed, [0]), frame(compressed, [2]), frame({ type: 1 }, text("fourth")));
        await peer.drain();
    });
    client.decompressors["Samples.SomeCompressor"] = async ([number]) => {
        await new Promise(resolve => setTimeout(resolve, 10));
        if (number === 0)
            throw new Error("A bad payload.");
        return text(`event ${number}`);
    };
    const add = ({ Text: one }) => texts.push(one) === 4 && all.set();
    client.on("Small", add);
    client.on("Event", add);
    await client.connect();
    await all.promise;
    assert.deepEqual(texts, ["event 1", "second", "event 2", "fourth"]);
    assert.equal(client.statistics.unreadableMessages, 1);
});

test("a canceled request is fault 5", async context => {
    const answer = signal();
    const { client } = await make(context, async peer => {
        peer.send(frame(ask(9), text("")), control(CANCEL, [9]), control(PING, []));
        while ((await peer.receive(true))[0].type !== PONG);
        answer.set(await peer.receive());
    });
    client.onRequest("Ask", "Answer", (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))));
    await client.connect();
    const [header, payload] = await answer.promise;
    assert.deepEqual([header.kind, header.correlation, readFault(payload).code], [Kind.FAULT, 9, 5]);
});

test("a connection that was refused is reported", async context => {
    const server = await serve(context, async () => {});
    server.close();
    const { client } = await make(context, async peer => void peer.socket.destroy(), { hello: [] });
    await assert.rejects(client.connect(), { name: "ConnectionError", reason: "ConnectionLost" });
});

test("a fault with the code of a program has its text", async context => {
    const { client } = await make(context, async peer => {
        const [header] = await peer.receive();
        peer.send(frame({ type: 2, kind: Kind.FAULT, correlation: header.correlation }, [0xE8, 7, 110, 111]));
        await peer.drain();
    });
    await client.connect();
    await assert.rejects(client.request("Ask", { Text: "" }), error => error instanceof Fault && error.code === 1000 && error.text === "no");
    assert.equal(client.statistics.faults, 1);
});
