/** Items that are sent with requests, in both roles, and in both directions at once, with live C# hosts and with servers that send what a test says. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Client, ContractMismatch, Fault, Schema } from "../node.js";
import { BLOCK_REPLY, CANCEL, ITEM_BLOCK, Kind, concat, fromHex, readFault } from "../src/wire.js";
import { control, frame, make, pullOf, reply, serve, text, uint32 } from "./servers.js";
import { EXTENT, PEER, ROOT, WAIT, cases, signal, start, toHex, until } from "./support.js";
import { TestWebSocket } from "./websocket.js";

const SCHEMA = new Schema(JSON.parse(readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT), "utf8")));

const counted = number => ({ Number: number, Text: "z".repeat(number % 300) });

async function* count(to) {
    for (let i = 0; i < to; i++)
        yield counted(i);
}

/** The hash of the items as the server computes it. */
const hashOf = items => items.reduce((hash, item) => Math.imul(hash, 31) + item.Number + item.Text.length | 0, 0);
const answerOf = to => ({ Number: hashOf(Array.from({ length: to }, (_, i) => counted(i))), ProcessId: to });

/** Items without an end, which compression does not shrink much. It notes how many were created, and that it was ended. */
class Source {
    created = 0;
    ended = signal();

    async *[Symbol.asyncIterator]() {
        try {
            while (true) {
                yield { Number: ++this.created, Text: randomBytes(50).toString("hex") };
                await new Promise(setImmediate);
            }
        } finally {
            this.ended.set();
        }
    }
}

