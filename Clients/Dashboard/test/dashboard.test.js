/** Opens the dashboard in Chromium: both colour schemes and four widths, moving numbers, a mod that is suspended, and the README of the client. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, look } from "../../javascript/test/browser.js";
import { ROOT, start } from "../../javascript/test/support.js";

const SCREENSHOTS = fileURLToPath(new URL("artifacts/dashboard/", ROOT));
const SIZES = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

const output = [];
let browser, game;

process.env.XDG_DATA_HOME = mkdtempSync(`${tmpdir()}/dashboard-`); // with the token of these tests

before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    game = await start("Clients/Dashboard", "--port", "0", "--seconds", "130");
    game.lines.on("line", line => output.push(line));
    browser = await launch();
});

after(async () => {
    await browser?.close();
    await game?.kill();
});

/** Opens an address in a new page, and closes it after the action. Errors of the page fail the test. */
async function visit(url, options, action, mayFail = false) {
    const context = await browser.newContext(options);
    const [page, problems] = [await context.newPage(), []];
    page.on("pageerror", error => problems.push(error.message));
    page.on("console", message => message.type() === "error" && problems.push(message.text()));
    try {
        await page.goto(url);
        await action(page);
        assert.deepEqual(mayFail ? [] : problems, []);
    } finally {
        await context.close();
    }
}

const connected = page => page.waitForSelector("#connection[data-state=connected]");

/** Waits until an element has a text, has another one, or has one that begins with it. */
const waitForText = (page, selector, how, text) => page.waitForFunction(([selector, how, text]) => {
    const now = document.querySelector(selector).textContent;
    return how === "is" ? now === text : how === "is not" ? now !== text : now.startsWith(text);
}, [selector, how, text]);

for (const colorScheme of ["light", "dark"]) {
    test(`numbers and the plot move, and the page looks right: ${colorScheme}`, () => visit(game.ready, { colorScheme }, async page => {
        await connected(page);
        await waitForText(page, "#rate", "is not", "–");
        await waitForText(page, "#rate", "is not", "0");
        const [rate, curve] = [await page.textContent("#rate"), await page.getAttribute("#plot .curve", "points")];
        await waitForText(page, "#rate", "is not", rate);
        await page.waitForFunction(before => document.querySelector("#plot .curve").getAttribute("points").length > 2 * before, curve.length);

        assert.equal(await page.locator("#mods tbody tr").count(), 5);
        assert.ok(await page.locator("#peers tbody tr").count() >= 6, "five mods and this page");
        assert.match(await page.getAttribute("#plot", "aria-label"), /^Messages per second: now \d/);
        assert.deepEqual(await look(page), []);
        for (const [size, viewport] of Object.entries(SIZES)) {
            await page.setViewportSize(viewport);
            const small = await page.locator("button").evaluateAll(buttons => buttons.filter(one => one.getBoundingClientRect().height < 40).length);
            assert.equal(small, 0, `buttons are at least 40 pixels high: ${size}`);
            await page.screenshot({ path: `${SCREENSHOTS}${colorScheme}-${size}.png`, fullPage: true });
        }
    }));
}

test("a mod is suspended and resumed, and the process says so", () => visit(game.ready, { viewport: SIZES.phone }, async page => {
    await connected(page);
    const row = page.locator("#mods tbody tr", { hasText: "Photo Mode" });
    await row.getByRole("button", { name: "Suspend Photo Mode" }).click();
    await row.getByText("suspended").waitFor();
    await waitForText(page, "#running", "is", "4 of 5");
    await page.waitForFunction(() => [...document.querySelectorAll("#mods tbody tr")].find(one => one.textContent.includes("Photo Mode")).querySelector(".number").textContent === "0");
    assert.ok(output.some(line => /^suspended: Photo Mode, by ws:\/\/127\.0\.0\.1:\d+$/.test(line)), output.join("\n"));
    await page.screenshot({ path: `${SCREENSHOTS}suspended.png`, fullPage: true });

    const button = row.getByRole("button", { name: "Resume Photo Mode" });
    await button.focus();
    await page.keyboard.press("Enter");
    await row.getByText("running").waitFor();
    assert.ok(output.some(line => line.startsWith("resumed: Photo Mode, by ")), output.join("\n"));
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Suspend"); // the row was not made again
}));

