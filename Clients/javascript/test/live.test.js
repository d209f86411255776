/** The client against live C# hosts. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Client, ConnectionError, ContractMismatch, Fault, PayloadError, Schema } from "../node.js";
import { PEER, ROOT, WAIT, signal, start } from "./support.js";
import { TestWebSocket } from "./websocket.js";


const DOCUMENT = JSON.parse(readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT), "utf8"));
const SCHEMA = new Schema(DOCUMENT);
const TOKEN = Uint8Array.from({ length: 32 }, (_, i) => i);
const WebSocket = globalThis.WebSocket ?? TestWebSocket;

const startHost = (verb, token, port = "0") => start(PEER, verb, token.length ? Buffer.from(token).toString("hex") : "none", port);

for (const [scheme, verb, token] of [["ws", "languages-websocket", new Uint8Array()], ["ws", "languages-websocket", TOKEN], ["tcp", "languages", new Uint8Array()], ["tcp", "languages", TOKEN]]) {
    describe(`${scheme}, ${token.length ? "with a token" : "without a token"}`, () => {
        let host;
        const open = [];
        before(async () => host = await startHost(verb, token));
        after(async () => {
            await Promise.all(open.map(client => client.close(0)));
            await host.stop();
        });

        const url = () => `${scheme}://127.0.0.1:${host.ready}${scheme === "ws" ? "/" : ""}`;
        const make = (schema = SCHEMA, options = {}) => {
            const client = new Client(url(), schema, { token, timeout: WAIT, WebSocket, ...options });
            open.push(client);
            return client;
        };

        test("a request gets its reply", async () => {
            const client = await make().connect();
            assert.ok(client.isConnected);
            assert.deepEqual(await client.request("Sum", { Numbers: [1, 2, -(2n ** 62n)] }), {
                Value: 3n - 2n ** 62n, Mean: "-1537228672809129300.3333333333", At: { ticks: 621355968000000000n, minutes: 0 },
            });
        });

        test("events come back in order", async () => {
            const [client, texts, all] = [make(), [], signal()];
            client.on("Shout", ({ Text }) => texts.push(Text) === 200 && all.set());
            await client.connect();
            for (let i = 0; i < 100; i++)
                client.send("Shout", { Text: `${i} ß€😀`, Times: 2 });
            await all.promise;
            assert.deepEqual(texts, Array.from({ length: 200 }, (_, i) => `${i >> 1} ß€😀`));
        });

        test("the server asks back while it is asked", async () => {
            const client = make();
            client.onRequest("Question", "Answer", async ({ Number: number }) => ({ Number: 2 * number, ProcessId: -1 }));
            await client.connect();
            assert.deepEqual(await client.request("AskBack", { Number: 21 }), { Number: 42, ProcessId: -1 });
        });

        test("many requests get their own replies", async () => {
            const client = await make().connect();
            const totals = await Promise.all(Array.from({ length: 200 }, (_, i) => client.request("Sum", { Numbers: [i, 1000] })));
            assert.deepEqual(totals.map(total => total.Value), Array.from({ length: 200 }, (_, i) => BigInt(i + 1000)));
        });

        async function sendLargeMessages() {
            const client = make();
            let echo;
            client.on("Shout", ({ Text }) => echo.set(Text));
            await client.connect();
            for (const size of [100, 126, 1000, 65_536, 70_000, 900_000]) {
                echo = signal();
                client.send("Shout", { Text: "x".repeat(size), Times: 1 });
                assert.equal((await echo.promise).length, size);
            }
        }

        test("a message above the limit is refused here", async () => {
            const client = await make().connect();
            await assert.rejects(client.send("Shout", { Text: "a".repeat(1 << 20) }), /accepts at most 1048576/);
            assert.equal((await client.request("Sum", { Numbers: [3] })).Value, 3n);
        });

        test("a request is not sent as an event", async () => {
            const client = await make().connect();
            for (const name of ["Sum", "Count"])
                await assert.rejects(client.send(name, {}), /is a request, and not an event/);
        });

        test("a request without a reply is acknowledged", async () => {
            const client = await make().connect();
            assert.deepEqual(await client.request("Answer", { Number: 1, ProcessId: 2 }), {});
        });

        test("faults have their code and text", async () => {
            const client = await make().connect();
            await assert.rejects(client.request("Fail", { Code: 1234, Text: "No: ß" }), error => error instanceof Fault && error.code === 1234 && error.text === "No: ß");
            await assert.rejects(client.request("Fail", { Code: 0, Text: "inside" }), error => error instanceof Fault && error.code === 1 && !error.text.includes("inside"));
            await assert.rejects(client.request("Question", { Number: 1 }), error => error instanceof Fault && error.code === 2);
        });

        test("a failing handler of the client is a fault for the server", async () => {
            const [client, failed] = [make(), signal()];
            client.failed = failed.set;
            client.onRequest("Question", "Answer", ({ Number: number }) => {
                throw number === 1 ? new Fault(1000, "Not now.") : new Error("inside");
            });
            await client.connect();
            for (const number of [1, 2])
                await assert.rejects(client.request("AskBack", { Number: number }), error => error instanceof Fault && error.code === 1);
            assert.equal((await failed.promise).message, "inside");
        });

        test("a compressed reply is read", async () => {
            const client = await make().connect();
            assert.deepEqual(await client.request("Repeat", { Text: "again and again", Count: 1000 }), { Text: Array(1000).fill("again and again") });
            delete client.decompressors.brotli;
            await assert.rejects(client.request("Repeat", { Text: "again and again", Count: 1000 }), /decompressors/);
        });

        test("a late request is canceled", async () => {
            const client = await make().connect();
            await assert.rejects(client.request("Wait", {}, { timeout: 50 }), { name: "TimeoutError" });
            const abort = new AbortController();
            const waiting = client.request("Wait", {}, { signal: abort.signal });
            abort.abort();
            await assert.rejects(waiting, { name: "AbortError" });
            assert.equal((await client.request("Sum", { Numbers: [3] })).Value, 3n);
        });

        test("a kick has its reason", async () => {
            const [client, ended] = [make(), signal()];
            client.disconnected = (reason, text) => ended.set([reason, text]);
            await client.connect();
            const waiting = client.request("Wait");
            client.send("Leave", { Reason: "Out: ß" });
            assert.deepEqual(await ended.promise, ["Kicked", "Out: ß"]);
            await assert.rejects(waiting, ConnectionError);
            await assert.rejects(client.send("Shout", { Text: "too late" }), ConnectionError);
        });

        test("close ends the connection, and requests with it", async () => {
            const [client, ended] = [make(), signal()];
            client.disconnected = ended.set;
            await client.connect();
            const waiting = client.request("Wait");
            client.close(0);
            await assert.rejects(waiting, { reason: "Requested" });
            assert.equal(await ended.promise, "Requested");
        });

        test("another token is refused", async () => {
            for (const other of [new Uint8Array(), new Uint8Array(32).fill(120)]) {
                if (other.length !== token.length || token.length)
                    await assert.rejects(make(SCHEMA, { token: other }).connect(), { name: "ConnectionError", reason: "WrongToken" });
            }
        });

        /** The schema with other layouts, as pairs of a text and its replacement, or other versions of some contracts. */
        const changed = (changes, format = 2) => {
            const document = structuredClone(DOCUMENT);
            for (const one of document.contracts) {
                const change = changes[one.name.split(".").at(-1)];
                if (typeof change === "number")
                    one.version = change;
                else if (change) {
                    assert.ok(one.layout.includes(change[0]));
                    one.layout = one.layout.replace(...change);
                }
                if (format === 1)
                    delete one.layout;
            }
            return new Schema(document);
        };

        test("another contract is refused when it is sent", async () => {
            for (const [schema, difference, path] of [
                [changed({ Sum: 2 }), "the version is 2 here and 1 there", null],
                [changed({ Sum: 2 }, 1), "the version is 2 here and 1 there", null],
                [changed({ Sum: ["[i8]", "[u8]"] }), "Sum.Numbers[] is uint64 here and int64 there", "Sum.Numbers[]"],
            ]) {
                const client = await make(schema).connect();
                await assert.rejects(client.request("Sum", { Numbers: [] }), error => error instanceof ContractMismatch && error.path === path &&
                    error.message.endsWith(`.Sum on this side, Reloaded.Messaging.Tests.PeerProcess.Languages.Sum on the remote side) differ: ${difference}.`));
            }
        });

        test("another contract of a reply is refused", async () => {
            for (const [schema, difference] of [
                [changed({ Total: 2 }), "the version is 2 here and 1 there"],
                [changed({ Total: ["Mean ?d", "Median ?d"] }), "field 2 of Total is Median (nullable decimal) here and Mean (nullable decimal) there"],
            ]) {
                const client = await make(schema).connect();
                await assert.rejects(client.request("Sum", { Numbers: [] }), error => error instanceof ContractMismatch && error.message.endsWith(`differ: ${difference}.`));
            }
        });

        test("another contract of a handler is refused at connect", async () => {
            for (const [schema, difference] of [
                [changed({ Sum: 2 }), "the version is 2 here and 1 there"],
                [changed({ Sum: 2 }, 1), "the version is 2 here and 1 there"],
                [changed({ Total: ["Mean ?d", "Mean d"] }), "Total.Mean is decimal here and nullable decimal there"],
            ]) {
                const client = make(schema);
                client.onRequest("Sum", "Total", value => value);
                await assert.rejects(client.connect(), error => error instanceof ConnectionError && error.reason === "WrongContract" && error.message.endsWith(`differ: ${difference}.`));
            }
        });

        test("a value that the contract can't hold is refused here", async () => {
            const client = await make().connect();
            for (const value of [{ Text: null }, { Text: "a", Volume: 3 }, { Text: 3 }, { Text: "\uD800" }, { Text: "a", Times: 1.5 }, { Text: "a", Times: 2 ** 31 }])
                await assert.rejects(client.send("Shout", value), PayloadError);
        });

        async function refuseOtherOrigins() {
            for (const [origin, status] of [["http://evil.example", 403], ["http://allowed.example", 101], [`http://127.0.0.1:${host.ready}`, 101]]) {
                const [socket, done] = [new TestWebSocket(url(), origin), signal()];
                socket.onopen = socket.onclose = done.set;
                await done.promise;
                assert.equal(socket.status, status, origin);
                socket.close();
            }
        }

        if (scheme === "ws") {
            test("a page of another origin is refused", refuseOtherOrigins);
            test("large messages go over a WebSocket", sendLargeMessages);
            test("another path of a WebSocket is refused", async () => {
                await assert.rejects(new Client(`${url()}other`, SCHEMA, { token, timeout: WAIT, WebSocket }).connect(), { name: "ConnectionError", reason: "ConnectionLost" });
            });
        } else
            test("large messages in both directions", sendLargeMessages);
    });
}
