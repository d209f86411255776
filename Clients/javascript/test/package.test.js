/** The package: its files, its size, its use from a clean folder, and the program of its README. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { PEER, ROOT, start } from "./support.js";

const CLIENT = fileURLToPath(new URL("../", import.meta.url));
const MOST = 18; // kB that a page loads, minified and compressed
const LAZY = ["comparison.js", "files.js", "outgoing.js", "reports.js"]; // loaded at their first use
const run = promisify(execFile);
const folder = mkdtempSync(`${tmpdir()}/reloaded-messaging-js-`);
after(() => rmSync(folder, { recursive: true }));

/** The files that a file imports, with all that these import. */
function graphOf(path, found = new Set()) {
    if (!found.has(path)) {
        found.add(path);
        for (const [, name] of readFileSync(path, "utf8").matchAll(/(?:from|import)\s*\(?"([^"]+)"/g))
            name.startsWith(".") ? graphOf(fileURLToPath(new URL(name, `file://${path}`)), found) : found.add(name);
    }
    return found;
}

test("a browser loads files of the client only", () => {
    const files = [...graphOf(`${CLIENT}index.js`)];
    assert.ok(LAZY.every(name => files.includes(`${CLIENT}src/${name}`)));
    assert.deepEqual(files.filter(path => !path.startsWith(CLIENT) || path.includes("/node/")), []);
});

test("a page loads a limited number of bytes", async context => {
    let build;
    try {
        ({ build } = createRequire(new URL("artifacts/npm/package.json", ROOT))("esbuild"));
    } catch (error) {
        assert.equal(error.code, "MODULE_NOT_FOUND");
        return context.skip("esbuild is missing. Install it with 'npm install --prefix artifacts/npm esbuild@0.21.5'.");
    }
    const external = LAZY.map(name => `./${name}`);
    const { outputFiles: [file] } = await build({ entryPoints: [`${CLIENT}index.js`], bundle: true, minify: true, format: "esm", external, write: false });
    const size = gzipSync(file.contents, { level: 9 }).length / 1000;
    context.diagnostic(`${size} kB`);
    assert.ok(size <= MOST, `${size} kB`);
    const said = /A page loads (\d+) kB/.exec(readFileSync(`${CLIENT}README.md`, "utf8"));
    assert.equal(Number(said?.[1]), Math.round(size));
});

test("the packed client runs the program of its README in a clean folder", async context => {
    const [{ filename, files }] = JSON.parse((await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: CLIENT })).stdout);
    const names = files.map(file => file.path);
    for (const name of ["LICENSE", "README.md", "CHANGES.md", "index.js", "node.js", "index.d.ts", "package.json"])
        assert.ok(names.includes(name), name);
    assert.deepEqual(names.filter(name => /test|benchmark/.test(name)), []);
    writeFileSync(`${folder}/package.json`, JSON.stringify({ name: "clean", private: true, type: "module" }));
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${filename}`], { cwd: folder });

    const host = await start(PEER, "languages", "none", "0");
    context.after(() => host.stop());
    const program = readFileSync(`${CLIENT}README.md`, "utf8").split("```js\n")[2].split("```")[0];
    writeFileSync(`${folder}/program.js`, program.replace("7777", host.ready));
    writeFileSync(`${folder}/contracts.schema.json`, readFileSync(new URL(`${PEER}/contracts.schema.json`, ROOT)));
    const { stdout } = await run(process.execPath, ["program.js"], { cwd: folder });
    assert.deepEqual(stdout.trim().split("\n").filter(line => line !== "hello"), ["0", "1", "2", "1001 No such file.", "6n 2", "Requested"]);
});

test("the condition of the package for browsers is the entry without Node", async () => {
    const { exports } = JSON.parse(readFileSync(`${CLIENT}package.json`, "utf8"));
    assert.deepEqual(Object.keys(exports["."]), ["types", "node", "default"]);
    assert.deepEqual([exports["."].node, exports["."].default], ["./node.js", "./index.js"]);
});