for (const verb of ["languages", "languages-websocket"]) {
    describe(verb, () => {
        let host;
        before(async () => host = await start(PEER, verb, "none", "0"));
        after(() => host.stop());

        /** Returns a client that is closed after the test, and how the loops of the server end. */
        async function connect(context, configure = () => {}) {
            const url = verb === "languages" ? `tcp://127.0.0.1:${host.ready}` : `ws://127.0.0.1:${host.ready}/`;
            const client = new Client(url, SCHEMA, { timeout: WAIT, WebSocket: globalThis.WebSocket ?? TestWebSocket });
            const ends = [];
            client.on("LoopEnded", ({ How: how }) => ends.push(how));
            context.after(() => client.close(0));
            configure(client);
            await client.connect();
            return [client, ends];
        }

        test("items of a request arrive in order", async context => {
            const [client, ends] = await connect(context);
            for (const to of [0, 1, 20_000])
                assert.deepEqual(await client.request("Collect", { Leaves: 0 }, { items: ["Counted", count(to)] }), answerOf(to));
            assert.deepEqual(await client.request("Collect", { Leaves: 0 }, { items: ["Counted", () => [counted(0), counted(1)]] }), answerOf(2));
            await until(() => ends.length === 4);
            assert.deepEqual(ends, Array(4).fill("end"));
            assert.equal(client.statistics.unansweredRequests, 0);
        });

        test("the server sends items with a request", async context => {
            let got;
            const [client] = await connect(context, client => client.onRequest("Collect", "Answer", async ({ Leaves: leaves }, { items }) => {
                got = [];
                for await (const item of items)
                    got.push(item.Number);
                return { Number: leaves, ProcessId: got.length };
            }, { items: "Counted" }));
            for (const to of [0, 1, 20_000]) {
                assert.deepEqual(await client.request("CollectBack", { To: to, Fails: false, Leaves: 7 }), { Number: 7, ProcessId: to });
                assert.deepEqual(got, Array.from({ length: to }, (_, i) => i));
            }
        });

        test("a handler that reads no more ends the items", async context => {
            const [[client, ends], source] = [await connect(context), new Source()];
            assert.equal((await client.request("Collect", { Leaves: 3 }, { items: ["Counted", source] })).ProcessId, 3);
            await source.ended.promise;
            await until(() => ends.length === 1);
            assert.deepEqual(ends, ["left"]);
        });

        test("a handler that leaves its loop closes the items at once", async context => {
            let hasClosed = false;
            const [client] = await connect(context, client => client.onRequest("Collect", "Answer", async (_, { items }) => {
                for await (const item of items)
                    break;
                await until(() => client.statistics.unansweredRequests === 1); // that of the test
                hasClosed = true;
                return { Number: 1, ProcessId: 1 };
            }, { items: "Counted" }));
            await client.request("CollectBack", { To: 10_000_000, Fails: false, Leaves: 0 });
            assert.ok(hasClosed);
        });

        test("a call that is canceled cancels the handler and the items", async context => {
            const [[client, ends], source, abort] = [await connect(context), new Source(), new AbortController()];
            const sending = client.request("Collect", { Leaves: 0 }, { items: ["Counted", source], signal: abort.signal });
            await until(() => source.created > 1000);
            abort.abort();
            await assert.rejects(sending, { name: "AbortError" });
            await source.ended.promise;
            await until(() => ends.length === 1);
            assert.deepEqual(ends, ["canceled"]);
        });

        test("a server that cancels its request cancels the handler", async context => {
            const [started, ended, abort] = [signal(), signal(), new AbortController()];
            const [client] = await connect(context, client => client.onRequest("Collect", "Answer", async (_, call) => {
                try {
                    for await (const item of call.items)
                        started.set();
                    ended.set("end");
                } catch (error) {
                    ended.set(error.name);
                    throw error;
                }
            }, { items: "Counted" }));
            const asking = client.request("CollectBack", { To: 100_000_000, Fails: false, Leaves: 0 }, { signal: abort.signal });
            await started.promise;
            abort.abort();
            await assert.rejects(asking, { name: "AbortError" });
            assert.equal(await ended.promise, "AbortError");
            await until(() => client.statistics.runningHandlers === 0);
            assert.equal(client.statistics.failedHandlers, 0);
        });

        test("an error of the items is that of the call, and a fault for the handler", async context => {
            const [client, ends] = await connect(context);
            for (const error of [new Error("inside"), new Fault(1003, "No more.")]) {
                await assert.rejects(client.request("Collect", { Leaves: 0 }, { items: ["Counted", (async function* () {
                    yield counted(1);
                    throw error;
                })()] }), thrown => thrown === error);
            }
            await until(() => ends.length === 2);
            assert.deepEqual(ends, ["fault 1", "fault 1003"]);
            assert.equal(client.statistics.failedHandlers, 0);
        });

        test("an error of the items of the server is a fault after the items", async context => {
            const [got, faults] = [[], []];
            const [client] = await connect(context, client => client.onRequest("Collect", "Answer", async (_, { items }) => {
                try {
                    for await (const item of items)
                        got.push(item.Number);
                } catch (error) {
                    faults.push(error);
                }
                return { Number: 0, ProcessId: 0 };
            }, { items: "Counted" }));
            await assert.rejects(client.request("CollectBack", { To: 1000, Fails: true, Leaves: 0 }), { code: 1002 });
            assert.deepEqual(faults.map(({ code, isRemote }) => [code, isRemote]), [[1002, true]]);
            assert.deepEqual(got, Array.from({ length: 1000 }, (_, i) => i));
        });

        test("a fault of the handler ends the items", async context => {
            const [[client], source] = [await connect(context), new Source()];
            await assert.rejects(client.request("Collect", { Leaves: 1, Fault: 1001 }, { items: ["Counted", source] }), { code: 1001, text: "The disk is full." });
            await source.ended.promise;
        });

        test("a slow handler slows down the items", async context => {
            const [goesOn, abort] = [signal(), new AbortController()];
            const [client] = await connect(context, client => client.onRequest("Collect", "Answer", async (_, { items }) => {
                for await (const item of items)
                    await goesOn.promise;
            }, { items: "Counted" }));
            const asking = client.request("CollectBack", { To: 10_000_000, Fails: false, Leaves: 0 }, { signal: abort.signal });
            const received = [];
            while (received.length < 5 || new Set(received.slice(-5)).size > 1) { // until the server waits
                await new Promise(resolve => setTimeout(resolve, 100));
                received.push(client.statistics.receivedBytes);
            }
            assert.ok(received.at(-1) < 6 * 64 * 1024, `${received.at(-1)} bytes`);
            abort.abort();
            await assert.rejects(asking, { name: "AbortError" });
            goesOn.set();
        });

        test("items go both ways at once", async context => {
            const [client, ends] = await connect(context);
            const [answers, asked] = [[], []];
            async function* ask() {
                for (let i = 0; i < 100; i++) {
                    await until(() => answers.length === i); // a question follows an answer
                    asked.push(i);
                    yield counted(i);
                }
            }
            for await (const answer of client.stream("Converse", { Factor: 3 }, { items: ["Counted", ask()] }))
                answers.push(answer.Number);
            assert.deepEqual(answers, asked.map(i => 3 * i));
            await until(() => ends.length === 1);
            assert.deepEqual(ends, ["end"]);
            let next = 0;
            for await (const { Number: number } of client.stream("Converse", { Factor: 1 }, { items: ["Counted", count(20_000)] }))
                assert.equal(number, next++);
            assert.equal(next, 20_000);
        });

        test("the server sends and reads items at once", async context => {
            const [client] = await connect(context);
            client.onStream("Converse", "Counted", async function* ({ Factor: factor }, { items }) { // announced while the client is connected
                for await (const item of items)
                    yield { Number: item.Number * factor, Text: "" };
            }, { items: "Counted" });
            for (const [to, leaves] of [[0, 0], [20_000, 0], [1_000_000, 10]]) {
                const expected = Array.from({ length: leaves || to }, (_, i) => ({ Number: 2 * i, Text: "" }));
                assert.deepEqual(await client.request("ConverseBack", { To: to, Factor: 2, Leaves: leaves }), { Number: hashOf(expected), ProcessId: expected.length });
            }
            await until(() => client.statistics.unansweredRequests === 0);
            assert.equal(client.statistics.failedHandlers, 0);
        });

        test("a loop that is left cancels the handler and the items", async context => {
            const [[client, ends], source] = [await connect(context), new Source()];
            for await (const answer of client.stream("Converse", { Factor: 1 }, { items: ["Counted", source] })) {
                assert.equal(answer.Number, 1);
                break;
            }
            await source.ended.promise;
            await until(() => ends.length === 1);
            assert.deepEqual(ends, ["canceled"]);
            assert.equal(client.statistics.unansweredRequests, 0);
        });

        test("an error of the items ends the loop after the received items", async context => {
            const [[client], answers, error] = [await connect(context), [], new Error("inside")];
            await assert.rejects(async () => {
                for await (const answer of client.stream("Converse", { Factor: 5 }, { items: ["Counted", (async function* () {
                    yield* [counted(1), counted(2)];
                    throw error;
                })()] }))
                    answers.push(answer.Number);
            }, thrown => thrown === error);
            assert.deepEqual(answers, [5, 10]);
        });

        test("a handler without items is not sent items", async context => {
            const [client] = await connect(context);
            await assert.rejects(client.request("Sum", { Numbers: [] }, { items: ["Question", []] }), error => error instanceof ContractMismatch && /Sum, but reads no items .*Question/.test(error.message));
            assert.equal(client.statistics.sentRequests, 0);
        });

        test("each form of a call to each handler ends, and leaves nothing open", async context => {
            const [client] = await connect(context);
            const readThree = async items => {
                for (let i = 0; i < 3; i++)
                    assert.ok(!(await items.next()).done);
                await items.return();
            };
            const requests = { Repeat: { Text: "a", Count: 2 }, Answer: { Number: 1, ProcessId: 1 }, Collect: { Leaves: 3 }, Count: { To: 10_000 }, Converse: { Factor: 2 }, Work: { Steps: 50 } };
            const calls = [
                (name, value) => client.request(name, value),
                (name, value) => client.request(name, value, { items: ["Counted", new Source()] }),
                (name, value) => client.request(name, value, { progress: () => {} }),
                (name, value) => readThree(client.stream(name, value)),
                (name, value) => readThree(client.stream(name, value, { items: ["Counted", new Source()] })),
            ];
            let ended = 0;
            for (const [name, value] of Object.entries(requests)) {
                for (const call of calls) {
                    for (let i = 0; i < 13; i++) { // the calls to one handler open 65 streams; the server has at most 64 for a client
                        try {
                            await call(name, value);
                            ended++;
                        } catch (error) {
                            assert.ok(error instanceof Fault ? error.code !== 6 : /is a stream|is no stream/.test(error.message), error);
                        }
                    }
                }
            }
            assert.equal(ended, 13 * 13);
            assert.equal(client.statistics.unansweredRequests, 0);
        });

        test("reports of the server arrive in order before the reply", async context => {
            const [client] = await connect(context);
            for (const steps of [0, 1, 1000]) {
                for (const wait of [() => {}, () => new Promise(setImmediate)]) {
                    const got = [];
                    const progress = ({ Number: number }) => (got.push(number), wait());
                    assert.equal((await client.request("Work", { Steps: steps }, { progress })).Number, steps);
                    assert.deepEqual(got, [...new Set(got)].sort((a, b) => a - b));
                    assert.equal(got.at(-1) ?? 0, steps);
                }
            }
            assert.equal((await client.request("Work", { Steps: 3 })).Number, 3);
            assert.equal((await client.request("Sum", { Numbers: [1, 2, 3] }, { progress: () => assert.fail("There is no report.") })).Value, 6n);
            assert.equal(client.statistics.unansweredRequests, 0);
        });

        test("reports of the client arrive in order before the reply", async context => {
            const [client] = await connect(context, client => client.onRequest("Work", "Answer", async ({ Steps: steps }, { report }) => {
                for (let step = 1; step <= steps; step++) {
                    report({ Number: step });
                    if (step % 10 === 0)
                        await new Promise(setImmediate);
                }
                return { Number: 0, ProcessId: 0 };
            }, { progress: "Step" }));
            for (const steps of [0, 1, 1000]) {
                const { Number: last, ProcessId: count } = await client.request("WorkBack", { Steps: steps });
                assert.equal(last, steps);
                assert.ok(Math.min(steps, 1) <= count && count <= steps, String(count));
            }
        });

        /** A model: a call has the items up to the first end, which is that of the source, of the handler or of the caller. */
        test("items of random calls arrive as they were sent", async context => {
            let state = 11;
            const draw = values => values[((state = Math.imul(state, 1_103_515_245) + 12_345 >>> 0) >>> 8) % values.length];
            const [client] = await connect(context, client => client.onRequest("Collect", "Answer", async ({ Leaves: leaves }, { items }) => {
                const got = [];
                for await (const item of items) {
                    if (got.push(item) === leaves)
                        break;
                }
                return { Number: hashOf(got), ProcessId: got.length };
            }, { items: "Counted" }));

            async function call() {
                const [to, leaves, fails, cancels] = [draw([0, 1, 10, 3000]), draw([0, 0, 1, 500]), draw([true, false, false, false]), draw([true, false, false, false])];
                const [sent, abort, failure] = [[], new AbortController(), new Error("The end.")];
                async function* source() {
                    for (let i = 0; i < to; i++) {
                        if (cancels && i === to >> 1)
                            abort.abort();
                        const item = { Number: i, Text: "w".repeat(draw([0, 10, 300, 2000])) };
                        sent.push(item);
                        yield item;
                    }
                    if (fails)
                        throw failure;
                }
                const read = leaves > 0 && leaves <= to ? leaves : to;
                try {
                    assert.deepEqual(await client.request("Collect", { Leaves: leaves }, { items: ["Counted", source()], signal: abort.signal }), { Number: hashOf(sent.slice(0, read)), ProcessId: read });
                    assert.ok(!fails || leaves > 0 && leaves <= to);
                } catch (error) {
                    assert.ok(fails && error === failure || cancels && error.name === "AbortError", error);
                }
            }

            for (let round = 0; round < (EXTENT >= 2 ? 30 : 6); round++) {
                const back = Array.from({ length: 4 }, () => [draw([0, 1, 10, 3000]), draw([0, 1, 500])]);
                await Promise.all([...Array.from({ length: 8 }, call), ...back.map(async ([to, leaves]) => {
                    const { ProcessId: read } = await client.request("CollectBack", { To: to, Fails: false, Leaves: leaves });
                    assert.equal(read, leaves > 0 && leaves <= to ? leaves : to);
                })]);
            }
            await until(() => client.statistics.unansweredRequests === 0 && client.statistics.runningHandlers === 0);
            assert.equal(client.statistics.failedHandlers, 0);
        });
    });
}

