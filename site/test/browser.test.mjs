// Opens the built site in Chromium: pages at three widths and in both themes, the search, and the menus of a phone. It needs "dotnet run site/build.cs",
// Chromium, and the npm package playwright-core in artifacts/npm. Run it by "node --test site/test/browser.test.mjs".
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url)), output = join(root, 'artifacts/site'), executable = '/usr/bin/chromium';
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };
const looks = { 'wide and light': [1440, 900, 'light'], 'tablet and light': [800, 1100, 'light'], 'phone and dark': [320, 700, 'dark'] };
// All guides, and the pages of a package and of some types: the other types have the same template.
const pages = readdirSync(output, { recursive: true }).filter(path => /\.html$/.test(path) && !/toc\.html$/.test(path) && (!path.startsWith('api/') || /^api\/(index|reloaded-messaging-hosting|.*\.(MessageHost|Peer|SendStatus|UdpOptions|MessageHostOptions|HandlerForms-1))\.html$/.test(path))).sort();
let server, address, browser, page, problems;

before(async () => {
  if (!statSync(executable, { throwIfNoEntry: false })) throw new Error(`${executable} is missing. Install the package chromium.`);
  const { chromium } = createRequire(join(root, 'artifacts/npm/package.json'))('playwright-core');
  server = createServer((request, response) => {
    const path = join(output, decodeURIComponent(new URL(request.url, 'http://localhost').pathname).replace(/\/$/, '/index.html'));
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream', 'cache-control': 'max-age=3600' }).end(readFileSync(path));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({ executablePath: executable, args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] }); // nothing leaves this machine
  page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
  page.on('response', response => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page and waits for the scripts of docfx. */
async function open(path, [width, height, colorScheme] = looks['wide and light']) {
  problems = [];
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.goto(`${address}/${path}`);
  await page.waitForFunction(() => window.docfx?.ready);
}

for (const [name, look] of Object.entries(looks)) {
  test(`Pages_fit_${name.replaceAll(' ', '_')}`, async () => {
    const wrong = [];
    for (const path of pages) {
      await open(path, look);
      const found = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth, theme: document.documentElement.dataset.bsTheme, headings: document.querySelectorAll('h1').length,
        images: [...document.images].filter(image => image.naturalWidth === 0).map(image => image.src),
        tables: [...document.querySelectorAll('article table')].filter(table => !/auto|scroll/.test(getComputedStyle(table.parentElement).overflowX)).length,
        plain: [...document.querySelectorAll('pre code')].filter(code => /^(dotnet|npm|reloaded-messaging) /.test(code.textContent) && !code.classList.contains('hljs')).length,
      }));
      if (found.width > look[0]) wrong.push(`${path} is ${found.width} pixels wide`);
      if (found.theme !== look[2] || found.headings !== 1 || found.images.length || found.tables || found.plain) wrong.push(`${path}: ${JSON.stringify(found)}`);
      wrong.push(...problems.map(problem => `${path}: ${problem}`));
    }
    assert.ok(pages.length > 50, `Only ${pages.length} pages were opened.`);
    assert.deepEqual(wrong, []);
  });
}

/** Returns the addresses of the first results. */
async function search(words) {
  await page.waitForFunction(() => window.docfx.searchReady);
  await page.evaluate(() => { window.docfx.searchResultReady = false; });
  await page.fill('#search-query', words);
  await page.waitForFunction(() => window.docfx.searchResultReady);
  return page.locator('.sr-item a').evaluateAll(links => links.map(link => link.href.replace(/^.*?:\d+\//, '').replace(/\?q=.*/, '')));
}

test('Search_finds_a_member_by_its_exact_name_first', async () => {
  await open('docs/hosting.html');
  for (const [words, expected] of Object.entries({ 'MessageHost': /^api\/.*\.MessageHost\.html$/, 'Peer': /^api\/.*\.Peer\.html$/, 'TickLoopOptions': /^api\/.*\.TickLoopOptions\.html/, 'OnRequest': /^api\/.*\.MessageHost\.html#.*_OnRequest_/, 'SendStatus.Full': /^api\/.*SendStatus_Full$/, 'MaxPendingBytes': /^api\/.*HostLimits_MaxPendingBytes$/ })) {
    const [first] = await search(words);
    assert.match(first, expected, words);
  }
});

test('Search_finds_guides_before_figures_and_before_pages_for_contributors', async () => {
  await open('docs/hosting.html');
  for (const [words, expected] of Object.entries({ 'encryption': 'docs/transports.html', 'reconnect': 'docs/hosting.html', 'keep-alive': 'docs/hosting.html', 'RM0001': 'docs/analyzers.html', 'uvarint': 'clients/binary-format.html' })) {
    const found = (await search(words)).filter(path => !path.startsWith('api/'));
    const later = found.findIndex(path => /benchmarks|^internals\//.test(path));
    assert.ok(found.includes(expected), `${words}: ${found}`);
    assert.ok(later < 0 || found.indexOf(expected) < later, `${words}: ${found}`);
  }
});

test('Result_of_the_search_leads_to_the_member_in_the_same_tab', async () => {
  await open('docs/hosting.html');
  await search('MaxPendingBytes');
  await page.locator('.sr-item a').first().click();
  await page.waitForURL(/HostLimits\.html#Reloaded_Messaging_Hosting_HostLimits_MaxPendingBytes$/);
  assert.deepEqual(problems, []);
});

test('Menus_of_a_phone_lead_to_another_page_and_to_the_reference', async () => {
  await open('docs/getting-started.html', looks['phone and dark']);
  await page.click('[aria-label="Show table of contents"]');
  await page.locator('#toc a', { hasText: 'Game servers' }).click();
  await page.waitForURL('**/docs/game-servers.html');
  await page.waitForFunction(() => window.docfx?.ready);
  await page.click('[aria-label="Toggle navigation"]');
  await page.locator('#navbar a', { hasText: 'Reference' }).click();
  await page.waitForURL('**/api/index.html');
});
