/** The files of docs/vectors, the values in them, and C# processes to connect to. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Schema } from "../node.js";
import { readFrame } from "../src/wire.js";

export const ROOT = new URL("../../../", import.meta.url);

/** The C# host of these tests. */
export const PEER = "Reloaded.Messaging.Tests/Reloaded.Messaging.Tests.PeerProcess";

/** The extent of long tests: 0 by default, 1 in .ci/run, and 2 or more before a release. */
export const EXTENT = Number(process.env.RELOADED_MESSAGING_EXTENT ?? 0);

export const document = name => JSON.parse(readFileSync(new URL(`docs/vectors/${name}.json`, ROOT), "utf8"));

/** The cases of a file. */
export function cases(name) {
    const found = document(name).cases;
    if (!(found.length > 0))
        throw new Error(`${name} has no cases.`);
    return found;
}

export const SCHEMA = new Schema(document("contracts.schema"));

/** The frames in bytes, as hexadecimal texts. */
export function framesOf(bytes) {
    const frames = [];
    for (let position = 0; position < bytes.length;) {
        const [, end] = readFrame(bytes, position, 1 << 30);
        frames.push(toHex(bytes.subarray(position, end)));
        position = end;
    }
    return frames;
}

export const toHex = bytes => Buffer.from(bytes).toString("hex").toUpperCase();

/** A decoded message in the form that docs/vectors/README.md describes. */
export function asVector(contract, value) {
    if (contract.kind === "union") {
        const found = contract.fields.find(field => field.name === value.$type);
        const { $type, ...rest } = value;
        return { $type, ...asVector(SCHEMA.find(found.type.message), rest) };
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typed(contract.fields.find(field => field.name === name).type, one)]));
}

function typed(type, value) {
    if (value === null)
        return null;
    switch (type.kind) {
        case "?": return typed(type.parts[0], value);
        case "m": return asVector(SCHEMA.find(type.message), value);
        case "(": return value.map((one, i) => typed(type.parts[i], one));
        case "[": return Array.from(value, one => typed(type.parts[0], one));
        case "{": return [...value].map(([key, one]) => [typed(type.parts[0], key), typed(type.parts[1], one)]);
        case "c2": return value.charCodeAt(0);
        case "t": return { ticks: String(value.ticks), kind: value.kind };
        case "to": return { ticks: String(value.ticks), minutes: value.minutes };
        default: return typeof value === "bigint" ? String(value) : value;
    }
}

/** The time in which anything that a test waits for happens, in milliseconds. */
export const WAIT = 30_000;

/** A value that a callback passes later. */
export function signal() {
    let set;
    const promise = new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("A signal did not come.")), WAIT);
        set = value => (clearTimeout(timer), resolve(value));
    });
    promise.catch(() => {}); // the test that awaits it fails
    return { set, promise };
}

/** Waits until a condition holds. */
export async function until(isTrue) {
    for (const end = Date.now() + WAIT; !isTrue();) {
        if (Date.now() > end)
            throw new Error(`It did not become true: ${isTrue}`);
        await new Promise(resolve => setTimeout(resolve, 2));
    }
}

/** Starts a C# program that the solution's build has built. Resolves with the process and its line that begins with `ready`. It ends when its input does. */
export async function start(project, ...args) {
    const name = project.split("/").at(-1);
    const program = fileURLToPath(new URL(`${project}/bin/Release/net10.0/${name}.dll`, ROOT));
    if (!existsSync(program))
        throw new Error(`${program} is missing. Build it first: dotnet build -c Release ${project}`);
    const child = spawn("dotnet", [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise(resolve => child.once("exit", resolve));
    const lines = createInterface({ input: child.stdout });
    const ready = await new Promise((resolve, reject) => {
        lines.on("line", line => line.startsWith("ready") && resolve(line));
        child.once("exit", code => reject(new Error(`${program} ended with ${code} before it was ready.`)));
    });
    return {
        ready: ready.split(" ").at(-1),
        words: ready.split(" "),
        lines,
        kill: () => (child.kill("SIGKILL"), ended),
        stop: () => (child.stdin.end(), ended),
    };
}

/** The bytes of a file, as the C# host creates them. */
export const pattern = size => Uint8Array.from({ length: size }, (_, i) => 7 * i % 251);
