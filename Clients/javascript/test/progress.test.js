/** Reports of the progress of requests, in both roles, frame by frame. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, Fault, PayloadError } from "../node.js";
import { BLOCK_REPLY, CANCEL, Kind, PING, PONG, REPORT, concat, readFault } from "../src/wire.js";
import { control, frame, make, pullOf, reply, text, uint32 } from "./servers.js";
import { signal, toHex } from "./support.js";

const [CLOSE, NEXT, OPEN] = [0, 1, 2];
const pull = pullOf(REPORT);
const report = value => frame({ type: 1 }, text(value));
const block = (start, value) => toHex(concat([start], value ? report(value) : []));

/** Opens the reports of a request, with the numbers 101 and 102, and sends the request. */
const opened = correlation => concat(pull(101, correlation, OPEN), pull(102, correlation, OPEN), frame({ type: 2, kind: Kind.REQUEST, correlation }, text("")));

/** The ids and the payloads of the answers of a client, which are hexadecimal; the code in place of the payload of a fault. */
async function answersOf(context, sends, handler, count, options) {
    const answers = signal();
    const { client } = await make(context, async peer => {
        peer.send(...sends);
        const found = [];
        while (found.length < count) {
            const [header, payload] = await peer.receive();
            found.push([header.correlation, header.kind === Kind.FAULT ? readFault(payload).code : toHex(payload)]);
        }
        answers.set(found);
        await peer.drain();
    });
    client.onRequest("Ask", "Answer", handler, options);
    await client.connect();
    return answers.promise;
}

const done = toHex(text("done"));

test("the newest report is sent, and the last one with the end before the reply", async context => {
    const found = await answersOf(context, [opened(7)], async (_, { report: send }) => {
        for (const value of "abc")
            send({ Text: value });
        return { Text: "done" };
    }, 3, { progress: "Event" });
    assert.deepEqual(found, [[101, block(0, "a")], [102, block(1, "c")], [7, done]]);
});

test("reports after the reply are dropped", async context => {
    let late;
    const found = await answersOf(context, [opened(7), frame({ type: 2, kind: Kind.REQUEST, correlation: 8 }, text(""))], (_, { report: send }) => {
        late ??= send;
        late({ Text: "late" });
        return { Text: "done" };
    }, 4, { progress: "Event" });
    assert.deepEqual(found, [[101, block(0, "late")], [102, block(1)], [7, done], [8, done]]);
});

test("a handler without reports, or that refuses, ends them", async context => {
    assert.deepEqual(await answersOf(context, [opened(7)], () => ({ Text: "done" }), 3), [[101, block(1)], [102, block(1)], [7, done]]);
    assert.deepEqual(await answersOf(context, [opened(7)], () => { throw new Fault(1000, "No."); }, 3), [[101, block(1)], [102, block(1)], [7, 1000]]);
});

test("items and reports of one request", async context => {
    const found = await answersOf(context, [opened(7)], async (_, { items, report: send }) => {
        assert.ok(items);
        send({ Text: "begun" });
        return { Text: "done" };
    }, 3, { items: "Other", progress: "Event" });
    assert.deepEqual(found, [[101, block(0, "begun")], [102, block(1)], [7, done]]);
});

test("invalid requests for reports are refused", async context => {
    const sends = [pull(1, 7, NEXT), pull(2, 7, 3), pull(3, 7, OPEN), pull(4, 7, OPEN), pull(5, 7, NEXT), pull(6, 7, CLOSE), pull(8, 7, CLOSE)];
    assert.deepEqual(await answersOf(context, sends, one => one, 7), [[1, "01"], [2, 3], [5, 3], [3, "01"], [4, "01"], [6, "01"], [8, "01"]]);
});

test("the 65th open reports are refused", async context => {
    const sends = [...Array.from({ length: 65 }, (_, number) => pull(1000 + number, number, OPEN)), pull(2000, 0, CLOSE), pull(1065, 65, OPEN), pull(2001, 65, CLOSE)];
    assert.deepEqual(await answersOf(context, sends, one => one, 5), [[1064, 6], [1000, "01"], [2000, "01"], [1065, "01"], [2001, "01"]]);
});

/** A model: of the reports so far, the client sends the newest one while two requests wait for one. */
test("reports follow the model", async context => {
    let [state, newest, number] = [3, "", 200];
    const draw = () => (state = Math.imul(state, 1_103_515_245) + 12_345 >>> 0) >>> 8;
    const [expected, steps, waiting, found] = [[], [], [101, 102], signal()];
    for (let step = 0; step < 200; step++) {
        if (draw() % 10 < 6)
            steps.push(newest = String(step));
        else if (waiting.length < 2) {
            waiting.push(++number);
            steps.push(number);
        }
        if (newest && waiting.length === 2) {
            expected.push([waiting.shift(), block(0, newest)]);
            newest = "";
        }
    }
    expected.push(...waiting.map((one, i) => [one, block(1, i === 0 ? newest : "")]), [7, done]);
    const { client } = await make(context, async peer => {
        const got = [];
        peer.send(opened(7));
        for (const one of [...steps, "end"]) {
            if (typeof one === "number")
                peer.send(pull(one, 7, NEXT));
            peer.send(frame({ type: 3 }, text(String(one))));
        }
        while (got.at(-1)?.[0] !== 7) {
            const [header, payload] = await peer.receive();
            got.push([header.correlation, toHex(payload)]);
        }
        found.set(got);
    });
    const ended = signal();
    let sending;
    client.onRequest("Ask", "Answer", async (_, call) => {
        sending = call.report;
        await ended.promise;
        return { Text: "done" };
    }, { progress: "Event" });
    client.on("Answer", ({ Text: step }) => {
        if (step === "end")
            ended.set();
        else if (Number(step) < 200)
            sending({ Text: step });
    });
    await client.connect();
    assert.deepEqual(await found.promise, expected);
});

