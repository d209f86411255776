/** TLS, Unix sockets, published servers and endpoints that are none. */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, beforeEach, describe, test } from "node:test";
import { Client, Fault, Schema, findServers } from "../node.js";
import { findServer } from "../src/node/servers.js";
import { PEER, ROOT, WAIT, start } from "./support.js";

const TOKEN = Uint8Array.from({ length: 32 }, (_, i) => i);
const schemaOf = project => new Schema(JSON.parse(readFileSync(new URL(`${project}/contracts.schema.json`, ROOT), "utf8")));
const folder = mkdtempSync(`${tmpdir()}/reloaded-messaging-js-`);
after(() => rmSync(folder, { recursive: true }));

test("only a trusted certificate connects", async context => {
    const host = await start(PEER, "languages-tls", Buffer.from(TOKEN).toString("hex"), "0");
    context.after(() => host.stop());
    const ca = `-----BEGIN CERTIFICATE-----\n${host.words[1].match(/.{1,64}/g).join("\n")}\n-----END CERTIFICATE-----\n`;
    const make = tls => new Client(`tcp://localhost:${host.ready}`, schemaOf(PEER), { token: TOKEN, tls, timeout: WAIT });
    const client = await make({ ca }).connect();
    context.after(() => client.close());
    assert.equal((await client.request("Sum", { Numbers: [1, 2] })).Value, 3n);
    let count = 0;
    for await (const { Number: number } of client.stream("Count", { To: 20_000 }))
        assert.equal(number, count++);
    assert.equal(count, 20_000);
    await assert.rejects(make({}).connect(), { name: "ConnectionError", reason: "TlsFailed" });
});

test("a published game is found over its Unix socket", async context => {
    const game = "Examples/ModLoader";
    process.env.XDG_RUNTIME_DIR = mkdtempSync(`${folder}/runtime-`); // other games of this user stay out of the way
    const host = await start(game, "game");
    context.after(() => host.stop());
    const id = Number(host.ready);
    assert.deepEqual(await findServers("mod-loader"), [id]);
    assert.match((await findServer(id, "mod-loader"))[0], /^unix:\//);
    const client = await new Client(`process:${id}/mod-loader`, schemaOf(game), { timeout: WAIT }).connect();
    context.after(() => client.close());
    assert.deepEqual(await client.request("IModLoader.SetAsync", { mod: "example.sharedlib.hooks", state: 1 }), { Result: 0 });
    assert.equal((await client.request("IModLoader.ListAsync")).Mods.find(mod => mod.Config.ModId === "example.sharedlib.hooks").State, 1);
    await assert.rejects(client.request("IModLoader.SetAsync", { mod: "no.such.mod", state: 1 }), error => error instanceof Fault && error.code === 1000);
});

test("a text that is no endpoint is refused, also by a client that reconnects", async () => {
    for (const endpoint of ["http://127.0.0.1/", "127.0.0.1:7777", "process:x/name"])
        await assert.rejects(new Client(endpoint, schemaOf(PEER), { reconnect: true }).connect(), { reason: "NoEndpoint" }, endpoint);
});

describe("entries of published servers", () => {
    const [own, started] = [`game.${process.pid}`, readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")[19]];
    let root, servers, entry;
    beforeEach(() => {
        process.env.XDG_RUNTIME_DIR = mkdtempSync(`${folder}/runtime-`);
        root = `${process.env.XDG_RUNTIME_DIR}/reloaded-messaging`;
        [servers, entry] = [`${root}/servers`, `${root}/servers/${own}`];
        mkdirSync(servers, { recursive: true, mode: 0o700 });
        writeFileSync(entry, `reloaded-messaging server 1\nprocess ${process.pid} ${started}\nTcp 7777 - 127.0.0.1\ntoken ${Buffer.from(TOKEN).toString("base64")}\n`, { mode: 0o600 });
    });

    const assertRefused = async (message, findsNone = false) => {
        await assert.rejects(findServer(process.pid, "game"), { name: "PermissionError", message });
        if (findsNone)
            assert.deepEqual(await findServers("game"), []);
        else
            await assert.rejects(findServers("game"), { name: "PermissionError", message });
    };

    test("a private entry is found", async () => {
        assert.deepEqual(await findServers("game"), [process.pid]);
        assert.deepEqual(await findServer(process.pid, "game"), ["tcp://127.0.0.1:7777", TOKEN]);
        assert.deepEqual(await findServers("gam"), []);
    });

    test("an entry of a process that has ended, and whose id another process has, is not found", async () => {
        writeFileSync(entry, readFileSync(entry, "utf8").replace(` ${started}\n`, ` ${started}1\n`));
        await assert.rejects(findServer(process.pid, "game"), { name: "ConnectionError" });
        assert.deepEqual(await findServers("game"), []);
    });

    test("a missing folder has no servers", async () => {
        rmSync(root, { recursive: true });
        assert.deepEqual(await findServers("game"), []);
        await assert.rejects(findServer(process.pid, "game"), { name: "ConnectionError" });
    });

    test("a folder that others can enter is refused", async () => {
        for (const one of [root, servers]) {
            chmodSync(one, 0o755);
            await assertRefused(/has the mode 755/);
            chmodSync(one, 0o700);
        }
    });

    test("a link is refused", async () => {
        for (const one of [servers, root]) {
            renameSync(one, `${one}-target`);
            symlinkSync(`${one}-target`, one);
            await assertRefused(/is a link/);
            unlinkSync(one);
            renameSync(`${one}-target`, one);
        }
    });

    test("an entry that others can access is refused", async () => {
        chmodSync(entry, 0o644);
        await assertRefused(/has the mode 644/, true);
        unlinkSync(entry);
        symlinkSync("/dev/null", entry);
        await assertRefused(/is a link/, true);
    });

    test("a folder of another user is refused", async context => {
        context.mock.method(process, "geteuid", () => -1);
        await assertRefused(/belongs to user/);
    });
});
