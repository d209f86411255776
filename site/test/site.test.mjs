// Opens the built site in Chromium: every page, every link, the search, both themes and two widths.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { documents, root } from '../pages.mjs';
import { serve } from '../serve.mjs';

const dist = join(root, 'site/.vitepress/dist');
const screenshots = join(root, 'artifacts/site');
const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const paths = readdirSync(dist, { recursive: true }).filter(path => path.endsWith('.html') && path !== '404.html').sort();
const opened = new Map();
let browser, site;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  site = await serve(dist);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
});

after(async () => {
  await browser?.close();
  site?.close();
});

/** Fails with one line that lists the items, so that a short log shows them. */
const assertNone = (what, items) => items.length && assert.fail(`${what}: ${items.join(', ')}`);

/** Opens a path in a new page, and closes it after the action. Requests to other hosts and messages of errors fail the test. */
async function visit(path, options, action) {
  const context = await browser.newContext(options);
  const page = await context.newPage(), problems = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
  page.on('response', response => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));
  await page.route(url => url.protocol !== 'data:' && !url.href.startsWith(site.address), route => {
    problems.push(`request to ${route.request().url()}`);
    return route.abort();
  });
  const ready = () => page.waitForFunction(() => document.querySelector('#app').__vue_app__ && document.fonts.status === 'loaded');
  try {
    await page.goto(`${site.address}/${path}`);
    await ready();
    await action(page, ready);
    assertNone('Problems', problems);
  } finally {
    await context.close();
  }
}

const isDark = page => page.evaluate(() => document.documentElement.classList.contains('dark'));

test('Build_has_page_for_each_document', () => {
  const expected = documents.filter(({ page }) => page.endsWith('.md')).map(({ page }) => page.replace(/\.md$/, '.html'));
  assertNone('Documents without a page', expected.filter(page => !paths.includes(page)));
  assert.ok(paths.some(path => path === 'api/reloaded-messaging.html'));
});

for (const path of paths) {
  test(`Page_${path}_opens_in_both_widths_and_themes`, async () => {
    await visit(path, { viewport: sizes.wide }, async page => {
      assert.equal(await page.locator('h1').count(), 1);
      opened.set(path, await page.evaluate(() => ({
        ids: [...document.querySelectorAll('[id]')].map(element => element.id),
        links: [...document.querySelectorAll('a[href]')].map(link => link.href),
        images: [...document.images].map(image => ({ source: image.src, loaded: image.naturalWidth > 0 })),
      })));

      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `The page is ${width} pixels wide, at a width of ${viewport.width}.`);
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          await page.waitForFunction(dark => document.documentElement.classList.contains('dark') === dark, colorScheme === 'dark');
          if (!process.env.CI) // to look at: nothing is compared with them, and they take most of the time
            await page.screenshot({ path: join(screenshots, `${path.replaceAll('/', '-').replace('.html', '')}-${size}-${colorScheme}.png`), animations: 'disabled' });
        }
      }
    });
  });
}

test('Images_of_all_pages_are_loaded', () => {
  const images = [...opened.values()].flatMap(({ images }) => images);
  assert.ok(images.length > 0);
  assertNone('Images that are not loaded', images.filter(image => !image.loaded).map(image => image.source));
});

test('Links_of_all_pages_lead_to_a_page_and_an_anchor', () => {
  assert.equal(opened.size, paths.length);
  const broken = new Set();
  let followed = 0;
  for (const [path, { links }] of opened) {
    for (const link of links.filter(link => link.startsWith(site.address))) {
      const url = new URL(link);
      const target = url.pathname.slice(1).replace(/(^|\/)$/, '$1index.html');
      const anchor = decodeURIComponent(url.hash.slice(1));
      followed++;
      if (!opened.has(target) || (anchor && !opened.get(target).ids.includes(anchor)))
        broken.add(`${path} -> ${url.pathname}${url.hash}`);
    }
  }
  assert.ok(followed > 1000, `Only ${followed} links were found.`);
  assertNone('Broken links', [...broken]);
});

test('Sidebar_leads_to_each_page', async () => {
  await visit('index.html', { viewport: sizes.wide }, async page => {
    const links = await page.locator('.VPSidebar a').evaluateAll(links => links.map(link => new URL(link.href).pathname.slice(1)));
    const targets = links.map(link => link.replace(/(^|\/)$/, '$1index.html'));
    assertNone('Pages that the sidebar lacks', paths.filter(path => !targets.includes(path)));
    assertNone('Pages that the sidebar has twice', targets.filter((target, index) => targets.indexOf(target) !== index));
  });
});

for (const [term, expected] of Object.entries({
  'keep-alive': 'hosting.html',
  'RM0001': 'analyzers.html',
  'uvarint': 'binary-format.html',
  'TickLoopOptions': 'api/reloaded-messaging-games.html',
  'liblz4': 'api/reloaded-messaging-compression-lz4.html',
})) {
  test(`Search_for_${term}_finds_${expected}`, async () => {
    await visit('getting-started.html', { viewport: sizes.wide }, async page => {
      await page.locator('.VPNavBarSearch button').first().click();
      await page.locator('.search-input').fill(term);
      const result = page.locator(`.VPLocalSearchBox .result[href^="/${expected}"]`).first();
      await result.waitFor();
      await page.screenshot({ path: join(screenshots, `search-${term}.png`) });
      await result.click();
      await page.waitForURL(`**/${expected}*`);
      await page.locator('.vp-doc', { hasText: term }).waitFor();
    });
  });
}

test('Menu_of_a_phone_leads_to_another_page', async () => {
  await visit('getting-started.html', { viewport: sizes.phone }, async page => {
    await page.locator('.VPLocalNav .menu').click();
    await page.locator('.VPSidebar a', { hasText: 'Game servers' }).click();
    await page.waitForURL('**/game-servers.html');
    await page.locator('h1', { hasText: 'Game servers' }).waitFor();
  });
});

test('Theme_chosen_by_the_reader_is_kept', async () => {
  await visit('getting-started.html', { viewport: sizes.wide, colorScheme: 'light' }, async (page, ready) => {
    assert.equal(await isDark(page), false);
    await page.locator('.VPNavBarAppearance button').click();
    await page.reload();
    await ready();
    assert.equal(await isDark(page), true);
  });
});