/** Cases of answers.json: the client sends the frames of the client, byte by byte. */
const contract = (id, name, field, type) => ({ id, name: `Samples.${name}`, kind: "message", struct: true, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: field, type, code: type, shape: "1" }] });
const VECTORS = new Schema({
    contracts: [
        contract(1, "Ping", "Number", "i4"), contract(2, "Pong", "Number", "i4"), contract(3, "Note", "Text", "s"),
        contract(38, "Rebuild", "Text", "s"), contract(39, "Rebuilt", "Number", "i4"), contract(40, "Percent", "Number", "i4"),
    ],
});

for (const [name, call, expected] of [
    ["items of a request", client => client.request("Pong", { Number: 0 }, { items: ["Ping", [{ Number: 5 }]] }), { Text: "5" }],
    ["items of a request of the host", client => client.request("Note", { Text: "items" }), { Text: "5" }],
    ["reports of a request", async client => {
        const reports = [];
        return [await client.request("Rebuild", { Text: "city" }, { progress: ({ Number: number }) => reports.push(number) }), reports];
    }, [{ Number: 3 }, [50, 70]]],
]) {
    test(`vectors: ${name}`, async context => {
        const { steps } = cases("answers").find(one => one.name === name);
        const end = steps.findIndex(step => ["end", "next block after the reply"].includes(step.what)); // what a client sends after the reply depends on the moment
        const played = end < 0 ? steps : steps.slice(0, end);
        const found = signal();
        const { port } = await serve(context, async peer => {
            const got = [];
            for (const step of played) {
                if (step.from === "host")
                    peer.send(fromHex(step.bytes));
                let frames = "";
                while (step.from === "client" && frames.length < step.bytes.length)
                    frames += toHex(frame(...await peer.receive()));
                got.push(frames);
            }
            found.set(got.filter(frames => frames));
        });
        const client = new Client(`tcp://127.0.0.1:${port}`, VECTORS, { timeout: WAIT });
        context.after(() => client.close(0));
        client.onRequest("Pong", "Note", async (_, { items }) => {
            let sum = 0;
            for await (const { Number: number } of items)
                sum += number;
            return { Text: String(sum) };
        }, { items: "Ping" });
        await client.connect();
        assert.deepEqual(await call(client), expected);
        assert.deepEqual(await found.promise, played.filter(step => step.from === "client").map(step => step.bytes));
    });
}