test("reports are opened before the request, and passed in order before the reply", async context => {
    const [seen, got] = [signal(), []];
    const { client } = await make(context, async peer => {
        const [[first, one], [second, two], [header]] = [await peer.receive(), await peer.receive(), await peer.receive()];
        peer.send(reply(first, BLOCK_REPLY, concat([0], report("a"))));
        const [third, three] = await peer.receive();
        seen.set([[first.type, second.type, header.type, third.type], [one, two, three].map(payload => [...payload])]);
        peer.send(reply(header, 3, text("done"))); // while a report is sent, the end may follow the reply
        peer.send(reply(second, BLOCK_REPLY, concat([0], report("b"))), reply(third, BLOCK_REPLY, concat([1], report("c"))));
        peer.send(reply((await peer.receive())[0], BLOCK_REPLY, [1]));
    });
    await client.connect();
    assert.deepEqual(await client.request("Ask", { Text: "" }, { progress: ({ Text: value }) => got.push(value) }), { Text: "done" });
    assert.deepEqual(got, ["a", "b", "c"]);
    const [types, [one, two, three]] = await seen.promise;
    assert.deepEqual(types, [REPORT, REPORT, 2, REPORT]);
    assert.deepEqual([one.slice(4), two, three], [uint32(OPEN), one, [...one.slice(0, 4), ...uint32(NEXT)]]);
    assert.deepEqual([client.statistics.unansweredRequests, client.statistics.sentRequests], [0, 1]);
});

test("a slow function is awaited before the next report is requested", async context => {
    const [goesOn, answered, next] = [signal(), signal(), signal()];
    const { client } = await make(context, async peer => {
        const [[first], [second], [header]] = [await peer.receive(), await peer.receive(), await peer.receive()];
        peer.send(reply(first, BLOCK_REPLY, concat([0], report("a"))));
        for (let i = 0; i < 3; i++) { // round trips, in which the client would request the next report
            peer.send(control(PING, []));
            while ((await peer.receive(true))[0].type !== PONG);
        }
        peer.send(frame({ type: 2, kind: Kind.REQUEST, correlation: 1 }, text("")));
        answered.set((await peer.receive())[0].kind);
        next.set((await peer.receive())[0].type);
        peer.send(reply(second, BLOCK_REPLY, [1]), reply(header, 3, text("done")));
    });
    client.onRequest("Ask", "Answer", one => one);
    await client.connect();
    const asking = client.request("Ask", { Text: "" }, { progress: () => goesOn.promise });
    assert.equal(await answered.promise, Kind.REPLY);
    goesOn.set();
    assert.equal(await next.promise, REPORT);
    await asking;
});

test("a server without reports answers the request", async context => {
    const { client } = await make(context, async peer => {
        const [[first], [second], [header]] = [await peer.receive(), await peer.receive(), await peer.receive()];
        for (const { correlation } of [first, second])
            peer.send(frame({ type: REPORT, kind: Kind.FAULT, correlation }, [2]));
        peer.send(reply(header, 3, text("done")));
    });
    await client.connect();
    assert.deepEqual(await client.request("Ask", { Text: "" }, { progress: () => assert.fail("There is no report.") }), { Text: "done" });
    assert.equal(client.statistics.unansweredRequests, 0);
});

test("an error of the function cancels the request, and closes the reports", async context => {
    const valid = concat([0], report("a"));
    const blocks = [valid, [0], [2], valid.subarray(0, -1), concat(valid, report("a")), concat([0], frame({ type: 1, kind: Kind.REQUEST, correlation: 1 }, text("")))];
    for (const bytes of blocks) {
        const [closed, error] = [signal(), new Error("inside")];
        const { client } = await make(context, async peer => {
            const [[first], , [header]] = [await peer.receive(), await peer.receive(), await peer.receive()];
            peer.send(reply(first, BLOCK_REPLY, bytes));
            let canceled;
            while ((canceled = await peer.receive(true))[0].type !== CANCEL);
            const [last, payload] = await peer.receive();
            closed.set([last.type, [...payload.subarray(4)], canceled[1][0] === header.correlation]);
        });
        await client.connect();
        await assert.rejects(client.request("Ask", { Text: "" }, { progress: () => { throw error; } }), thrown => bytes === valid ? thrown === error : thrown instanceof PayloadError, toHex(bytes));
        assert.deepEqual(await closed.promise, [REPORT, uint32(CLOSE), true]);
        assert.equal(client.statistics.unansweredRequests, 0);
    }
});

test("a call that times out after the reply does not wait for its reports", async context => {
    const { client } = await make(context, async peer => {
        const [, , [header]] = [await peer.receive(), await peer.receive(), await peer.receive()];
        peer.send(reply(header, 3, text("done")));
        await peer.drain();
    });
    await client.connect();
    await assert.rejects(client.request("Ask", { Text: "" }, { progress: () => {}, timeout: 50 }), { name: "TimeoutError" });
});

test("a lost connection ends the reports with the request", async context => {
    const { client } = await make(context, async peer => {
        for (let i = 0; i < 3; i++)
            await peer.receive();
        peer.socket.destroy();
    });
    await client.connect();
    await assert.rejects(client.request("Ask", { Text: "" }, { progress: () => {} }), ConnectionError);
});
