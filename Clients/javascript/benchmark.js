/**
 * Measures requests a second with 64 in flight, beside a bare echo over a socket of Node. The C# server is the one of the tests:
 * dotnet build -c Release Reloaded.Messaging.Tests/Reloaded.Messaging.Tests.PeerProcess.
 *
 * Run it on a quiet machine: node benchmark.js
 */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { Client, Schema } from "./node.js";
import { PEER, ROOT, start } from "./test/support.js";

const IN_FLIGHT = 64;
const SECONDS = Number(process.env.SECONDS ?? 2);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const HEAD = 8; // bytes of a message of the echo: the length of the payload, and the number of the message

/** A server that sends each byte back. It runs in a process of its own. */
function serveEcho() {
    const server = createServer({ noDelay: true }, socket => socket.pipe(socket).on("error", () => socket.destroy()));
    server.listen(0, "127.0.0.1", () => console.log(server.address().port));
    process.stdin.resume().on("end", () => process.exit());
}

/** Returns the requests a second of 64 loops, each of which sends its next request after its reply. */
async function measure(ask) {
    const begun = performance.now();
    let done = 0;
    const work = async number => {
        for (; performance.now() - begun < 1000 * SECONDS; done++)
            await ask(number);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, (_, number) => work(number)));
    return done / (performance.now() - begun) * 1000;
}

/** The floor: messages with a length and a number over a socket, and a promise for each. */
async function measureEcho(port) {
    const waiting = new Map();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let rest = Buffer.alloc(0);
    socket.on("data", bytes => {
        rest = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
        while (rest.length >= HEAD && rest.length >= HEAD + rest.readUInt32LE(0)) {
            const end = HEAD + rest.readUInt32LE(0);
            const number = rest.readUInt32LE(4);
            waiting.get(number)(rest.subarray(HEAD, end));
            waiting.delete(number);
            rest = rest.subarray(end);
        }
    });
    const result = await measure(number => new Promise(resolve => {
        const message = Buffer.alloc(HEAD + 8);
        message.writeUInt32LE(8, 0);
        message.writeUInt32LE(number, 4);
        waiting.set(number, resolve);
        socket.write(message);
    }));
    socket.destroy();
    return result;
}

/** A request whose handler has no reply, so the server sends an acknowledgement. */
async function measureClient(endpoint, schema) {
    const client = await new Client(endpoint, schema).connect();
    const result = await measure(number => client.request("Answer", { Number: number, ProcessId: 0 }));
    await client.close();
    return result;
}

async function main() {
    const echo = spawn(process.execPath, [new URL(import.meta.url).pathname, "echo"], { stdio: ["pipe", "pipe", "inherit"] });
    const port = Number(await new Promise(resolve => echo.stdout.once("data", resolve)));
    const host = await start(PEER, "languages", "none", "0");
    const schema = new Schema(JSON.parse(readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT), "utf8")));
    const rows = { "bare socket": [], client: [], ratio: [] };
    for (let round = 0; round < ROUNDS; round++) {
        const [floor, ours] = [await measureEcho(port), await measureClient(`tcp://127.0.0.1:${host.ready}`, schema)];
        rows["bare socket"].push(floor);
        rows.client.push(ours);
        rows.ratio.push(ours / floor);
    }
    await host.stop();
    echo.stdin.end();
    for (const [name, values] of Object.entries(rows)) {
        values.sort((one, other) => one - other);
        const [least, median, most] = [values[0], values[values.length >> 1], values.at(-1)].map(value => value.toFixed(2));
        console.log(`${name.padEnd(16)} ${median.padStart(10)}   (${least} to ${most})`);
    }
}

if (process.argv[2] === "echo")
    serveEcho();
else
    await main();