const pull = (number, correlation, size = 65_536) => pullOf(ITEM_BLOCK)(number, correlation, size);
const request = correlation => frame({ type: 2, kind: Kind.REQUEST, correlation }, text(""));

test("items of an ended request are a fault, and never the end", async context => {
    const answers = signal();
    const { client } = await make(context, async peer => {
        const [header] = await peer.receive();
        for (const number of [1, 2, 3])
            peer.send(pull(number, header.correlation));
        const found = [await peer.receive()];
        peer.send(reply(header, 3, text("done")));
        found.push(await peer.receive(), await peer.receive());
        peer.send(pull(4, header.correlation), pull(5, header.correlation, 0));
        found.push(await peer.receive(), await peer.receive());
        answers.set(found);
    });
    await client.connect();
    assert.deepEqual(await client.request("Ask", { Text: "" }, { items: ["Event", async function* (signal) {
        yield { Text: "1" };
        await new Promise(resolve => signal.addEventListener("abort", resolve));
    }] }), { Text: "done" });
    const [[first, block], ...others] = await answers.promise;
    assert.deepEqual([first.type, toHex(block)], [BLOCK_REPLY, toHex(concat([0], frame({ type: 1 }, text("1"))))]);
    assert.deepEqual(others.slice(0, 3).map(([header, payload]) => [header.kind, readFault(payload).code]), Array(3).fill([Kind.FAULT, 5]));
    assert.deepEqual([others[3][0].kind, [...others[3][1]]], [Kind.REPLY, [1]]);
});

