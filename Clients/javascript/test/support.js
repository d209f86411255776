/** The files of docs/vectors, the values in them, and C# processes to connect to. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Schema } from "../index.js";

export const ROOT = new URL("../../../", import.meta.url);

export const document = name => JSON.parse(readFileSync(new URL(`docs/vectors/${name}.json`, ROOT), "utf8"));

/** The cases of a file. */
export function cases(name) {
    const found = document(name).cases;
    if (!(found.length > 0))
        throw new Error(`${name} has no cases.`);
    return found;
}

export const SCHEMA = new Schema(document("contracts.schema"));

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
        lines,
        kill: () => (child.kill("SIGKILL"), ended),
        stop: () => (child.stdin.end(), ended),
    };
}