test("the lines of the client's README list the mods", () => visit(game.ready, {}, async page => {
    const readme = readFileSync(new URL("Clients/javascript/README.md", ROOT), "utf8");
    const code = readme.split("```js\n")[1].split("```")[0];
    assert.ok(code.trim().split("\n").length <= 10);
    const logged = [];
    page.on("console", message => message.type() === "log" && logged.push(message.text()));
    await connected(page);
    await page.evaluate(`(async () => { ${code} })()`);
    assert.deepEqual(logged, ["Weather Overhaul runs", "Photo Mode runs", "Smarter Companions runs", "Voice Pack: Original Cast runs", "Network Statistics runs"]);
}));

test("another token is refused", () => visit(game.ready.replace(/token=..../, "token=0000"), {}, page => waitForText(page, "#connection", "begins with", "The game refuses the token of this address")));

for (const [fragment, text] of [["", "This address has no token"], ["#token=game", "The token of this address is not hexadecimal digits"]])
    test(`an address with '${fragment}' says what to do`, () => visit(game.ready.replace(/#.*/, fragment), {}, async page => {
        await waitForText(page, "#connection", "begins with", text);
        assert.match(await page.textContent("#connection"), /Start the game, and open the address that it prints\.$/);
    }));

test("100 mods have a filter", async () => {
    const large = await start("Clients/Dashboard", "--port", "0", "--more-mods", "95");
    try {
        await visit(large.ready, { viewport: SIZES.phone }, async page => {
            await connected(page);
            await page.getByLabel("Filter by name, author or version").fill("mod 77");
            await waitForText(page, "#shown", "is", "1 of 100 mods");
            assert.equal(await page.locator("#mods tbody tr").count(), 1);
            assert.deepEqual(await look(page), []);
        });
    } finally {
        await large.kill();
    }
});

test("the page names no file outside of its folder", async () => {
    const origin = new URL(game.ready).origin;
    for (const path of ["/../Dashboard.dll", "/%2e%2e/Dashboard.dll", "/Dashboard.dll", "/page/index.html"])
        assert.equal((await fetch(origin + path)).status, 404, path);
    assert.equal((await fetch(origin, { method: "POST" })).status, 405);
});

test("a page shows that the game has ended, and finds it when it was started again", () => visit(game.ready, {}, async page => {
    await connected(page);
    await waitForText(page, "#rate", "is not", "–");
    assert.equal(await page.textContent("#age"), "");
    assert.equal(await page.textContent("#now"), "now");
    const refused = page.waitForEvent("console", { predicate: message => message.type() === "error" }); // an attempt to connect again
    await game.kill();
    await page.waitForSelector("#connection[data-state=lost]");
    await refused;
    assert.match(await page.textContent("#connection"), /^The connection was lost\. /);
    assert.match(await page.textContent("#age"), /^as of \d\d:\d\d:\d\d$/);
    assert.equal(await page.textContent("#now"), await page.textContent("#age"));
    assert.equal(await page.getAttribute("body", "data-old"), "true");
    assert.equal(await page.locator("#mods button:not([aria-disabled=true])").count(), 0);
    assert.deepEqual(await look(page), []);
    await page.screenshot({ path: `${SCREENSHOTS}ended.png`, fullPage: true });

    game = await start("Clients/Dashboard", "--port", new URL(game.ready).port, "--seconds", "60");
    await connected(page);
    await waitForText(page, "#age", "is", "");
    assert.equal(await page.getAttribute("body", "data-old"), "false");
    await page.getByRole("button", { name: "Suspend Photo Mode" }).click();
    await waitForText(page, "#running", "is", "4 of 5");
}, true)); // attempts to reconnect are errors in the console