test("a request without items has none", async context => {
    const answers = signal();
    const { client } = await make(context, async peer => {
        const [header] = await peer.receive();
        peer.send(pull(1, header.correlation), pull(2, header.correlation, 0));
        answers.set([await peer.receive(), await peer.receive()]);
        peer.send(reply(header, 3, text("done")));
    });
    await client.connect();
    await client.request("Ask", { Text: "" });
    const [[first, fault], [second, end]] = await answers.promise;
    assert.deepEqual([first.kind, readFault(fault).code, second.kind, [...end]], [Kind.FAULT, 3, Kind.REPLY, [1]]);
});

test("items that are canceled before their request cancel the handler", async context => {
    const [answer, name] = [signal(), signal()];
    const { client } = await make(context, async peer => {
        peer.send(request(7));
        const [header, payload] = await peer.receive();
        assert.deepEqual([header.type, [...payload]], [ITEM_BLOCK, [...uint32(7), ...uint32(65_536)]]);
        peer.send(frame({ type: ITEM_BLOCK, kind: Kind.FAULT, correlation: header.correlation }, [5]), control(CANCEL, [7]));
        let found;
        while ((found = await peer.receive())[0].kind === Kind.REQUEST);
        answer.set(found);
    });
    client.onRequest("Ask", "Answer", async (_, { items }) => {
        try {
            for await (const item of items);
            return { Text: "whole" };
        } catch (error) {
            name.set(error.name);
            throw error;
        }
    }, { items: "Event" });
    await client.connect();
    const [header, payload] = await answer.promise;
    assert.deepEqual([header.kind, readFault(payload).code, await name.promise, client.statistics.failedHandlers], [Kind.FAULT, 5, "AbortError", 0]);
});

