// Opens the built site in Chromium: every page at two widths and in both themes, every link, and the search.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { documents, repository } from '../pages.mjs';
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
const layoutErrors = (page, size) => page.evaluate(width => {
  const errors = [], found = document.documentElement.scrollWidth;
  if (found > width) errors.push(`The page is ${found} pixels wide, at a width of ${width}`);
  for (const table of document.querySelectorAll('.vp-doc table')) {
    const style = getComputedStyle(table), row = getComputedStyle(table.rows[0]);
    if (table.scrollWidth > table.clientWidth && !(style.overflowX === 'auto' && style.scrollbarWidth === 'thin' && style.backgroundAttachment === 'local, local, scroll, scroll' && /^rgba/.test(row.backgroundColor)))
      errors.push(`A table scrolls without a shadow: ${table.rows[0].innerText}`);
  }
  for (const element of document.querySelectorAll('.vp-doc :is(td, th) :is(code, a)')) {
    if (element.getClientRects().length < 2) continue;
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/\S+/g)) {
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) errors.push(`A table breaks ${word}`);
      }
    }
  }
  return errors;
}, sizes[size].width);

// Each page is seen in both looks. The next page is loaded in the look in which the one before was left, because a change of the size costs as much as a page.
for (const [index, path] of paths.entries()) {
  test(`Page_${path}_opens_in_both_widths_and_themes`, () => browser.visitFrame(path, async page => {
    const content = await page.evaluate(() => ({
      headings: document.querySelectorAll('h1').length,
      title: document.title,
      meta: Object.fromEntries([...document.querySelectorAll('meta')].map(meta => [meta.name || meta.getAttribute('property'), meta.content])),
      plainCommands: [...document.querySelectorAll('.vp-doc pre code')].map(code => code.textContent).filter((text, index) => /^(dotnet|npm|reloaded-messaging) /.test(text) && !document.querySelectorAll('.vp-doc pre code')[index].querySelector('span[style]')),
      ids: [...document.querySelectorAll('[id]')].map(element => element.id),
      links: [...document.querySelectorAll('a[href]')].map(link => link.href),
      images: [...document.images].map(image => ({ source: image.src, loaded: image.naturalWidth > 0 })),
    }));
    opened.set(path, content);
    assert.equal(content.headings, 1);
    assertNone('Commands that are not highlighted', content.plainCommands);

    for (const [size, theme] of [looks[index % 2], looks[1 - index % 2]]) {
      await browser.show(size, theme);
      assertNone(`${size}, ${theme}`, await layoutErrors(page, size));
      await browser.picture(`${path.replaceAll('/', '-').replace('.html', '')}-${size}-${theme}`);
    }
  }));
}

test('Each_page_has_description_of_its_own_and_preview', () => {
  const descriptions = new Map();
  for (const [path, { title, meta }] of opened) {
    const text = meta.description;
    assert.ok(text.length >= 50 && text.length <= 160, `${path} has a description of ${text.length} characters: ${text}`);
    assert.ok(!descriptions.has(text), `${path} has the description of ${descriptions.get(text)}.`);
    descriptions.set(text, path);
    assert.deepEqual([meta['og:title'], meta['og:description'], meta['og:type']], [title, text, 'website'], path);
  }
  assert.equal(descriptions.size, paths.length);
});

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
    const targets = links.map(link => link.replace(/(^|\/)$/, '$1index.html')).concat('index.html'); // the name of the site leads there
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
      'uvarint': 'specification/binary-format.html',
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

test('Search_ranks_pages_before_members_of_the_reference', async () => {
  await browser.visit('getting-started.html', async page => {
    await browser.show('wide', 'light');
    for (const term of ['reconnect', 'timeout', 'stream']) {
      await page.locator('.VPNavBarSearch button').first().click();
      await page.locator('.search-input').fill(term);
      await page.locator('.VPLocalSearchBox .result').nth(6).waitFor();
      const found = await page.locator('.VPLocalSearchBox .result').evaluateAll(results => results.slice(0, 5).map(result => new URL(result.href).pathname));
      assertNone(`Members among the first results for ${term}`, found.filter(path => path.startsWith('/api/')));
      await page.keyboard.press('Escape');
    }
  });
});

test('First_page_leads_to_the_repository_and_has_icon_and_logo', async () => {
  await browser.visit('index.html', async page => {
    await browser.show('wide', 'light');
    assert.equal(await page.locator('.VPNavBarSocialLinks a').getAttribute('href'), repository);
    assert.equal(await page.locator('link[rel=icon]').getAttribute('href'), '/icon.svg');
    const images = await page.locator('.VPNavBarTitle img, .VPHero img').evaluateAll(images => images.map(image => [new URL(image.src).pathname, image.naturalWidth > 0]));
    assert.deepEqual(images, [['/icon.svg', true], ['/mod-loader.svg', true]]);
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
