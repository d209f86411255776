/** Chromium, and what is wrong with the look of a page, for the tests of pages. It needs the npm packages playwright-core and axe-core in artifacts/npm. */

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ROOT } from "./support.js";

const EXECUTABLE = "/usr/bin/chromium";
const require = createRequire(new URL("artifacts/npm/package.json", ROOT));
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The widths of two phones, a tablet and a desktop. */
export const WIDTHS = [320, 390, 800, 1440];

/** Starts Chromium. Nothing that it opens leaves this machine. */
export function launch() {
    if (!existsSync(EXECUTABLE))
        throw new Error(`${EXECUTABLE} is missing. Install the package chromium.`);
    return require("playwright-core").chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"] });
}

/** Returns what is wrong with a page: at each width, whether it scrolls sideways, and at some widths, what axe finds, such as a faint text. */
export async function look(page, readWidths = [320, 1440]) {
    const wrong = [];
    if (readWidths.length > 0)
        await page.evaluate(AXE); // the policy of a page may allow no script that it did not serve
    for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))); // the page hears of its new width before the next frame
        const found = await page.evaluate(() => document.documentElement.scrollWidth);
        if (found > width)
            wrong.push(`${found} pixels wide at ${width}`);
        if (!readWidths.includes(width))
            continue;
        const { violations } = await page.evaluate(values => window.axe.run(document, { runOnly: values }), RULES);
        wrong.push(...violations.map(({ id, nodes }) => `at ${width}: ${id}: ${nodes.slice(0, 2).map(node => node.html.slice(0, 120)).join(" / ")}`));
    }
    return wrong;
}