test("items of a lost connection are no end", async context => {
    const ended = signal();
    const { client } = await make(context, async peer => {
        peer.send(request(7));
        await peer.receive();
        peer.socket.destroy();
    });
    client.onRequest("Ask", "Answer", async (_, { items }) => {
        try {
            for await (const item of items);
            ended.set("end");
        } catch (error) {
            ended.set(error.name);
        }
    }, { items: "Event" });
    await client.connect();
    assert.equal(await ended.promise, "AbortError");
});

test("the 65th request with items is refused", async context => {
    const [goesOn, answer] = [signal(), signal()];
    const { client } = await make(context, async peer => {
        for (let number = 0; number < 65; number++)
            peer.send(request(number));
        answer.set(await peer.receive());
        await peer.drain();
    });
    client.onRequest("Ask", "Answer", async () => (await goesOn.promise, { Text: "" }), { items: "Event" });
    await client.connect();
    const [header, payload] = await answer.promise;
    goesOn.set();
    assert.deepEqual([header.correlation, header.kind, readFault(payload).code], [64, Kind.FAULT, 6]);
});

test("items can be enumerated once, and until the handler has completed", async context => {
    const [kept, answered] = [signal(), signal()];
    const { client } = await make(context, async peer => {
        peer.send(request(7));
        const [header] = await peer.receive();
        peer.send(reply(header, BLOCK_REPLY, concat([0], frame({ type: 1 }, text("1")))));
        while ((await peer.receive())[0].kind === Kind.REQUEST);
        answered.set();
        await peer.drain();
    });
    client.onRequest("Ask", "Answer", async (_, { items }) => {
        const reading = items[Symbol.asyncIterator]();
        assert.deepEqual((await reading.next()).value, { Text: "1" });
        assert.throws(() => items[Symbol.asyncIterator](), /already enumerated/);
        kept.set(reading);
        return { Text: "" };
    }, { items: "Event" });
    await client.connect();
    await answered.promise;
    await assert.rejects((await kept.promise).next(), /before its handler completes/);
});
