/** What the page knows about the game, and a game that is started again. Needs no browser. */

import assert from "node:assert/strict";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { start, until } from "../../javascript/test/support.js";
import { TestWebSocket } from "../../javascript/test/websocket.js";

process.env.XDG_DATA_HOME = mkdtempSync(`${tmpdir()}/dashboard-`); // with the token of these tests
const page = new URL("../bin/Release/net10.0/page/", import.meta.url);
const { ageOf, describeEnd, filterMods, keepConnected, makeScale, nameOf, readToken } = await import(new URL("game.js", page));
const { Client, ConnectionError, Schema } = await import(new URL("client/index.js", page));

/** Runs keepConnected with a list of outcomes of attempts: the reason of the end of a connection, or an error. Ends when the list does. */
async function run(outcomes) {
    const [shown, delays, ports] = [[], [], []];
    const done = new RangeError("The outcomes have ended.");
    let port = 1;
    const running = keepConnected({
        findPort: async () => port++,
        open: async one => {
            ports.push(one);
            const outcome = outcomes.shift() ?? done;
            if (outcome instanceof Error)
                throw outcome;
            return { ended: Promise.resolve(outcome) };
        },
        wait: async time => delays.push(time),
        show: (state, text) => shown.push(`${state}: ${text}`),
    });
    await running.catch(error => assert.equal(error, done));
    return { shown, delays, ports };
}

test("the token is read from the fragment, and an address without a token says what to do", () => {
    assert.deepEqual([...readToken("#token=00FF").token], [0, 255]);
    assert.deepEqual([...readToken("#port=1&token=0a").token], [10]);
    for (const hash of ["", "#", "#port=1", "#token="])
        assert.match(readToken(hash).problem, /^This address has no token.* Start the game, and open the address that it prints\.$/);
    for (const hash of ["#token=game", "#token=0", "#token=0g"])
        assert.match(readToken(hash).problem, /^The token of this address is not hexadecimal digits.* Start the game, and open the address that it prints\.$/);
});

test("what is old has a time", () => {
    const time = new Date(2026, 10, 29, 14, 2, 11).getTime();
    assert.deepEqual(ageOf(null, time, false), { isOld: true, text: "" });
    assert.deepEqual(ageOf(time, time + 2000, true), { isOld: false, text: "" });
    assert.deepEqual(ageOf(time, time + 2001, true), { isOld: true, text: "as of 14:02:11" });
    assert.deepEqual(ageOf(time, time, false), { isOld: true, text: "as of 14:02:11" });
});

test("the grid has one to five lines at round numbers, and the curve fits", () => {
    for (let i = 0; i < 2000; i++) {
        const most = i < 100 ? i : Math.random() * 10 ** (i % 9);
        const { top, lines } = makeScale(most);
        assert.ok(top >= most && lines.length >= 1 && lines.length <= 5 && lines.at(-1) <= top, `${most}: ${top}, ${lines}`);
        assert.ok(/^(1|2|25|5)0*$/.test(String(lines[0])), `${most}: ${lines}`);
        lines.forEach((line, j) => assert.equal(line, (j + 1) * lines[0]));
    }
});

test("a filter takes each word from the name, the author and the version", () => {
    const mods = [{ Name: "Photo Mode", Author: "Tomo", Version: "1.4.2" }, { Name: "Weather", Author: "Mira", Version: "2.1.0" }, { Name: "", Author: "Tomo", Version: "1" }];
    assert.deepEqual(filterMods(mods, " "), mods);
    assert.deepEqual(filterMods(mods, "TOMO 1.4"), [mods[0]]);
    assert.deepEqual(filterMods(mods, "mira photo"), []);
    assert.deepEqual(["a", " ", ""].map(nameOf), ["a", "(no name)", "(no name)"]);
});

test("each attempt asks for the port, and a loss says its reason once", async () => {
    const lost = new ConnectionError("ConnectionLost");
    const { shown, delays, ports } = await run([lost, lost, "ConnectionLost", new TypeError("fetch failed"), lost, lost, lost, lost, "Goodbye", lost]);
    assert.deepEqual(ports, Array.from({ length: 11 }, (_, i) => i + 1));
    assert.deepEqual(delays, [250, 500, 250, 500, 1000, 2000, 2000, 2000, 250, 500]);
    assert.deepEqual(shown.slice(0, 5), [
        "lost: The game was not reached. This page connects when the game runs.",
        "lost: The game was not reached. This page connects when the game runs.",
        "connected: Connected",
        "lost: The connection was lost. Connecting again…",
        "lost: The connection was lost. This page connects when the game runs."]);
    assert.deepEqual(shown.slice(-3), ["connected: Connected", "lost: The game has ended. Connecting again…", "lost: The game has ended. This page connects when the game runs."]);
    assert.equal(describeEnd("KeepAliveTimeout"), "The connection was lost (KeepAliveTimeout).");
});

test("a token that is refused ends the attempts", async () => {
    const { shown, delays } = await run([new ConnectionError("WrongToken"), "Goodbye"]);
    assert.deepEqual(shown, ["lost: The game refuses the token of this address. Open the address that the game has printed."]);
    assert.deepEqual(delays, []);
});

test("a game that is started again is found at another port by the same address", async () => {
    let game = await start("Clients/Dashboard", "--port", "0", "--seconds", "60");
    const { origin, port, hash } = new URL(game.ready);
    const [shown, ports, statuses] = [[], [], []];
    let isDone = false;
    const schema = new Schema(await (await fetch(`${origin}/contracts.schema.json`)).json());
    class PageSocket extends TestWebSocket {
        constructor(url) {
            super(url, origin);
        }
    }
    const running = keepConnected({
        findPort: async () => (await (await fetch(`${origin}/game.json`)).json()).port,
        open: async one => {
            const client = new Client(`ws://127.0.0.1:${one}/`, schema, { token: readToken(hash).token, WebSocket: PageSocket });
            client.on("GameStatus", status => statuses.push(status));
            const ended = new Promise(resolve => client.disconnected = resolve);
            await client.connect();
            ports.push(one);
            return { ended };
        },
        wait: () => new Promise((resolve, reject) => setTimeout(() => isDone ? reject(new Error("done")) : resolve(), 50)),
        show: (state, text) => shown.push([state, text]),
    });
    running.catch(() => {}); // ends with "done"
    try {
        await until(() => statuses.length > 1);
        await game.kill();
        await until(() => shown.at(-1)[0] === "lost");
        const before = statuses.length;

        game = await start("Clients/Dashboard", "--port", port, "--seconds", "60");
        await until(() => statuses.length > before);

        assert.equal(game.ready, `${origin}/${hash}`);
        assert.notEqual(ports[0], ports[1]);
        assert.equal(statSync(`${process.env.XDG_DATA_HOME}/reloaded-messaging-dashboard/token`).mode & 0o777, 0o600);
    } finally {
        isDone = true;
        await game.kill();
        await assert.rejects(running, /done/);
    }
});

test("a port that is in use is an error with a way out", async () => {
    const game = await start("Clients/Dashboard", "--port", "0", "--seconds", "60");
    try {
        await assert.rejects(start("Clients/Dashboard", "--port", new URL(game.ready).port), /ended with 1 before/);
    } finally {
        await game.kill();
    }
});
