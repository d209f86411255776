// Opens the built site in Chromium: every page at two widths and in both themes, every link, and the search.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { documents } from '../pages.mjs';
import { assertNone, dist, open, sizes } from './browser.mjs';

const paths = readdirSync(dist, { recursive: true }).filter(path => path.endsWith('.html') && path !== '404.html').sort();
const opened = new Map();
const looks = [['wide', 'light'], ['phone', 'dark']];
let browser;

before(async () => { browser = await open(); });
after(() => browser?.close());

test('Build_has_page_for_each_document', () => {
  const expected = documents.filter(({ page }) => page.endsWith('.md')).map(({ page }) => page.replace(/\.md$/, '.html'));
  assertNone('Documents without a page', expected.filter(page => !paths.includes(page)));
  assert.ok(paths.some(path => path === 'api/reloaded-messaging.html'));
});

/** Returns what is wrong with the layout of the page that is shown. */
async function layoutErrors(size) {
  const { width } = sizes[size];
  const found = await browser.page.evaluate(() => document.documentElement.scrollWidth);
  return found > width ? [`The page is ${found} pixels wide, at a width of ${width}.`] : [];
}

// Each page is seen in both looks. The next page is loaded in the look in which the one before was left, because a change of the size costs as much as a page.
for (const [index, path] of paths.entries()) {
  test(`Page_${path}_opens_in_both_widths_and_themes`, () => browser.visit(path, async page => {
    const content = await page.evaluate(() => ({
      headings: document.querySelectorAll('h1').length,
      ids: [...document.querySelectorAll('[id]')].map(element => element.id),
      links: [...document.querySelectorAll('a[href]')].map(link => link.href),
      images: [...document.images].map(image => ({ source: image.src, loaded: image.naturalWidth > 0 })),
    }));
    opened.set(path, content);
    assert.equal(content.headings, 1);

    for (const [size, theme] of [looks[index % 2], looks[1 - index % 2]]) {
      await browser.show(size, theme);
      assertNone(`${size}, ${theme}`, await layoutErrors(size));
      await browser.picture(`${path.replaceAll('/', '-').replace('.html', '')}-${size}-${theme}`);
    }
  }));
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
    for (const link of links.filter(link => link.startsWith(browser.address))) {
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
  await browser.visit('getting-started.html', async page => {
    const links = await page.locator('.VPSidebar a').evaluateAll(links => links.map(link => new URL(link.href).pathname.slice(1)));
    const targets = links.map(link => link.replace(/(^|\/)$/, '$1index.html'));
    assertNone('Pages that the sidebar lacks', paths.filter(path => !targets.includes(path)));
    assertNone('Pages that the sidebar has twice', targets.filter((target, index) => targets.indexOf(target) !== index));
  });
});

test('Search_finds_the_page_of_a_term', async () => {
  await browser.visit('getting-started.html', async page => {
    await browser.show('wide', 'light');
    for (const [term, expected] of Object.entries({
      'keep-alive': 'hosting.html',
      'RM0001': 'analyzers.html',
      'uvarint': 'binary-format.html',
      'TickLoopOptions': 'api/reloaded-messaging-games.html',
      'liblz4': 'api/reloaded-messaging-compression-lz4.html',
    })) {
      await page.locator('.VPNavBarSearch button').first().click();
      await page.locator('.search-input').fill(term);
      const result = page.locator(`.VPLocalSearchBox .result[href^="/${expected}"]`).first();
      await result.waitFor();
      await browser.picture(`search-${term}`);
      await result.click();
      await page.waitForURL(`**/${expected}*`);
      await page.locator('.vp-doc', { hasText: term }).waitFor();
    }
  });
});

test('Menu_of_a_phone_leads_to_another_page', async () => {
  await browser.visit('getting-started.html', async page => {
    await browser.show('phone', 'light');
    await page.locator('.VPLocalNav .menu').click();
    await page.locator('.VPSidebar a', { hasText: 'Game servers' }).click();
    await page.waitForURL('**/game-servers.html');
    await page.locator('h1', { hasText: 'Game servers' }).waitFor();
  });
});

test('Theme_chosen_by_the_reader_is_kept', async () => {
  const isDark = page => page.evaluate(() => document.documentElement.classList.contains('dark'));
  await browser.visit('getting-started.html', async page => {
    await browser.show('wide', 'light');
    await page.locator('.VPNavBarAppearance button').click();
    await page.reload();
    await browser.ready();
    assert.equal(await isDark(page), true);
    await page.evaluate(() => localStorage.clear());
  });
});
