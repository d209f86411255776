// Opens the pages of the built site in Chromium, at four widths: in both color schemes, except most pages of types, which are opened in the light one.
// Of these pages of types, it opens each fourth, and all with RELOADED_MESSAGING_EXTENT=3, as .ci/run all does.
// It keeps pictures in artifacts/pictures.
// It needs "dotnet run site/build.cs", Chromium, and the npm packages playwright-core and axe-core in artifacts/npm.
// Run it by "node --test site/test/browser.test.mjs".
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, look } from '../../Clients/javascript/test/browser.js';
import { output, pages, root, serve } from './site.mjs';

const pictures = join(root, 'artifacts/pictures'), schemes = ['light', 'dark'];
// The pages of types have one template: those with the most kinds of members are also opened in the dark scheme, and read by axe.
const sampled = /^api\/(index|reloaded-messaging|reloaded-messaging-hosting|.*\.(MessageHost|Peer|SendStatus|UdpOptions|MessageHostOptions|HandlerForms-1|IMessageContract-1))\.html$/;
const kept = ['index', 'docs/getting-started', 'docs/hosting', 'docs/errors', 'docs/comparison', 'docs/benchmarks', 'docs/tool', 'api/index', 'api/Reloaded.Messaging.Hosting.Peer', 'clients/all'];
const opensAll = process.env.RELOADED_MESSAGING_EXTENT === '3';
let server, browser;

before(async () => {
  if (!existsSync(join(output, 'index.html'))) throw new Error(`${output} has no site. Run "dotnet run site/build.cs".`);
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  server = await serve();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens an empty page that collects what goes wrong in it. */
async function openTab(colorScheme) {
  const page = await (await browser.newContext({ reducedMotion: 'reduce', colorScheme })).newPage();
  page.problems = [];
  page.on('pageerror', error => page.problems.push(error.message));
  page.on('console', message => message.type() === 'error' && page.problems.push(message.text()));
  page.on('response', response => response.status() >= 400 && page.problems.push(`${response.status()} ${response.url()}`));
  return page;
}

async function go(page, path, width = 1440) {
  page.problems.length = 0;
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${server.address}/${path}`);
  await page.waitForFunction(() => window.docfx?.ready);
}

for (const scheme of schemes) {
  test(`Pages_look_right_in_${scheme}`, async () => {
    const readsAll = path => !path.startsWith('api/') || sampled.test(path);
    const left = pages().filter((path, i) => readsAll(path) || (scheme === 'light' && (opensAll || i % 4 === 0))), count = left.length, wrong = [];
    await Promise.all([1, 2].map(async () => {
      const page = await openTab(scheme);
      for (let path = left.shift(); path; path = left.shift()) {
        await go(page, path);
        const found = await page.evaluate(() => ({
          theme: document.documentElement.dataset.bsTheme, headings: document.querySelectorAll('h1').length,
          front: /^\s*(outline|description|title): /.test(document.querySelector('article')?.innerText ?? ''),
          images: [...document.images].filter(image => image.naturalWidth === 0).map(image => image.src),
          tables: [...document.querySelectorAll('article table')].filter(table => !/auto|scroll/.test(getComputedStyle(table.parentElement).overflowX)).length,
          plain: [...document.querySelectorAll('pre code')].filter(code => /^(dotnet|npm|reloaded-messaging) /.test(code.textContent) && !code.classList.contains('lang-sh')).length,
        }));
        if (found.theme !== scheme || found.headings !== 1 || found.front || found.images.length || found.tables || found.plain) wrong.push(`${path}: ${JSON.stringify(found)}`);
        const bad = [...await look(page, readsAll(path) ? scheme === 'light' ? [320, 1440] : [1440] : []), ...page.problems];
        wrong.push(...bad.map(one => `${path}, ${scheme}: ${one}`));
        if (kept.includes(path.replace('.html', ''))) {
          await page.setViewportSize({ width: scheme === 'light' ? 1440 : 390, height: 900 });
          await page.screenshot({ path: join(pictures, `${path.replace(/\.html$/, '').replaceAll('/', '-')}-${scheme}.png`) });
        }
      }
      await page.context().close();
    }));
    assert.ok(count > (scheme === 'light' ? opensAll ? 200 : 90 : 40), `Only ${count} pages were opened.`);
    assert.deepEqual(wrong, []);
  });
}

test('Plots_have_the_colors_of_the_page', async () => {
  const seen = {};
  for (const scheme of schemes) {
    const page = await openTab(scheme);
    await go(page, 'docs/benchmarks.html');
    const plot = page.locator('article img[src*="requests-of-200-b"]').first();
    await page.addStyleTag({ content: '* { background: #888 !important }' }); // what differs is the plot
    await plot.scrollIntoViewIfNeeded();
    seen[scheme] = (await plot.screenshot()).toString('base64');
    await page.context().close();
  }
  assert.notEqual(seen.light, seen.dark);
});

test('Result_of_the_search_leads_to_the_member_in_the_same_tab', async () => {
  const page = await openTab('light');
  await go(page, 'docs/hosting.html');
  await page.waitForFunction(() => window.docfx.searchReady);
  await page.evaluate(() => { window.docfx.searchResultReady = false; });
  await page.fill('#search-query', 'MaxPendingBytes');
  await page.waitForFunction(() => window.docfx.searchResultReady);
  await page.locator('.sr-item a').first().click();
  await page.waitForURL(/HostLimits\.html#Reloaded_Messaging_Hosting_HostLimits_MaxPendingBytes$/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('Address_of_a_folded_table_opens_it', async () => {
  const page = await openTab('light');
  const heading = page.locator('[id="100-in-flight-200-b"]');
  await go(page, 'docs/benchmarks.html');
  assert.equal(await heading.isVisible(), false);
  await page.evaluate(() => { location.hash = '#100-in-flight-200-b'; });
  await heading.waitFor({ state: 'visible' });
  await page.context().close();
});

test('Menus_of_a_phone_lead_to_another_page_and_to_the_reference', async () => {
  const page = await openTab('dark');
  await go(page, 'docs/getting-started.html', 320);
  await page.click('[aria-label="Show table of contents"]');
  await page.locator('#toc a', { hasText: 'Game servers' }).click();
  await page.waitForURL('**/docs/game-servers.html');
  await page.waitForFunction(() => window.docfx?.ready);
  await page.click('[aria-label="Toggle navigation"]');
  await page.locator('#navbar a', { hasText: 'Reference' }).click();
  await page.waitForURL('**/api/index.html');
  await page.context().close();
});

test('Pictures_are_kept_for_a_person_to_look_at', () => {
  const missing = kept.map(name => name.replaceAll('/', '-')).flatMap(name => schemes.map(scheme => `${name}-${scheme}.png`)).filter(file => !existsSync(join(pictures, file)));
  assert.deepEqual(missing, []);
});
