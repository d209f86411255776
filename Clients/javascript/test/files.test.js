/** Files against a live C# host. */

import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { Client, Fault, Schema, TransferError } from "../node.js";
import { partOf } from "../src/node/files.js";
import { PEER, ROOT, WAIT, pattern, start } from "./support.js";

const SCHEMA = new Schema(JSON.parse(readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT), "utf8")));
const folder = mkdtempSync(`${tmpdir()}/reloaded-messaging-js-`);
let host;
before(async () => host = await start(PEER, "languages", "none", "0"));
after(async () => {
    await host.stop();
    rmSync(folder, { recursive: true });
});

async function connect(context, configure = () => {}) {
    const client = new Client(`tcp://127.0.0.1:${host.ready}`, SCHEMA, { timeout: WAIT });
    context.after(() => client.close(0));
    configure(client);
    return client.connect();
}

test("a file goes to the server and back", async context => {
    const [client, content, reports] = [await connect(context), pattern(1_500_000), []];
    const whole = { transferred: 1_500_000, length: 1_500_000, resumed: 0 };
    writeFileSync(`${folder}/up`, content);
    assert.deepEqual(await client.sendFile(`${folder}/up`, undefined, { progress: one => reports.push(one.transferred) }), whole);
    assert.deepEqual(await client.saveFile("up", `${folder}/down`), whole);
    assert.deepEqual(new Uint8Array(readFileSync(`${folder}/down`)), content);
    assert.deepEqual(reports, Array.from({ length: 12 }, (_, i) => Math.min(131_072 * (i + 1), 1_500_000)));
});

test("a file goes to the server while it is written, and as it was opened when it is replaced", async context => {
    const [client, content] = [await connect(context), pattern(1_000_000)];
    writeFileSync(`${folder}/log`, content);
    writeFileSync(`${folder}/new`, new Uint8Array(10));
    let reports = 0;
    await client.sendFile(`${folder}/log`, "log", {
        progress: () => {
            appendFileSync(`${folder}/log`, "more");
            if (++reports === 3)
                renameSync(`${folder}/new`, `${folder}/log`);
        },
    });
    assert.deepEqual(new Uint8Array(await (await client.receiveFile("log")).arrayBuffer()), content);
    await assert.rejects(client.sendFile(`${folder}/none`), /none/);
    await assert.rejects(client.sendFile(folder), /is not a file/);
});

test("a Blob goes to the server and back, also an empty one", async context => {
    const [client, content] = [await connect(context), pattern(300_000)];
    for (const bytes of [content, new Uint8Array()]) {
        await client.sendFile(new Blob([bytes]), "blob");
        const received = await client.receiveFile("blob");
        assert.deepEqual(new Uint8Array(await received.arrayBuffer()), bytes);
    }
});

test("a part is continued if the file begins with it", async context => {
    const [client, content] = [await connect(context), pattern(500_000)];
    await client.sendFile(new Blob([content]), "resumed");
    for (const [part, resumed] of [[content.subarray(0, 300_000), 300_000], [new Uint8Array(300_000), 0], [Buffer.concat([content, Buffer.from("more")]), 0]]) {
        writeFileSync(partOf(`${folder}/again`), part);
        assert.deepEqual(await client.saveFile("resumed", `${folder}/again`), { transferred: 500_000, length: 500_000, resumed });
        assert.deepEqual(new Uint8Array(readFileSync(`${folder}/again`)), content);
        assert.ok(!existsSync(partOf(`${folder}/again`)));
    }
});

test("two transfers to one path run one after the other", async context => {
    const client = await connect(context);
    for (const [name, byte] of [["first", 1], ["second", 2]])
        await client.sendFile(new Blob([new Uint8Array(600_000).fill(byte)]), name);
    await Promise.all([client.saveFile("first", `${folder}/one`), client.saveFile("second", `${folder}/one`)]);
    assert.equal(new Set(readFileSync(`${folder}/one`)).size, 1);
});

test("a link in place of the part is refused", async context => {
    const client = await connect(context);
    writeFileSync(`${folder}/target`, "");
    symlinkSync(`${folder}/target`, partOf(`${folder}/linked`));
    await client.sendFile(new Blob(["1"]), "linked");
    await assert.rejects(client.saveFile("linked", `${folder}/linked`), { code: "ELOOP" });
    assert.equal(readFileSync(`${folder}/target`, "utf8"), "");
});

test("refusals of files have codes of the program", async context => {
    const client = await connect(context);
    await assert.rejects(client.sendFile(new Blob(["1"]), "refused"), error => error instanceof Fault && error.code === 1000);
    await assert.rejects(client.saveFile("missing", `${folder}/missing`), error => error instanceof Fault && error.code === 1001);
});

test("an aborted transfer keeps its part", async context => {
    const [client, abort] = [await connect(context), new AbortController()];
    await client.sendFile(new Blob([pattern(2_000_000)]), "aborted");
    const progress = ({ transferred }) => transferred > 500_000 && abort.abort();
    await assert.rejects(client.saveFile("aborted", `${folder}/aborted`, { progress, signal: abort.signal }), { name: "AbortError" });
    assert.ok((await client.saveFile("aborted", `${folder}/aborted`)).resumed > 500_000);
});

test("the server fetches and pushes files", async context => {
    const pushed = [];
    writeFileSync(`${folder}/served`, pattern(300_000));
    const client = await connect(context, client => {
        client.onFileRequest(name => name === "log" ? `${folder}/served` : null);
        client.onFile(async offer => {
            pushed.push(offer.name, offer.length);
            if (offer.name === "memory")
                pushed.push((await offer.receive()).size);
            else
                await offer.save(`${folder}/pushed`);
        });
    });
    assert.deepEqual(await client.request("FetchFile", { Name: "log", Has: 0 }), { Number: 0, ProcessId: 300_000 });
    assert.deepEqual(await client.request("FetchFile", { Name: "log", Has: 200_000 }), { Number: 200_000, ProcessId: 300_000 });
    assert.deepEqual(await client.request("PushFile", { Name: "../name", Length: 400_000 }), { Number: 0, ProcessId: 400_000 });
    assert.deepEqual(await client.request("PushFile", { Name: "memory", Length: 10 }), { Number: 0, ProcessId: 10 });
    assert.deepEqual(pushed, ["../name", 400_000, "memory", 10, 10]);
    assert.deepEqual(new Uint8Array(readFileSync(`${folder}/pushed`)), pattern(400_000));
});

test("a handler of files that takes nothing is a failure", async context => {
    const failures = [];
    const client = await connect(context, client => {
        client.failed = error => failures.push(error.message);
        client.onFile(async () => {});
    });
    await assert.rejects(client.request("PushFile", { Name: "n", Length: 4 }), error => error instanceof Fault && !(error instanceof TransferError));
    assert.match(failures[0], /returned without the file/);
});
